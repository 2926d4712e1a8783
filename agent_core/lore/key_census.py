"""Which details the entries of a series use, as far as its latest edits show; kept up edit by edit."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from agent_core.lore.model import Asserted, Created, EntityType, Recorded
from agent_core.lore.store import LoreStore

_LATEST = 2_000


class KeyCensus:
    """Counts the keys of the latest edits of one series when it is first asked, then of each new edit."""

    def __init__(self) -> None:
        self._number = 0
        self._kinds: dict[str, EntityType] = {}
        self._used: defaultdict[str, dict[str, int]] = defaultdict(dict)

    async def read(self, store: LoreStore, series: str, head: int) -> None:
        """Take in the edits up to `head` that it has not seen."""
        if head <= self._number:
            return
        changes = await store.changes(series, after=self._number, up_to=head, limit=_LATEST)
        self.add(await store.rows_of_changes(series, [change.number for change in changes]))
        self._number = max(self._number, head)

    def add(self, rows: Iterable[Recorded]) -> None:
        """Take in these rows."""
        for one in rows:
            if isinstance(one.row, Created):
                self._kinds[one.row.entity] = one.row.type
            elif isinstance(one.row, Asserted):
                for key in one.row.patch:
                    self._used[key][one.row.entity] = one.change

    def in_use(self, kind: EntityType, undone: Collection[int]) -> frozenset[str]:
        """Return the keys used for entries of this kind (or of one not known here) by edits that count."""
        return frozenset(
            key
            for key, users in self._used.items()
            if any(
                self._kinds.get(entity, kind) is kind and change not in undone
                for entity, change in users.items()
            )
        )
