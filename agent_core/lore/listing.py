"""Lists what there is to read: books, chapters, scenes and their texts."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from agent_core.errors import UnknownPosition
from agent_core.lore.answers import (
    BookItem,
    ChapterItem,
    ChapterScenes,
    Contents,
    EntryList,
    EntryRef,
    Place,
    SceneItem,
    SceneText,
)
from agent_core.lore.canon import Canon
from agent_core.lore.lens import Lens
from agent_core.lore.model import Bound, EntityType, Mode, Node


async def contents(
    canon: Canon, book: str | None = None, *, bound: Bound, here: str | None = None, counted: bool = False
) -> Contents:
    """Return the books (or the one that `book` is written for) with chapters and scenes up to the bound.

    `counted` reads all texts to count their words.

    Raises:
        UnknownPosition: there is no such book within the bound.

    """
    lens = Lens(canon, bound)
    books = canon.outline.books() if book is None else (_book(canon, book, bound, here),)
    books = tuple(node for node in books if lens.outline.sees(bound, node.id))
    words = await _word_counts(canon, books) if counted else {}
    undated = frozenset(node.id for node in canon.outline.undated())
    return Contents(
        series=canon.series.name,
        books=tuple(
            BookItem(place=_shown(lens, node), chapters=tuple(_chapters(lens, node, words, undated)))
            for node in books
        ),
    )


async def chapter_scenes(
    canon: Canon,
    chapter: str,
    offset: int = 0,
    *,
    bound: Bound,
    max_chars: int,
    here: str | None = None,
    book: str | None = None,
) -> ChapterScenes:
    """Return the chapter's scenes from `offset`, which counts the characters of the whole chapter.

    Raises:
        UnknownPosition: no such chapter within the bound.
        AmbiguousPosition: several are written so.

    """
    lens = Lens(canon, bound)
    node = canon.outline.chapter_of(canon.outline.find(chapter, book=book, here=here, bound=bound))
    if node is None:
        raise UnknownPosition(position=chapter)
    scenes = [one for one in canon.outline.scenes_of(node) if lens.outline.sees(bound, one.id)]
    texts = await canon.texts([one.id for one in scenes])
    pages = [(_shown(lens, one), one.mode, texts[one.id].text if one.id in texts else "") for one in scenes]
    shown, next_offset = _page(pages, offset, max_chars)
    return ChapterScenes(
        chapter=_shown(lens, lens.outline.nodes[node]), scenes=shown, next_offset=next_offset
    )


async def entry_list(
    canon: Canon, kind: EntityType | None = None, offset: int = 0, *, bound: Bound, max_chars: int
) -> EntryList:
    """Return the entries (of one kind) in the order of their names, from the one at `offset` on.

    As many as fit into `max_chars` as JSON, but one at least.
    """
    found, lens = await canon.roster(bound=bound), Lens(canon, bound)
    wanted = [entry for entry in found if kind is None or entry.type is kind]
    page = tuple(_fitting(map(lens.entry, islice(wanted, offset, None)), max_chars))
    end = offset + len(page)
    more = max(len(wanted) - end, 0)
    return EntryList(type=kind, entries=page, more=more, next_offset=end if more else None)


def _fitting(entries: Iterable[EntryRef], max_chars: int) -> Iterator[EntryRef]:
    left = max_chars
    for place, entry in enumerate(entries):
        left -= len(entry.model_dump_json(by_alias=True)) + 1
        if left < 0 and place:
            return
        yield entry


def _book(canon: Canon, written: str, bound: Bound, here: str | None) -> Node:
    node = canon.outline.book_of(canon.outline.find(written, book=None, here=here, bound=bound))
    if node is None:
        raise UnknownPosition(position=written)
    return canon.outline.nodes[node]


async def _word_counts(canon: Canon, books: Iterable[Node]) -> dict[str, int]:
    scenes = [scene.id for book in books for scene in canon.outline.scenes_of(book.id)]
    texts = await canon.texts(scenes)
    return await asyncio.to_thread(
        lambda: {scene: len(revision.text.split()) for scene, revision in texts.items()}
    )


def _shown(lens: Lens, node: Node) -> Place:
    """Return a node that the caller has checked to lie within the bound."""
    return Place(id=node.id, label=lens.outline.label(node.id), title=node.title, kind=node.kind)


def _chapters(
    lens: Lens, book: Node, words: Mapping[str, int], undated: frozenset[str]
) -> Iterator[ChapterItem]:
    for chapter in lens.outline.children(book.id):
        if lens.outline.sees(lens.bound, chapter.id):
            yield ChapterItem(
                place=_shown(lens, chapter),
                number=lens.outline.number(chapter.id),
                part=chapter.part,
                scenes=tuple(
                    _scene(lens, scene, words.get(scene.id, 0), undated=scene.id in undated)
                    for scene in lens.outline.children(chapter.id)
                    if lens.outline.sees(lens.bound, scene.id)
                ),
            )


def _scene(lens: Lens, scene: Node, words: int, *, undated: bool) -> SceneItem:
    anchor = lens.place(scene.place.node) if scene.place else None
    story = f"{scene.place.relation} {anchor.label}" if scene.place and anchor else ""
    return SceneItem(place=_shown(lens, scene), mode=scene.mode, story=story, undated=undated, words=words)


def _page(
    pages: Iterable[tuple[Place, Mode, str]], offset: int, max_chars: int
) -> tuple[tuple[SceneText, ...], int | None]:
    shown: list[SceneText] = []
    start, room = 0, max_chars
    for place, mode, text in pages:
        begin, total = max(0, offset - start), len(text)
        if begin < total or (not total and start >= offset):
            if room <= 0:
                return tuple(shown), start + begin
            end = _cut(text, begin, begin + room)
            next_offset = start + end
            cut = f"{end} of {total} characters, go on at offset {next_offset}" if end < total else ""
            shown.append(
                SceneText(
                    place=place, title=place.title, mode=mode, text=text[begin:end],
                    offset=begin, total=total, cut=cut,
                )
            )  # fmt: skip
            if cut:
                return tuple(shown), next_offset
            room -= end - begin
        start += total
    return tuple(shown), None


def _cut(text: str, begin: int, limit: int) -> int:
    """Return where to stop: at `limit`, or after the last white space in the second half before it."""
    if limit >= len(text):
        return len(text)
    space = max(text.rfind(" ", begin, limit), text.rfind("\n", begin, limit))
    return space + 1 if space > (begin + limit) // 2 else limit
