"""Reads what a person names, files and folders, as books in order.

A folder is read by this rule. Every EPUB and DOCX in it or below it is a book. Its Markdown files, in natural
order of names (2 before 10), are
- books, if each of them names a series or a position in its front matter;
- else the chapters of one book, where folders inside it are parts.
A folder without Markdown files of its own whose folders hold some is one book if all those are called parts
("part 1", "Teil II"); else each of them is a book, and the folder's name is the series. Hidden files, files
called README and other kinds of files are passed over, and links to folders are not followed.
"""

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from agent_core.errors import ImportFailure
from agent_core.importing.docx import read_docx
from agent_core.importing.epub import read_epub
from agent_core.importing.headings import HeadingKind, parse_heading
from agent_core.importing.manuscript import Manuscript, Warning_, WarningCode
from agent_core.importing.markdown import (
    ChapterFile,
    front_matter_of,
    label_of,
    read_markdown,
    read_markdown_folder,
)
from agent_core.llm.surrogates import mend

MAX_ENTRIES = 20_000
"""Files and folders at any depth. Ten books with a file a scene have 2,000; a home folder is refused."""
MAX_DEPTH = 12

Progress = Callable[[int, int], None]

_MARKDOWN = frozenset((".md", ".markdown", ".txt"))
_READERS: dict[str, Callable[[Path], Manuscript]] = {
    ".epub": read_epub,
    ".docx": read_docx,
    **dict.fromkeys(_MARKDOWN, read_markdown),
}
_LONGEST_NUMBER = 10
_DIGITS = re.compile(r"(\d+)")


async def read_manuscript(path: Path) -> Manuscript:
    """Return one book: a file, or a folder of Markdown files that are its chapters.

    Raises:
        ImportFailure: facts `file` (a name, never a path) and `reason`.
    """
    return await asyncio.to_thread(_read_one, path)


async def read_manuscripts(paths: Iterable[Path], progress: Progress | None = None) -> list[Manuscript]:
    """Return all books of these files and folders: by series, in it by position, else by name.

    `progress` is called with (books read, books in all), first with (0, all).

    Raises:
        ImportFailure: for the first book that cannot be read; nothing is returned then.
    """
    sources = await asyncio.to_thread(lambda: [source for path in paths for source in _sources(path)])
    books: list[Manuscript] = []
    for done, source in enumerate(sources):
        if progress:
            progress(done, len(sources))
        books.append(await asyncio.to_thread(source.read))
    if progress:
        progress(len(sources), len(sources))
    return sorted(books, key=_book_order)


@dataclass(frozen=True, slots=True)
class _Source:
    """One book to read; `series` and `position` fill in what the book itself doesn't say."""

    path: Path
    series: str = ""
    position: float | None = None

    def read(self) -> Manuscript:
        book = _read_one(self.path)
        if book.series or not self.series:
            return book
        taken = Warning_(WarningCode.SERIES_FROM_FOLDER, {"count": 1, "items": (self.series,)})
        return replace(
            book,
            series=self.series,
            series_position=self.position,
            warnings=(*book.warnings, taken),
        )


def _read_one(path: Path) -> Manuscript:
    _check_name(path)
    if path.is_dir():
        _refuse_too_large(path)
        return read_markdown_folder(path, _chapter_files(path))
    if not path.exists():
        raise ImportFailure(file=path.name, reason="not_found")
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise ImportFailure(file=path.name, reason="unsupported", known=tuple(_READERS))
    return reader(path)


def _sources(path: Path) -> list[_Source]:
    _check_name(path)
    if not path.is_dir():
        return [_Source(path)]
    _refuse_too_large(path)
    found = list(_folder_sources(path))
    if not found:
        raise ImportFailure(file=path.name, reason="empty")
    return found


def _check_name(path: Path) -> None:
    """Return if the name is text, as titles and stored paths have to be; some file systems take any bytes."""
    name = mend(str(path))
    if name != str(path):
        raise ImportFailure(file=Path(name).name, reason="name")


def _refuse_too_large(folder: Path) -> None:
    entries = 0
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        entries += len(folders) + len(files)
        if entries > MAX_ENTRIES:
            raise ImportFailure(file=folder.name, reason="too_large", limit=MAX_ENTRIES)
        if len(Path(place).relative_to(folder).parts) > MAX_DEPTH:
            raise ImportFailure(file=folder.name, reason="too_large", limit=MAX_DEPTH)


def _folder_sources(folder: Path) -> Iterator[_Source]:
    files, folders = _listed(folder)
    markdown = [file for file in files if file.suffix.lower() in _MARKDOWN]
    yield from (_Source(file) for file in files if file not in markdown)
    with_text = [inner for inner in folders if _holds_markdown(inner)]
    if markdown and all(front_matter_of(file).names_a_book for file in markdown):
        yield from map(_Source, markdown)
    elif markdown or (with_text and all(map(_is_part, with_text))):
        yield _Source(folder)
        yield from (source for inner in folders for source in _bound_books(inner))
        return
    for inner in folders:
        yield from _inner_sources(folder, inner, with_text)


def _inner_sources(folder: Path, inner: Path, with_text: list[Path]) -> Iterator[_Source]:
    for source in _folder_sources(inner):
        if source.path == inner:
            yield _Source(inner, series=label_of(folder.name), position=float(with_text.index(inner) + 1))
        else:
            yield source


def _bound_books(folder: Path) -> Iterator[_Source]:
    """Yield the EPUB and DOCX files at any depth."""
    yield from (_Source(file) for file, _ in _walk(folder, folder) if file.suffix.lower() not in _MARKDOWN)


def _chapter_files(folder: Path) -> list[ChapterFile]:
    found = [
        ChapterFile(file, part) for file, part in _walk(folder, folder) if file.suffix.lower() in _MARKDOWN
    ]
    if not found:
        raise ImportFailure(file=folder.name, reason="empty")
    return found


def _holds_markdown(folder: Path) -> bool:
    return any(file.suffix.lower() in _MARKDOWN for file, _ in _walk(folder, folder))


def _is_part(folder: Path) -> bool:
    return parse_heading(label_of(folder.name)).kind is HeadingKind.PART


def _walk(root: Path, folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield (file, label of the folders between it and the root), files and folders mixed by name."""
    files, folders = _listed(folder)
    part = " · ".join(label_of(name) for name in folder.relative_to(root).parts)
    for entry in sorted([*files, *folders], key=lambda entry: _natural(entry.name)):
        if entry in folders:
            yield from _walk(root, entry)
        else:
            yield entry, part


def _listed(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return (files that can be read, folders), each in natural order.

    Raises:
        ImportFailure: not_found, name.
    """
    try:
        entries = [entry for entry in folder.iterdir() if not entry.name.startswith((".", "~$"))]
    except OSError as error:
        raise ImportFailure(file=folder.name, reason="not_found") from error
    for entry in entries:
        _check_name(entry)
    entries.sort(key=lambda entry: _natural(entry.name))
    files = [entry for entry in entries if entry.suffix.lower() in _READERS and entry.is_file()]
    folders = [entry for entry in entries if entry.is_dir() and not entry.is_symlink()]
    return [file for file in files if file.stem.casefold() != "readme"], folders


def _book_order(book: Manuscript) -> tuple[list[tuple[int, int | str]], float, list[tuple[int, int | str]]]:
    position = float("inf") if book.series_position is None else book.series_position
    return _natural(book.series or book.title), position, _natural(book.title)


def _natural(name: str) -> list[tuple[int, int | str]]:
    """Return a sort key under which 2 stands before 10."""
    return [
        (0, int(part)) if part.isdecimal() and len(part) < _LONGEST_NUMBER else (1, part)
        for part in _DIGITS.split(name.casefold())
        if part
    ]
