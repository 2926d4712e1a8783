"""A clock that stands still until it is told to move, and ids that count."""

from datetime import UTC, datetime, timedelta
from itertools import count

from agent_core.clock import NewId

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


class FakeClock:
    """A `Clock` that only moves by `advance`."""

    def __init__(self, now: datetime = NOON) -> None:
        self._start = now
        self._elapsed = timedelta()

    def now(self) -> datetime:
        return self._start + self._elapsed

    def monotonic(self) -> float:
        return self._elapsed.total_seconds()

    def advance(self, **units: float) -> None:
        """Move on by the units of a timedelta, such as `seconds=5`."""
        self._elapsed += timedelta(**units)


def counting_ids(prefix: str = "id") -> NewId:
    """Return a source of "id-1", "id-2", ..."""
    numbers = count(1)
    return lambda: f"{prefix}-{next(numbers)}"
