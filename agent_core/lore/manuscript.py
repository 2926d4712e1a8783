"""A manuscript as the canon sees it, whatever file it came from, and which of it is here already."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class ReadScene(Protocol):
    """A scene as an importer read it."""

    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...


class ReadChapter(Protocol):
    """A chapter as an importer read it; `number` and `part` are labels."""

    @property
    def number(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def part(self) -> str: ...
    @property
    def scenes(self) -> Sequence[ReadScene]: ...


class ReadBook(Protocol):
    """A book as an importer read it."""

    @property
    def title(self) -> str: ...
    @property
    def chapters(self) -> Sequence[ReadChapter]: ...


@dataclass(frozen=True, slots=True)
class KnownBook:
    """A book that is here and was read again: the node that each chapter and scene as read is, or None.

    No node comes twice; all of them are living nodes of the book.
    """

    id: str
    chapters: tuple[str | None, ...]
    scenes: tuple[tuple[str | None, ...], ...]
