"""One turn at a time in a conversation, others in parallel, across processes by a lease that expires."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from datetime import timedelta

from agent_core.clock import Clock
from agent_core.errors import StoreFailure
from agent_core.turn.model import Turn
from agent_core.turn.store import TurnStore

LEASE = timedelta(seconds=10)
RENEW_S = 3.0
POLL_S = 0.1

logger = logging.getLogger(__name__)


class TurnOrder:
    """Hands out a conversation's turn order. Within this process it is first come, first served.

    `holder` names this process.
    """

    def __init__(self, store: TurnStore, clock: Clock, *, holder: str) -> None:
        self._store = store
        self._clock = clock
        self._holder = holder
        self._locks: dict[str, asyncio.Lock] = {}
        self._waiting: dict[str, int] = {}

    @contextlib.asynccontextmanager
    async def held(self, conversation: str, turn: Turn | None = None) -> AsyncIterator[None]:
        """Hold the order of a conversation. With `turn`, earlier queued turns of other processes go first."""
        async with self._local(conversation):
            await self._take(conversation, turn)
            # Not a TaskGroup: it would wrap what the caller raises. The task ends with this block.
            renewing = asyncio.create_task(self._renew(conversation))
            try:
                yield
            finally:
                renewing.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await renewing
                await asyncio.shield(self._store.free_order(conversation, self._holder))

    @contextlib.asynccontextmanager
    async def _local(self, conversation: str) -> AsyncIterator[None]:
        lock = self._locks.setdefault(conversation, asyncio.Lock())
        self._waiting[conversation] = self._waiting.get(conversation, 0) + 1
        try:
            async with lock:
                yield
        finally:
            self._waiting[conversation] -= 1
            if not self._waiting[conversation]:
                del self._waiting[conversation], self._locks[conversation]

    async def _take(self, conversation: str, turn: Turn | None) -> None:
        while True:
            now = self._clock.now()
            if await self._store.take_order(conversation, self._holder, now=now, until=now + LEASE):
                if turn is None or not await self._store.waiting_before(turn):
                    return
                await self._store.free_order(conversation, self._holder)
            await asyncio.sleep(POLL_S)

    async def _renew(self, conversation: str) -> None:
        while True:
            await asyncio.sleep(RENEW_S)
            now = self._clock.now()
            try:
                await self._store.take_order(conversation, self._holder, now=now, until=now + LEASE)
            except StoreFailure:
                logger.warning("turn order not renewed", extra={"conversation": conversation})
