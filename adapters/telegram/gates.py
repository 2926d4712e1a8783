"""Keeps the messages of a place in the order they came: each is let in when the one before is stored."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from adapters.telegram.place import Place

QUEUES_WITHIN_S = 0.1

_Ticket = tuple[asyncio.Event | None, asyncio.Event]


@dataclass(slots=True)
class Gates:
    """One gate a place. A turn that has begun lets the next message in; the core keeps turns in order."""

    _newest: dict[Place, asyncio.Event] = field(default_factory=dict)
    _inside: dict[tuple[Place, str], asyncio.Event] = field(default_factory=dict)

    def queue(self, place: Place) -> _Ticket:
        """Return a ticket; who asks first goes first."""
        ticket = (self._newest.get(place), asyncio.Event())
        self._newest[place] = ticket[1]
        return ticket

    @asynccontextmanager
    async def inside(self, ticket: _Ticket, place: Place, message: str) -> AsyncIterator[None]:
        """Wait for everything before; the next follows after this, or once it was let pass."""
        before, mine = ticket
        try:
            if before is not None:
                await before.wait()
            self._inside[place, message] = mine
            yield
        finally:
            mine.set()
            self._inside.pop((place, message), None)
            if self._newest.get(place) is mine:
                del self._newest[place]

    def let_pass(self, place: Place, message: str) -> None:
        """Let the next in a moment later: the turn of this message is about to be stored and to queue up."""
        mine = self._inside.get((place, message))
        if mine is not None:
            asyncio.get_running_loop().call_later(QUEUES_WITHIN_S, mine.set)

    def is_waiting(self, place: Place) -> bool:
        """Tell whether messages of a place have not been let in yet."""
        newest = self._newest.get(place)
        return newest is not None and not newest.is_set()
