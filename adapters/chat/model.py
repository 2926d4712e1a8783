"""What a chat platform tells of a message, a command, a press or a reaction, in no platform's own terms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Who does something. `language` is what their client speaks, "" if it doesn't say.

    `roles` are the platform's own roles of theirs in the server, for those mapped to a role in a series.
    """

    user: str
    name: str
    language: str = ""
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A place on a platform. `key` never leaves out the topic.

    `parents` are the keys of places whose book this one takes over while it has none of its own, nearest
    first: the channel of a thread, the forum of a post. `server` and `chat` are what may be let in.
    """

    platform: str
    key: str
    private: bool
    title: str = ""
    server: str | None = None
    chat: str | None = None
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A message that another one answers or quotes; `text` is None where it is gone. `author` is a name."""

    author: str
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A file that came with a message. `ref` is what the platform fetches it by, `size` in bytes."""

    name: str
    size: int
    media_type: str
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A message. `update` is the delivery's id, unique per platform; `message` the platform's own id.

    `original` is False for what was forwarded, edited, sent through another bot, anonymously or by a
    schedule: a complete command in it still asks. `answers` is the ref of the message of ours that it is a
    reply to, "" if it is none.
    """

    update: str
    message: str
    speaker: Speaker
    spot: Spot
    text: str
    at: datetime
    original: bool = True
    answers: str = ""
    quoted: tuple[Quoted, ...] = ()
    files: tuple[Attached, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A command filled in as a form: its name as in `adapters.commands`, its options as they were typed."""

    name: str
    options: Mapping[str, str]
    speaker: Speaker
    spot: Spot
    update: str
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """A button or a choice of a list. `id` is what the button carried; `values` what was chosen in a list."""

    id: str
    speaker: Speaker
    spot: Spot
    ref: str
    values: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reacted:
    """A reaction set or taken away (`added`). `ref` is its message, as `Room.send` named it."""

    emoji: str
    added: bool
    speaker: Speaker
    spot: Spot
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file to be sent: an answer too long for messages, an export."""

    name: str
    content: bytes
    media_type: str = "text/markdown"
    caption: str = ""
