"""One consistent view of a series, with proposed rows on top."""

from agent_core.lore import record
from agent_core.lore.canon import Canon
from agent_core.lore.frames import FrameCache
from agent_core.lore.model import (
    NOT_REVEALED,
    START,
    Asserted,
    Created,
    EntityType,
    Frame,
    Head,
    Merged,
    Named,
    Nothing,
    Series,
    TextSet,
    Undone,
)
from agent_core.lore.store import LoreStore
from tests.agent_core.lore.desk import AUTHOR, Desk


async def test_open_view_does_not_see_what_is_recorded_later(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    canon = await desk.canon()
    await desk.record(mara, {"eyes": "green"})
    entry = await canon.entry(mara, bound=AUTHOR)
    assert entry is not None
    assert entry.facts == ()
    assert canon.head == 2


async def test_outline_edits_made_later_are_not_in_an_open_view(desk: Desk) -> None:
    canon = await desk.canon()
    plan = await record.plan_scene(
        await desk.canon(), chapter="3", number=3, title="", text="New.", new_id=desk.new_id
    )
    await desk.save(plan)
    assert len(canon.outline.scenes_of(await desk.at("3"))) == 2
    assert len((await desk.canon()).outline.scenes_of(await desk.at("3"))) == 3


async def test_view_as_of_a_change_sees_the_rows_of_then(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    number = await desk.record(mara, {"eyes": "blue"})
    await desk.record(mara, {"eyes": "green"})
    entry = await (await desk.canon(known=number)).entry(mara, bound=AUTHOR)
    assert entry is not None
    assert [fact.patch for fact in entry.facts] == [{"eyes": "blue"}]


async def test_staged_rows_are_on_top_of_stored_ones(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"eyes": "green"})
    canon = await desk.canon()
    canon.stage([Asserted(id="x", entity=mara, patch={"coat": "grey"}, told=START)])
    entry = await canon.entry(mara, bound=AUTHOR)
    assert entry is not None
    assert [fact.patch for fact in entry.facts] == [{"eyes": "green"}, {"coat": "grey"}]
    assert entry.facts[-1].change == canon.head + 1


async def test_fork_leaves_the_view_it_came_from_alone(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    number = await desk.record(mara, {"eyes": "green"})
    canon = await desk.canon()
    entry = await canon.fork([Undone(change=number)]).entry(mara, bound=AUTHOR)
    assert entry is not None
    assert entry.facts == ()
    kept = await canon.entry(mara, bound=AUTHOR)
    assert kept is not None
    assert len(kept.facts) == 1


async def test_staged_entry_is_found_by_its_name_and_staged_text_by_its_words(desk: Desk) -> None:
    canon = await desk.canon()
    canon.stage(
        [
            Created(entity="isolde", type=EntityType.CHARACTER, told=START),
            Named(id="n", entity="isolde", name="Isolde Venn", told=START),
            TextSet(id="t", scene=await desk.at("1.1"), text="Isolde stood at the gate."),
        ]
    )
    hits = await canon.index.names(canon.series.id, "isolde venn")
    texts = await canon.index.scenes(canon.series.id, ["gate"])
    assert [hit.entity for hit in hits] == ["isolde"]
    assert [(hit.row, hit.terms) for hit in texts] == [("t", frozenset({"gate"}))]
    assert (await canon.texts([await desk.at("1.1")]))[await desk.at("1.1")].id == "t"


async def test_merged_entry_is_asked_for_by_either_id(desk: Desk) -> None:
    mara, fox = await desk.known_from_start("Mara"), await desk.known_from_start("The Fox")
    await desk.record(fox, {"tail": "red"})
    await desk.append([Merged(entity=fox, into=mara)])
    canon = await desk.canon()
    entries = await canon.entries([mara, fox], bound=AUTHOR)
    assert entries[mara] == entries[fox]
    assert entries[fox].entity == mara
    assert [fact.patch for fact in entries[fox].facts] == [{"tail": "red"}]
    assert [entry.entity for entry in await canon.all_entries(bound=AUTHOR)] == [mara]


async def test_all_entries_are_those_the_bound_may_see(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.append(
        [
            Created(entity="x", type=EntityType.OBJECT, told=NOT_REVEALED),
            Named(id="n", entity="x", name="Heronstone", told=NOT_REVEALED),
        ]
    )
    canon = await desk.canon()
    reader = await desk.reader("1.1")
    assert {entry.entity for entry in await canon.all_entries(bound=AUTHOR)} == {mara, "x"}
    assert [entry.entity for entry in await canon.all_entries(bound=reader)] == [mara]
    assert await canon.all_entries(bound=Nothing()) == ()


async def test_text_is_the_newest_revision_that_counts(desk: Desk) -> None:
    scene = await desk.at("1.1")
    first = await desk.append([TextSet(id="t1", scene=scene, text="One.")])
    second = await desk.append([TextSet(id="t2", scene=scene, text="Two.")])
    canon = await desk.canon()
    assert (await canon.texts([scene]))[scene].text == "Two."
    assert (await canon.texts([scene], known=first))[scene].text == "One."
    await desk.append([Undone(change=second)])
    assert (await (await desk.canon()).texts([scene]))[scene].text == "One."


class _CountedStore:
    """Counts how often the whole frame is read from the store behind it."""

    def __init__(self, store: LoreStore) -> None:
        self.store = store
        self.frames = 0

    async def head(self, series: str) -> Head:
        return await self.store.head(series)

    async def frame(self, series: str) -> Frame:
        self.frames += 1
        return await self.store.frame(series)


async def test_outline_is_read_again_only_when_it_moved(desk: Desk) -> None:
    counted, cache = _CountedStore(desk.store), FrameCache()
    mara = await desk.known_from_start("Mara")
    first = await cache.newest(counted, desk.series.id)  # type: ignore[arg-type]  # only what it reads
    number = await desk.record(mara, {"eyes": "green"})
    second = await cache.newest(counted, desk.series.id)  # type: ignore[arg-type]  # only what it reads
    assert counted.frames == 1
    assert second.outline is first.outline
    assert second.head.number == number
    await desk.append([Undone(change=number)])
    third = await cache.newest(counted, desk.series.id)  # type: ignore[arg-type]  # only what it reads
    assert counted.frames == 2
    assert len(third.links) == 1


async def test_cache_drops_the_series_used_least(desk: Desk) -> None:
    counted, cache = _CountedStore(desk.store), FrameCache(max_series=1)
    for series in ("series", "other", "series"):
        await cache.newest(counted, series)  # type: ignore[arg-type]  # only what it reads
    assert counted.frames == 3


async def test_series_without_a_change_opens_empty(empty_desk: Desk) -> None:
    canon = await Canon.open(
        empty_desk.store, empty_desk.index, Series(id="none", name="", owner=""), FrameCache()
    )
    assert canon.head == 0
    assert canon.outline.books() == ()
    assert await canon.all_entries(bound=AUTHOR) == ()
