"""Brings a series of our own tables into Directus, edit by edit, as it is: ids, numbers and dates stay.

It may break off anywhere and be done again: what is there already is compared and passed over.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, TypeAdapter, ValidationError

from agent_core.lore.model import Recorded, Row, Series
from agent_core.lore.store import LoreStore
from agent_core.messages import Json
from agent_core.stores.directus.client import DirectusClient
from agent_core.stores.directus.copy import tokens
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure, NotUnique, OutcomeUnknown
from agent_core.stores.directus.ids import series_row
from agent_core.stores.directus.layout import CHANGES
from agent_core.stores.directus.posting import post_change
from agent_core.stores.directus.series import DirectusSeriesStore
from agent_core.stores.sql.changes import FullChange
from agent_core.stores.sql.database import Database

_AT_ONCE = 50
_MOST_UNKNOWN = 3


@dataclass(frozen=True, slots=True)
class Pushed:
    """How many edits of a series were new to Directus, of how many."""

    name: str
    new: int
    edits: int


class Pushing:
    """Brings series from our own tables into Directus."""

    def __init__(
        self, client: DirectusClient, database: Database, copy: LoreStore, all_series: DirectusSeriesStore
    ) -> None:
        self._client = client
        self._database = database
        self._copy = copy
        self._all_series = all_series

    async def push(self, series: Series) -> Pushed:
        """Return what was brought there.

        Raises:
            DirectusFailure: it broke off; or `DIFFERS`: the series went another way there.
            DuplicateEntity: its lead has another series of that name there.

        """
        await self._all_series.put(series)
        head = (await self._copy.head(series.id)).number
        first = done = await self._compared(series.id, head)
        unknown = 0
        while done < head:
            try:
                for full in await self._changes(series.id, done, min(done + _AT_ONCE, head)):
                    await post_change(self._client, full)
                    done = full.change.number
            except (NotUnique, OutcomeUnknown):
                unknown += 1
                if unknown > _MOST_UNKNOWN:
                    raise
                done = await self._compared(series.id, head)
        return Pushed(series.name, max(head - first, 0), head)

    async def _compared(self, series: str, head: int) -> int:
        """Return up to which edit Directus has the series, which is the same there."""
        of_series: Json = {"series": {"_eq": series_row(series)}}
        answer = await self._client.get(
            f"/items/{CHANGES.name}",
            {"filter": of_series, "fields": ["number", "token"], "sort": "-number", "limit": 1},
        )
        try:
            found = _LAST.validate_python(answer.data)
        except ValidationError as error:
            raise DirectusFailure(reason=DirectusCause.DRIFT, collection=CHANGES.name) from error
        if not found:
            return 0
        number = found[0].number
        if number > head:
            return head
        [here] = (await tokens(self._database, series, number - 1, number)).values()
        if here != found[0].token.partition(":")[2]:
            raise DirectusFailure(reason=DirectusCause.DIFFERS, edit=number)
        return number

    async def _changes(self, series: str, after: int, up_to: int) -> Sequence[FullChange]:
        changes = await self._copy.changes(series, after=after, up_to=up_to)
        made = await tokens(self._database, series, after, up_to)
        rows = _by_number(await self._copy.rows_of_changes(series, [one.number for one in changes]))
        keys: dict[int, list[str]] = {}
        for number, key in await self._copy.touched(series, since=after):
            keys.setdefault(number, []).append(key)
        return [
            FullChange(
                one, made[one.number], tuple(rows.get(one.number, ())), tuple(keys.get(one.number, ()))
            )
            for one in reversed(changes)
        ]


class _Last(BaseModel):
    number: int
    token: str


_LAST = TypeAdapter(list[_Last])


def _by_number(recorded: Sequence[Recorded]) -> Mapping[int, list[Row]]:
    rows: dict[int, list[Row]] = {}
    for one in recorded:
        rows.setdefault(one.change, []).append(one.row)
    return rows
