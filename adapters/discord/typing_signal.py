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
        self._renewing: dict[int, asyncio.Task[None] | None] = {}

    def begin(self, channel: int, work: str) -> None:
        """Signal in this channel from now on, until `end` was called for every work there.

        Each work signals anew, as a message of ours ends the signal that was shown.
        """
        self._works.setdefault(channel, set()).add(work)
        self._stop(channel)
        self._renewing[channel] = self._start(self._renew(channel))

    def end(self, channel: int, work: str) -> None:
        """Say that a work is over."""
        works = self._works.get(channel, set())
        works.discard(work)
        if not works:
            self._works.pop(channel, None)
            self._stop(channel)

    def is_on(self, channel: int) -> bool:
        """Tell whether something is being worked on in a channel."""
        return channel in self._renewing

    def _stop(self, channel: int) -> None:
        renewing = self._renewing.pop(channel, None)
        if renewing is not None:
            renewing.cancel()

    async def _renew(self, channel: int) -> None:
        while True:
            try:
                async with asyncio.timeout(ONE_CALL_S):
                    await self._signal(channel)
            except (ChatError, TimeoutError) as error:
                logger.info("no typing signal", extra={"channel": channel, "reason": str(error)})
            await asyncio.sleep(EVERY_S)
