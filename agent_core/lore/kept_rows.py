"""Keeps rows of entries that were read, so that the next look-up of the same entry need not read them."""

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from agent_core.lore.model import Asserted, Created, Named, Recorded, Retired, Row, Withdrawn
from agent_core.lore.store import EntityRows

MAX_ROWS = 20_000
"""About 15 MB, and 5 ms for the garbage collector to walk through."""

_OF_ENTITY = (Asserted, Named, Created, Withdrawn, Retired)


@dataclass(frozen=True, slots=True)
class _Kept:
    head: int
    rows: tuple[Recorded, ...]


class KeptRows:
    """The rows of the entries read last, at most `max_rows` in all.

    Rows are only ever added, with growing numbers. So what was read when change n was the newest holds all
    rows up to n for ever, whoever writes meanwhile, and serves every view that is pinned at n or before.
    """

    def __init__(self, max_rows: int = MAX_ROWS) -> None:
        self._max_rows = max_rows
        self._size = 0
        self._entries: OrderedDict[tuple[str, str], _Kept] = OrderedDict()

    def get(self, series: str, entity: str, head: int) -> tuple[Recorded, ...] | None:
        """Return the rows of the entity up to change `head`, or None if they are not kept."""
        kept = self._entries.get((series, entity))
        if kept is None or kept.head < head:
            return None
        self._entries.move_to_end((series, entity))
        return kept.rows if kept.head == head else tuple(one for one in kept.rows if one.change <= head)

    def has(self, series: str, entity: str) -> bool:
        """Return whether rows of the entity are kept, of whatever head."""
        return (series, entity) in self._entries

    def put_all(self, series: str, entities: Collection[str], read: EntityRows) -> None:
        """Keep what was read of these entities, also that there is nothing."""
        if len(entities) == 1:
            [entity] = entities
            self.put(series, entity, read.head.number, read.rows)
            return
        grouped = by_entity(read.rows)
        for entity in entities:
            self.put(series, entity, read.head.number, grouped.get(entity, ()))

    def put(self, series: str, entity: str, head: int, rows: tuple[Recorded, ...]) -> None:
        """Keep all rows of the entity, read when `head` was the newest change of the series."""
        known = self._entries.get((series, entity))
        if _size(entity, rows) > self._max_rows or (known is not None and known.head > head):
            return
        self._drop(series, entity)
        self._entries[series, entity] = _Kept(head, rows)
        self._size += _size(entity, rows)
        while self._size > self._max_rows:
            self._drop(*next(iter(self._entries)))

    def _drop(self, series: str, entity: str) -> None:
        dropped = self._entries.pop((series, entity), None)
        if dropped is not None:
            self._size -= _size(entity, dropped.rows)


def _size(entity: str, rows: tuple[Recorded, ...]) -> int:
    """Return what an entry counts for; names that are no entry are kept too, and may be long."""
    return 1 + len(rows) + len(entity) // 64


def entity_of(row: Row) -> str | None:
    """Return the entity that a row is about, None for one about the series."""
    return row.entity if isinstance(row, _OF_ENTITY) else None


def by_entity(rows: Iterable[Recorded]) -> dict[str, tuple[Recorded, ...]]:
    """Return the rows of each entity, in the order given."""
    grouped: defaultdict[str, list[Recorded]] = defaultdict(list)
    for one in rows:
        if isinstance(one.row, _OF_ENTITY):
            grouped[one.row.entity].append(one)
    return {entity: tuple(found) for entity, found in grouped.items()}
