"""Keeps rows of entries that were read, so that the next look-up of the same entry need not read them."""

from collections import OrderedDict
from dataclasses import dataclass

from agent_core.lore.model import Recorded

MAX_ROWS = 20_000
"""About 15 MB, and 5 ms for the garbage collector to walk through."""


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
