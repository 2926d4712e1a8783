"""Rows of entries that are kept between look-ups never hide what was recorded since."""

from typing import Any

from agent_core.lore.canon import Canon
from agent_core.lore.frames import FrameCache
from agent_core.lore.kept_rows import KeptRows
from agent_core.lore.model import Recorded, Retired
from agent_core.lore.store import LoreStore
from agent_core.lore.timeline import fold_entry
from tests.agent_core.lore.desk import AUTHOR, Desk


def rows(*changes: int) -> tuple[Recorded, ...]:
    return tuple(Recorded(change, 0, Retired(entity="mara")) for change in changes)


async def _eyes(canon: Canon, entity: str) -> object:
    entry = await canon.entry(entity, bound=AUTHOR)
    assert entry is not None
    return fold_entry(entry.facts).state.get("eyes")


async def test_look_up_sees_what_another_process_recorded_since(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    other = FrameCache()
    assert await _eyes(await Canon.open(desk.store, desk.index, desk.series, other), mara) is None
    await desk.record(mara, {"eyes": "green"})
    assert await _eyes(await Canon.open(desk.store, desk.index, desk.series, other), mara) == "green"


async def test_view_opened_before_a_change_does_not_take_its_rows_from_the_kept_ones(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"eyes": "green"})
    old = await desk.canon()
    await desk.record(mara, {"eyes": "blue"})
    assert await _eyes(await desk.canon(), mara) == "blue"
    assert await _eyes(old, mara) == "green"


def test_rows_serve_views_up_to_the_change_they_were_read_at() -> None:
    kept = KeptRows()
    kept.put("oz", "mara", 5, rows(1, 3, 5))
    assert kept.get("oz", "mara", 5) == rows(1, 3, 5)
    assert kept.get("oz", "mara", 4) == rows(1, 3)
    assert kept.get("oz", "mara", 6) is None
    assert kept.get("kansas", "mara", 5) is None


def test_late_answer_of_an_older_read_does_not_replace_a_newer_one() -> None:
    kept = KeptRows()
    kept.put("oz", "mara", 5, rows(1, 5))
    kept.put("oz", "mara", 4, rows(1))
    assert kept.get("oz", "mara", 5) == rows(1, 5)


def test_least_used_entries_make_room() -> None:
    kept = KeptRows(max_rows=6)
    kept.put("oz", "mara", 1, rows(1, 1))
    kept.put("oz", "tom", 1, rows(1, 1))
    kept.get("oz", "mara", 1)
    kept.put("oz", "jo", 1, rows(1, 1))
    assert kept.get("oz", "tom", 1) is None
    assert kept.get("oz", "mara", 1) is not None
    kept.put("oz", "long", 1, rows(*[1] * 6))
    assert kept.get("oz", "long", 1) is None
    assert kept.get("oz", "jo", 1) is not None
    kept.put("oz", "x" * 64 * 5, 1, ())
    assert kept.get("oz", "jo", 1) is None


async def test_rows_asked_for_on_opening_are_read_in_the_same_hop(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"eyes": "green"})
    counted, frames = Counted(desk.store), FrameCache()
    await Canon.open(desk.store, desk.index, desk.series, frames)  # the outline is known from here on

    canon = await Canon.open(counted, desk.index, desk.series, frames, about=[mara, "nobody"])

    assert await _eyes(canon, mara) == "green"
    assert await canon.entry("nobody", bound=AUTHOR) is None
    assert counted.hops == ["rows"]


async def test_rows_asked_for_on_opening_and_kept_already_are_those_of_now(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await _eyes(await desk.canon(), mara)
    await desk.record(mara, {"eyes": "green"})

    canon = await Canon.open(desk.store, desk.index, desk.series, desk.frames, about=[mara])

    assert await _eyes(canon, mara) == "green"


class Counted:
    """A lore store that notes what it is asked."""

    def __init__(self, store: LoreStore) -> None:
        self._store = store
        self.hops: list[str] = []

    def __getattr__(self, name: str) -> Any:  # any method of the store
        self.hops.append(name)
        return getattr(self._store, name)
