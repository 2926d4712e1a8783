"""Plans changes of the outline: when something happens, where it is read, its mode, its title, its end."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from agent_core.errors import NothingToDo, UnknownPosition
from agent_core.lore import conflict, edits
from agent_core.lore.answers import CardLine, KeyChange, Warn
from agent_core.lore.canon import Canon
from agent_core.lore.lens import Lens
from agent_core.lore.losses import loss_warnings
from agent_core.lore.model import Author, Mode, NodeKind, OutlineEdited, Relation, StoryPlace
from agent_core.lore.outline import Outline
from agent_core.lore.plan import Plan
from agent_core.lore.titles import titled
from agent_core.messages import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What was asked for, with all positions read. `moves` with `beside` None puts the run first."""

    run: tuple[str, ...]
    places: bool
    place: StoryPlace | None
    mode: Mode | None
    title: str | None
    moves: bool
    beside: str | None
    delete: bool


async def plan_place(
    canon: Canon,
    *,
    nodes: Sequence[str],
    relation: Relation | None = None,
    anchor: str | None = None,
    unplace: bool = False,
    mode: Mode | None = None,
    title: str | None = None,
    move_after: str | None = None,
    delete: bool = False,
    here: str | None = None,
    book: str | None = None,
) -> Plan:
    """Return the plan of edits of one node, or of a run of nodes that keep their order.

    `relation` and `anchor` say when the run happens, `unplace` that it happens where it is read.
    `move_after` is what it is read after: a node of its kind, one that it goes into, or "start".

    Raises:
        UnknownPosition, AmbiguousPosition: as `Outline.find`.
        StoryCycle: a story place would close on itself.
        NothingToDo: reason "same_fact".

    """
    outline = canon.outline

    def found(written: str) -> str:
        return outline.find(written, book=book, here=here, bound=Author())

    wish = _Wish(
        run=tuple(dict.fromkeys(map(found, nodes))),
        places=unplace or (relation is not None and anchor is not None),
        place=StoryPlace(relation, found(anchor)) if relation and anchor and not unplace else None,
        mode=mode,
        title=title if title is None else titled(title),
        moves=move_after is not None,
        beside=None
        if move_after is None
        else outline.find_place(move_after, book=book, here=here, bound=Author()),
        delete=delete,
    )
    rows = _rows(outline, wish)
    if not rows:
        raise NothingToDo(reason="same_fact")
    after = canon.fork(rows)
    losses = await loss_warnings(canon, after)
    warnings = (*await _warnings(canon, after, wish), *losses)
    return Plan(
        rows=rows,
        keys=conflict.keys_of(rows) | _keys_of_gone(outline, wish),
        card=_card(outline, after, wish, warnings),
        resolved=_arguments(wish, unplace=unplace),
        overwrites=bool(losses),
    )


def _rows(outline: Outline, wish: _Wish) -> tuple[OutlineEdited, ...]:
    """Return the edits, each made on the outline that the ones before it leave."""
    rows: list[OutlineEdited] = []
    for step in _steps(wish):
        row = step(outline)
        if row.before != row.after:
            rows.append(row)
            outline = outline.with_edits([row])
    return tuple(rows)


def _steps(wish: _Wish) -> Iterator[Callable[[Outline], OutlineEdited]]:
    for index, node in enumerate(wish.run):
        before = wish.run[index - 1] if index else None
        if wish.places:
            chained = StoryPlace(Relation.AFTER, before) if before and wish.place else wish.place
            yield partial(edits.set_place, node=node, place=chained)
        if wish.mode is not None:
            yield partial(edits.set_mode, scene=node, mode=wish.mode)
        if wish.title is not None:
            yield partial(edits.retitle, node=node, title=wish.title)
        if wish.moves:
            yield partial(_move, node=node, beside=before or wish.beside)
        if wish.delete:
            yield partial(edits.delete, node=node)


def _move(outline: Outline, node: str, beside: str | None) -> OutlineEdited:
    """Return the row that has `node` read after `beside`, at its end if that is its parent, or first."""
    moved = outline.nodes[node]
    first = outline.children(moved.parent)[0]
    if node == (beside or first.id):
        return OutlineEdited(after=moved, before=moved)
    if beside is None:
        return edits.move(outline, node, before=first.id)
    if outline.nodes[beside].kind is not moved.kind:
        if moved.kind is NodeKind.BOOK:
            raise UnknownPosition(position=outline.label(beside))
        return edits.move(outline, node, into=beside)
    return edits.move(outline, node, after=beside)


def _keys_of_gone(outline: Outline, wish: _Wish) -> frozenset[str]:
    """Return the keys of all nodes that go with a deleted one: facts and texts may name them meanwhile."""
    run = wish.run if wish.delete else ()
    return frozenset(conflict.node_key(node.id) for top in run for node in outline.block(top))


def _card(outline: Outline, after: Canon, wish: _Wish, warnings: tuple[Warn, ...]) -> CardLine:
    """Return the line of the run's first node; `facts` name the anchor, the neighbours and the counts."""
    lens = Lens(after, Author())
    first = outline.nodes[wish.run[0]]
    place = Lens(after, Author()).place(first.id)
    if wish.delete:
        place = place and place.model_copy(update={"label": outline.label(first.id)})
    kind: Literal["delete", "move", "place"] = "delete" if wish.delete else "move" if wish.moves else "place"
    new_title = wish.title if wish.title is not None else first.title
    return CardLine(
        kind=kind,
        at=place,
        relation=wish.place.relation if wish.place else None,
        title=new_title,
        changes=(KeyChange(key="title", before=first.title, after=new_title),)
        if new_title != first.title
        else (),
        facts={name: value for name, value in _facts(outline, after, wish, lens).items() if value},
        warnings=warnings,
    )


def _facts(outline: Outline, after: Canon, wish: _Wish, lens: Lens) -> Mapping[str, str | int]:
    def label(node: str | None) -> str:
        place = lens.place(node)
        return place.label if place else ""

    facts: dict[str, str | int] = {"nodes": len(wish.run), "mode": wish.mode.value if wish.mode else ""}
    if wish.place:
        facts["anchor"] = label(wish.place.node)
    if wish.moves:
        facts["after"] = label(wish.beside)
    if wish.delete:
        facts["scenes"] = sum(len(outline.scenes_of(node)) for node in wish.run)
    else:
        earlier, _ = after.outline.neighbours(wish.run[0], bound=Author())
        _, later = after.outline.neighbours(wish.run[-1], bound=Author())
        facts |= {"earlier": label(earlier), "later": label(later)}
    return facts


async def _warnings(canon: Canon, after: Canon, wish: _Wish) -> tuple[Warn, ...]:
    if wish.delete:
        scenes = [scene.id for node in wish.run for scene in canon.outline.scenes_of(node)]
        words = sum(len(one.text.split()) for one in (await canon.texts(scenes)).values())
        return (Warn(code="text_goes", facts={"scenes": len(scenes), "words": words}),) if words else ()
    undated = {one.id for one in after.outline.undated()}
    return tuple(
        Warn(code="undated", facts={"place": after.outline.label(node)})
        for node in wish.run
        if node in undated
    )


def _arguments(wish: _Wish, *, unplace: bool) -> Mapping[str, Json]:
    given: dict[str, Json] = {
        "sceneId": wish.run[0],
        "also": wish.run[1:] or None,
        "relation": wish.place.relation.value if wish.place else None,
        "node": wish.place.node if wish.place else None,
        "unplace": unplace or None,
        "mode": wish.mode.value if wish.mode else None,
        "title": wish.title,
        "moveAfter": (wish.beside or "start") if wish.moves else None,
        "delete": wish.delete or None,
    }
    return {name: value for name, value in given.items() if value is not None}
