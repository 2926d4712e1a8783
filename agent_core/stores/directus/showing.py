"""Puts into the collections that people see what the canon says now, and never over what somebody edited."""

import asyncio
import json
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence

from agent_core.messages import Json
from agent_core.stores.directus import layout
from agent_core.stores.directus.client import DirectusClient
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure, NotUnique
from agent_core.stores.directus.ids import series_row
from agent_core.stores.directus.layout import SHOWN
from agent_core.stores.directus.payload import in_pieces, same
from agent_core.stores.directus.shown import ShownRow, Values, Wanted, digest, known_text

_AT_ONCE = 8

logger = logging.getLogger(__name__)


class Showing:
    """Writes rows of nodes and entries, those of one series at a time."""

    def __init__(self, client: DirectusClient) -> None:
        self._client = client

    async def show(
        self,
        series: str,
        wanted: Iterable[Wanted],
        rows: Mapping[str, ShownRow],
        unfit: Collection[tuple[str, str]] | None = None,
    ) -> bool:
        """Make the rows say what is wanted; return False where one was edited in the meantime.

        Columns that were edited in Directus are left as they are; where that was adopted, only those that did
        not fit, given as (row, column).
        """
        missing: dict[str, list[Wanted]] = {}
        places: dict[str, list[dict[str, Json]]] = {}
        edits: list[tuple[ShownRow, dict[str, Json]]] = []
        for one in wanted:
            row = rows.get(one.id)
            if row is None:
                missing.setdefault(one.collection.name, []).append(one)
            elif changed := _outdated(row, one.values, _kept(row, unfit)):
                if set(changed) <= {"sort", "known"}:
                    places.setdefault(one.collection.name, []).append({"id": one.id, **changed})
                else:
                    edits.append((row, changed))
        for collection in SHOWN:
            await self._create(series, collection, missing.get(collection.name, ()))
            for piece in in_pieces(places.get(collection.name, [])):
                await self._client.patch(_items(collection), list(piece), {"fields": ["id"]})
        done = [await self._edit_all(edits[at : at + _AT_ONCE]) for at in range(0, len(edits), _AT_ONCE)]
        return all(done)

    async def _create(self, series: str, collection: layout.Collection, wanted: Sequence[Wanted]) -> None:
        rows: list[dict[str, Json]] = [
            {"id": one.id, "series": series_row(series), **one.values, "known": known_text(one.values)}
            for one in wanted
            if len(one.values) > 1  # an entry that was never shown need not be shown as gone
        ]
        for piece in in_pieces(rows):
            try:
                made = await self._client.post(
                    _items(collection), list(piece), {"fields": list(piece[0]), "limit": -1}
                )
            except NotUnique:  # another process has shown it
                logger.info("rows are there already", extra={"collection": collection.name})
                continue
            check_written(piece, made.data, collection)

    async def _edit_all(self, edits: Sequence[tuple[ShownRow, dict[str, Json]]]) -> bool:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._edit(row, changed)) for row, changed in edits]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from failed
        return all(task.result() for task in tasks)

    async def _edit(self, row: ShownRow, changed: dict[str, Json]) -> bool:
        """Change a row that nobody has edited since it was read; return whether it was so."""
        untouched = {"_eq": row.changed_at} if row.changed_at else {"_null": True}
        query: Json = {"filter": {"id": {"_eq": row.id}, "changed_at": untouched}}
        payload: Json = {"query": query, "data": changed}
        answer = await self._client.patch(_items(row.collection), payload, {"fields": ["id", *changed]})
        if not answer.data:
            return False
        check_written([{"id": row.id, **changed}], answer.data, row.collection)
        return True


def check_written(sent: Sequence[Values], found: Json, collection: layout.Collection) -> None:
    """Return if all that was sent came back; the order of rows tells nothing.

    Raises:
        DirectusFailure: a column or a row was dropped, which Directus answers with success.

    """
    listed = found if isinstance(found, Sequence) and not isinstance(found, str) else [found]
    by_id = {row.get("id"): row for row in listed if isinstance(row, Mapping)}
    for row in sent:
        there = by_id.get(row["id"])
        if there is None:
            raise DirectusFailure(reason=DirectusCause.DRIFT, collection=collection.name)
        for column, value in row.items():
            if column not in there or not same(value, there[column]):
                raise DirectusFailure(reason=DirectusCause.DRIFT, collection=collection.name, field=column)


def _kept(row: ShownRow, unfit: Collection[tuple[str, str]] | None) -> frozenset[str]:
    if unfit is None:
        return row.edited()
    return frozenset(column for of, column in unfit if of == row.id)


def _outdated(row: ShownRow, wanted: Values, kept: frozenset[str]) -> dict[str, Json]:
    """Return the columns to change, `known` with them; none where the row says what is wanted."""
    known = dict(row.known)
    changed: dict[str, Json] = {}
    for column, value in wanted.items():
        if column not in row.values:
            continue
        if not same(row.values[column], value):
            if column in kept:
                continue
            changed[column] = value
        known[column] = digest(value)
    if not changed and known == row.known:
        return {}
    return {**changed, "known": json.dumps(known, separators=(",", ":"))}


def _items(collection: layout.Collection) -> str:
    return f"/items/{collection.name}"
