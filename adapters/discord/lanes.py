"""Keeps the order in which messages of one channel arrived, while channels don't wait for each other."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

LetPass = Callable[[], None]


@dataclass(slots=True)
class Lanes:
    """One lane per channel in which something is just being taken."""

    _locks: dict[int, asyncio.Lock] = field(default_factory=dict)
    _waiting: dict[int, int] = field(default_factory=dict)

    @asynccontextmanager
    async def turn_in(self, channel: int) -> AsyncIterator[LetPass]:
        """Wait for what arrived in the channel before; what arrives later waits for the end of the block.

        It waits no longer once what this gives was called.
        """
        lock = self._locks.setdefault(channel, asyncio.Lock())
        self._waiting[channel] = self._waiting.get(channel, 0) + 1
        is_first = False

        def let_pass() -> None:
            nonlocal is_first
            if is_first:
                is_first = False
                lock.release()

        try:
            await lock.acquire()
            is_first = True
            yield let_pass
        finally:
            let_pass()
            self._waiting[channel] -= 1
            if not self._waiting[channel]:
                del self._waiting[channel], self._locks[channel]
