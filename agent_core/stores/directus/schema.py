"""Compares the collections of a Directus with those that the canon needs, and makes what is missing.

Only things are added. A collection of one of our names that we have not made, or a column of another type, is
reported, and then nothing is made at all.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from agent_core.messages import Json
from agent_core.stores.directus.client import DirectusClient
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure
from agent_core.stores.directus.layout import ALL, MARK, Collection, Column

T = TypeVar("T", bound=BaseModel)


class What(StrEnum):
    """What a line of a plan is about; also the end of its text key."""

    COLLECTION = "collection"
    COLUMN = "column"
    RELATION = "relation"
    LIST = "list"
    FOREIGN = "foreign"
    TYPE = "type"
    UNIQUE = "unique"


@dataclass(frozen=True, slots=True)
class Step:
    """Something to make."""

    what: What
    name: str
    path: str
    payload: Json


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something that is there and that we leave alone: `there` is what stands in the way."""

    what: What
    name: str
    there: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What `init` would make, in its order, and what keeps it from making anything."""

    steps: tuple[Step, ...]
    obstacles: tuple[Obstacle, ...]


class _Meta(BaseModel):
    note: str | None = None


class _Schema(BaseModel):
    is_unique: bool = False


class _Collection(BaseModel):
    collection: str
    meta: _Meta | None = None


class _Field(BaseModel):
    collection: str
    field: str
    type: str
    in_table: _Schema | None = Field(default=None, alias="schema")


class _Relation(BaseModel):
    collection: str
    field: str
    related_collection: str | None = None


@dataclass(frozen=True, slots=True)
class Survey:
    """What is there: notes of collections, columns with their type and whether they are unique, relations."""

    notes: Mapping[str, str]
    columns: Mapping[str, Mapping[str, tuple[str, bool]]]
    relations: frozenset[tuple[str, str, str]]


async def survey(client: DirectusClient) -> Survey:
    """Return what is there; an administrator's token is needed.

    Raises:
        DirectusFailure: it can't be asked.

    """
    collections = _parsed(_COLLECTIONS, (await client.get("/collections")).data)
    fields = _parsed(_FIELDS, (await client.get("/fields")).data)
    relations = _parsed(_RELATIONS, (await client.get("/relations")).data)
    columns: dict[str, dict[str, tuple[str, bool]]] = {}
    for one in fields:
        unique = one.in_table is not None and one.in_table.is_unique
        columns.setdefault(one.collection, {})[one.field] = (one.type, unique)
    return Survey(
        notes={one.collection: (one.meta.note if one.meta else None) or "" for one in collections},
        columns=columns,
        relations=frozenset((one.collection, one.field, one.related_collection or "") for one in relations),
    )


def plan(found: Survey) -> Plan:
    """Return what is missing and what stands in the way."""
    return Plan(tuple(_steps(found)), tuple(_obstacles(found)))


async def apply(client: DirectusClient, steps: tuple[Step, ...]) -> None:
    """Make what is missing, one thing after the other; what was made stays if a later one fails.

    Raises:
        DirectusFailure: one could not be made.

    """
    for step in steps:
        await client.post(step.path, step.payload)


_SAME_TYPES = {"uuid": {"uuid", "string"}}
"""What a column may read back as: SQLite has no UUIDs."""


def _steps(found: Survey) -> Iterator[Step]:
    for collection in ALL:
        if collection.name not in found.notes:
            yield Step(What.COLLECTION, collection.name, "/collections", _collection(collection))
            continue
        there = found.columns.get(collection.name, {})
        for column in collection.columns:
            if column.name not in there:
                name = f"{collection.name}.{column.name}"
                payload = _column(column, added=True)
                yield Step(What.COLUMN, name, f"/fields/{collection.name}", payload)
    for collection in ALL:
        for column in collection.columns:
            if column.to:
                yield from _relation_steps(found, collection, column)


def _relation_steps(found: Survey, collection: Collection, column: Column) -> Iterator[Step]:
    if (collection.name, column.name, column.to) not in found.relations:
        payload: Json = {
            "collection": collection.name,
            "field": column.name,
            "related_collection": column.to,
            "schema": {"on_delete": "NO ACTION"},
            "meta": {"one_field": column.back, "sort_field": collection.sort or None},
        }
        yield Step(What.RELATION, f"{collection.name}.{column.name}", "/relations", payload)
    if column.back not in found.columns.get(column.to, {}):
        payload = {"field": column.back, "type": "alias", "schema": None, "meta": {"special": ["o2m"]}}
        yield Step(What.LIST, f"{column.to}.{column.back}", f"/fields/{column.to}", payload)


def _obstacles(found: Survey) -> Iterator[Obstacle]:
    for collection in ALL:
        note = found.notes.get(collection.name)
        if note is None:
            continue
        there = found.columns.get(collection.name, {})
        if not note.startswith(MARK):
            yield Obstacle(What.FOREIGN, collection.name, ", ".join(sorted(there)))
            continue
        for column in collection.columns:
            type_, unique = there.get(column.name, (column.type, column.unique))
            if type_ not in _SAME_TYPES.get(column.type, {column.type}):
                yield Obstacle(What.TYPE, f"{collection.name}.{column.name}", type_)
            elif column.unique and not unique:
                yield Obstacle(What.UNIQUE, f"{collection.name}.{column.name}", type_)


def _collection(collection: Collection) -> Json:
    return {
        "collection": collection.name,
        "schema": {},
        "meta": {
            "accountability": "all" if collection.keeps_copies else None,
            "note": f"{MARK}: {collection.note}",
            "display_template": collection.shows or None,
            "sort_field": collection.sort or None,
        },
        "fields": [_column(column) for column in collection.columns],
    }


def _column(column: Column, *, added: bool = False) -> Json:
    schema: dict[str, Json] = {
        "is_nullable": column.nullable or added,  # rows that are there have nothing in a new column
        "is_unique": column.unique,
        "is_indexed": column.indexed,
    }
    if column.name == "id":
        schema = {"is_primary_key": True, "is_nullable": False}
    meta: dict[str, Json] = {
        "hidden": column.hidden,
        "readonly": column.hidden,
        "special": list(column.special),
    }
    if column.to:
        meta["searchable"] = False
    if column.type == "json":
        meta["interface"] = "tags" if column.name == "aliases" else "input-code"
    if column.type == "text" and column.name in {"text", "body"}:
        meta["interface"] = "input-multiline"
    return {"field": column.name, "type": column.type, "schema": schema, "meta": meta}


_COLLECTIONS = TypeAdapter(list[_Collection])
_FIELDS = TypeAdapter(list[_Field])
_RELATIONS = TypeAdapter(list[_Relation])


def _parsed(kind: TypeAdapter[list[T]], found: Json) -> list[T]:
    try:
        return kind.validate_python(found)
    except ValidationError as error:
        raise DirectusFailure(reason=DirectusCause.FOREIGN) from error
