"""Books that are in the canon already and were read again from a file."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from itertools import count, islice
from typing import Protocol

from agent_core.clock import NewId
from agent_core.importing.matching import ChapterSketch, Sketch, match_chapters, match_scenes
from agent_core.lore import record
from agent_core.lore.canon import Canon
from agent_core.lore.fold import name_key
from agent_core.lore.manuscript import KnownBook, ReadBook
from agent_core.lore.model import Node
from agent_core.lore.outline import Outline
from agent_core.lore.plan import Plan


class _Labelled(Protocol):
    @property
    def number(self) -> str: ...
    @property
    def part(self) -> str: ...
    @property
    def title(self) -> str: ...


async def plan_books(
    canon: Canon, books: Sequence[ReadBook], *, delete_gone: bool = False, new_id: NewId
) -> Plan:
    """Return the plan that brings books in: new ones whole, those whose title is there by what differs.

    Raises:
        LoreRefusal, NothingToDo, StoryCycle: as `record.plan_manuscript`.

    """
    known = await _known_books(canon, books)
    return await record.plan_manuscript(
        canon, books=books, known=known, delete_gone=delete_gone, new_id=new_id
    )


def known_book(outline: Outline, book: ReadBook) -> Node | None:
    """Return the book of the series that has this title, or None."""
    key = name_key(book.title)
    return next((node for node in outline.books() if name_key(node.title) == key), None)


def match_book(outline: Outline, node: Node, texts: Mapping[str, str], book: ReadBook) -> KnownBook:
    """Return which living nodes of the book the chapters and scenes as read are; `texts` are by scene."""
    chapters = outline.children(node.id)
    scenes = [scene for chapter in chapters for scene in outline.children(chapter.id)]
    new = [
        Sketch(scene.text, _title(scene.title, chapter.title, chapter.scenes))
        for chapter in book.chapters
        for scene in chapter.scenes
    ]
    found = match_scenes(_sketches(outline, chapters, texts), new)
    new_chapters = _chapters(book.chapters, [len(chapter.scenes) for chapter in book.chapters])
    old_chapters = _chapters(chapters, [len(outline.children(chapter.id)) for chapter in chapters])
    words = [len(one.text.split()) for one in new]
    return KnownBook(
        id=node.id,
        chapters=_ids(chapters, match_chapters(old_chapters, new_chapters, found, words)),
        scenes=tuple(_ids(scenes, [found[place] for place in chapter.scenes]) for chapter in new_chapters),
    )


async def _known_books(canon: Canon, books: Sequence[ReadBook]) -> dict[int, KnownBook]:
    found = {place: known_book(canon.outline, book) for place, book in enumerate(books)}
    return {
        place: await _found_again(canon, node, books[place])
        for place, node in found.items()
        if node is not None
    }


async def _found_again(canon: Canon, node: Node, book: ReadBook) -> KnownBook:
    scenes = canon.outline.scenes_of(node.id)
    texts = await canon.texts([scene.id for scene in scenes])
    written = {scene.id: texts[scene.id].text if scene.id in texts else "" for scene in scenes}
    return await asyncio.to_thread(match_book, canon.outline, node, written, book)


def _sketches(outline: Outline, chapters: Sequence[Node], texts: Mapping[str, str]) -> list[Sketch]:
    return [
        Sketch(texts[scene.id], _title(scene.title, chapter.title, outline.children(chapter.id)))
        for chapter in chapters
        for scene in outline.children(chapter.id)
    ]


def _chapters(chapters: Iterable[_Labelled], counts: Iterable[int]) -> list[ChapterSketch]:
    numbers = count()
    return [
        ChapterSketch(chapter.number, chapter.part, chapter.title, tuple(islice(numbers, size)))
        for chapter, size in zip(chapters, counts, strict=True)
    ]


def _title(scene: str, chapter: str, scenes: Sequence[object]) -> str:
    """Return what people call a scene: a chapter's only one goes by the name of its chapter."""
    return scene or (chapter if len(scenes) == 1 else "")


def _ids(nodes: Sequence[Node], found: Iterable[int | None]) -> tuple[str | None, ...]:
    return tuple(None if place is None else nodes[place].id for place in found)
