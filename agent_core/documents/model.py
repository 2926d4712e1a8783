"""A text as every kind of document sees it: blocks of inlines, with nothing of Markdown left in them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Side = Literal["", "left", "center", "right"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A run of one look; `url` makes it a link."""

    text: str
    bold: bool = False
    italic: bool = False
    struck: bool = False
    code: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True)
class LineBreak:
    """A line that ends inside a paragraph."""


@dataclass(frozen=True, slots=True)
class NoteMark:
    """Where a footnote is called; `name` is its key in `Document.notes`."""

    name: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as the text names it; `alt` stands in where it can't be shown."""

    source: str
    alt: str


Inline: TypeAlias = Text | LineBreak | NoteMark | Picture


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, level 1 the highest."""

    level: int
    inlines: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    inlines: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A list; `start` is the first number, None where it has bullets."""

    start: int | None
    items: tuple["Blocks", ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """What is quoted."""

    blocks: "Blocks"


@dataclass(frozen=True, slots=True)
class Code:
    """Lines as they are, in type of one width."""

    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A break between thoughts."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; every row has as many cells as the header."""

    header: tuple[tuple[Inline, ...], ...]
    rows: tuple[tuple[tuple[Inline, ...], ...], ...]
    sides: tuple[Side, ...]


Block: TypeAlias = Heading | Paragraph | Listing | Quote | Code | Rule | Table
Blocks: TypeAlias = tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A whole document. `removed` counts the control characters that no kind of file may hold."""

    title: str = ""
    author: str = ""
    language: str = ""
    blocks: Blocks = ()
    notes: Mapping[str, Blocks] = field(default_factory=dict)
    contents: bool = False
    page_numbers: bool = True
    paper: Literal["a4", "us-letter"] = "a4"
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Image:
    """A picture's bytes and what kind it is, by its first bytes."""

    content: bytes
    kind: Literal["png", "jpg", "gif", "webp", "svg"]


FindImage: TypeAlias = Callable[[str], Image | None]
"""Gives the picture that a text names, or None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A file that was made, and what whoever asked for it has to know.

    `facts` are counts (pages, words, rows). `removed` counts control characters, `without_font` names
    scripts, `names` tells what became of names that no file may have, `cut` where texts are too long.
    """

    content: bytes
    media_type: str
    suffix: str
    facts: Mapping[str, int] = field(default_factory=dict)
    removed: int = 0
    pictures_lost: tuple[str, ...] = ()
    without_font: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    cut: tuple[str, ...] = ()
