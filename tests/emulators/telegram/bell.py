"""Wakes those who wait for the emulated Telegram to change, so that no test sleeps."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 5.0


class Bell:
    """Rung after every change."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def ring(self) -> None:
        """Let everybody who waits look again."""
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
        self._waiting.clear()

    async def until(self, look: Callable[[], T], within_s: float = PATIENCE_S) -> T:
        """Return what `look` returns as soon as it is truthy.

        Raises:
            TimeoutError: when it is not within the time.
        """
        async with asyncio.timeout(within_s):
            while not (seen := look()):
                waiter = asyncio.get_running_loop().create_future()
                self._waiting.add(waiter)
                try:
                    await waiter
                finally:
                    self._waiting.discard(waiter)
        return seen
