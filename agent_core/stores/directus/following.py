"""Keeps our copy of a series' log up to date, and adopts what people have edited in Directus.

The database's own tables hold the copy, so that every look-up costs one request that asks for news, and the
rules of time, the search and the export work as they do without Directus.
"""

import asyncio
import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from agent_core.clock import Clock, NewId, from_stamp, to_stamp
from agent_core.lore.conflict import keys_of
from agent_core.lore.model import Change, Head
from agent_core.lore.store import LoreStore
from agent_core.stores.directus.adopt import Adoption, adopt, token_of
from agent_core.stores.directus.client import DirectusClient
from agent_core.stores.directus.copy import Copied, copied, put_copy, put_series
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure, NotUnique, OutcomeUnknown
from agent_core.stores.directus.ids import shown_row
from agent_core.stores.directus.layout import ENTITIES
from agent_core.stores.directus.picture import Painter, Picture
from agent_core.stores.directus.posting import post_change
from agent_core.stores.directus.showing import Showing
from agent_core.stores.directus.shown import ShownRow, Unfit, Wanted, gone_entry
from agent_core.stores.directus.tail import Page, Watched, read_orders, read_tail
from agent_core.stores.sql.changes import FullChange
from agent_core.stores.sql.database import Database

BY = "Directus"
"""Who proposed and approved an edit that was adopted."""
SUMMARY = "edited in Directus"

RECENT_S = 1.0
"""For so long what others did may go unseen by whoever goes on from a view that is open."""
_OVERLAP = timedelta(seconds=10)
"""A row may become visible later than its time of change says."""

_MOST_IDS = 2_000

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Watch:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    since: datetime | None = None
    followed: float = float("-inf")
    copied: Copied | None = None
    seen: dict[str, str | None] = field(default_factory=dict)
    told: set[Unfit] = field(default_factory=set)


class Following:
    """The series that this process reads from Directus."""

    def __init__(
        self,
        client: DirectusClient,
        database: Database,
        copy: LoreStore,
        painter: Painter,
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._client = client
        self._database = database
        self._copy = copy
        self._painter = painter
        self._showing = Showing(client)
        self._clock = clock
        self._new_id = new_id
        self._watches: dict[str, _Watch] = {}

    def lock(self, series: str) -> asyncio.Lock:
        """Return what whoever follows a series holds."""
        return self._watch(series).lock

    async def recently(self, series: str) -> None:
        """Follow the series unless this process has done so within the last second."""
        watch = self._watch(series)
        async with watch.lock:
            if self._clock.monotonic() - watch.followed >= RECENT_S:
                await self.follow(series)

    async def follow(self, series: str, *, orders: bool = False) -> Head | None:
        """Return the newest edit after taking over what is new, None where the series is nowhere.

        The caller holds the lock. With `orders` also what people have put in another order, which Directus
        tells nobody.

        Raises:
            DirectusFailure: it can't be asked; or `DIFFERS`, `BEHIND`, `MISSING`, `DRIFT`.

        """
        watch = self._watch(series)
        page = await self._take_over(series, Watched(watch.since))
        if page is None:
            return None
        moved = await read_orders(self._client, series) if orders else ()
        is_shown = await self._reconcile(series, page, moved)
        # what is not shown is looked for among all rows, as nothing tells of it again
        watch.since = page.at - _OVERLAP if is_shown else None
        watch.followed = self._clock.monotonic()
        return watch.copied.head if watch.copied else Head()

    async def unfit(self, series: str) -> tuple[Unfit, ...]:
        """Return what stands in Directus and can't be adopted, after following all of the series."""
        watch = self._watch(series)
        async with watch.lock:
            watch.since = None
            watch.told.clear()
            await self.follow(series, orders=True)
        return tuple(sorted(watch.told, key=lambda one: (one.collection, one.row, one.column)))

    async def add(self, series: str, full: FullChange) -> None:
        """Put a change on the log and into the copy, and show it; the caller holds the lock.

        Raises:
            NotUnique: the number is taken.
            OutcomeUnknown: it may be there.
            DirectusFailure: it is not there.

        """
        await post_change(self._client, full)
        await self._put(series, full)
        try:
            await self._show(series, full)
        except DirectusFailure as failure:  # the change is recorded; the next to follow shows it
            logger.warning("a change is not shown in Directus yet", extra={"cause": str(failure)})
            self._watch(series).since = None

    def _watch(self, series: str) -> _Watch:
        return self._watches.setdefault(series, _Watch())

    async def _take_over(self, series: str, watched: Watched) -> Page | None:
        """Return what came first, with all later edits in the copy; None where the series is nowhere."""
        first: Page | None = None
        watch = self._watch(series)
        while True:
            here = watch.copied or await copied(self._database, series)
            page = await read_tail(self._client, series, here.head.number, watched if first is None else None)
            if page is None:
                if here.head.number:
                    raise DirectusFailure(reason=DirectusCause.MISSING)
                return None
            _compare(here, page)
            if page.series.name != here.name:
                await put_series(self._database, [page.series])
                here = await copied(self._database, series)
            if here.name is None:
                raise DirectusFailure(reason=DirectusCause.NAME, name=page.series.name)
            await put_copy(self._database, series, page.changes)
            if page.changes:
                here = await copied(self._database, series)
            watch.copied = here
            first = first or page
            if not page.is_full:
                return first

    async def _reconcile(self, series: str, page: Page, moved: Sequence[ShownRow]) -> bool:
        """Adopt what was edited in these rows, then return whether they say what the canon says now."""
        watch = self._watch(series)
        is_all = watch.since is None
        rows = [row for row in page.rows if is_all or watch.seen.get(row.id, "") != row.changed_at]
        rows += [row for row in moved if row.edited() and row.id not in {one.id for one in rows}]
        if not rows and not is_all:
            return True
        by_id = {row.id: row for row in rows}
        picture = await self._picture(series, None if is_all else by_id)
        adoption = await self._adopt(series, rows, picture)
        if adoption.rows:
            picture = await self._picture(series, None if is_all else by_id)
        wanted = list(await asyncio.to_thread(picture.wanted, picture.nodes))
        wanted += _gone(picture, rows) if is_all else ()
        unfit = {(one.row, one.column) for one in adoption.unfit}
        try:
            is_shown = await self._showing.show(series, wanted, by_id, unfit)
        except DirectusFailure as failure:
            logger.warning("the canon is not shown in Directus", extra={"cause": str(failure)})
            return False
        if is_shown:
            watch.seen = {row.id: row.changed_at for row in rows}
        return is_shown

    async def _picture(self, series: str, rows: Collection[str] | None) -> Picture:
        if rows is None:
            return await self._painter.picture(series)
        return await self._painter.of_rows(series, rows)

    async def _rows(self, series: str, ids: Collection[str]) -> tuple[ShownRow, ...]:
        head = await self._copy.head(series)
        many = len(ids) > _MOST_IDS
        page = await read_tail(self._client, series, head.number, Watched(ids=None if many else ids))
        return tuple(row for row in page.rows if row.id in ids) if page else ()

    async def _adopt(self, series: str, rows: Iterable[ShownRow], picture: Picture) -> Adoption:
        """Return what was edited in Directus, after it was recorded.

        Raises:
            DirectusFailure: it can't be recorded now.

        """
        edited = [row for row in rows if row.edited()]
        if not edited:
            return Adoption((), ())
        adoption = await asyncio.to_thread(adopt, edited, picture, self._new_id)
        self._tell(series, adoption.unfit)
        if not adoption.rows:
            return adoption
        last = await self._copy.changes(series, limit=1)
        now = to_stamp(self._clock.now())
        change = Change(
            series=series,
            number=picture.head + 1,
            at=from_stamp(max(now, to_stamp(last[0].at)) if last else now),
            proposed_by=BY,
            approved_by=BY,
            source="directus",
            summary=SUMMARY,
        )
        keys = tuple(sorted(keys_of(adoption.rows)))
        full = FullChange(change, token_of(edited), adoption.rows, keys)
        try:
            await post_change(self._client, full)
        except (NotUnique, OutcomeUnknown):  # another process adopts it, or this one just did: look again
            if await self._take_over(series, Watched(ids=("",))) is None:
                raise
            if await self._copy.find(series, full.token) is None:
                raise
            return adoption
        await self._put(series, full)
        return adoption

    async def _put(self, series: str, full: FullChange) -> None:
        """Have in the copy what was just stored."""
        await put_copy(self._database, series, [full])
        self._watch(series).copied = await copied(self._database, series)

    def _tell(self, series: str, unfit: Iterable[Unfit]) -> None:
        told = self._watch(series).told
        for one in unfit:
            if one not in told:
                told.add(one)
                logger.warning(
                    "a value in Directus does not fit",
                    extra={"collection": one.collection, "row": one.row, "column": one.column},
                )

    async def _show(self, series: str, full: FullChange) -> None:
        touched = await self._painter.touched(series, full.rows)
        beside = await self._painter.siblings(series, full.rows)
        picture = await self._painter.picture(series, touched)
        wanted = picture.wanted(touched.nodes | beside)
        if not wanted:
            return
        rows = await self._rows(series, [one.id for one in wanted])
        if not await self._showing.show(series, wanted, {row.id: row for row in rows}):
            self._watch(series).since = None


def _compare(here: Copied, page: Page) -> None:
    """Return if our copy is of this log.

    Raises:
        DirectusFailure: `BEHIND` or `DIFFERS`.

    """
    if here.head.number and page.last_token is None:
        raise DirectusFailure(reason=DirectusCause.BEHIND, edit=here.head.number)
    if page.last_token != here.token:
        raise DirectusFailure(reason=DirectusCause.DIFFERS, edit=here.head.number)


def _gone(picture: Picture, rows: Iterable[ShownRow]) -> Iterator[Wanted]:
    """Yield that entries are gone whose rows the canon knows nothing of any more."""
    known = {shown_row(picture.series, one) for one in picture.entities}
    for row in rows:
        if row.collection is ENTITIES and row.known and row.id not in known:
            yield gone_entry(picture.series, row.id)
