"""The canon in Directus as a `LoreStore`: written there, read from our copy after one request for news."""

from collections.abc import Collection
from datetime import datetime

from agent_core.clock import Clock, NewId, from_stamp, to_stamp
from agent_core.errors import Conflict
from agent_core.lore.conflict import overlap
from agent_core.lore.model import Change, ChangeDraft, Frame, Head, Recorded
from agent_core.lore.store import EntityRows, LoreIndex, LoreStore
from agent_core.stores.directus.client import DirectusClient
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure, NotUnique, OutcomeUnknown
from agent_core.stores.directus.following import Following
from agent_core.stores.directus.picture import Painter
from agent_core.stores.directus.shown import Unfit
from agent_core.stores.sql.changes import FullChange
from agent_core.stores.sql.commits import to_the_end
from agent_core.stores.sql.database import Database

_MOST_TRIES = 20
_MOST_UNKNOWN = 2


class DirectusLoreStore:
    """A `LoreStore` whose log is in Directus; `copy` is the store over our own tables.

    What opens a view (`head`, `frame`, `find`) asks for news. What goes on from there asks only if that was
    more than a second ago: rows are only ever added, so a view pinned at an edit finds all of it in the copy.
    """

    def __init__(
        self,
        client: DirectusClient,
        database: Database,
        copy: LoreStore,
        index: LoreIndex,
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._copy = copy
        self._following = Following(client, database, copy, Painter(copy, index), clock, new_id)

    async def head(self, series: str) -> Head:
        async with self._following.lock(series):
            return await self._following.follow(series) or Head()

    async def frame(self, series: str) -> Frame:
        await self.head(series)
        return await self._copy.frame(series)

    async def rows(self, series: str, entities: Collection[str]) -> EntityRows:
        await self._following.recently(series)
        return await self._copy.rows(series, entities)

    async def all_rows(self, series: str) -> EntityRows:
        await self._following.recently(series)
        return await self._copy.all_rows(series)

    async def name_rows(self, series: str) -> EntityRows:
        await self._following.recently(series)
        return await self._copy.name_rows(series)

    async def texts(self, series: str, scenes: Collection[str]) -> tuple[Recorded, ...]:
        await self._following.recently(series)
        return await self._copy.texts(series, scenes)

    async def changes(
        self,
        series: str,
        *,
        after: int = 0,
        up_to: int | None = None,
        entity: str | None = None,
        limit: int | None = None,
    ) -> tuple[Change, ...]:
        await self._following.recently(series)
        return await self._copy.changes(series, after=after, up_to=up_to, entity=entity, limit=limit)

    async def change_at(self, series: str, instant: datetime) -> int:
        await self._following.recently(series)
        return await self._copy.change_at(series, instant)

    async def rows_of_changes(self, series: str, numbers: Collection[int]) -> tuple[Recorded, ...]:
        await self._following.recently(series)
        return await self._copy.rows_of_changes(series, numbers)

    async def touched(self, series: str, *, since: int) -> tuple[tuple[int, str], ...]:
        await self._following.recently(series)
        return await self._copy.touched(series, since=since)

    async def find(self, series: str, token: str) -> Change | None:
        await self.head(series)
        return await self._copy.find(series, token)

    async def append(self, draft: ChangeDraft, token: str, at: datetime) -> Change:
        stamp = to_stamp(at)

        async def append() -> Change:
            async with self._following.lock(draft.series):
                return await self._append(draft, token, stamp)

        return await to_the_end(append())

    async def unfit(self, series: str) -> tuple[Unfit, ...]:
        """Return what people have put into Directus and the canon can't hold, after adopting the rest."""
        return await self._following.unfit(series)

    async def _append(self, draft: ChangeDraft, token: str, stamp: str) -> Change:
        unknown = 0
        for _ in range(_MOST_TRIES):
            head = await self._following.follow(draft.series, orders=True)
            if head is None:
                raise DirectusFailure(reason=DirectusCause.MISSING)
            known = await self._copy.find(draft.series, token)
            if known is not None:
                return known
            await self._refuse_conflict(draft)
            full = await self._numbered(draft, token, head, stamp)
            try:
                await self._following.add(draft.series, full)
            except NotUnique:  # somebody was quicker, or an earlier attempt has arrived
                continue
            except OutcomeUnknown:  # what is there now tells; the same rows make no second change
                unknown += 1
                if unknown > _MOST_UNKNOWN:
                    raise
                continue
            return full.change
        raise DirectusFailure(reason=DirectusCause.AWAY)

    async def _refuse_conflict(self, draft: ChangeDraft) -> None:
        touched = await self._copy.touched(draft.series, since=draft.since)
        clashing = overlap((path for _, path in touched), draft.keys)
        if clashing:
            numbers = sorted({number for number, path in touched if path in clashing})
            raise Conflict(changes=tuple(map(str, numbers)))

    async def _numbered(self, draft: ChangeDraft, token: str, head: Head, stamp: str) -> FullChange:
        last = await self._copy.changes(draft.series, limit=1)
        change = Change(
            series=draft.series,
            number=head.number + 1,
            at=from_stamp(max(stamp, to_stamp(last[0].at)) if last else stamp),
            proposed_by=draft.proposed_by,
            approved_by=draft.approved_by,
            source=draft.source,
            summary=draft.summary,
        )
        return FullChange(change, token, draft.rows, tuple(sorted(draft.keys)))
