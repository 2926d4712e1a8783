"""Keeps the audit's JSON lines behind its table: the table is what counts, the file is for other programs.

Nothing waits for the file. Where it can't be written that is logged once, and made up for as soon as it can.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from agent_core.errors import StoreFailure
from agent_core.pipeline.journal_file import JournalBusy, JournalFile, unwritten
from agent_core.pipeline.model import JournalMark
from agent_core.pipeline.store import JournalStore

PAUSE_S = 1.0
RETRY_S = 30.0
_AT_ONCE = 200
_LAST_TRIES = 20
_LAST_WAIT_S = 0.05

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Journal:
    """Writes what the audit holds and the file does not; several processes may do so with one file."""

    store: JournalStore
    file: JournalFile
    pause_s: float = PAUSE_S
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _ending: asyncio.Event = field(default_factory=asyncio.Event)
    _trouble: str = ""

    def wake(self) -> None:
        """Note that the audit has grown."""
        self._news.set()

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Keep the file up to date in the background; what is left is written on leaving."""
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            self._ending.set()
            self._news.set()
            await task

    async def catch_up(self) -> int:
        """Bring the file up to date; return how many lines were written.

        Raises:
            JournalBusy: another process is at it.
            OSError: the file can't be written; what stands in it is found the next time.
            StoreFailure: the audit can't be read.
        """
        handle = await asyncio.to_thread(self.file.take)
        try:
            return await self._written()
        finally:
            os.close(handle)

    async def _written(self) -> int:
        mark = await self.store.mark()
        held = await asyncio.to_thread(self.file.held_beyond, mark.size)
        count = 0
        while states := await self.store.states(after=mark.seq, limit=_AT_ONCE):
            new = tuple(unwritten(states, held))
            size = await asyncio.to_thread(self.file.append, new)
            mark = JournalMark(states[-1].seq, size)
            await self.store.set_mark(mark)
            count += len(new)
        return count

    async def _run(self) -> None:
        while not self._ending.is_set():
            if not await self._tried():
                self._news.set()
                await self._pause(RETRY_S if self._trouble else self.pause_s)
            await self._news.wait()
            self._news.clear()
            await self._pause(self.pause_s)  # so that the calls of a moment are written together
        for _ in range(_LAST_TRIES):
            if await self._tried() or self._trouble:
                return
            await asyncio.sleep(_LAST_WAIT_S)

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ending.wait()

    async def _tried(self) -> bool:
        try:
            await self.catch_up()
        except JournalBusy:
            return False
        except (OSError, StoreFailure) as failure:
            self._report(_cause(failure))
            return False
        if self._trouble:
            logger.warning("audit file is written again")
            self._trouble = ""
        return True

    def _report(self, trouble: str) -> None:
        if trouble != self._trouble:
            logger.error("audit file not written", extra={"path": str(self.file.path), "cause": trouble})
            self._trouble = trouble


def _cause(failure: OSError | StoreFailure) -> str:
    return failure.strerror or str(failure) if isinstance(failure, OSError) else failure.for_model()
