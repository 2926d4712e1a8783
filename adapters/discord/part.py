"""One message as Discord takes it, before it is made of the library's objects; parts can be compared."""

from dataclasses import dataclass
from enum import StrEnum

from adapters.chat.model import Document

MAX_CONTENT = 2000
MAX_TITLE = 256
MAX_DESCRIPTION = 4096
MAX_FIELDS = 25
MAX_FIELD = 1024
MAX_FOOTER = 2048
MAX_PANEL = 6000
MAX_ROWS = 5
MAX_KEYS = 5
MAX_CHOICES = 25
MAX_KEY_LABEL = 80
MAX_CHOICE_LABEL = 100


class Tone(StrEnum):
    """How a button looks."""

    GOOD = "good"
    BAD = "bad"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A button. `id` is what it carries."""

    id: str
    label: str
    tone: Tone = Tone.QUIET


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A line of a list; `value` is what a button in its place would carry."""

    value: str
    label: str
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """A list of which one line is chosen. `id` is only there to tell the lists of a message apart."""

    id: str
    prompt: str
    choices: tuple[Choice, ...]


Row = tuple[Key, ...] | Pick


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """An embed: fields are titles with texts."""

    title: str
    description: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    footer: str = ""
    colour: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A message: text, a panel or a file, and what can be pressed below."""

    content: str = ""
    panel: Panel | None = None
    rows: tuple[Row, ...] = ()
    file: Document | None = None
