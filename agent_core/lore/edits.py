"""Changes of the outline: each returns the one row that makes it; nothing is changed in place.

Ids come from the caller. A node that is gone, or of a kind that doesn't fit there, is an unknown position.
"""

from collections.abc import Sequence
from dataclasses import replace

from agent_core.errors import PlaceGone, StoryCycle, UnknownPosition
from agent_core.lore.model import Mode, Node, NodeKind, OutlineEdited, StoryPlace
from agent_core.lore.outline import Outline
from agent_core.lore.ranks import rank_between

_PARENT = {NodeKind.CHAPTER: NodeKind.BOOK, NodeKind.SCENE: NodeKind.CHAPTER}
_FIELDS = ("kind", "parent", "rank", "title", "number", "part", "mode", "place", "deleted")


def append_book(outline: Outline, new: str, *, title: str = "", number: str = "") -> OutlineEdited:
    """Return the row that adds a last book with the id `new`."""
    rank = _last_rank(outline, None)
    return OutlineEdited(
        after=Node(id=new, kind=NodeKind.BOOK, parent=None, rank=rank, title=title, number=number)
    )


def append_chapter(
    outline: Outline,
    new: str,
    book: str,
    *,
    title: str = "",
    number: str | None = None,
    part: str | None = None,
) -> OutlineEdited:
    """Return the row that adds a last chapter to `book`.

    Without `number` it goes on with the printed numbers (none where the book prints none), without `part`
    with the last part.
    """
    _living(outline, book, NodeKind.BOOK)
    chapters = outline.children(book)
    if number is None:
        number = outline.next_number(book) if any(chapter.number for chapter in chapters) else ""
    if part is None:
        part = chapters[-1].part if chapters else ""
    rank = _last_rank(outline, book)
    return OutlineEdited(
        after=Node(
            id=new, kind=NodeKind.CHAPTER, parent=book, rank=rank, title=title, number=number, part=part
        )
    )


def append_scene(
    outline: Outline,
    new: str,
    chapter: str,
    *,
    title: str = "",
    mode: Mode = Mode.LINEAR,
    place: StoryPlace | None = None,
) -> OutlineEdited:
    """Return the row that adds a last scene to `chapter`."""
    _living(outline, chapter, NodeKind.CHAPTER)
    rank = _last_rank(outline, chapter)
    return _new_scene(outline, _scene(new, chapter, rank, title, mode), place)


def insert_scene_after(
    outline: Outline,
    new: str,
    scene: str,
    *,
    title: str = "",
    mode: Mode = Mode.LINEAR,
    place: StoryPlace | None = None,
) -> OutlineEdited:
    """Return the row that adds a scene right after `scene`."""
    beside = _living(outline, scene, NodeKind.SCENE)
    rank = _rank_after(outline, beside)
    return _new_scene(outline, _scene(new, beside.parent, rank, title, mode), place)


def move(
    outline: Outline,
    node: str,
    *,
    after: str | None = None,
    before: str | None = None,
    into: str | None = None,
) -> OutlineEdited:
    """Return the row that moves `node` next to a node of its kind, or to the end of the parent `into`.

    Exactly one of the three is given.

    Raises:
        StoryCycle: if a story place would close on itself.
        ValueError: if none or several are given, or a book is to go into something.

    """
    moved = _living(outline, node)
    match after, before, into:
        case str(), None, None:
            beside = _living(outline, after, moved.kind)
            parent, rank = beside.parent, _rank_after(outline, beside)
        case None, str(), None:
            beside = _living(outline, before, moved.kind)
            parent, rank = beside.parent, _rank_before(outline, beside)
        case None, None, str() if moved.kind in _PARENT:
            parent = _living(outline, into, _PARENT[moved.kind]).id
            rank = _last_rank(outline, parent)
        case _:
            raise ValueError("needs exactly one of after, before, into")
    return _checked(outline, replace(moved, parent=parent, rank=rank))


def set_place(outline: Outline, node: str, place: StoryPlace | None) -> OutlineEdited:
    """Return the row that gives `node` a story place, or takes it away.

    Raises:
        StoryCycle: if a place would close on itself (what hangs on `node` can carry it once it is unplaced).

    """
    if place is not None:
        _living(outline, place.node)
    return _checked(outline, replace(_living(outline, node), place=place))


def set_mode(outline: Outline, scene: str, mode: Mode) -> OutlineEdited:
    """Return the row that sets a scene's mode."""
    old = _living(outline, scene, NodeKind.SCENE)
    return OutlineEdited(after=replace(old, mode=mode), before=old)


def retitle(
    outline: Outline,
    node: str,
    *,
    title: str | None = None,
    number: str | None = None,
    part: str | None = None,
) -> OutlineEdited:
    """Return the row that changes labels of `node`; None leaves one as it is."""
    old = _living(outline, node)
    new = replace(
        old,
        title=old.title if title is None else title,
        number=old.number if number is None else number,
        part=old.part if part is None else part,
    )
    return OutlineEdited(after=new, before=old)


def delete(outline: Outline, node: str) -> OutlineEdited:
    """Return the row that makes `node` a tombstone; what is under it is gone with it."""
    old = _living(outline, node)
    return OutlineEdited(after=replace(old, deleted=True), before=old)


def inverse(outline: Outline, rows: Sequence[OutlineEdited]) -> tuple[OutlineEdited, ...]:
    """Return the rows that take back the edits `rows` of one change, last first.

    Only what a row changed is put back; a node it made becomes a tombstone.

    Raises:
        PlaceGone: if what a row changed was changed again later, or the place it goes back to is gone.
        StoryCycle: if a story place would close on itself.

    """
    nodes = dict(outline.nodes)
    back: list[OutlineEdited] = []
    for row in reversed(rows):
        now = nodes.get(row.after.id)
        then = None if now is None else _put_back(now, row)
        if then is None:
            raise PlaceGone(node=outline.label(row.after.id))
        back.append(OutlineEdited(after=then, before=now))
        nodes[then.id] = then
    result = outline.with_edits(back)
    _check_places(outline, result)
    for row in back:
        if row.before and _returns(row.before, row.after) and result.is_gone(row.after.id):
            raise PlaceGone(node=outline.label(row.after.id))
    return tuple(back)


def _put_back(now: Node, row: OutlineEdited) -> Node | None:
    """Return `now` with what `row` changed as it was before, or None if that is not as `row` left it."""
    before = row.before or replace(row.after, deleted=True)
    changed = [name for name in _FIELDS if getattr(before, name) != getattr(row.after, name)]
    if any(getattr(now, name) != getattr(row.after, name) for name in changed):
        return None
    return replace(now, **{name: getattr(before, name) for name in changed})


def _returns(before: Node, after: Node) -> bool:
    return not after.deleted and (before.deleted or before.parent != after.parent)


def _scene(new: str, chapter: str | None, rank: str, title: str, mode: Mode) -> Node:
    return Node(id=new, kind=NodeKind.SCENE, parent=chapter, rank=rank, title=title, mode=mode)


def _new_scene(outline: Outline, scene: Node, place: StoryPlace | None) -> OutlineEdited:
    if place is None:
        return OutlineEdited(after=scene)
    _living(outline, place.node)
    return _checked(outline, replace(scene, place=place))


def _checked(outline: Outline, node: Node) -> OutlineEdited:
    row = OutlineEdited(after=node, before=outline.nodes.get(node.id))
    _check_places(outline, outline.with_edits([row]))
    return row


def _check_places(before: Outline, after: Outline) -> None:
    if new := after.ignored_places - before.ignored_places:
        raise StoryCycle(node=after.label(min(new, key=lambda node: after.reading[node])))


def _living(outline: Outline, node: str, kind: NodeKind | None = None) -> Node:
    if outline.is_gone(node) or kind not in (None, outline.nodes[node].kind):
        raise UnknownPosition(position=outline.label(node))
    return outline.nodes[node]


def _last_rank(outline: Outline, parent: str | None) -> str:
    siblings = outline.children(parent, deleted=True)
    return rank_between(siblings[-1].rank if siblings else None, None)


def _rank_after(outline: Outline, beside: Node) -> str:
    ranks = [child.rank for child in outline.children(beside.parent, deleted=True)]
    return rank_between(beside.rank, min((rank for rank in ranks if rank > beside.rank), default=None))


def _rank_before(outline: Outline, beside: Node) -> str:
    ranks = [child.rank for child in outline.children(beside.parent, deleted=True)]
    return rank_between(max((rank for rank in ranks if rank < beside.rank), default=None), beside.rank)
