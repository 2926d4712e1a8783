"""What a platform gives: rooms to send in, and replies to what a person did."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from adapters.cards import Card
from adapters.chat.model import Attached, Document
from adapters.surface import Block, Mark, Surface
from agent_core.pipeline.model import Batch

PartT = TypeVar("PartT")


class ChatError(Exception):
    """The platform refuses for good: the place, the message or the right is gone. Never retried."""

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        super().__init__(f"{reason}: {detail}" if detail else reason)


class Room(Protocol[PartT]):
    """A place to send messages in. A part is one message as the platform wants it, within its limits.

    All verbs wait out the platform's rate limits by themselves, and raise `ChatError` where it refuses for
    good. A ref names a message over the whole platform, so that it is found again after a restart.
    """

    edit_every_s: float
    """How far apart edits of one message should be while an answer grows."""

    def parts(self, block: Block, language: str, *, final: bool) -> Sequence[PartT]:
        """Return the messages that show a block: none if nothing in it is visible, a file where it is long.

        Buttons of a card become buttons with the ids of `press_ids`.
        """
        ...

    def card_part(self, card: Card, batch: Batch | None, page: int, language: str) -> PartT:
        """Return the message that shows a page (from 0) of a card, or of a batch's card, with its buttons."""
        ...

    async def send(self, part: PartT, *, reply_to: str = "", silent: bool = False) -> str:
        """Send a message and return its ref. `reply_to` is a platform message id in this room, or ""."""
        ...

    async def edit(self, ref: str, part: PartT) -> None:
        """Put the part in place of the message; the same content is no error."""
        ...

    async def delete(self, ref: str) -> None:
        """Take the message away; one that is gone is no error."""
        ...

    async def send_file(self, document: Document, *, reply_to: str = "") -> str:
        """Send a file; return its ref."""
        ...

    async def seed(self, ref: str, batch: Batch) -> None:
        """Put the reactions at a card that decide it, where that is how people decide here; never raises."""
        ...

    def link(self, ref: str) -> str:
        """Return the address at which people jump to a message, "" where there is none."""
        ...

    async def mark(self, message: str, mark: Mark) -> None:
        """Show at the person's message how its turn stands (typing, a reaction); never raises."""
        ...


class Rooms(Protocol):
    """The rooms of one platform, by the place keys of conversations."""

    platform: str

    async def room(self, place: str) -> Room[object] | None:
        """Return the room with this key, None where it is gone or closed to us."""
        ...

    async def private_room(self, user: str) -> Room[object] | None:
        """Return where this person is reached alone, None where they let nobody."""
        ...

    async def room_of(self, ref: str) -> Room[object] | None:
        """Return the room in which a message stands, None where it is gone."""
        ...

    async def fetch(self, file: Attached, limit: int) -> bytes:
        """Return the content of a file that came with a message.

        Raises:
            ChatError: reason "too_large" (over `limit` bytes, or over what the platform gives), or "gone".
        """
        ...


class TurnSurface(Surface, Protocol):
    """Where a turn is shown; `lost` says that its answer could not be. `conversation` is whose turn it is."""

    lost: bool
    conversation: str


class Reply(Protocol):
    """The answer to one message, command or press, there where it came from."""

    def surface(self) -> TurnSurface:
        """Return where a turn is shown."""
        ...

    async def show(self, block: Block, *, private: bool = False) -> None:
        """Show a block; `private` for the person alone (ephemeral, or in their private chat)."""
        ...

    async def show_batch(self, card: Card, batch: Batch, *, private: bool = False) -> None:
        """Show the card of a batch with the means to decide it, or to take it back."""
        ...

    async def replace(self, card: Card, batch: Batch | None, page: int = 0) -> None:
        """Put a card in place of the one whose button was pressed; like `show` where none was."""
        ...

    async def hint(self, text: str) -> None:
        """Say a line to this person alone: a toast, an ephemeral message, else in short where they are."""
        ...

    async def file(self, document: Document, *, private: bool) -> bool:
        """Send a file, `private` to the person alone; return whether it needs no further try.

        It has arrived then, or never will: it is too large, which the person is told.
        """
        ...
