"""Universes in SQL."""

from agent_core.errors import DuplicateEntity
from agent_core.lore.fold import name_key
from agent_core.lore.model import Series
from agent_core.stores.sql.database import Database, Durability, SqlValue, Tx

_SERIES = "SELECT id, name, owner FROM series"


class SqlSeriesStore:
    """A `SeriesStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_series(self, series: Series) -> None:
        await self._database.write(lambda tx: add_series(tx, series), Durability.FULL)

    async def series(self, series: str) -> Series | None:
        found = await self._database.read(lambda tx: _select(tx, "WHERE id = :id", {"id": series}))
        return found[0] if found else None

    async def series_by_name(self, name: str) -> tuple[Series, ...]:
        key = name_key(name)
        return await self._database.read(lambda tx: _select(tx, "WHERE name_key = :key", {"key": key}))

    async def all_series(self) -> tuple[Series, ...]:
        return await self._database.read(all_series)


def all_series(tx: Tx) -> tuple[Series, ...]:
    """Return every series, oldest first."""
    return _select(tx, "", {})


def add_series(tx: Tx, series: Series) -> None:
    """Store a new series.

    Raises:
        DuplicateEntity: if its owner has a series of the same canonical name.

    """
    key = name_key(series.name)
    same = _select(tx, "WHERE name_key = :key AND owner = :owner", {"key": key, "owner": series.owner})
    if same:
        raise DuplicateEntity(name=series.name, existing=same[0].name, id=same[0].id)
    tx.run(
        "INSERT INTO series (id, name, name_key, owner) VALUES (:id, :name, :key, :owner)",
        {"id": series.id, "name": series.name, "key": key, "owner": series.owner},
    )


def _select(tx: Tx, where: str, params: dict[str, SqlValue]) -> tuple[Series, ...]:
    found = tx.rows(f"{_SERIES} {where} ORDER BY ord", params)
    return tuple(Series(id=id_, name=name, owner=owner) for id_, name, owner in found)
