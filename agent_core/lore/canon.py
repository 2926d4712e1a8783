"""One series, read at one moment, with proposed rows staged on top.

Rows are never changed in place, so a view is pinned by the number of its newest change alone: whatever is
read later is cut there, and no read has to be repeated.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence

from agent_core.lore import timeline
from agent_core.lore.frames import FrameCache, ParsedFrame
from agent_core.lore.kept_rows import by_entity, entity_of
from agent_core.lore.key_census import KeyCensus
from agent_core.lore.model import (
    LOG_ORDER,
    Asserted,
    Bound,
    Change,
    Created,
    Head,
    Merged,
    OutlineEdited,
    Recorded,
    Row,
    Series,
    TextSet,
    Undone,
)
from agent_core.lore.roster import Roster, roster
from agent_core.lore.staged import StagedIndex
from agent_core.lore.store import LoreIndex, LoreStore

MANY = 30
"""From so many entries on they are worked out in a thread, so that the event loop goes on."""


class Canon:
    """A consistent view of a series.

    `head` is the newest change it holds; `known` the record time it was opened for, None for the newest;
    `links` are its undos and merges.
    Staged rows stand in a change of their own, `head + 1`.
    """

    def __init__(
        self,
        store: LoreStore,
        index: LoreIndex,
        series: Series,
        frames: FrameCache,
        frame: ParsedFrame,
        *,
        known: int | None,
    ) -> None:
        self.store = store
        self._frames = frames
        self.series = series
        self.head = frame.head.number
        self.known = known
        self.outline = frame.outline
        self._index = index
        self.links = frame.links
        self._staged: tuple[Recorded, ...] = ()
        self._rows: dict[str, tuple[Recorded, ...]] = {}
        self._all: tuple[Recorded, ...] | None = None
        self._undone: dict[int | None, frozenset[int]] = {}
        self._merges: dict[int | None, Mapping[str, str]] = {}

    @classmethod
    async def open(
        cls,
        store: LoreStore,
        index: LoreIndex,
        series: Series,
        frames: FrameCache,
        *,
        known: int | None = None,
        about: Collection[str] = (),
    ) -> "Canon":
        """Return the series as it stands now, or as the notes stood at change `known`.

        The rows of entities `about` come along in the same hop to the store, if they are not kept already.
        """
        return cls(store, index, series, frames, await frames.newest(store, series.id, about), known=known)

    def fork(self, rows: Sequence[Row] = ()) -> "Canon":
        """Return a view of its own with `rows` staged on top of what is staged here."""
        frame = ParsedFrame(Head(self.head), self.outline, self.links)
        other = Canon(self.store, self._index, self.series, self._frames, frame, known=self.known)
        other._staged = self._staged
        other._rows, other._all = self._rows, self._all
        other.stage(rows)
        return other

    def stage(self, rows: Sequence[Row]) -> None:
        """Add proposed rows, so that later lines of a batch see earlier ones."""
        first = len(self._staged)
        added = tuple(Recorded(self.head + 1, first + i, row) for i, row in enumerate(rows))
        self._staged += added
        self.links += tuple(one for one in added if isinstance(one.row, Undone | Merged))
        edits = [row for row in rows if isinstance(row, OutlineEdited)]
        if edits:
            self.outline = self.outline.with_edits(edits)
        self._undone, self._merges = {}, {}

    @property
    def index(self) -> LoreIndex:
        """The candidates of the series, with staged names and texts."""
        return StagedIndex(self._index, self._staged) if self._staged else self._index

    def undone(self, known: int | None = None) -> frozenset[int]:
        """Return the numbers of the changes that are undone at `known`."""
        known = self._at(known)
        if known not in self._undone:
            self._undone[known] = timeline.undone(self.links, known)
        return self._undone[known]

    def merges(self, known: int | None = None) -> Mapping[str, str]:
        """Return for each entity that was merged the one it is part of at `known`."""
        known = self._at(known)
        if known not in self._merges:
            self._merges[known] = timeline.merges(self.links, self.undone(known), known)
        return self._merges[known]

    def family(self, entity: str, known: int | None = None) -> tuple[str, ...]:
        """Return the entity that `entity` is or became part of, followed by all that were merged into it."""
        merges = self.merges(known)
        final = merges.get(entity, entity)
        return (final, *(one for one, into in merges.items() if into == final and one != final))

    async def rows(self, entities: Collection[str]) -> tuple[Recorded, ...]:
        """Return the stored and staged rows of exactly these entities, by (change, order)."""
        await self._fetch(entities)
        return self._held(frozenset(entities))

    async def entry(self, entity: str, *, bound: Bound, known: int | None = None) -> timeline.Entry | None:
        """Return the entry that `entity` is or became part of, or None if either is absent for this bound."""
        family = self.family(entity, known)
        await self._fetch(family)
        entry = self._resolve(family, bound, known)
        return entry if entry is not None and entity in entry.family else None

    async def entries(
        self, entities: Collection[str], *, bound: Bound, known: int | None = None
    ) -> dict[str, timeline.Entry]:
        """Return the entries of these entities by the id asked for, without the absent ones.

        One that was merged into another is absent where it was before, lest its id tell what it became.
        """
        families = {entity: self.family(entity, known) for entity in entities}
        await self._fetch([one for family in families.values() for one in family])

        def resolved() -> dict[str, timeline.Entry]:
            found = ((entity, self._resolve(family, bound, known)) for entity, family in families.items())
            return {entity: entry for entity, entry in found if entry is not None and entity in entry.family}

        return await asyncio.to_thread(resolved) if len(families) > MANY else resolved()

    async def all_entries(self, *, bound: Bound, known: int | None = None) -> tuple[timeline.Entry, ...]:
        """Return every entry that is there for this bound, oldest first."""
        created = (one.row.entity for one in await self.all_rows() if isinstance(one.row, Created))
        merges = self.merges(known)
        entities = [entity for entity in dict.fromkeys(created) if entity not in merges]
        return tuple((await self.entries(entities, bound=bound, known=known)).values())

    async def roster(self, *, bound: Bound) -> Roster:
        """Return every entry that is there for this bound, without its facts, in the order of their names."""
        plain = self.known is None and not self._staged
        kept = self._frames.rosters.get(self.series.id, self.head, bound) if plain else None
        if kept is not None:
            return kept
        read = await self.store.name_rows(self.series.id)
        staged = [one for one in self._staged if not isinstance(one.row, Asserted)]
        merges, undone = self.merges(), self.undone()

        def worked_out() -> Roster:
            rows = by_entity([*self._cut(read.rows), *staged])
            known, outline = self.known, self.outline
            found = roster(rows, merges=merges, undone=undone, known=known, bound=bound, outline=outline)
            if plain:  # here, so that it is kept for the next one who asks, should this one not wait for it
                self._frames.rosters.put(self.series.id, self.head, bound, found)
            return found

        return await asyncio.to_thread(worked_out)

    async def all_rows(self) -> tuple[Recorded, ...]:
        """Return the stored and staged rows of all entities, by (change, order)."""
        if self._all is None:
            read = await self.store.all_rows(self.series.id)
            grouped = await asyncio.to_thread(by_entity, self._cut(read.rows))
            self._rows.update(grouped)
            self._all = tuple(one for one in self._cut(read.rows) if entity_of(one.row) is not None)
        staged = (one for one in self._staged if entity_of(one.row) is not None)
        return (*self._all, *staged)

    async def texts(self, scenes: Collection[str], known: int | None = None) -> dict[str, TextSet]:
        """Return the current revision of each of these scenes that has a text."""
        known, undone = self._at(known), self.undone(known)
        stored = self._cut(await self.store.texts(self.series.id, scenes)) if scenes else ()
        wanted = frozenset(scenes)
        return {
            one.row.scene: one.row
            for one in (*stored, *self._staged)
            if isinstance(one.row, TextSet)
            and one.row.scene in wanted
            and one.change not in undone
            and (known is None or one.change <= known)
        }

    async def changes_of(self, entities: Collection[str]) -> dict[int, Change]:
        """Return the stored changes that hold rows of these entities, by number."""
        changes = [
            change
            for entity in entities
            for change in await self.store.changes(self.series.id, up_to=self.head, entity=entity)
        ]
        return {change.number: change for change in changes}

    async def key_census(self) -> KeyCensus:
        """Return which details the entries of the series use."""
        return await self._frames.census(self.store, self.series.id, self.head)

    async def _fetch(self, entities: Collection[str]) -> None:
        """Read the rows of those entities whose rows are not held yet."""
        if self._all is None:
            missing = [one for one in dict.fromkeys(entities) if not self._has(one)]
            if missing:
                await self._read(missing)

    def _has(self, entity: str) -> bool:
        """Return whether the rows of the entity are held, taking those that an earlier view has read."""
        if entity in self._rows:
            return True
        kept = self._frames.rows.get(self.series.id, entity, self.head)
        if kept is not None:
            self._rows[entity] = kept
        return kept is not None

    async def _read(self, entities: Sequence[str]) -> None:
        read = await self.store.rows(self.series.id, entities)
        grouped = by_entity(read.rows)
        for entity in entities:
            rows = grouped.get(entity, ())
            self._frames.rows.put(self.series.id, entity, read.head.number, rows)
            self._rows[entity] = rows if read.head.number == self.head else self._cut(rows)

    def _resolve(self, family: Sequence[str], bound: Bound, known: int | None) -> timeline.Entry | None:
        return timeline.resolve(
            self._held(frozenset(family)),
            entity=family[0],
            absorbed=family[1:],
            frame_undone=self.undone(known),
            known=self._at(known),
            bound=bound,
            outline=self.outline,
        )

    def _held(self, entities: frozenset[str]) -> tuple[Recorded, ...]:
        """Return the rows of entities that were read before, with staged ones."""
        stored = [one for entity in entities for one in self._rows.get(entity, ())]
        if len(entities) == 1 and not self._staged:
            return tuple(stored)
        staged = [one for one in self._staged if entity_of(one.row) in entities]
        return tuple(sorted([*stored, *staged], key=LOG_ORDER))

    def _at(self, known: int | None) -> int | None:
        return self.known if known is None else known

    def _cut(self, rows: Iterable[Recorded]) -> tuple[Recorded, ...]:
        return tuple([one for one in rows if one.change <= self.head])
