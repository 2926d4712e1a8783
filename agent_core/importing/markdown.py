"""Reads Markdown as a manuscript: one file, or a folder whose files are chapters. Text is kept as written."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from agent_core.errors import ImportFailure
from agent_core.importing.archive import MEGABYTE, too_large
from agent_core.importing.chapters import ChapterDraft, finished
from agent_core.importing.front_matter import FrontMatter, read_front_matter
from agent_core.importing.headed_text import HeadedBlock, Headline, read_book, read_chapter_file
from agent_core.importing.manuscript import Manuscript, WarningCode, warnings_of
from agent_core.importing.markup import decoded
from agent_core.importing.scenes import Passage, SceneBreak, is_ornament

MAX_FILE_BYTES = 8 * MEGABYTE
"""One file. Twice the longest novels; it is read in a few seconds."""

_Found = list[tuple[WarningCode, str]]


@dataclass(frozen=True, slots=True)
class ChapterFile:
    """A Markdown file of a folder that is one book; `part` comes from the folders between."""

    path: Path
    part: str


def read_markdown(path: Path) -> Manuscript:
    """Return the book in one file.

    Raises:
        ImportFailure: not_found, too_large, damaged (no text at all) or empty.
    """
    return markdown_book(_bytes(path), path.name)


def markdown_book(data: bytes, file: str) -> Manuscript:
    """Return the book in the bytes of a file that is called `file`.

    Raises:
        ImportFailure: too_large, damaged or empty.
    """
    found: _Found = []
    text, about = _text(data, file, found)
    book = read_book(_blocks(text))
    title = about.title or book.title or label_of(Path(file).stem)
    return _manuscript(file, about, title, book.drafts, book.dropped, found)


def read_markdown_folder(folder: Path, files: Iterable[ChapterFile]) -> Manuscript:
    """Return the book whose chapters are these files, in this order.

    The first front matter that names a series or a position speaks for the book; in the other files `title`
    is the chapter's, for a file without a heading.

    Raises:
        ImportFailure: as `read_markdown`.
    """
    found: _Found = []
    book = FrontMatter()
    drafts: list[ChapterDraft] = []
    dropped: list[str] = []
    for file in files:
        text, about = _text(_bytes(file.path), file.path.name, found)
        book = about if about.names_a_book and not book.names_a_book else book
        name = ("" if about.names_a_book else about.title) or label_of(file.path.stem)
        chapters = read_chapter_file(_blocks(text), name, file.part, file.path.name)
        drafts += chapters.drafts
        dropped += chapters.dropped
    title = book.title or label_of(folder.name)
    return _manuscript(folder.name, book, title, tuple(drafts), tuple(dropped), found)


def front_matter_of(path: Path) -> FrontMatter:
    """Return what the file says of itself.

    Raises:
        ImportFailure: as `read_markdown`.
    """
    return _text(_bytes(path), path.name, [])[1]


def label_of(name: str) -> str:
    """Return a file's or folder's name as a title: "02-the_north" is "the north"."""
    words = re.sub(r"[-_\s]+", " ", name).strip()
    return re.sub(r"^\d+[ .]+(?=\D)", "", words)


def _manuscript(
    file: str,
    about: FrontMatter,
    title: str,
    drafts: tuple[ChapterDraft, ...],
    dropped: tuple[str, ...],
    found: _Found,
) -> Manuscript:
    chapters, empty = finished(drafts)
    if not chapters:
        raise ImportFailure(file=file, reason="empty")
    found = found + [(WarningCode.MATTER_DROPPED, name) for name in dropped]
    found += [(WarningCode.CHAPTER_EMPTY, name) for name in empty]
    return Manuscript(about.series, about.position, title, about.language, chapters, warnings_of(found))


def _bytes(path: Path) -> bytes:
    """Return what is in the file, or its beginning if it is too large."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ImportFailure(file=path.name, reason="not_found") from error


def _text(data: bytes, file: str, found: _Found) -> tuple[str, FrontMatter]:
    """Return (text without front matter, front matter)."""
    if len(data) > MAX_FILE_BYTES:
        raise too_large(file, MAX_FILE_BYTES)
    text, guessed = decoded(data)
    if "\0" in text:
        raise ImportFailure(file=file, reason="damaged")
    if guessed:
        found.append((WarningCode.ENCODING_GUESSED, file))
    lines = text.split("\n")
    about = read_front_matter(lines)
    return "\n".join(lines[about.lines :]), about


_PARSER = MarkdownIt("commonmark")
_PARSER.core.ruler.enableOnly(["normalize", "block"])
# A line of tildes is an ornament in a novel; taken for a code fence, it would hide every heading below.
_TILDES = re.compile(r"^ {0,3}~{3,}[ \t]*$", re.MULTILINE)
_HEADING_MARKS = re.compile(r"[*]+|\s*\{[^{}]*\}\s*$")
_LEAF_BLOCKS = frozenset(("paragraph_open", "code_block"))


@dataclass(frozen=True, slots=True)
class _Mark:
    """Lines that are not text: a heading or a break."""

    first_line: int
    end_line: int
    block: Headline | SceneBreak


def _blocks(text: str) -> Iterator[HeadedBlock]:
    """Yield headings and breaks, and between them the text line for line as it was written."""
    lines = text.split("\n")
    begin = 0
    for mark in _marks(text, lines):
        yield from _passage(lines[begin : mark.first_line])
        yield mark.block
        begin = mark.end_line
    yield from _passage(lines[begin:])


def _passage(lines: list[str]) -> Iterator[Passage]:
    text = "\n".join(lines).strip("\n").rstrip()
    if text.strip():
        yield Passage(text)


def _marks(text: str, lines: list[str]) -> Iterator[_Mark]:
    tokens = _PARSER.parse(_TILDES.sub("***", text))
    for place, token in enumerate(tokens):
        if token.level or token.map is None:
            continue
        first, end = token.map
        if token.type == "hr":
            yield _Mark(first, end, SceneBreak())
        elif token.type == "heading_open":
            yield _heading_mark(token, tokens[place + 1].content, lines[end - 1], first, end)
        elif token.type in _LEAF_BLOCKS and is_ornament("\n".join(lines[first:end])):
            yield _Mark(first, end, SceneBreak())


def _heading_mark(token: Token, content: str, last_line: str, first: int, end: int) -> _Mark:
    text = _HEADING_MARKS.sub("", content).strip(" _")
    if token.markup == "-" and ("\n" in content or last_line.strip() == "---"):
        # Three dashes right under a line are meant as a scene break; headings are underlined in full.
        return _Mark(end - 1, end, SceneBreak())
    if not text or is_ornament(text):
        return _Mark(first, end, SceneBreak())
    return _Mark(first, end, Headline(int(token.tag[1]), " ".join(text.split())))
