"""Keeps the order in which messages of one channel arrived, while channels don't wait for each other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Lanes:
    """One lane per channel in which something is just being taken."""

    _locks: dict[int, asyncio.Lock] = field(default_factory=dict)
    _waiting: dict[int, int] = field(default_factory=dict)

    @asynccontextmanager
    async def turn_in(self, channel: int) -> AsyncIterator[None]:
        """Wait for what arrived in the channel before; what arrives later waits for the end of the block."""
        lock = self._locks.setdefault(channel, asyncio.Lock())
        self._waiting[channel] = self._waiting.get(channel, 0) + 1
        try:
            async with lock:
                yield
        finally:
            self._waiting[channel] -= 1
            if not self._waiting[channel]:
                del self._waiting[channel], self._locks[channel]
