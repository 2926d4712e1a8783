"""A chat platform on paper: rooms that keep what was sent, for tests of what all platforms share."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from adapters.cards import Action, Button, Card
from adapters.chat.desk import Desk
from adapters.chat.model import Attached, Called, Document, Heard, Pressed, Reacted, Speaker, Spot
from adapters.chat.press import press_ids
from adapters.chat.replying import RoomReply
from adapters.chat.room import ChatError, Room
from adapters.surface import Block, Mark, Said, Trace
from agent_core.pipeline.model import Batch
from bot.desks import desk_for
from tests.house import House

PLATFORM = "paper"


@dataclass(frozen=True)
class Part:
    """A message: its text, its buttons by what they carry."""

    text: str
    buttons: tuple[tuple[str, Button], ...] = ()


@dataclass
class Sent:
    """A message as it lies there; `texts` are all that it has ever shown."""

    ref: str
    part: Part
    reply_to: str
    silent: bool
    texts: list[str] = field(default_factory=list)
    seeded: bool = False


@dataclass
class PaperRoom:
    """A room. `limit` is how much a message holds; `refusing` makes it refuse to send, `stiff` to edit.

    So many `stuck_files` break on their way.
    """

    place: str
    edit_every_s: float = 0.0
    limit: int = 500
    refusing: str = ""
    stiff: str = ""
    sent: dict[str, Sent] = field(default_factory=dict)
    marks: list[tuple[str, Mark]] = field(default_factory=list)
    files: list[Document] = field(default_factory=list)
    stuck_files: int = 0
    count: int = 0

    def parts(self, block: Block, language: str, *, final: bool) -> Sequence[object]:
        match block:
            case Said():
                text = block.markdown
                return [Part(text[i : i + self.limit]) for i in range(0, len(text), self.limit)]
            case Trace():
                lines = (
                    [line.text for one in block.card.fields for line in one.lines] if block.is_open else []
                )
                return [Part("\n".join([block.card.title, *lines]), press_ids(block.card.buttons))]
        return [self.card_part(block, None, 0, language)]

    def card_part(self, card: Card, batch: Batch | None, page: int, language: str) -> object:
        lines = [card.title, *(line.text for line in card.lines)]
        for one in card.fields:
            lines += [one.title, *(f"{line.label} {line.before} {line.text}".strip() for line in one.lines)]
        return Part("\n".join([*lines, *card.footer]), press_ids(card.buttons))

    async def send(self, part: object, *, reply_to: str = "", silent: bool = False) -> str:
        if self.refusing:
            raise ChatError(self.refusing)
        assert isinstance(part, Part)
        self.count += 1
        ref = f"{self.place}/{self.count}"
        self.sent[ref] = Sent(ref=ref, part=part, reply_to=reply_to, silent=silent, texts=[part.text])
        return ref

    async def edit(self, ref: str, part: object) -> None:
        if self.stiff or ref not in self.sent:
            raise ChatError(self.stiff or "gone")
        assert isinstance(part, Part)
        self.sent[ref].part = part
        self.sent[ref].texts.append(part.text)

    async def delete(self, ref: str) -> None:
        self.sent.pop(ref, None)

    async def send_file(self, document: Document, *, reply_to: str = "") -> str:
        if self.refusing or self.stuck_files:
            self.stuck_files -= not self.refusing
            raise ChatError(self.refusing or "network")
        self.files.append(document)
        return f"{self.place}/file"

    async def seed(self, ref: str, batch: Batch) -> None:
        self.sent[ref].seeded = True

    def link(self, ref: str) -> str:
        return "" if self.place.startswith("@") else f"https://paper.example/{ref}"

    async def mark(self, message: str, mark: Mark) -> None:
        self.marks.append((message, mark))

    @property
    def texts(self) -> list[str]:
        """What stands there now, in order."""
        return [sent.part.text for sent in self.sent.values()]

    def with_button(self, action: Action) -> Sent:
        """Return the newest message with such a button."""
        return next(
            sent
            for sent in reversed(self.sent.values())
            if any(button.action is action for _, button in sent.part.buttons)
        )


@dataclass
class PaperRooms:
    """All rooms. Who is in `silent` lets nobody write to them alone."""

    platform: str = PLATFORM
    rooms: dict[str, PaperRoom] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    contents: dict[str, bytes] = field(default_factory=dict)

    def at(self, place: str) -> PaperRoom:
        return self.rooms.setdefault(place, PaperRoom(place))

    async def room(self, place: str) -> Room[object] | None:
        return None if place in self.closed else self.at(place)

    async def private_room(self, user: str) -> Room[object] | None:
        return None if user in self.silent else self.at(f"@{user}")

    async def room_of(self, ref: str) -> Room[object] | None:
        return self.at(ref.partition("/")[0])

    async def fetch(self, file: Attached, limit: int) -> bytes:
        if file.size > limit:
            raise ChatError("too_large")
        return self.contents[file.ref]


@dataclass
class Paper:
    """People who talk on paper with the desk of a house."""

    house: House
    rooms: PaperRooms
    desk: Desk
    updates: int = 0

    def spot(self, place: str, *parents: str) -> Spot:
        """Return a place; one that begins with @ is somebody's private chat."""
        private = place.startswith("@")
        return Spot(platform=PLATFORM, key=place, private=private, chat=place, server="s", parents=parents)

    async def say(
        self, user: str, text: str, place: str = "7", *parents: str, update: str = "", **more: object
    ) -> PaperRoom:
        """Say something that addresses the desk, and wait for all that follows."""
        self.updates += 1
        heard = Heard(
            update=update or f"u{self.updates}",
            message=f"m{self.updates}",
            speaker=Speaker(user=user, name=user.title()),
            spot=self.spot(place, *parents),
            text=text,
            at=self.house.clock.now() + timedelta(microseconds=self.updates),
        )
        heard = replace(heard, **more)  # type: ignore[arg-type]  # fields of a message
        room = self.rooms.at(place)
        await self.desk.hear(heard, self.desk.reply_in(room, heard))
        return room

    async def chat(self, user: str, text: str, place: str = "7", message: str = "") -> None:
        """Say something that does not address the desk."""
        self.updates += 1
        await self.desk.overhear(
            Heard(
                update=f"u{self.updates}",
                message=message or f"m{self.updates}",
                speaker=Speaker(user=user, name=user.title()),
                spot=self.spot(place),
                text=text,
                at=self.house.clock.now() + timedelta(microseconds=self.updates),
            )
        )

    async def call(
        self, user: str, name: str, place: str = "7", *, private: bool = False, **options: str
    ) -> None:
        """Fill in a command as a form."""
        self.updates += 1
        called = Called(
            name=name,
            options=options,
            speaker=Speaker(user=user, name=user.title()),
            spot=self.spot(place),
            update=f"u{self.updates}",
            private=private,
        )
        await self.desk.call(called, self._reply(called.speaker, place))

    async def press(self, user: str, sent: Sent, action: Action, number: int = 0) -> None:
        """Press the button of a message with this action, the `number`th of them."""
        found = [carried for carried, button in sent.part.buttons if button.action is action]
        await self.press_id(user, sent.ref, found[number])

    async def press_id(self, user: str, ref: str, carried: str) -> None:
        """Press a button that carries this."""
        place = ref.partition("/")[0]
        speaker = Speaker(user=user, name=user.title())
        pressed = Pressed(id=carried, speaker=speaker, spot=self.spot(place), ref=ref)
        await self.desk.press(pressed, self._reply(speaker, place))

    async def react(self, user: str, sent: Sent, emoji: str, *, added: bool = True) -> None:
        """Set a reaction at a message, or take it away."""
        place = sent.ref.partition("/")[0]
        speaker = Speaker(user=user, name=user.title())
        reacted = Reacted(emoji=emoji, added=added, speaker=speaker, spot=self.spot(place), ref=sent.ref)
        await self.desk.react(reacted, self._reply(speaker, place))

    def restarted(self) -> "Paper":
        """Return the same rooms with a desk that knows nothing but what is stored."""
        return Paper(self.house, self.rooms, desk_for(self.house.app, self.rooms), self.updates)

    def _reply(self, speaker: Speaker, place: str) -> RoomReply:
        return self.desk.exchange.reply_in(self.rooms.at(place), speaker, self.spot(place), "")
