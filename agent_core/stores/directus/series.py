"""Universes in Directus. A row without a lead, which somebody has made by hand, is none."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from agent_core.errors import DuplicateEntity
from agent_core.lore.fold import name_key
from agent_core.lore.model import Series
from agent_core.messages import Json
from agent_core.stores.directus.client import DirectusClient
from agent_core.stores.directus.copy import put_series
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure, NotUnique, OutcomeUnknown
from agent_core.stores.directus.ids import series_row
from agent_core.stores.directus.layout import SERIES
from agent_core.stores.directus.payload import SeriesSent, checked, plain
from agent_core.stores.directus.showing import check_written
from agent_core.stores.sql.commits import to_the_end
from agent_core.stores.sql.database import Database

_PATH = f"/items/{SERIES.name}"
_FIELDS = ["id", "name", "key", "owner", "ord"]
_MOST_TRIES = 20
_OWN = "SELECT id, name FROM series WHERE name_key = :key AND owner = :owner AND id <> :id"


class _Found(BaseModel):
    model_config = ConfigDict(strict=True)

    id: str
    name: str | None
    key: str | None
    owner: str | None
    ord: int | None


_ROWS = TypeAdapter(list[_Found])


class DirectusSeriesStore:
    """A `SeriesStore` over Directus; our own tables keep a copy of what was seen."""

    def __init__(self, client: DirectusClient, database: Database) -> None:
        self._client = client
        self._database = database

    async def add_series(self, series: Series) -> None:
        await to_the_end(self._add(series))

    async def put(self, series: Series) -> None:
        """Have a series in Directus that our own tables hold.

        Raises:
            DuplicateEntity: its lead has another one of that name there.

        """
        await self._add(series)

    async def series(self, series: str) -> Series | None:
        found = await self._database.read(
            lambda tx: tx.row("SELECT id, name, owner FROM series WHERE id = :id", {"id": series})
        )
        if found is not None:
            id_, name, owner = found
            return Series(id=id_, name=name, owner=owner)
        return next((one for one in await self.all_series() if one.id == series), None)

    async def series_by_name(self, name: str) -> tuple[Series, ...]:
        key = name_key(name)
        return tuple(one for one in await self.all_series() if name_key(one.name) == key)

    async def all_series(self) -> tuple[Series, ...]:
        found = tuple(
            Series(id=row.key or row.id, name=row.name or "", owner=row.owner)
            for row in await self._rows()
            if row.owner
        )
        await put_series(self._database, found)
        return found

    async def _add(self, series: Series) -> None:
        for _ in range(_MOST_TRIES):
            rows = await self._rows()
            if any(row.id == series_row(series.id) for row in rows):  # an earlier attempt has arrived
                break
            _refuse_same_name(series, rows)
            await self._refuse_own(series)
            row = _row(series, 1 + max((row.ord or 0 for row in rows), default=0))
            try:
                made = await self._client.post(_PATH, row, {"fields": _FIELDS})
            except (NotUnique, OutcomeUnknown):
                continue
            sent = {name: row[name] for name in _FIELDS}
            check_written([sent], made.data, SERIES)
            break
        else:
            raise DirectusFailure(reason=DirectusCause.AWAY)
        await put_series(self._database, [series])

    async def _refuse_own(self, series: Series) -> None:
        """Return unless our tables hold another series of that name, which Directus does not have yet."""
        params = {"key": name_key(series.name), "owner": series.owner, "id": series.id}
        found = await self._database.read(lambda tx: tx.row(_OWN, params))
        if found is not None:
            raise DuplicateEntity(name=series.name, existing=found[1], id=found[0])

    async def _rows(self) -> Sequence[_Found]:
        answer = await self._client.get(_PATH, {"fields": _FIELDS, "sort": "ord", "limit": -1})
        try:
            return _ROWS.validate_python(answer.data)
        except ValidationError as error:
            raise DirectusFailure(reason=DirectusCause.DRIFT, collection=SERIES.name) from error


def _refuse_same_name(series: Series, rows: Sequence[_Found]) -> None:
    key = name_key(series.name)
    for row in rows:
        if row.owner == series.owner and name_key(row.name or "") == key:
            raise DuplicateEntity(name=series.name, existing=row.name, id=row.key or row.id)


def _row(series: Series, order: int) -> dict[str, Json]:
    owner_key = sha256(f"{series.owner}\0{name_key(series.name)}".encode()).hexdigest()
    values: Mapping[str, Json] = {
        "id": series_row(series.id),
        "name": plain(series.name),
        "key": series.id,
        "owner": series.owner,
        "owner_key": owner_key,
        "ord": order,
    }
    return checked(SeriesSent, values)
