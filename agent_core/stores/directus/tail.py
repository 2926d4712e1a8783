"""Reads in one request what Directus has of a series that we have not: new edits, and rows edited there."""

import asyncio
from collections.abc import Collection as Several
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from agent_core.lore.model import Series
from agent_core.messages import Json
from agent_core.stores.directus.client import DirectusClient, Query
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure
from agent_core.stores.directus.ids import series_row
from agent_core.stores.directus.layout import SERIES, SHOWN, Collection
from agent_core.stores.directus.log import CHANGE_FIELDS, STATE_FIELDS, TEXT_FIELD, read_changes
from agent_core.stores.directus.shown import LISTS, PARENTS, ShownRow, columns_of, read_rows
from agent_core.stores.sql.changes import FullChange

PAGE = 25
"""Edits in a request; whoever follows a series rarely lacks more than one."""

_OURS = ("id", "known", "changed_at")


@dataclass(frozen=True, slots=True)
class Page:
    """What came: the token of the edit we had as the newest, the next edits, and rows that people see."""

    series: Series
    last_token: str | None
    changes: tuple[FullChange, ...]
    rows: tuple[ShownRow, ...]
    at: datetime

    @property
    def is_full(self) -> bool:
        """Whether there may be more edits."""
        return len(self.changes) == PAGE


@dataclass(frozen=True, slots=True)
class Watched:
    """Which of the rows that people see are asked for: changed since then, or with these ids; else all."""

    since: datetime | None = None
    ids: Several[str] | None = None


class _Last(BaseModel):
    token: str


class _Series(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")

    name: str | None
    owner: str | None
    last: list[_Last] = Field(default_factory=list)


_FOUND = TypeAdapter(list[_Series])


async def read_tail(client: DirectusClient, series: str, after: int, watched: Watched | None) -> Page | None:
    """Return what follows edit `after`, None where Directus has no such series.

    Raises:
        DirectusFailure: it can't be asked, or what came is damaged.

    """
    answer = await client.get(f"/items/{SERIES.name}", _query(series, after, watched))
    try:
        found = _FOUND.validate_python(answer.data)
    except ValidationError as error:
        raise DirectusFailure(reason=DirectusCause.DRIFT, collection=SERIES.name) from error
    if not found or not found[0].owner:  # without a lead it is a row that somebody made by hand
        return None
    row = found[0]
    lists: Mapping[str, Json] = row.model_extra or {}
    return Page(
        series=Series(id=series, name=row.name or "", owner=row.owner or ""),
        last_token=row.last[0].token.partition(":")[2] if row.last else None,
        changes=await asyncio.to_thread(read_changes, series, lists.get("changes", [])),
        rows=tuple(
            shown
            for collection, name in LISTS.items()
            if name in lists
            for shown in read_rows(collection, lists[name])
        ),
        at=answer.at.astimezone(UTC),
    )


async def read_orders(client: DirectusClient, series: str) -> tuple[ShownRow, ...]:
    """Return where all nodes stand, which people may change without a trace: parents and `sort` only."""
    lists = {collection: name for collection, name in LISTS.items() if collection.sort}
    fields = [f"{name}.{field}" for collection, name in lists.items() for field in _order_of(collection)]
    deep: dict[str, Json] = {name: {"_limit": -1} for name in lists.values()}
    query: Query = {"filter": _is(series), "fields": ["id", *fields], "deep": deep}
    answer = await client.get(f"/items/{SERIES.name}", query)
    found = answer.data[0] if isinstance(answer.data, Sequence) and answer.data else {}
    if not isinstance(found, Mapping):
        raise DirectusFailure(reason=DirectusCause.DRIFT, collection=SERIES.name)
    return tuple(
        row for collection, name in lists.items() for row in read_rows(collection, found.get(name, []))
    )


def probe_fields() -> tuple[str, ...]:
    """Return the lists of a series that are read through it."""
    return ("changes.states.revision.id", *(f"{name}.id" for name in LISTS.values()))


def _query(series: str, after: int, watched: Watched | None) -> Query:
    fields = ["name", "owner", *(f"changes.{name}" for name in CHANGE_FIELDS)]
    fields += [f"changes.states.{name}" for name in (*STATE_FIELDS, TEXT_FIELD)]
    deep: dict[str, Json] = {
        "changes": {
            "_filter": {"number": {"_between": [after + 1, after + PAGE]}},
            "_sort": ["number"],
            "_limit": -1,
            "states": {"_sort": ["ord"], "_limit": -1},
        }
    }
    query: dict[str, Json] = {"filter": _is(series), "deep": deep}
    if after:
        fields.append("last.token")
        query["alias"] = {"last": "changes"}
        deep["last"] = {"_filter": {"number": {"_eq": after}}, "_limit": 1}
    if watched is not None:
        for collection in SHOWN:
            name = LISTS[collection]
            every = watched == Watched()  # then by name, as Directus refuses to read a column that is gone
            columns = (*_OURS, *columns_of(collection)) if every else ("*",)
            fields += [f"{name}.{column}" for column in columns]
            deep[name] = {"_limit": -1, **_watched(watched)}
    return {**query, "fields": fields}


def _watched(watched: Watched) -> Mapping[str, Json]:
    if watched.ids is not None:
        return {"_filter": {"id": {"_in": sorted(watched.ids)}}}
    if watched.since is not None:
        return {"_filter": {"changed_at": {"_gte": _stamp(watched.since)}}}
    return {}


def _is(series: str) -> Json:
    return {"id": {"_eq": series_row(series)}}


def _order_of(collection: Collection) -> tuple[str, ...]:
    parent = PARENTS.get(collection.name)
    return (*_OURS, "sort", *([parent] if parent else []))


def _stamp(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
