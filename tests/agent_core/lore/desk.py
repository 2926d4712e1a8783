"""A writer's desk for tests: one series over the real store, where plans are made and saved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent_core.clock import NewId
from agent_core.lore import record
from agent_core.lore.canon import Canon
from agent_core.lore.frames import FrameCache
from agent_core.lore.model import (
    START,
    Author,
    ChangeDraft,
    Created,
    EntityType,
    JsonObject,
    Named,
    Row,
    Series,
    UpTo,
)
from agent_core.lore.plan import Plan
from agent_core.lore.store import LoreIndex, LoreStore
from tests.clock import FakeClock

AUTHOR = Author()


@dataclass(frozen=True)
class Scene:
    title: str
    text: str


@dataclass(frozen=True)
class Chapter:
    number: str
    scenes: Sequence[Scene]
    title: str = ""
    part: str = ""


@dataclass(frozen=True)
class Book:
    title: str
    chapters: Sequence[Chapter]


def book(title: str, chapters: Mapping[str, Sequence[str]]) -> Book:
    """Return a book of {chapter number: scene texts}; scenes are called after their place."""
    return Book(
        title,
        [
            Chapter(number, [Scene(f"Scene {number}.{i}", text) for i, text in enumerate(texts, 1)])
            for number, texts in chapters.items()
        ],
    )


@dataclass
class Desk:
    store: LoreStore
    index: LoreIndex
    series: Series
    new_id: NewId
    clock: FakeClock
    frames: FrameCache = field(default_factory=FrameCache)

    async def canon(self, known: int | None = None) -> Canon:
        """Return the series as it stands now."""
        return await Canon.open(self.store, self.index, self.series, self.frames, known=known)

    async def save(self, *plans: Plan, by: str = "ann", since: int | None = None) -> int:
        """Store these plans as one change a minute later and return its number."""
        rows = tuple(row for plan in plans for row in plan.rows)
        keys = frozenset[str]().union(*(plan.keys for plan in plans))
        return await self.append(rows, keys=keys, by=by, since=since)

    async def append(
        self,
        rows: Sequence[Row],
        *,
        keys: frozenset[str] = frozenset(),
        by: str = "ann",
        since: int | None = None,
    ) -> int:
        """Store these rows as one change a minute later, made against `since` (None: the newest)."""
        self.clock.advance(minutes=1)
        head = await self.store.head(self.series.id)
        draft = ChangeDraft(
            series=self.series.id,
            rows=tuple(rows),
            since=head.number if since is None else since,
            keys=keys,
            proposed_by=by,
            approved_by=by,
        )
        return (await self.store.append(draft, self.new_id(), self.clock.now())).number

    async def write(self, *books: Book) -> int:
        """Import these books."""
        return await self.save(
            await record.plan_manuscript(await self.canon(), books=books, new_id=self.new_id)
        )

    async def at(self, label: str) -> str:
        """Return the id of the node that is written so."""
        return (await self.canon()).outline.find(label, book=None, here=None, bound=AUTHOR)

    async def reader(self, label: str) -> UpTo:
        """Return the bound of someone who has finished this."""
        canon = await self.canon()
        return UpTo(canon.outline.finished(await self.at(label)))

    async def known_from_start(self, name: str, kind: EntityType = EntityType.CHARACTER) -> str:
        """Record an entry that readers know from the start and return its id."""
        entity = self.new_id()
        created = Created(entity=entity, type=kind, told=START)
        await self.append((created, Named(id=self.new_id(), entity=entity, name=name, told=START)))
        return entity

    async def record(self, entity: str, patch: JsonObject, chapter: str = "start", **given: str) -> int:
        """Record a fact at a place and return the number of the change."""
        plan = await record.plan_record(
            await self.canon(), entity=entity, patch=patch, chapter=chapter, new_id=self.new_id, **given
        )
        return await self.save(plan)
