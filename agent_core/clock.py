"""Time and fresh ids as injected dependencies, so that no rule reads the wall clock by itself."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol
from uuid import uuid4

NewId = Callable[[], str]


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the current instant, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never run backwards, for durations and deadlines."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


def new_id() -> str:
    """Return a fresh random UUID as text."""
    return str(uuid4())


def to_stamp(instant: datetime) -> str:
    """Return `instant` as fixed-width UTC text (`2026-05-01T09:30:00.000000Z`), which sorts like time.

    Raises:
        ValueError: if `instant` is naive.

    """
    if instant.tzinfo is None:
        raise ValueError("a naive datetime has no place in record time")
    return instant.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def from_stamp(stamp: str) -> datetime:
    """Return the aware UTC instant written by `to_stamp`."""
    return datetime.fromisoformat(stamp)  # forty times as fast as strptime
