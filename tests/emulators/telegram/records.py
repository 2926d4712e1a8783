"""What the emulated Telegram knows: people, chats, topics, messages with their history, files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

from tests.emulators.telegram.wire import ALL_RIGHTS, Json


@dataclass(eq=False)
class User:
    """A person, or a bot."""

    id: int
    first_name: str
    last_name: str = ""
    username: str = ""
    language: str = ""
    is_bot: bool = False


@dataclass(eq=False)
class Member:
    """A person's or the bot's standing in a group."""

    user: User
    status: str = "member"
    is_anonymous: bool = False
    rights: frozenset[str] = frozenset(ALL_RIGHTS)

    @property
    def is_admin(self) -> bool:
        """Whether it is an administrator or the creator."""
        return self.status in ("administrator", "creator")

    @property
    def is_in(self) -> bool:
        """Whether it is in the group at all."""
        return self.status not in ("left", "kicked")


@dataclass(eq=False)
class Topic:
    """A topic of a forum or of a private chat; its id is that of the message that made it."""

    id: int
    name: str
    chat: "Chat"
    icon_color: int = 0x6FB9F0
    is_closed: bool = False
    is_deleted: bool = False


@dataclass(frozen=True)
class Entity:
    """A MessageEntity; offset and length in UTF-16 units."""

    type: str
    offset: int
    length: int
    more: Mapping[str, object] = field(default_factory=dict)

    def wire(self) -> Json:
        """Return it as JSON."""
        return {"type": self.type, "offset": self.offset, "length": self.length, **self.more}


@dataclass(frozen=True)
class Button:
    """A button of an inline keyboard; `data` is "" for buttons that open something."""

    text: str
    data: str = ""
    more: Mapping[str, object] = field(default_factory=dict)

    def wire(self) -> Json:
        """Return it as JSON."""
        return {"text": self.text, **({"callback_data": self.data} if self.data else {}), **self.more}


Keyboard = tuple[tuple[Button, ...], ...]


@dataclass(frozen=True)
class Version:
    """A message as it read at a time; the text is the caption where there is a file."""

    text: str
    entities: tuple[Entity, ...]
    keyboard: Keyboard
    at: datetime


@dataclass(frozen=True)
class Quote:
    """The part of a message that a reply quotes."""

    text: str
    position: int


@dataclass(frozen=True)
class Attachment:
    """A file in a message; `kind` is document, photo or voice, `size` may be more than its bytes."""

    kind: str
    id: str
    name: str
    content: bytes
    size: int
    mime_type: str
    duration: int = 0

    def wire(self) -> Json:
        """Return the field of the message that holds it."""
        base: Json = {"file_id": self.id, "file_unique_id": f"u{self.id}", "file_size": self.size}
        if self.kind == "photo":
            small = {**base, "file_id": f"{self.id}-s", "file_unique_id": f"u{self.id}-s", "file_size": 1}
            return {"photo": [{**small, "width": 90, "height": 60}, {**base, "width": 900, "height": 600}]}
        if self.kind == "voice":
            return {"voice": {**base, "duration": self.duration, "mime_type": self.mime_type}}
        return {"document": {**base, "file_name": self.name, "mime_type": self.mime_type}}


@dataclass(eq=False)
class Message:
    """A message; `versions` holds every text and keyboard it had, newest last."""

    id: int
    chat: "Chat"
    sender: User
    date: datetime
    versions: list[Version]
    sender_chat: "Chat | None" = None
    thread_id: int | None = None
    is_topic_message: bool = False
    reply_to: "Message | None" = None
    quote: Quote | None = None
    file: Attachment | None = None
    media_group_id: str = ""
    via_bot: User | None = None
    inline_id: str = ""  # how the bot may call a message sent by way of it
    forward_origin: Json = field(default_factory=dict)
    service: Json = field(default_factory=dict)
    link_preview: Json = field(default_factory=dict)
    force_reply: Json = field(default_factory=dict)
    is_silent: bool = False
    is_edited: bool = False
    is_deleted: bool = False
    reactions: dict[int, tuple[str, ...]] = field(default_factory=dict)  # by the id of who reacted
    update_id: int | None = None  # of the update that told the bot; None: it was not told

    @property
    def text(self) -> str:
        """The text or caption that is shown now."""
        return self.versions[-1].text

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The entities that are shown now."""
        return self.versions[-1].entities

    @property
    def keyboard(self) -> Keyboard:
        """The inline keyboard that is shown now."""
        return self.versions[-1].keyboard

    @property
    def topic_id(self) -> int:
        """The topic that it is in, 0 for General and where there are none."""
        return (self.thread_id or 0) if self.is_topic_message else 0

    @property
    def answers_elsewhere(self) -> bool:
        """Whether it answers a message of another chat or topic."""
        there = self.reply_to
        return there is not None and (there.chat, there.topic_id) != (self.chat, self.topic_id)

    @property
    def history(self) -> list[str]:
        """Every text it had, oldest first."""
        return [version.text for version in self.versions]

    @property
    def buttons(self) -> list[str]:
        """The texts of the buttons that are shown now, row after row."""
        return [button.text for row in self.keyboard for button in row]

    def marked(self, kind: str) -> list[str]:
        """Return the parts of the text under entities of a kind, such as `expandable_blockquote`."""
        raw = self.text.encode("utf-16-le")
        spans = [
            (mark.offset * 2, (mark.offset + mark.length) * 2) for mark in self.entities if mark.type == kind
        ]
        return [raw[start:end].decode("utf-16-le") for start, end in spans]


@dataclass(eq=False)
class Draft:
    """A message that is being written, as the person sees it grow."""

    id: int
    chat: "Chat"
    thread_id: int | None
    texts: list[str] = field(default_factory=list)
    is_shown: bool = True


@dataclass(eq=False)
class Chat:
    """A chat; `kind` is private, group or supergroup."""

    id: int
    kind: str
    title: str = ""
    user: User | None = None
    is_forum: bool = False
    members: dict[int, Member] = field(default_factory=dict)
    topics: dict[int, Topic] = field(default_factory=dict)
    messages: dict[int, Message] = field(default_factory=dict)
    pinned: list[Message] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    allowed_reactions: frozenset[str] | None = None  # None: all
    bot_may_write: bool = True
    is_blocked: bool = False
    migrated_to: "Chat | None" = None
    ids: "count[int]" = field(default_factory=lambda: count(1))

    @property
    def is_private(self) -> bool:
        """Whether it is a person's own chat with the bot."""
        return self.kind == "private"

    def member(self, user: User) -> Member:
        """Return the standing of somebody, `left` where it was never in."""
        return self.members.get(user.id) or Member(user, "left")


@dataclass(frozen=True)
class Toast:
    """What `answerCallbackQuery` showed: a line at the top, or a window to click away."""

    text: str
    is_alert: bool


@dataclass(eq=False)
class Press:
    """A press of a button, and what came of it."""

    id: str
    user: User
    message: Message
    data: str
    at: datetime
    update_id: int | None = None
    toast: Toast | None = None

    @property
    def is_answered(self) -> bool:
        """Whether the button has stopped spinning."""
        return self.toast is not None


@dataclass(eq=False)
class InlineQuery:
    """What somebody typed after the bot's name; `results` are InlineQueryResults once answered."""

    id: str
    user: User
    text: str
    at: datetime
    update_id: int | None = None
    results: list[Json] | None = None
    is_personal: bool = False
    cache_s: int = 300

    @property
    def titles(self) -> list[str]:
        """The titles of the offered results."""
        return [str(result.get("title", "")) for result in self.results or ()]
