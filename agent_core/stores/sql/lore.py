"""The canon in SQL: rows are appended and found; what they mean is decided in `agent_core.lore`."""

from collections.abc import Collection, Iterable
from datetime import datetime

from agent_core.clock import to_stamp
from agent_core.lore.model import Change, ChangeDraft, Frame, Head, Recorded
from agent_core.lore.store import EntityRows
from agent_core.stores.sql.changes import append_change, find_change, read_changes, read_head, read_touched
from agent_core.stores.sql.database import Database, Durability, SqlRow, Tx, in_chunks, one_of
from agent_core.stores.sql.rows import ENTITY_KINDS, LINK_KINDS, NAME_KINDS, decode, node_from

_ROWS = "SELECT change, ord, kind, subject, body FROM lore_row WHERE series = :series"
_OF_ENTITY = f"{_ROWS} AND subject = :entity AND kind IN {ENTITY_KINDS}"


class SqlLoreStore:
    """A `LoreStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def head(self, series: str) -> Head:
        return await self._database.read(lambda tx: read_head(tx, series))

    async def frame(self, series: str) -> Frame:
        return await self._database.read(lambda tx: _frame(tx, series))

    async def rows(self, series: str, entities: Collection[str]) -> EntityRows:
        def read(tx: Tx) -> EntityRows:
            head = read_head(tx, series)
            if len(entities) == 1:
                [entity] = entities
                return EntityRows(head, _recorded(tx.rows(_OF_ENTITY, {"series": series, "entity": entity})))
            return EntityRows(head, _of_subjects(tx, series, entities, ENTITY_KINDS))

        return await self._database.read(read)

    async def all_rows(self, series: str) -> EntityRows:
        def read(tx: Tx) -> EntityRows:
            return EntityRows(read_head(tx, series), _of_kinds(tx, series, (*ENTITY_KINDS, *LINK_KINDS)))

        return await self._database.read(read)

    async def name_rows(self, series: str) -> EntityRows:
        def read(tx: Tx) -> EntityRows:
            return EntityRows(read_head(tx, series), _of_kinds(tx, series, NAME_KINDS))

        return await self._database.read(read)

    async def texts(self, series: str, scenes: Collection[str]) -> tuple[Recorded, ...]:
        return await self._database.read(lambda tx: _of_subjects(tx, series, scenes, ("text",)))

    async def changes(
        self,
        series: str,
        *,
        after: int = 0,
        up_to: int | None = None,
        entity: str | None = None,
        limit: int | None = None,
    ) -> tuple[Change, ...]:
        return await self._database.read(
            lambda tx: read_changes(tx, series, after=after, up_to=up_to, entity=entity, limit=limit)
        )

    async def change_at(self, series: str, instant: datetime) -> int:
        stamp = to_stamp(instant)
        return await self._database.read(lambda tx: _number_at(tx, series, stamp))

    async def rows_of_changes(self, series: str, numbers: Collection[int]) -> tuple[Recorded, ...]:
        return await self._database.read(lambda tx: _of_changes(tx, series, numbers))

    async def append(self, draft: ChangeDraft, token: str, at: datetime) -> Change:
        stamp = to_stamp(at)
        return await self._database.write(lambda tx: append_change(tx, draft, token, stamp), Durability.FULL)

    async def find(self, series: str, token: str) -> Change | None:
        return await self._database.read(lambda tx: find_change(tx, series, token))

    async def touched(self, series: str, *, since: int) -> tuple[tuple[int, str], ...]:
        return await self._database.read(lambda tx: read_touched(tx, series, since))


def _frame(tx: Tx, series: str) -> Frame:
    nodes = tx.rows(
        "SELECT id, kind, parent, rank, title, number, part, mode, place_relation, place_node, deleted"
        " FROM node WHERE series = :series",
        {"series": series},
    )
    links = tx.rows(f"{_ROWS} AND kind IN ('undone', 'merged')", {"series": series})
    return Frame(read_head(tx, series), tuple(map(node_from, nodes)), _recorded(links))


def _of_subjects(
    tx: Tx, series: str, subjects: Iterable[str], kinds: tuple[str, ...]
) -> tuple[Recorded, ...]:
    found: list[SqlRow] = []
    is_one = _is_one_of(kinds)
    for chunk in in_chunks(subjects):
        subject_list, subject_params = one_of("subject", chunk)
        found += tx.rows(
            f"{_ROWS} AND subject IN {subject_list} AND {is_one}",
            {"series": series, **subject_params},
        )
    return _recorded(found)


def _of_kinds(tx: Tx, series: str, kinds: tuple[str, ...]) -> tuple[Recorded, ...]:
    return _recorded(tx.rows(f"{_ROWS} AND {_is_one_of(kinds)}", {"series": series}))


def _is_one_of(kinds: tuple[str, ...]) -> str:
    return f"kind IN {kinds}" if len(kinds) > 1 else f"kind = '{kinds[0]}'"


def _of_changes(tx: Tx, series: str, numbers: Collection[int]) -> tuple[Recorded, ...]:
    found: list[SqlRow] = []
    for number in set(numbers):
        found += tx.rows(f"{_ROWS} AND change = :number", {"series": series, "number": number})
    return _recorded(found)


def _number_at(tx: Tx, series: str, stamp: str) -> int:
    found = tx.row(
        "SELECT number FROM change WHERE series = :series AND at <= :at ORDER BY number DESC LIMIT 1",
        {"series": series, "at": stamp},
    )
    return int(found[0]) if found else 0


def _recorded(found: list[SqlRow]) -> tuple[Recorded, ...]:
    """Return the rows in the order of the log; `change, ord` come first and are unique in a series."""
    found.sort()
    return decode(found)
