"""Plans a whole import: new books with all their scenes, and books that were read again, as one change."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from agent_core.clock import NewId
from agent_core.errors import LoreRefusal, NothingToDo, StoryCycle
from agent_core.lore import conflict, fold
from agent_core.lore.answers import CardLine, Warn
from agent_core.lore.canon import Canon
from agent_core.lore.losses import loss_warnings
from agent_core.lore.manuscript import KnownBook, ReadBook, ReadChapter
from agent_core.lore.model import Node, NodeKind, OutlineEdited, Row, TextSet
from agent_core.lore.outline import Outline
from agent_core.lore.plan import Plan
from agent_core.lore.plan_scene import check_length
from agent_core.lore.ranks import ranks_after
from agent_core.lore.revision import Revision, revise

SHOWN_NODES = 20
NOTHING_KNOWN: Mapping[int, KnownBook] = MappingProxyType({})


async def plan_manuscript(
    canon: Canon,
    *,
    books: Sequence[ReadBook],
    known: Mapping[int, KnownBook] = NOTHING_KNOWN,
    delete_gone: bool = False,
    new_id: NewId,
) -> Plan:
    """Return the plan that brings the series to these books.

    Books that are `known` (by their place in `books`) are brought to what was read; the others are appended
    in their order. Scenes of known books that weren't read stay, unless `delete_gone`; the card names them,
    and before all else the facts that lose their scene.

    Raises:
        LoreRefusal: reason "book_exists", another book of the title is there; "text_too_long".
        NothingToDo: reason "same_book", all of it stands in the canon already; `gone` scenes more do.
        StoryCycle: a story place would close on itself.

    """
    new = [book for place, book in enumerate(books) if place not in known]
    _check_titles(canon.outline, new, [books[place] for place in known])
    _check_lengths(books)
    revisions = {
        place: await _revised(canon, books[place], one, delete_gone, new_id) for place, one in known.items()
    }
    rows = [row for revision in revisions.values() for row in revision.rows]
    rows += await asyncio.to_thread(lambda: list(_rows(canon.outline, new, new_id)))
    if not rows:
        raise NothingToDo(reason="same_book", gone=sum(len(one.gone) for one in revisions.values()))
    after = await asyncio.to_thread(canon.fork, rows)
    if closing := after.outline.ignored_places - canon.outline.ignored_places:
        raise StoryCycle(node=after.outline.label(min(closing, key=after.outline.reading.__getitem__)))
    told = [
        warning
        for place, revision in revisions.items()
        for warning in _told(canon.outline, after.outline, books[place].title, revision, deleted=delete_gone)
    ]
    losses = await loss_warnings(canon, after) if _moves_nodes(rows) else ()
    return Plan(
        rows=tuple(rows),
        keys=conflict.keys_of(rows),
        card=CardLine(
            kind="import",
            title=", ".join(book.title for book in books),
            facts=await asyncio.to_thread(_counts, new),
            warnings=(*losses, *told),
        ),
    )


async def _revised(canon: Canon, book: ReadBook, known: KnownBook, delete: bool, new_id: NewId) -> Revision:
    scenes = [scene for row in known.scenes for scene in row if scene]
    texts = {scene: one.text for scene, one in (await canon.texts(scenes)).items()}
    return await asyncio.to_thread(
        lambda: revise(canon.outline, texts, book, known, delete_gone=delete, new_id=new_id)
    )


def _check_titles(outline: Outline, new: Iterable[ReadBook], known: Iterable[ReadBook]) -> None:
    """Refuse a title that a book of the series or of the import has already.

    Raises:
        LoreRefusal: reason "book_exists".

    """
    taken = {fold.name_key(book.title): outline.label(book.id) for book in outline.books()}
    again: set[str] = set()
    for book in known:
        key = fold.name_key(book.title)
        if key in again:
            raise LoreRefusal(reason="book_exists", title=book.title, position=book.title)
        again.add(key)
    for book in new:
        key = fold.name_key(book.title)
        if key in taken:
            raise LoreRefusal(reason="book_exists", title=book.title, position=taken[key])
        taken[key] = book.title


def _check_lengths(books: Iterable[ReadBook]) -> None:
    for book in books:
        for chapter in book.chapters:
            for scene in chapter.scenes:
                check_length(scene.text, scene.title or chapter.title or book.title)


def _counts(books: Sequence[ReadBook]) -> dict[str, str | int]:
    scenes = [scene for book in books for chapter in book.chapters for scene in chapter.scenes]
    return {
        "books": len(books),
        "chapters": sum(len(book.chapters) for book in books),
        "scenes": len(scenes),
        "words": sum(len(scene.text.split()) for scene in scenes),
    }


def _moves_nodes(rows: Iterable[Row]) -> bool:
    """Return whether a node that was there before leaves or stands elsewhere, so that facts may suffer."""
    return any(
        isinstance(row, OutlineEdited)
        and row.before is not None
        and (row.before.parent, row.before.rank, row.before.deleted)
        != (row.after.parent, row.after.rank, row.after.deleted)
        for row in rows
    )


def _told(
    before: Outline, after: Outline, title: str, revision: Revision, *, deleted: bool
) -> Iterator[Warn]:
    """Yield what is done to a book: the counts, then each chapter and scene that isn't as it was."""
    yield Warn(
        code="revised",
        facts={
            "book": title,
            "same": revision.same,
            "edited": len(revision.edited),
            "new": len(revision.new),
            "moved": len(revision.moved),
            "gone": len(revision.gone),
        },
    )
    end = "deleted" if deleted else "stays"
    yield from _listed(before, f"chapter_gone_{end}", revision.gone_chapters)
    yield from _listed(before, f"scene_gone_{end}", revision.gone)
    yield from _listed(after, "chapter_moved", revision.moved_chapters)
    yield from _listed(after, "scene_moved", revision.moved)
    yield from _listed(after, "chapter_added", revision.new_chapters)
    yield from _listed(after, "scene_added", revision.new)
    yield from _listed(after, "scene_edited", revision.edited)


def _listed(outline: Outline, code: str, nodes: Sequence[str]) -> Iterator[Warn]:
    for node in islice(nodes, SHOWN_NODES):
        label, title = outline.label(node), outline.nodes[node].title
        yield Warn(code=code, facts={"place": label, "title": title if title != label else ""})
    if len(nodes) > SHOWN_NODES:
        yield Warn(code="more_of_it", facts={"n": len(nodes) - SHOWN_NODES, "what": code})


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
