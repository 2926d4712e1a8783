"""Spares people the wait while Directus is away: after failures in a row nothing is asked for a while."""

from agent_core.clock import Clock

OPEN_S = 10.0
"""About what a restart of Directus takes."""


class Breaker:
    """Opens for `open_s` seconds after `most` failures in a row; then one request may try."""

    def __init__(self, clock: Clock, *, most: int = 5, open_s: float = OPEN_S) -> None:
        self._clock = clock
        self._most = most
        self._open_s = open_s
        self._failures = 0
        self._opened: float | None = None

    def lets_through(self) -> bool:
        """Return whether to ask at all; the first to ask after the pause is the one that tries."""
        if self._opened is None:
            return True
        if self._clock.monotonic() - self._opened < self._open_s:
            return False
        self._opened = self._clock.monotonic()
        return True

    def failed(self) -> None:
        """Count a request that Directus could not answer."""
        self._failures += 1
        if self._failures >= self._most:
            self._opened = self._clock.monotonic()

    def worked(self) -> None:
        """Close: Directus has answered."""
        self._failures = 0
        self._opened = None
