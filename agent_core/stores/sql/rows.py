"""How rows of the canon stand in columns: a kind, the subject they are about, and a JSON body."""

from collections.abc import Callable
from typing import Any, TypeAlias, assert_never

from agent_core.lore.model import (
    NEVER,
    NOT_REVEALED,
    START,
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

Body: TypeAlias = dict[str, Any]  # Any: a body that `encode` wrote; each reader knows its members

ENTITY_KINDS = ("created", "named", "asserted", "withdrawn", "retired")
LINK_KINDS = ("undone", "merged")


def encode(row: Row) -> tuple[str, str, str]:
    """Return (kind, subject, body) of a row."""
    kind, subject, members = _members(row)
    return kind, subject, to_text({name: value for name, value in members.items() if _says(value)})


def decode(change: int, order: int, kind: str, subject: str, body: str) -> Recorded:
    """Return the row that `encode` wrote, in its place."""
    return Recorded(change, order, _READERS[kind](subject, from_text(body)))


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


def _says(value: Json) -> bool:
    """Return whether a member must be written: its reader takes what is missing for "", False or None."""
    return value is not None and value is not False and value != ""


def _members(row: Row) -> tuple[str, str, dict[str, Json]]:  # noqa: PLR0911 - one return a kind of row
    match row:
        case Asserted():
            return "asserted", row.entity, _asserted_members(row)
        case Created():
            return "created", row.entity, _created_members(row)
        case Named():
            return "named", row.entity, _named_members(row)
        case Withdrawn():
            return "withdrawn", row.entity, {"target": row.target, "pointer": row.pointer}
        case Retired():
            return "retired", row.entity, {}
        case Merged():
            return "merged", row.entity, {"into": row.into}
        case Undone():
            return "undone", "", {"change": row.change}
        case TextSet():
            return "text", row.scene, {"id": row.id, "text": row.text}
        case OutlineEdited():
            before = _node_members(row.before) if row.before else None
            return "outline", row.after.id, {"after": _node_members(row.after), "before": before}
    assert_never(row)


def _created_members(row: Created) -> dict[str, Json]:
    return {"type": row.type, "told": _told_text(row.told), "hint": row.disambiguator}


def _named_members(row: Named) -> dict[str, Json]:
    told = _told_text(row.told)
    return {"id": row.id, "name": row.name, "told": told, "alias": row.alias, "at": row.at}


def _asserted_members(row: Asserted) -> dict[str, Json]:
    return {
        "id": row.id,
        "patch": row.patch,
        "told": _told_text(row.told),
        "at": row.at,
        "until": row.until,
        "scope": row.scope_book,
        "static": row.static,
        "note": row.note,
    }


def _node_members(node: Node) -> dict[str, Json]:
    members: dict[str, Json] = {
        "id": node.id,
        "kind": node.kind,
        "parent": node.parent,
        "rank": node.rank,
        "title": node.title,
        "number": node.number,
        "part": node.part,
        "mode": node.mode,
        "place": [node.place.relation, node.place.node] if node.place else None,
        "deleted": node.deleted,
    }
    return {name: value for name, value in members.items() if _says(value)}


def _told_text(told: Told) -> str:
    """Return `@node`, or the kind's own word, which never starts so."""
    return f"@{told.node}" if told.kind is ToldKind.NODE else told.kind.value


def _told(text: str) -> Told:
    return Told(ToldKind.NODE, text[1:]) if text[0] == "@" else _TOLD[text]


def _asserted(subject: str, body: Body) -> Asserted:
    said = body.get
    return Asserted(
        id=said("id", ""),
        entity=subject,
        patch=body["patch"],
        told=_told(body["told"]),
        at=said("at"),
        until=said("until"),
        scope_book=said("scope"),
        static=said("static", False),
        note=said("note", ""),
    )


def _created(subject: str, body: Body) -> Created:
    return Created(
        entity=subject,
        type=EntityType(body["type"]),
        told=_told(body["told"]),
        disambiguator=body.get("hint", ""),
    )


def _named(subject: str, body: Body) -> Named:
    return Named(
        id=body.get("id", ""),
        entity=subject,
        name=body.get("name", ""),
        told=_told(body["told"]),
        alias=body.get("alias", False),
        at=body.get("at"),
    )


def _withdrawn(subject: str, body: Body) -> Withdrawn:
    return Withdrawn(entity=subject, target=body.get("target", ""), pointer=body.get("pointer", ""))


def _retired(subject: str, body: Body) -> Retired:
    del body
    return Retired(entity=subject)


def _merged(subject: str, body: Body) -> Merged:
    return Merged(entity=subject, into=body.get("into", ""))


def _undone(subject: str, body: Body) -> Undone:
    del subject
    return Undone(change=body["change"])


def _text(subject: str, body: Body) -> TextSet:
    return TextSet(id=body.get("id", ""), scene=subject, text=body.get("text", ""))


def _outline(subject: str, body: Body) -> OutlineEdited:
    del subject
    return OutlineEdited(
        after=_node(body["after"]), before=_node(body["before"]) if "before" in body else None
    )


def _node(members: Body) -> Node:
    place = members.get("place")
    return Node(
        id=members.get("id", ""),
        kind=_NODE_KINDS[members["kind"]],
        parent=members.get("parent"),
        rank=members.get("rank", ""),
        title=members.get("title", ""),
        number=members.get("number", ""),
        part=members.get("part", ""),
        mode=_MODES[members["mode"]],
        place=StoryPlace(_RELATIONS[place[0]], place[1]) if place else None,
        deleted=members.get("deleted", False),
    )


_TOLD = {told.kind.value: told for told in (START, NOT_REVEALED, NEVER)}
_NODE_KINDS = {kind.value: kind for kind in NodeKind}
_MODES = {mode.value: mode for mode in Mode}
_RELATIONS = {relation.value: relation for relation in Relation}
_READERS: dict[str, Callable[[str, Body], Row]] = {
    "created": _created,
    "named": _named,
    "asserted": _asserted,
    "withdrawn": _withdrawn,
    "retired": _retired,
    "merged": _merged,
    "undone": _undone,
    "text": _text,
    "outline": _outline,
}
