"""What reading a book again changes: which scenes are the same, edited, new, moved, or no longer there.

Pure. Nodes that are found again keep ids, story places and modes; only what has to move gets a new rank.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agent_core.clock import NewId
from agent_core.lore.manuscript import KnownBook, ReadBook, ReadChapter, ReadScene
from agent_core.lore.model import Node, NodeKind, OutlineEdited, Row, TextSet
from agent_core.lore.outline import Outline
from agent_core.lore.ranks import kept_in_order, ranks_between


@dataclass(slots=True)
class Revision:
    """The rows that bring a book to a newer text, and its nodes by what happens to them.

    A scene is in exactly one list, or counted in `same`; one that was moved may be edited too. `gone` are the
    scenes that the newer text doesn't hold: they are tombstones only if that was asked for.
    """

    rows: list[Row] = field(default_factory=list)
    same: int = 0
    edited: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    new_chapters: list[str] = field(default_factory=list)
    moved_chapters: list[str] = field(default_factory=list)
    gone_chapters: list[str] = field(default_factory=list)


def revise(
    outline: Outline,
    texts: Mapping[str, str],
    book: ReadBook,
    known: KnownBook,
    *,
    delete_gone: bool,
    new_id: NewId,
) -> Revision:
    """Return what it takes to make the book as it was read; `texts` are those of its scenes as they are."""
    revision = Revision()
    chapters = [chapter or new_id() for chapter in known.chapters]
    ranks = _new_ranks(outline.children(known.id, deleted=True), chapters)
    for chapter, read, before, scenes in zip(
        chapters, book.chapters, known.chapters, known.scenes, strict=True
    ):
        node = _chapter(outline, chapter, read, known.id, ranks)
        _note_node(revision, outline, node, revision.new_chapters, revision.moved_chapters)
        siblings = outline.children(before, deleted=True) if before else ()
        _revise_scenes(revision, outline, texts, chapter, siblings, read.scenes, scenes, new_id)
    _note_gone(revision, outline, known, delete=delete_gone)
    return revision


def _revise_scenes(
    revision: Revision,
    outline: Outline,
    texts: Mapping[str, str],
    chapter: str,
    siblings: Sequence[Node],
    read: Sequence[ReadScene],
    known: Sequence[str | None],
    new_id: NewId,
) -> None:
    ids = [scene or new_id() for scene in known]
    ranks = _new_ranks(siblings, ids)
    for scene, one in zip(ids, read, strict=True):
        node = _scene(outline, scene, one, chapter, ranks)
        noted = _note_node(revision, outline, node, revision.new, revision.moved)
        if one.text != texts.get(scene, ""):
            revision.rows.append(TextSet(id=new_id(), scene=scene, text=one.text))
            if not noted:
                revision.edited.append(scene)
        elif not noted:
            revision.same += 1


def _note_node(revision: Revision, outline: Outline, node: Node, new: list[str], moved: list[str]) -> bool:
    """Add the row of a node that is not as it was; return whether it is new or moved."""
    before = outline.nodes.get(node.id)
    if node != before:
        revision.rows.append(OutlineEdited(after=node, before=before))
    if before is None:
        new.append(node.id)
        return True
    if (before.parent, before.rank) != (node.parent, node.rank):
        moved.append(node.id)
        return True
    return False


def _note_gone(revision: Revision, outline: Outline, known: KnownBook, *, delete: bool) -> None:
    found = {node for node in known.chapters if node} | {one for row in known.scenes for one in row if one}
    chapters = [one for one in outline.children(known.id) if one.id not in found]
    scenes = [one for one in outline.scenes_of(known.id) if one.id not in found]
    revision.gone_chapters += [one.id for one in chapters]
    revision.gone += [one.id for one in scenes]
    if delete:
        whole = set(revision.gone_chapters)
        leaving = [*chapters, *(one for one in scenes if one.parent not in whole)]
        revision.rows += [OutlineEdited(after=replace(one, deleted=True), before=one) for one in leaving]


def _chapter(outline: Outline, id_: str, read: ReadChapter, book: str, ranks: Mapping[str, str]) -> Node:
    """Return a chapter with the labels of the manuscript; one without a title leaves the title as it is."""
    old = outline.nodes.get(id_)
    if old is None:
        return Node(
            id=id_,
            kind=NodeKind.CHAPTER,
            parent=book,
            rank=ranks[id_],
            title=read.title,
            number=read.number,
            part=read.part,
        )
    rank, title = ranks.get(id_, old.rank), read.title or old.title
    return replace(old, rank=rank, title=title, number=read.number, part=read.part)


def _scene(outline: Outline, id_: str, read: ReadScene, chapter: str, ranks: Mapping[str, str]) -> Node:
    old = outline.nodes.get(id_)
    if old is None:
        return Node(id=id_, kind=NodeKind.SCENE, parent=chapter, rank=ranks[id_], title=read.title)
    return replace(old, parent=chapter, rank=ranks.get(id_, old.rank), title=read.title or old.title)


def _new_ranks(siblings: Sequence[Node], wanted: Sequence[str]) -> dict[str, str]:
    """Return ranks for those of `wanted` that have to move, so that all of them stand in this order.

    What is not wanted (gone, or a tombstone) stays where it is; what comes new stands right after the one
    before it.
    """
    place = {node.id: index for index, node in enumerate(siblings)}
    there = [node for node in wanted if node in place]
    kept = {there[index] for index in kept_in_order([place[node] for node in there])}
    taken = sorted({node.rank for node in siblings if node.id in kept or node.id not in there})
    rank_of = {node.id: node.rank for node in siblings}
    return {
        node: rank
        for left, run in _runs(wanted, kept)
        for node, rank in zip(run, _ranks_after(rank_of.get(left or ""), taken, len(run)), strict=True)
    }


def _runs(wanted: Sequence[str], kept: set[str]) -> Iterator[tuple[str | None, list[str]]]:
    """Yield each kept node (None: the beginning) with those that are to stand right after it."""
    left: str | None = None
    run: list[str] = []
    for node in wanted:
        if node not in kept:
            run.append(node)
            continue
        if run:
            yield left, run
        left, run = node, []
    if run:
        yield left, run


def _ranks_after(left: str | None, taken: Sequence[str], count: int) -> tuple[str, ...]:
    right = next((rank for rank in taken if left is None or rank > left), None)
    return ranks_between(left, right, count)
