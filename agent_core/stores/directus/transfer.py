"""Whole series taken out of Directus and brought into it, by way of our own copy of them."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from agent_core.exporting.store import GivenChange, Ledger, Snapshot, TransferStore
from agent_core.lore.model import Series
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure
from agent_core.stores.directus.lore import DirectusLoreStore
from agent_core.stores.directus.pushing import Pushing
from agent_core.stores.directus.series import DirectusSeriesStore

T = TypeVar("T")


class DirectusTransferStore:
    """A `TransferStore` over Directus; `copy` is the one over our own tables.

    Reads begin with all news from Directus. What is written goes into the copy at once and then to Directus
    edit by edit; where that breaks off, `push` goes on.
    """

    def __init__(
        self,
        copy: TransferStore,
        lore: DirectusLoreStore,
        all_series: DirectusSeriesStore,
        pushing: Pushing,
    ) -> None:
        self._copy = copy
        self._lore = lore
        self._all_series = all_series
        self._pushing = pushing

    async def read(self, work: Callable[[Snapshot], T]) -> T:
        await self._follow()
        return await self._copy.read(work)

    async def write(self, work: Callable[[Ledger], T]) -> T:
        await self._follow()
        written: set[str] = set()

        def watched(ledger: Ledger) -> T:
            return work(_Watched(ledger, written))

        result = await self._copy.write(watched)
        for one in await self._copy.read(lambda snapshot: tuple(snapshot.series())):
            if one.id in written:
                await self._push(one)
        return result

    async def _follow(self) -> None:
        for one in await self._all_series.all_series():
            await self._lore.head(one.id)

    async def _push(self, series: Series) -> None:
        try:
            await self._pushing.push(series)
        except DirectusFailure as failure:
            raise DirectusFailure(reason=DirectusCause.BEHIND) from failure
        await self._lore.unfit(series.id)


class _Watched:
    """A ledger that notes which series are written."""

    def __init__(self, ledger: Ledger, written: set[str]) -> None:
        self._ledger = ledger
        self._written = written
        self.series = ledger.series
        self.edits = ledger.edits
        self.changes = ledger.changes
        self.nodes = ledger.nodes
        self.people = ledger.people
        self.members = ledger.members
        self.progress = ledger.progress
        self.add_people = ledger.add_people
        self.add_member = ledger.add_member
        self.add_progress = ledger.add_progress

    def add_series(self, series: Series) -> None:
        self._written.add(series.id)
        self._ledger.add_series(series)

    def append(self, series: str, changes: Iterable[GivenChange]) -> None:
        self._written.add(series)
        self._ledger.append(series, changes)
