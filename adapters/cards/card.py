"""The blocks that cards are made of: no platform's markup, every text ready for people."""

from dataclasses import dataclass
from enum import StrEnum

from agent_core.lore.answers import Place


class Colour(StrEnum):
    """What a card is about; each platform picks its own colour for it."""

    CHARACTER = "character"
    LOCATION = "location"
    FACTION = "faction"
    OBJECT = "object"
    RULE = "rule"
    PLAIN = "plain"
    PROPOSAL = "proposal"
    DONE = "done"
    CLOSED = "closed"
    TROUBLE = "trouble"


class Style(StrEnum):
    """How a line is meant."""

    PLAIN = "plain"
    NOTE = "note"
    QUOTE = "quote"
    WARNING = "warning"
    QUESTION = "question"
    STEP = "step"


class Action(StrEnum):
    """What a button does."""

    SAVE = "save"
    SAVE_SELECTION = "save_selection"
    DISCARD = "discard"
    TOGGLE = "toggle"
    ANSWER = "answer"
    TAKE_BACK = "take_back"
    EARLIER = "earlier"
    LATER = "later"
    HISTORY = "history"
    WHY = "why"
    FULLER = "fuller"
    OPEN = "open"
    CHOOSE = "choose"
    PAGE = "page"
    WRONG_BOOK = "wrong_book"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line. `before` is the value that `text` replaces, `mark` the scene it stands on.

    `number` (from 1; 0 for none) lets a person pick the line, `depth` indents it below the line above.
    """

    text: str
    label: str = ""
    before: str = ""
    mark: str = ""
    style: Style = Style.PLAIN
    number: int = 0
    depth: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Lines under a title of their own."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """Something to press. `batch`, `line`, `name` and `value` say what exactly it acts on."""

    action: Action
    label: str
    batch: str = ""
    line: int = 0
    name: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card: title, a head line (series and book), lines, titled fields, footer lines, buttons.

    `record` is the id (of a batch or a followup) that buttons for turning its pages name.
    """

    title: str
    head: str = ""
    colour: Colour = Colour.PLAIN
    lines: tuple[Line, ...] = ()
    fields: tuple[Field, ...] = ()
    footer: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()
    record: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Who looks at a card and from where.

    `single_book` is a novel that stands alone. For a `bounded` reader `finished` is how far they have
    read, None for nothing.
    """

    language: str = "en"
    series: str = ""
    book: str = ""
    single_book: bool = False
    bounded: bool = False
    finished: Place | None = None
    time_zone: str = "UTC"
