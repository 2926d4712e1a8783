"""What people see of the canon in Directus, and what it should be: a row for each node and entry.

Beside its columns each row has `known`: for each column a digest of what we last put there. A column whose
value has another digest was edited in Directus; one that has not, but differs from the canon, is out of date.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from agent_core.lore.model import Node, NodeKind
from agent_core.lore.outline import Outline
from agent_core.lore.timeline import Entry, fold_entry
from agent_core.messages import Json
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure
from agent_core.stores.directus.ids import shown_row
from agent_core.stores.directus.layout import BOOKS, CHAPTERS, ENTITIES, SCENES, Collection
from agent_core.stores.directus.payload import (
    BookSent,
    ChapterSent,
    EntitySent,
    SceneSent,
    Sent,
    canonical,
    checked,
    plain,
)

COLLECTIONS = {NodeKind.BOOK: BOOKS, NodeKind.CHAPTER: CHAPTERS, NodeKind.SCENE: SCENES}
PARENTS = {CHAPTERS.name: "book", SCENES.name: "chapter"}
LISTS = {BOOKS: "books", CHAPTERS: "chapters", SCENES: "scenes", ENTITIES: "entities"}
_KINDS: Mapping[str, type[Sent]] = {
    BOOKS.name: BookSent,
    CHAPTERS.name: ChapterSent,
    SCENES.name: SceneSent,
    ENTITIES.name: EntitySent,
}
_OURS = {"id", "series", "known", "changed_at"}

Values = Mapping[str, Json]


def columns_of(collection: Collection) -> tuple[str, ...]:
    """Return the columns that people may edit."""
    return tuple(name for name in collection.fields if name not in _OURS)


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row as it is in Directus. `known` is empty where a person has added it."""

    collection: Collection
    id: str
    values: Values
    known: Mapping[str, str]
    changed_at: str | None

    def edited(self) -> frozenset[str]:
        """Return the columns that were edited in Directus since we last knew them."""
        return frozenset(name for name, value in self.values.items() if self.known.get(name) != digest(value))


@dataclass(frozen=True, slots=True)
class Unfit:
    """A value in Directus that the canon can't hold."""

    collection: str
    row: str
    column: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """A row as the canon wants it: of the node or entry `of`."""

    collection: Collection
    id: str
    of: str
    values: Values


def digest(value: Json) -> str:
    """Return a short text that tells one value from another."""
    return sha256(canonical(value).encode()).hexdigest()[:12]


def known_text(values: Values) -> str:
    """Return what `known` says of these values."""
    return json.dumps({name: digest(value) for name, value in values.items()}, separators=(",", ":"))


class _Row(BaseModel):
    model_config = ConfigDict(extra="allow")

    id: str
    known: str | None = None
    changed_at: str | None = None


_ROWS = TypeAdapter(list[_Row])
_KNOWN = TypeAdapter(dict[str, str])


def read_rows(collection: Collection, found: Json) -> Iterator[ShownRow]:
    """Yield rows as they came; columns that were not asked for are left out.

    Raises:
        DirectusFailure: they are none.

    """
    try:
        for row in _ROWS.validate_python(found):
            extra = row.model_extra or {}
            values = {name: extra[name] for name in columns_of(collection) if name in extra}
            yield ShownRow(collection, row.id, values, _known(row.known), row.changed_at)
    except ValidationError as error:
        raise DirectusFailure(reason=DirectusCause.DRIFT, collection=collection.name) from error


def _known(text: str | None) -> Mapping[str, str]:
    try:
        return _KNOWN.validate_json(text or "{}")
    except ValidationError:  # a person has edited it: then nothing is known
        return {}


def wanted_node(series: str, outline: Outline, node: Node, text: str) -> Wanted:
    """Return the row that shows a node."""
    collection = COLLECTIONS[node.kind]
    values: dict[str, object] = {
        "title": plain(node.title),
        "number": plain(node.number),
        "sort": _place(outline, node),
        "deleted": node.deleted,
        "part": plain(node.part),
        "mode": node.mode.value,
        "place_relation": node.place.relation.value if node.place else "",
        "place_node": shown_row(series, node.place.node) if node.place else "",
    }
    if collection.name in PARENTS:
        values[PARENTS[collection.name]] = _parent(series, outline, node)
    if node.kind is NodeKind.SCENE:
        values["text"] = plain(text)
    row = checked(_KINDS[collection.name], values)
    return Wanted(collection, shown_row(series, node.id), node.id, row)


def wanted_entry(series: str, entry: Entry) -> Wanted:
    """Return the row that shows an entry."""
    row = checked(
        EntitySent,
        {
            "type": entry.type.value,
            "name": plain(entry.name),
            "hint": plain(entry.disambiguator),
            "aliases": tuple(plain(name.name) for name in entry.names if name.alias),
            "traits": dict(traits(entry)),
            "deleted": False,
        },
    )
    return Wanted(ENTITIES, shown_row(series, entry.entity), entry.entity, row)


def gone_entry(series: str, entity: str) -> Wanted:
    """Return what the row of an entry that left the canon shows: all it did, and that it is gone."""
    return Wanted(ENTITIES, shown_row(series, entity), entity, {"deleted": True})


def traits(entry: Entry) -> Mapping[str, Json]:
    """Return what is always true of an entry."""
    return fold_entry(fact for fact in entry.facts if fact.static).state


def _place(outline: Outline, node: Node) -> int:
    siblings = outline.children(node.parent, deleted=True)
    return 1 + next((at for at, one in enumerate(siblings) if one.id == node.id), 0)


def _parent(series: str, outline: Outline, node: Node) -> str | None:
    above = {NodeKind.CHAPTER: NodeKind.BOOK, NodeKind.SCENE: NodeKind.CHAPTER}[node.kind]
    parent = outline.nodes.get(node.parent) if node.parent else None
    return shown_row(series, parent.id) if parent is not None and parent.kind is above else None
