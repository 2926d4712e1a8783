"""How rows of the canon stand in columns: a kind, the subject they are about, and a JSON body.

The body holds the fields of the row's class under their own names, those left at their default not at all.
"""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import fields
from functools import lru_cache
from types import UnionType
from typing import Any, TypeAlias, get_args, get_origin

from agent_core.lore.merge import MAX_DEPTH
from agent_core.lore.model import (
    Asserted,
    Created,
    EntityType,
    Merged,
    Mode,
    Named,
    Node,
    NodeKind,
    OutlineEdited,
    Recorded,
    Relation,
    Retired,
    Row,
    StoryPlace,
    TextSet,
    Told,
    ToldKind,
    Undone,
    Withdrawn,
)
from agent_core.messages import Json
from agent_core.stores.sql.database import SqlRow, SqlValue
from agent_core.stores.sql.json_text import from_text, to_text

Body: TypeAlias = dict[str, Any]  # Any: the members differ by kind; each was written by `encode`

ENTITY_KINDS = ("created", "named", "asserted", "withdrawn", "retired")
FEW = 200
"""Up to so many rows the collector does not notice."""

NAME_KINDS = ("created", "named", "withdrawn", "retired")
LINK_KINDS = ("undone", "merged")


def encode(row: Row) -> tuple[str, str, str]:
    """Return (kind, subject, body) of a row."""
    kind, member = _KINDS[type(row)]
    if isinstance(row, OutlineEdited):
        return kind, row.after.id, to_text(_body(row))
    return kind, getattr(row, member, ""), to_text(_body(row, without=member))


def decode(found: Sequence[SqlRow]) -> tuple[Recorded, ...]:
    """Return the rows in these columns: change, ord, kind, subject, body."""
    with _collector_resting() if len(found) > FEW else nullcontext():
        bodies = from_text(f"[{','.join([columns[4] for columns in found])}]")
        return tuple(
            [
                _tuple(Recorded, (change, order, _STORED[kind](subject, body)))
                for (change, order, kind, subject, _), body in zip(found, bodies, strict=True)
            ]
        )


@contextmanager
def _collector_resting() -> Iterator[None]:
    """Keep the garbage collector from walking again and again through objects that are only being made."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def read_row(kind: str, subject: str, body: Mapping[str, Json]) -> Row:
    """Return the row that these stand for, which come from outside: each member is of its type.

    Raises:
        ValueError: if they stand for none.

    """
    try:
        row = _READ[kind](subject, dict(body))
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"no row of kind {kind!r}") from error
    if not _is_sound(row):
        raise ValueError(f"a member of a row of kind {kind!r} is of a wrong type")
    return row


def node_text(node: Node) -> str:
    """Return a node as JSON text."""
    return to_text(_body(node))


def node_params(series: str, node: Node) -> dict[str, SqlValue]:
    """Return a node as the columns of table `node`."""
    return {
        "series": series,
        "id": node.id,
        "kind": node.kind,
        "parent": node.parent,
        "rank": node.rank,
        "title": node.title,
        "number": node.number,
        "part": node.part,
        "mode": node.mode,
        "place_relation": node.place.relation if node.place else None,
        "place_node": node.place.node if node.place else None,
        "deleted": int(node.deleted),
    }


def node_from(row: SqlRow) -> Node:
    """Return the node in these columns: those of table `node` without `series`, in their order."""
    id_, kind, parent, rank, title, number, part, mode, relation, place, deleted = row
    return Node(
        id=id_,
        kind=_NODE_KINDS[kind],
        parent=parent,
        rank=rank,
        title=title,
        number=number,
        part=part,
        mode=_MODES[mode],
        place=StoryPlace(_RELATIONS[relation], place) if relation else None,
        deleted=bool(deleted),
    )


def _body(record: Row | Node, without: str = "") -> dict[str, Json]:
    return {
        name: _json(value)
        for name, default in _MEMBERS[type(record)]
        if name != without and (value := getattr(record, name)) != default
    }


def _is_sound(record: Row | Node | StoryPlace) -> bool:
    for name, classes in _TYPES[type(record)]:
        value = getattr(record, name)
        kind = type(value)
        if kind not in classes or (kind is dict and _is_deep(value)):
            return False
        if kind in _TYPES and not _is_sound(value):
            return False
    return True


def _is_deep(value: object, left: int = MAX_DEPTH) -> bool:
    """Return whether a value is nested beyond what may be recorded, so that reads could not take it."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return left < 0 or any(_is_deep(one, left - 1) for one in inner)


def _classes(annotation: Any) -> tuple[type, ...]:  # Any: annotations are of many classes
    """Return the classes whose instances an annotated member may hold."""
    if isinstance(annotation, UnionType):
        return tuple(one for part in get_args(annotation) for one in _classes(part))
    return (dict,) if get_origin(annotation) is Mapping else (annotation,)


def _json(value: Any) -> Json:  # Any: a field of a row, whatever its class
    match value:
        case Told():
            return f"@{value.node}" if value.kind is ToldKind.NODE else value.kind.value
        case Node():
            return _body(value)
        case StoryPlace():
            return [value.relation, value.node]
    plain: Json = value
    return plain


@lru_cache(4096)
def _told(text: str) -> Told:
    return Told(ToldKind.NODE, text[1:]) if text.startswith("@") else Told(ToldKind(text))


def _node(body: Body) -> Node:
    place = body.get("place")
    return Node(
        **body
        | {
            "kind": _NODE_KINDS[body["kind"]],
            "mode": _MODES[body.get("mode", Mode.LINEAR)],
            "place": StoryPlace(_RELATIONS[place[0]], place[1]) if place else None,
        }
    )


def _asserted(entity: str, body: Body) -> Asserted:
    body["told"] = _told(body["told"])
    return Asserted(entity=entity, **body)


def _stored_fact(entity: str, body: Body) -> Asserted:
    body["entity"], body["told"] = entity, _told(body["told"])
    return Asserted.of(body)


def _named(entity: str, body: Body) -> Named:
    body["told"] = _told(body["told"])
    return Named(entity=entity, **body)


def _created(entity: str, body: Body) -> Created:
    body["type"], body["told"] = _ENTITY_TYPES[body["type"]], _told(body["told"])
    return Created(entity=entity, **body)


def _outline(_: str, body: Body) -> OutlineEdited:
    return OutlineEdited(**{name: _node(node) for name, node in body.items()})


_tuple = tuple.__new__  # makes a named tuple without a call of Python for each
_ENTITY_TYPES = {kind.value: kind for kind in EntityType}
_NODE_KINDS = {kind.value: kind for kind in NodeKind}
_MODES = {mode.value: mode for mode in Mode}
_RELATIONS = {relation.value: relation for relation in Relation}

# The stored name of each class, and which of its fields is the subject.
_KINDS: dict[type[Row], tuple[str, str]] = {
    Created: ("created", "entity"),
    Named: ("named", "entity"),
    Asserted: ("asserted", "entity"),
    Withdrawn: ("withdrawn", "entity"),
    Retired: ("retired", "entity"),
    Merged: ("merged", "entity"),
    Undone: ("undone", ""),
    TextSet: ("text", "scene"),
    OutlineEdited: ("outline", ""),
}
_MEMBERS = {
    record: tuple((member.name, member.default) for member in fields(record)) for record in (*_KINDS, Node)
}
_TYPES: dict[type, tuple[tuple[str, tuple[type, ...]], ...]] = {
    record: tuple((member.name, _classes(member.type)) for member in fields(record))
    for record in (*_KINDS, Node, StoryPlace)
}
_READ: dict[str, Callable[[str, Body], Row]] = {
    "created": _created,
    "named": _named,
    "asserted": _asserted,
    "withdrawn": lambda entity, body: Withdrawn(entity=entity, **body),
    "retired": lambda entity, body: Retired(entity=entity, **body),
    "merged": lambda entity, body: Merged(entity=entity, **body),
    "undone": lambda _, body: Undone(**body),
    "text": lambda scene, body: TextSet(scene=scene, **body),
    "outline": _outline,
}
_STORED = _READ | {"asserted": _stored_fact}  # what `encode` wrote needs no check of its members
