"""Where runs of scheduled tasks are shown: each surface opens its outlet for as long as it serves."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from agent_core.events import Emit
from agent_core.people.model import Person
from agent_core.tools.spec import Asker

Work = Callable[[Emit], Awaitable[None]]


class Reach(StrEnum):
    """Whether a place was reached: it was, it can't be just now, or it is gone."""

    SHOWN = "shown"
    AWAY = "away"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """A run to be shown. `heading` says in Markdown what runs; `turn` is the id of the turn it leads to."""

    asker: Asker
    turn: str
    heading: str


class Outlet(Protocol):
    """Shows runs in the places of one platform."""

    async def show(self, posting: Posting, work: Work) -> Reach:
        """Show the heading in the asker's place, do the work, and show what it emits.

        Nothing is done where the place is away or gone. What the work raises is raised.
        """
        ...

    async def tell(self, person: Person, text: str, language: str) -> bool:
        """Say a text to a person alone; return whether they were reached."""
        ...


Outlets = dict[str, Outlet]
"""The open outlets by platform."""


@contextmanager
def is_open(outlet: Outlet, outlets: Outlets, platform: str) -> Iterator[None]:
    """Let runs be shown by this outlet until the end of the block."""
    outlets[platform] = outlet
    try:
        yield
    finally:
        if outlets.get(platform) is outlet:  # another one may have been opened since
            del outlets[platform]
