"""Puts an edit on the log in Directus: texts first, then the edit with all its rows in one transaction."""

import asyncio
from collections.abc import Mapping, Sequence

from agent_core.messages import Json
from agent_core.stores.directus.client import DirectusClient
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure, NotUnique
from agent_core.stores.directus.layout import CHANGES, REVISIONS, STATES
from agent_core.stores.directus.log import CHANGE_FIELDS, STATE_FIELDS, written
from agent_core.stores.directus.payload import MOST_BYTES, in_pieces, size_of
from agent_core.stores.directus.showing import check_written
from agent_core.stores.sql.changes import FullChange

_FIELDS = ("series", *CHANGE_FIELDS, *(f"states.{name}" for name in (*STATE_FIELDS, "revision")))


async def post_change(client: DirectusClient, full: FullChange) -> None:
    """Store a change, all or nothing. A text that no change names is nothing to anybody.

    Raises:
        NotUnique: its number is taken, or its token was used.
        OutcomeUnknown: it may be there.
        DirectusFailure: it is not there; with `DirectusCause.DRIFT` columns of it were dropped.

    """
    posted = await asyncio.to_thread(written, full)
    payload: dict[str, Json] = {
        **posted.change,
        "states": {"create": list(posted.states), "update": [], "delete": []},
    }
    if size_of(payload) > MOST_BYTES:
        raise DirectusFailure(reason=DirectusCause.TOO_LARGE)
    for piece in in_pieces(posted.revisions):
        await _post_texts(client, piece)
    made = await client.post(
        f"/items/{CHANGES.name}", payload, {"fields": list(_FIELDS), "deep": {"states": {"_limit": -1}}}
    )
    check_written([posted.change], made.data, CHANGES)
    states = made.data.get("states", []) if isinstance(made.data, Mapping) else []
    check_written(posted.states, states, STATES)


async def _post_texts(client: DirectusClient, rows: Sequence[dict[str, Json]]) -> None:
    path, fields = f"/items/{REVISIONS.name}", list(REVISIONS.fields)
    try:
        made = await client.post(path, list(rows), {"fields": fields, "limit": -1})
    except NotUnique:  # an earlier attempt got so far
        wanted: Json = {"id": {"_in": [row["id"] for row in rows]}}
        there = await client.get(path, {"filter": wanted, "fields": ["id"], "limit": -1})
        found = there.data if isinstance(there.data, Sequence) else []
        known = {row["id"] for row in found if isinstance(row, Mapping)}
        rows = [row for row in rows if row["id"] not in known]
        if not rows:
            return
        made = await client.post(path, list(rows), {"fields": fields, "limit": -1})
    check_written(rows, made.data, REVISIONS)
