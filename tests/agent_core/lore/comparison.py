"""Brings answers of the product and of the naive model into one form, and series into a real store."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, product

from agent_core.lore import timeline
from agent_core.lore.canon import Canon
from agent_core.lore.frames import FrameCache
from agent_core.lore.model import Bound, ChangeDraft, Row, Series
from agent_core.lore.store import LoreIndex, LoreStore, SeriesStore
from tests.agent_core.lore.naive import Held, Known, NaiveLore
from tests.agent_core.lore.naive_json import canonical, fold
from tests.agent_core.lore.random_lore import ENTITIES
from tests.clock import NOON


@dataclass(frozen=True)
class Seen:
    """What an entry shows, in a form that can be compared."""

    type: str
    hint: str
    name: str
    aliases: frozenset[str]
    facts: tuple[tuple[str, str, str | None, str | None, str | None, int, int], ...]


def of_model(known: Known | None) -> Seen | None:
    if known is None:
        return None
    facts = tuple(
        (one.id, canonical(one.patch), one.at, one.until, one.scope_book, one.change, one.order)
        for one in known.facts
    )
    return Seen(known.type, known.hint, known.name, known.aliases, facts)


def of_product(entry: timeline.Entry | None) -> Seen | None:
    if entry is None:
        return None
    assert [name.name for name in entry.names if not name.alias] == [entry.name]
    facts = tuple(
        (one.id, canonical(one.patch), one.at, one.until, one.scope_book, one.change, one.order)
        for one in entry.facts
    )
    aliases = frozenset(name.name for name in entry.names if name.alias)
    return Seen(entry.type, entry.disambiguator, entry.name, aliases, facts)


def same_order(one: Mapping[str, int], other: Mapping[str, int]) -> bool:
    def relation(order: Mapping[str, int]) -> list[int]:
        return [(order[a] > order[b]) - (order[a] < order[b]) for a, b in product(sorted(order), repeat=2)]

    return one.keys() == other.keys() and relation(one) == relation(other)


def assert_same_fold(facts: Sequence[timeline.ActiveFact], held: Sequence[Held]) -> None:
    folded, expected = timeline.fold_entry(facts), fold([(fact.id, fact.patch) for fact in held])
    assert canonical(folded.state) == canonical(expected.state)
    assert dict(folded.sources) == dict(expected.sources)
    assert frozenset(folded.misfits) == expected.misfits


@dataclass
class Shelf:
    """A database that takes one series after the other."""

    store: LoreStore
    index: LoreIndex
    all_series: SeriesStore
    numbers: Iterator[int] = field(default_factory=count)
    frames: FrameCache = field(default_factory=FrameCache)

    async def put(self, changes: Sequence[Sequence[Row]]) -> Series:
        number = next(self.numbers)
        series = Series(id=f"series {number}", name=f"Series {number}", owner="ann")
        await self.all_series.add_series(series)
        for since, rows in enumerate(changes):
            await self.append(series, rows, since)
        return series

    async def append(self, series: Series, rows: Sequence[Row], since: int) -> None:
        draft = ChangeDraft(
            series=series.id,
            rows=tuple(rows),
            since=since,
            keys=frozenset(),
            proposed_by="ann",
            approved_by="ann",
        )
        change = await self.store.append(draft, f"{series.id} {since}", NOON)
        assert change.number == since + 1

    async def canon(self, series: Series, known: int | None = None) -> Canon:
        return await Canon.open(self.store, self.index, series, self.frames, known=known)


async def assert_same_canon(canon: Canon, model: NaiveLore, bound: Bound, known: int | None) -> None:
    """Compare every entry, the list of entries, and every scene's text at one record time."""
    found = await canon.entries(ENTITIES, bound=bound)
    assert {entity: of_product(entry) for entity, entry in found.items()} == {
        entity: seen
        for entity in ENTITIES
        if (seen := of_model(model.entry(entity, bound, known))) is not None
    }
    finals = {entity for entity in ENTITIES if model.final(entity, known) == entity}
    listed = {entry.entity for entry in await canon.all_entries(bound=bound)}
    assert listed == {entity for entity in finals if model.entry(entity, bound, known) is not None}
    texts = await canon.texts(list(model.outline.nodes))
    assert {scene: row.text for scene, row in texts.items()} == model.texts(known)
