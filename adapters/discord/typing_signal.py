"""The typing signal: begun at once, renewed while something is being worked on, and never after."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from adapters.chat.room import ChatError
from adapters.discord.border import Works

EVERY_S = 8.0
ONE_CALL_S = 5.0

logger = logging.getLogger(__name__)

Signal = Callable[[int], Awaitable[None]]


class TypingSignal:
    """Signals per channel while at least one of our works there goes on. Its failures reach nobody."""

    def __init__(self, works: Works, signal: Signal) -> None:
        self._start = works.start
        self._signal = signal
        self._works: dict[int, set[str]] = {}
        self._ended: dict[int, asyncio.Event] = {}

    def begin(self, channel: int, work: str) -> None:
        """Signal in this channel from now on, until `end` was called for every work there."""
        works = self._works.setdefault(channel, set())
        works.add(work)
        if channel not in self._ended:
            self._ended[channel] = asyncio.Event()
            self._start(self._renew(channel, self._ended[channel]))

    def end(self, channel: int, work: str) -> None:
        """Say that a work is over."""
        works = self._works.get(channel, set())
        works.discard(work)
        if not works:
            self._works.pop(channel, None)
            ended = self._ended.pop(channel, None)
            if ended is not None:
                ended.set()

    async def _renew(self, channel: int, ended: asyncio.Event) -> None:
        while not ended.is_set():
            try:
                async with asyncio.timeout(ONE_CALL_S):
                    await self._signal(channel)
            except (ChatError, TimeoutError) as error:
                logger.info("no typing signal", extra={"channel": channel, "reason": str(error)})
            try:
                async with asyncio.timeout(EVERY_S):
                    await ended.wait()
            except TimeoutError:
                continue
