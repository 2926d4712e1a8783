"""Faults that a test plans for requests to come."""

import asyncio
from dataclasses import dataclass, field
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class TooMany:
    """A 429; without `via` it is one that discord.py raises instead of waiting."""

    retry_after_s: float = 0.05
    via: bool = True
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Refuse:
    """A refusal with Discord's JSON code, such as 50013."""

    code: int
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """A failing server: the status with a page of HTML instead of JSON."""

    status: int = 503


@dataclass(frozen=True, slots=True)
class Drop:
    """A connection that breaks, before or after the request took effect."""

    after_effect: bool = False


@dataclass(frozen=True, slots=True)
class Hold:
    """A request that waits, before it takes effect, until the test says `release`."""

    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)

    def release(self) -> None:
        self.released.set()


Fault = TooMany | Refuse | Broken | Drop | Hold


@dataclass(slots=True)
class _Planned:
    method: str
    pattern: str
    fault: Fault
    skip: int
    times: int
    met: bool = False


class Faults:
    """What is planned, in the order of planning."""

    def __init__(self) -> None:
        self._planned: list[_Planned] = []

    def plan(self, method: str, pattern: str, fault: Fault, *, skip: int, times: int) -> None:
        self._planned.append(_Planned(method, pattern, fault, skip, times))

    def take(self, method: str, path: str) -> Fault | None:
        """Return the fault that this request meets, and use it up."""
        for planned in self._planned:
            fits = planned.method in (method, "*") and fnmatchcase(path, planned.pattern)
            if not fits or planned.times == 0:
                continue
            if planned.skip > 0:
                planned.skip -= 1
                continue
            planned.times -= 1
            planned.met = True
            return planned.fault
        return None

    @property
    def unmet(self) -> list[str]:
        """The faults that no request met."""
        return [f"{one.method} {one.pattern}: {one.fault}" for one in self._planned if not one.met]
