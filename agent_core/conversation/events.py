"""What happened in a conversation, kept for listeners that come back."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """An event with its number in the conversation. `body` is JSON text.

    `turn` is "" for what belongs to no turn; `message` is the delivery that began it, "" where none did.
    """

    seq: int
    name: str
    body: str
    turn: str = ""
    message: str = ""


class EventStore(Protocol):
    """Events of conversations, numbered from 1 in each."""

    async def add_event(
        self, conversation: str, name: str, body: str, *, turn: str = "", message: str = ""
    ) -> StoredEvent:
        """Store an event and return it with its number; of many only the newest are kept."""
        ...

    async def turn_of(self, message: str) -> str:
        """Return the turn that this delivery (of the platform "http") began, "" where it began none."""
        ...

    async def events(self, conversation: str, *, after: int = 0) -> tuple[StoredEvent, ...]:
        """Return the events of a conversation that came after this number, oldest first."""
        ...

    async def events_of(self, turn: str, *, after: int = 0) -> tuple[StoredEvent, ...]:
        """Return the events of a turn that came after this number, oldest first."""
        ...

    async def last_event(self, conversation: str) -> int:
        """Return the number of the newest event, 0 where there is none."""
        ...
