"""Reads EPUB 2 and 3 as a manuscript: the story in its chapters, without what publishers put around it."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from agent_core.errors import ImportFailure
from agent_core.importing.archive import MEGABYTE, Archive
from agent_core.importing.chapters import ChapterDraft, finished
from agent_core.importing.epub_head import head_of
from agent_core.importing.epub_kinds import Kind, Kinds, Parts, heading_of_section
from agent_core.importing.epub_package import Package, read_package
from agent_core.importing.epub_sections import Document, Section, sections_of
from agent_core.importing.epub_text import Piece, PieceKind, read_document
from agent_core.importing.headings import HeadingKind
from agent_core.importing.manuscript import Manuscript, Warning_, WarningCode, warnings_of
from agent_core.importing.markup import decoded, parse_xhtml
from agent_core.importing.scenes import Block, Passage, SceneBreak, SceneTitle

MAX_MEMBER_BYTES = 8 * MEGABYTE
"""A document. The longest novels are 4 MB in all; the XML parser's own guard ends at 10 MB a text."""
_REPEATED = 2

_Found = list[tuple[WarningCode, str]]


def read_epub(path: Path) -> Manuscript:
    """Return the book.

    Raises:
        ImportFailure: not_found, damaged, encrypted, bomb, too_large or empty.
    """
    with Archive(path, MAX_MEMBER_BYTES) as archive:
        package = read_package(archive)
        found: _Found = [(WarningCode.PART_MISSING, name) for name in package.missing]
        documents, notes = _documents(archive, package, found)
    chapters, empty = finished(_drafts(package, documents, found))
    if not chapters:
        raise ImportFailure(file=path.name, reason="empty")
    found += [(WarningCode.CHAPTER_EMPTY, title) for title in empty]
    left_out = (Warning_(WarningCode.NOTES_DROPPED, {"count": notes}),) if notes else ()
    return Manuscript(
        series=package.series,
        series_position=package.series_position,
        title=package.title or path.stem,
        language=package.language,
        chapters=chapters,
        warnings=warnings_of(found) + left_out,
    )


def _documents(archive: Archive, package: Package, found: _Found) -> tuple[list[Document], int]:
    documents, notes = [], 0
    for path in package.spine:
        short = path.rpartition("/")[2]
        text, guessed = decoded(archive.read(path) or b"")
        if not text.strip():
            continue
        root, repaired = parse_xhtml(text, archive.file, short)
        found += [(WarningCode.ENCODING_GUESSED, short)] if guessed else []
        found += [(WarningCode.MARKUP_REPAIRED, short)] if repaired else []
        document = read_document(root)
        documents.append(Document(path, document.pieces))
        notes += document.notes
    return documents, notes


def _drafts(package: Package, documents: list[Document], found: _Found) -> list[ChapterDraft]:
    book = _Book(package, documents)
    for section in book.sections:
        book.add(section)
    found += [(WarningCode.MATTER_DROPPED, title) for title in book.dropped]
    return book.drafts


class _Book:
    """Turns sections into chapter drafts, in order."""

    def __init__(self, package: Package, documents: list[Document]) -> None:
        self.sections = sections_of(documents, package.toc)
        self.drafts: list[ChapterDraft] = []
        self.dropped: list[str] = []
        self._title = package.title
        self._kinds = Kinds(package, self.sections)
        self._parts = Parts(package, self.sections)
        self._ornaments = _repeated_pictures(documents)

    def add(self, section: Section) -> None:
        """Take in the next section."""
        kind = self._kinds.of(section)
        match kind:
            case Kind.SILENT | Kind.NOTES:
                return
            case Kind.PREFATORY:
                self._drop(section)
            case Kind.PART:
                self._add_part(section)
            case Kind.SCENE if self.drafts:
                self._add_scene(section)
            case _:
                self._add_chapter(section, kind)

    def _drop(self, section: Section) -> None:
        if section.passages:
            self.dropped.append(heading_of_section(section).label or section.file.rpartition("/")[2])

    def _add_part(self, section: Section) -> None:
        head = head_of(section, self._title)
        label = head.full_title
        self._parts.enter(section, label)
        blocks = self._blocks(head.rest)
        self.drafts.append(ChapterDraft(HeadingKind.PART, "", label, label, blocks, matter=True))

    def _add_scene(self, section: Section) -> None:
        title = SceneTitle(heading_of_section(section).label)
        blocks = (title, *self._blocks(head_of(section, self._title).rest))
        self.drafts[-1] = replace(self.drafts[-1], blocks=self.drafts[-1].blocks + blocks)

    def _add_chapter(self, section: Section, kind: Kind) -> None:
        head = head_of(section, self._title)
        self.drafts.append(
            ChapterDraft(
                kind=HeadingKind.STORY if kind is Kind.STORY else HeadingKind.CHAPTER,
                number=head.number if kind is Kind.CHAPTER else "",
                title=head.title if kind is Kind.CHAPTER else head.full_title,
                part=self._parts.label_of(section),
                blocks=self._blocks(head.rest),
                file=section.file if section.opens_file else "",
                matter=kind is Kind.MATTER,
            )
        )

    def _blocks(self, pieces: list[Piece]) -> tuple[Block, ...]:
        return tuple(self._block(piece) for piece in pieces if self._is_told(piece))

    def _is_told(self, piece: Piece) -> bool:
        return piece.kind is not PieceKind.PICTURE or piece.text in self._ornaments

    def _block(self, piece: Piece) -> Block:
        if piece.kind is PieceKind.PASSAGE:
            return Passage(piece.text)
        return SceneTitle(piece.text) if piece.kind is PieceKind.HEADING else SceneBreak()


def _repeated_pictures(documents: list[Document]) -> frozenset[str]:
    """Return the addresses of pictures that stand alone more than once: ornaments, not illustrations."""
    alone = Counter(
        piece.text for document in documents for piece in document.pieces if piece.kind is PieceKind.PICTURE
    )
    return frozenset(address for address, times in alone.items() if address and times >= _REPEATED)
