"""Plans a whole import: books with their chapters, scenes and texts, as the rows of one change."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from agent_core.clock import NewId
from agent_core.errors import LoreRefusal
from agent_core.lore import conflict, fold
from agent_core.lore.answers import CardLine
from agent_core.lore.canon import Canon
from agent_core.lore.model import Node, NodeKind, OutlineEdited, Row, TextSet
from agent_core.lore.outline import Outline
from agent_core.lore.plan import Plan
from agent_core.lore.plan_scene import check_length
from agent_core.lore.ranks import ranks_after


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


async def plan_manuscript(canon: Canon, *, books: Sequence[ReadBook], new_id: NewId) -> Plan:
    """Return the plan that appends these books, in this order, to the series.

    Raises:
        LoreRefusal: reason "book_exists", a book of the title is there; "text_too_long", a scene is too long.

    """
    _check_titles(canon.outline, books)
    for book in books:
        for chapter in book.chapters:
            for scene in chapter.scenes:
                check_length(scene.text, scene.title or chapter.title or book.title)
    rows = await asyncio.to_thread(lambda: tuple(_rows(canon.outline, books, new_id)))
    texts = [row.text for row in rows if isinstance(row, TextSet)]
    words = await asyncio.to_thread(lambda: sum(len(text.split()) for text in texts))
    return Plan(
        rows=rows,
        keys=conflict.keys_of(rows),
        card=CardLine(
            kind="import",
            title=", ".join(book.title for book in books),
            facts={
                "books": len(books),
                "chapters": sum(len(book.chapters) for book in books),
                "scenes": sum(len(chapter.scenes) for book in books for chapter in book.chapters),
                "words": words,
            },
        ),
    )


def _check_titles(outline: Outline, books: Iterable[ReadBook]) -> None:
    """Refuse a title that a book of the series or of the import has already.

    Raises:
        LoreRefusal: reason "book_exists".

    """
    taken = {fold.name_key(book.title): outline.label(book.id) for book in outline.books()}
    for book in books:
        key = fold.name_key(book.title)
        if key in taken:
            raise LoreRefusal(reason="book_exists", title=book.title, position=taken[key])
        taken[key] = book.title


def _rows(outline: Outline, books: Sequence[ReadBook], new_id: NewId) -> Iterator[Row]:
    there = outline.children(None, deleted=True)
    ranks = ranks_after(there[-1].rank if there else None, len(books))
    for book, rank in zip(books, ranks, strict=True):
        node = Node(id=new_id(), kind=NodeKind.BOOK, parent=None, rank=rank, title=book.title)
        yield OutlineEdited(after=node)
        for chapter, chapter_rank in zip(book.chapters, ranks_after(None, len(book.chapters)), strict=True):
            yield from _chapter_rows(chapter, node.id, chapter_rank, new_id)


def _chapter_rows(chapter: ReadChapter, book: str, rank: str, new_id: NewId) -> Iterator[Row]:
    node = Node(
        id=new_id(),
        kind=NodeKind.CHAPTER,
        parent=book,
        rank=rank,
        title=chapter.title,
        number=chapter.number,
        part=chapter.part,
    )
    yield OutlineEdited(after=node)
    for scene, scene_rank in zip(chapter.scenes, ranks_after(None, len(chapter.scenes)), strict=True):
        made = Node(id=new_id(), kind=NodeKind.SCENE, parent=node.id, rank=scene_rank, title=scene.title)
        yield OutlineEdited(after=made)
        if scene.text:
            yield TextSet(id=new_id(), scene=made.id, text=scene.text)
