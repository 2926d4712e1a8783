"""Cuts an EPUB into sections: where `epub:type` says so, else the table of contents, else headings.

A document that none of the three names goes on with the section before it, so a chapter may be spread over
files, and one file may hold many chapters.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from agent_core.importing.epub_package import TocEntry
from agent_core.importing.epub_text import Division, Piece, PieceKind, Role
from agent_core.importing.headings import Heading, HeadingKind


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the reading order."""

    path: str
    pieces: tuple[Piece, ...]


@dataclass(eq=False, slots=True)
class Section:
    """A run of pieces under one division, one line of the table of contents, or one heading."""

    file: str
    division: Division | None
    entry: TocEntry | None
    opens_file: bool
    pieces: list[Piece] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    """The headings before the first passage."""
    passages: list[str] = field(default_factory=list)

    def add(self, piece: Piece) -> None:
        """Take in the next piece."""
        self.pieces.append(piece)
        if piece.kind is PieceKind.PASSAGE:
            self.passages.append(piece.text)
        elif piece.heading and not self.passages:
            self.headings.append(piece.heading)


def sections_of(documents: list[Document], toc: tuple[TocEntry, ...]) -> list[Section]:
    """Return the sections in reading order; every piece is in exactly one."""
    splitter = _Splitter(documents, toc)
    for document in documents:
        splitter.add(document)
    return splitter.sections


# A heading of one of these kinds is never merely the second line of the heading above it.
_OPENING = frozenset((HeadingKind.PART, HeadingKind.STORY, HeadingKind.PREFATORY, HeadingKind.SILENT))


class _Splitter:
    def __init__(self, documents: list[Document], toc: tuple[TocEntry, ...]) -> None:
        self.sections: list[Section] = []
        self._listed = {(entry.path, entry.fragment): entry for entry in _flat(toc)}
        self._order = {id(entry): place for place, entry in enumerate(self._listed.values())}
        self._files = {path for path, _ in self._listed}
        self._level = self._chapter_level(documents)
        self._has_structure = bool(self._files) or any(
            piece.heading or piece.division for document in documents for piece in document.pieces
        )
        self._headed = {
            piece.division for document in documents for piece in document.pieces if piece.heading
        }
        self._by_division: dict[Division, Section] = {}
        self._file = ""
        self._is_first = True

    def add(self, document: Document) -> None:
        """Take in the next document."""
        self._file, self._is_first = document.path, True
        for piece in document.pieces:
            self._section_for(piece).add(piece)
            self._is_first = False

    def _section_for(self, piece: Piece) -> Section:
        entry, division = self._entry_at(piece), piece.division
        if division is None:
            return self._untyped(piece, entry)
        known = self._by_division.get(division)
        if division.role is Role.PART and (known or _is_chapter(piece.heading)):
            section = self._untyped(piece, entry)
            self._by_division.setdefault(division, section)
            return section
        if known is None:
            goes_on = self._goes_on(division, entry)
            known = self.sections[-1] if goes_on else self._open(entry, division)
            self._by_division[division] = known
        return known

    def _goes_on(self, division: Division, entry: TocEntry | None) -> bool:
        """Return whether a typed chapter is only the next file of the chapter before it."""
        before = self.sections[-1].division if self.sections else None
        return (
            division.role is Role.CHAPTER
            and before is not None
            and before.role is Role.CHAPTER
            and bool(self._files)
            and entry is None
            and division not in self._headed
        )

    def _untyped(self, piece: Piece, entry: TocEntry | None) -> Section:
        current = self.sections[-1] if self.sections else None
        if current is None:
            return self._open(entry, None)
        if entry is not None and entry is not current.entry:
            return self._open(entry, None)
        if piece.heading and self._starts_chapter(piece, piece.heading, current):
            return self._open(None, None)
        if self._is_first and not (self._has_structure and _is_story(current)):
            return self._open(None, None)
        return current

    def _starts_chapter(self, piece: Piece, heading: Heading, current: Section) -> bool:
        above = current.headings
        opens = heading.worded or heading.kind in _OPENING
        if not current.passages and current.file == self._file:
            return bool(above) and (opens or above[-1].kind in _OPENING)
        if piece.level > self._level:
            return False
        return opens or self._file not in self._files

    def _open(self, entry: TocEntry | None, division: Division | None) -> Section:
        section = Section(self._file, division, entry, opens_file=self._is_first)
        self.sections.append(section)
        return section

    def _entry_at(self, piece: Piece) -> TocEntry | None:
        """Return the deepest line of the table of contents that leads to this piece."""
        fragments = [*piece.anchors, ""] if self._is_first else piece.anchors
        found = [self._listed[self._file, name] for name in fragments if (self._file, name) in self._listed]
        return max(found, key=lambda entry: self._order[id(entry)], default=None)

    def _chapter_level(self, documents: list[Document]) -> int:
        """Return the heading level of chapters: as listed, else as worded, else as files begin."""
        listed, worded, first = Counter[int](), Counter[int](), Counter[int]()
        for document in documents:
            headings = [piece for piece in document.pieces if piece.heading]
            whole = (document.path, "") in self._listed
            for place, piece in enumerate(headings):
                is_listed = any((document.path, anchor) in self._listed for anchor in piece.anchors)
                listed[piece.level] += is_listed or (whole and place == 0)
                worded[piece.level] += _is_chapter(piece.heading)
                first[piece.level] += place == 0
        found = next((levels for levels in (+listed, +worded, +first) if levels), Counter({2: 1}))
        return max(found, key=lambda level: (found[level], level))


def _is_chapter(heading: Heading | None) -> bool:
    return heading is not None and heading.kind is HeadingKind.CHAPTER and heading.worded


def _is_story(section: Section) -> bool:
    return section.division is None or section.division.role in {Role.CHAPTER, Role.PART}


def _flat(entries: tuple[TocEntry, ...] | list[TocEntry]) -> Iterator[TocEntry]:
    for entry in entries:
        yield entry
        yield from _flat(entry.children)
