"""Every `LoreStore` appends changes whole, numbers them, and gives back exactly what was put in."""

import asyncio
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.errors import Conflict, StoreFailure
from agent_core.lore.model import (
    START,
    Change,
    Created,
    EntityType,
    Frame,
    Head,
    Merged,
    Named,
    OutlineEdited,
    Recorded,
    Retired,
    Row,
    Series,
    TextSet,
    Undone,
    Withdrawn,
)
from agent_core.lore.store import EntityRows
from tests.clock import NOON, counting_ids
from tests.contracts.conftest import Installation, Stores
from tests.contracts.lore_rows import ANY_ROW, LATER, draft, fact, scene

_series_ids = counting_ids("series")


@pytest.fixture
async def stores(stores: Stores) -> Stores:
    """The stores with series "oz" and "kansas"."""
    for name in ("oz", "kansas"):
        await stores.series.add_series(Series(id=name, name=name, owner="p1"))
    return stores


def recorded(change: int, *rows: Row) -> tuple[Recorded, ...]:
    return tuple(Recorded(change, order, row) for order, row in enumerate(rows))


async def test_unknown_or_empty_series_answers_with_nothing(stores: Stores) -> None:
    for series in ("oz", "nowhere"):
        assert await stores.lore.head(series) == Head()
        assert await stores.lore.frame(series) == Frame(Head())
        assert await stores.lore.rows(series, ["mara"]) == EntityRows(Head(), ())
        assert await stores.lore.all_rows(series) == EntityRows(Head(), ())
        assert await stores.lore.texts(series, ["s1"]) == ()
        assert await stores.lore.changes(series) == ()
        assert await stores.lore.change_at(series, NOON) == 0
        assert await stores.lore.rows_of_changes(series, [1]) == ()
        assert await stores.lore.find(series, "token") is None
        assert await stores.lore.touched(series, since=0) == ()


async def test_change_is_numbered_and_signed(stores: Stores) -> None:
    change = await stores.lore.append(draft(fact("mara")), "t1", NOON)

    assert change == Change(
        series="oz", number=1, at=NOON, proposed_by="p1", approved_by="p2", source="m1", summary="a summary"
    )
    assert (await stores.lore.append(draft(fact("mara")), "t2", LATER)).number == 2
    assert (await stores.lore.append(draft(fact("mara"), series="kansas"), "t1", NOON)).number == 1
    assert await stores.lore.head("oz") == Head(2, 0)


async def test_series_that_is_not_there_takes_no_change(stores: Stores) -> None:
    with pytest.raises(StoreFailure):
        await stores.lore.append(draft(fact("mara"), series="nowhere"), "t1", NOON)

    assert await stores.lore.head("nowhere") == Head()


@given(rows=st.lists(ANY_ROW, max_size=8))
async def test_any_row_comes_back_byte_for_byte(stores: Stores, rows: list[Row]) -> None:
    series = _series_ids()
    await stores.series.add_series(Series(id=series, name=series, owner="p1"))

    change = await stores.lore.append(draft(*rows, series=series), series, NOON)

    found = await stores.lore.rows_of_changes(series, [change.number])
    assert found == recorded(1, *rows)
    assert repr(found) == repr(recorded(1, *rows))
    subjects = {row.entity for row in rows if hasattr(row, "entity")}
    assert (await stores.lore.rows(series, subjects)).rows == tuple(
        r for r in found if hasattr(r.row, "entity") and not isinstance(r.row, Merged)
    )
    nodes = {row.after.id: row.after for row in rows if isinstance(row, OutlineEdited)}
    assert {node.id: node for node in (await stores.lore.frame(series)).nodes} == nodes


async def test_rows_of_entities_come_in_the_order_of_the_log(stores: Stores) -> None:
    created = Created(entity="mara", type=EntityType.CHARACTER, told=START)
    named = Named(id="n1", entity="mara", name="Mara", told=START)
    first = (
        created,
        fact("tom", "f1", age=7),
        named,
        scene("mara"),
        TextSet(id="r1", scene="mara", text="x"),
    )
    second = (Withdrawn(entity="mara", target="f0", pointer="/eyes"), fact("mara", "f2", eyes="green"))
    third = (Merged(entity="mara", into="tom"), Retired(entity="mara"), fact("jo"))
    for number, rows in enumerate((first, second, third)):
        await stores.lore.append(draft(*rows, since=number), f"t{number}", NOON)
    await stores.lore.append(draft(fact("mara", "f9"), series="kansas"), "t1", NOON)

    mara = await stores.lore.rows("oz", ["mara"])

    assert mara.head == Head(3, 3)
    assert [(r.change, r.order) for r in mara.rows] == [(1, 0), (1, 2), (2, 0), (2, 1), (3, 1)]
    assert [r.row for r in mara.rows] == [created, named, *second, third[1]]
    both = await stores.lore.rows("oz", ["tom", "mara", "tom", "nobody"])
    assert [(r.change, r.order) for r in both.rows] == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (3, 1)]
    assert (await stores.lore.rows("oz", [])).rows == ()


async def test_all_rows_leave_out_outline_and_texts(stores: Stores) -> None:
    rows = (fact("mara"), scene("s1"), TextSet(id="r1", scene="s1", text="x"), Merged(entity="a", into="b"))
    await stores.lore.append(draft(*rows), "t1", NOON)
    await stores.lore.append(draft(Undone(change=1)), "t2", NOON)

    found = await stores.lore.all_rows("oz")

    assert found.head == Head(2, 2)
    assert [(r.change, r.order) for r in found.rows] == [(1, 0), (1, 3), (2, 0)]


async def test_name_rows_leave_out_facts(stores: Stores) -> None:
    created = Created(entity="mara", type=EntityType.CHARACTER, told=START)
    named = Named(id="n1", entity="mara", name="Mara", told=START)
    await stores.lore.append(draft(created, fact("mara"), named, scene("s1")), "t1", NOON)
    gone = (Withdrawn(entity="mara", target="n1"), Retired(entity="mara"))
    await stores.lore.append(draft(*gone, Undone(change=1)), "t2", NOON)

    found = await stores.lore.name_rows("oz")

    assert found.head == Head(2, 2)
    assert [one.row for one in found.rows] == [created, named, *gone]
    assert await stores.lore.name_rows("kansas") == EntityRows(Head(), ())


async def test_rows_of_many_entities_are_found(stores: Stores) -> None:
    names = [f"entity {n}" for n in range(1200)]
    await stores.lore.append(draft(*(fact(name) for name in names)), "t1", NOON)

    found = await stores.lore.rows("oz", names)

    assert [r.order for r in found.rows] == list(range(1200))


async def test_frame_holds_the_nodes_as_they_are_now_and_the_links(stores: Stores) -> None:
    await stores.lore.append(draft(scene("s1", title="Old"), scene("s2"), fact("mara")), "t1", NOON)
    links = (Undone(change=7), Merged(entity="a", into="b"))
    await stores.lore.append(draft(scene("s1", title="New"), scene("s2", deleted=True), *links), "t2", NOON)
    await stores.lore.append(draft(fact("mara")), "t3", NOON)

    frame = await stores.lore.frame("oz")

    assert frame.head == Head(3, 2)
    assert sorted((n.id, n.title, n.deleted) for n in frame.nodes) == [("s1", "New", False), ("s2", "", True)]
    assert frame.links == (Recorded(2, 2, links[0]), Recorded(2, 3, links[1]))


@pytest.mark.parametrize(
    ("row", "moves"),
    [
        (fact("mara"), False),
        (TextSet(id="r1", scene="s1", text="x"), False),
        (Retired(entity="mara"), False),
        (scene("s1"), True),
        (Undone(change=1), True),
        (Merged(entity="a", into="b"), True),
    ],
)
async def test_only_outline_undos_and_merges_move_the_frame(stores: Stores, row: Row, moves: bool) -> None:
    await stores.lore.append(draft(scene("s0")), "t1", NOON)
    await stores.lore.append(draft(row), "t2", NOON)

    assert await stores.lore.head("oz") == Head(2, 2 if moves else 1)


async def test_texts_of_scenes_come_oldest_first(stores: Stores) -> None:
    texts = [TextSet(id=f"r{n}", scene=f"s{n % 2}", text=f"text {n}\u2028🐦") for n in range(4)]
    for number, text in enumerate(texts):
        await stores.lore.append(draft(fact("s1"), text), f"t{number}", NOON)

    assert [r.row for r in await stores.lore.texts("oz", ["s1"])] == [texts[1], texts[3]]
    assert [r.row for r in await stores.lore.texts("oz", ["s1", "s0"])] == texts


async def test_changes_are_listed_newest_first_within_bounds(stores: Stores) -> None:
    for number in range(1, 7):
        rows = (fact("mara" if number % 2 else "tom"), Merged(entity="jo", into="mara"), scene("mara"))
        await stores.lore.append(draft(*rows), f"t{number}", NOON)

    async def numbers(after: int = 0, up_to: int | None = None, limit: int | None = None) -> list[int]:
        found = await stores.lore.changes("oz", after=after, up_to=up_to, limit=limit)
        return [change.number for change in found]

    assert await numbers() == [6, 5, 4, 3, 2, 1]
    assert await numbers(after=2, up_to=4) == [4, 3]
    assert await numbers(up_to=5, limit=2) == [5, 4]
    assert await numbers(limit=0) == []
    assert [c.number for c in await stores.lore.changes("oz", entity="mara")] == [5, 3, 1]
    assert [c.number for c in await stores.lore.changes("oz", entity="jo", limit=1)] == [6]


async def test_instants_never_go_back(stores: Stores) -> None:
    """A60: every instant is UTC, whatever zone it came in; a naive one is refused."""
    zone = timezone(timedelta(hours=5))
    first = await stores.lore.append(draft(fact("mara")), "t1", LATER.astimezone(zone))
    earlier = await stores.lore.append(draft(fact("mara")), "t2", NOON)

    assert (first.at, earlier.at) == (LATER, LATER)
    assert first.at.utcoffset() == timedelta()
    with pytest.raises(ValueError, match="naive"):
        await stores.lore.append(draft(fact("mara")), "t3", datetime(2027, 1, 1))
    assert (await stores.lore.head("oz")).number == 2


async def test_number_at_an_instant_is_the_highest_up_to_it(stores: Stores) -> None:
    for number, minutes in enumerate((0, 10, 10, 20)):
        await stores.lore.append(draft(fact("mara")), f"t{number}", NOON + timedelta(minutes=minutes))

    instants = [-1, 0, 9, 10, 15, 20, 99]
    found = [await stores.lore.change_at("oz", NOON + timedelta(minutes=m)) for m in instants]

    assert found == [0, 1, 1, 3, 3, 4, 4]


async def test_rows_of_changes_hold_everything_in_order(stores: Stores) -> None:
    first = (scene("s1"), fact("mara"), TextSet(id="r1", scene="s1", text="x"), Undone(change=9))
    await stores.lore.append(draft(*first), "t1", NOON)
    await stores.lore.append(draft(fact("tom")), "t2", NOON)
    await stores.lore.append(draft(fact("jo")), "t3", NOON)

    assert await stores.lore.rows_of_changes("oz", [3, 1, 3]) == (
        *recorded(1, *first),
        *recorded(3, fact("jo")),
    )


async def test_same_token_again_gives_the_change_that_is_there(
    stores: Stores, installation: Installation
) -> None:
    """A58: the identical write again is no second one."""
    first = await stores.lore.append(draft(fact("mara"), keys=("entity/mara",)), "t1", NOON)

    reopened = await installation.start()
    again = await reopened.lore.append(draft(fact("mara"), keys=("entity/mara",)), "t1", LATER)

    assert again == first
    assert await reopened.lore.find("oz", "t1") == first
    assert await reopened.lore.find("kansas", "t1") is None
    assert (await reopened.lore.head("oz")).number == 1


async def test_same_token_twice_at_once_makes_one_change(stores: Stores) -> None:
    made = await asyncio.gather(
        *(stores.lore.append(draft(fact("mara"), keys=("entity/mara",)), "t1", NOON) for _ in range(8))
    )

    assert len(set(made)) == 1
    assert len(await stores.lore.changes("oz")) == 1


@pytest.mark.parametrize(
    ("ours", "theirs", "clash"),
    [
        ("entity/mara/detail/eyes", "entity/mara/detail/eyes", True),
        ("entity/mara", "entity/mara/detail/eyes", True),
        ("entity/mara/name", "entity/mara", True),
        ("entity/mara/detail/eyes", "entity/mara/detail/hair", False),
        ("entity/mara", "entity/mara2", False),
        ("entity/mara/detail/eyes", "entity/mara/detail/eyes2", False),
    ],
)
async def test_later_change_of_the_same_thing_is_a_conflict(
    stores: Stores,
    ours: str,
    theirs: str,
    clash: bool,
) -> None:
    await stores.lore.append(draft(fact("mara"), keys=(ours,)), "t0", NOON)
    await stores.lore.append(draft(fact("mara"), since=1, keys=(theirs,)), "t1", NOON)
    await stores.lore.append(draft(fact("tom"), since=2, keys=("entity/tom",)), "t2", NOON)
    proposal = draft(fact("mara", "f2"), since=1, keys=(ours,))

    if not clash:
        assert (await stores.lore.append(proposal, "t3", NOON)).number == 4
        return
    with pytest.raises(Conflict) as conflict:
        await stores.lore.append(proposal, "t3", NOON)

    assert conflict.value.facts == {"changes": ("2",)}
    assert (await stores.lore.head("oz")).number == 3
    assert await stores.lore.find("oz", "t3") is None
    assert len((await stores.lore.rows("oz", ["mara"])).rows) == 2


async def test_changes_of_different_things_at_once_get_consecutive_numbers(stores: Stores) -> None:
    made = await asyncio.gather(
        *(stores.lore.append(draft(fact(f"e{n}"), keys=(f"entity/e{n}",)), f"t{n}", NOON) for n in range(8))
    )

    assert sorted(change.number for change in made) == list(range(1, 9))


async def test_of_changes_of_the_same_thing_at_once_one_wins(stores: Stores) -> None:
    ended = await asyncio.gather(
        *(
            stores.lore.append(draft(fact("mara", f"f{n}"), keys=("entity/mara",)), f"t{n}", NOON)
            for n in range(6)
        ),
        return_exceptions=True,
    )

    assert sum(isinstance(end, Change) for end in ended) == 1
    assert sum(isinstance(end, Conflict) for end in ended) == 5
    assert len((await stores.lore.rows("oz", ["mara"])).rows) == 1


async def test_touched_keys_are_listed_by_number(stores: Stores) -> None:
    await stores.lore.append(draft(fact("a"), keys=("entity/a",)), "t1", NOON)
    await stores.lore.append(draft(fact("b"), keys=("entity/b", "node/ä")), "t2", NOON)
    await stores.lore.append(draft(fact("c"), keys=("entity/c",)), "t3", NOON)

    assert await stores.lore.touched("oz", since=1) == ((2, "entity/b"), (2, "node/ä"), (3, "entity/c"))
    assert await stores.lore.touched("oz", since=3) == ()


async def test_read_during_a_write_sees_one_moment(stores: Stores) -> None:
    """A58: whoever reads while a fact is replaced sees the old one or the new one, never none or both."""
    await stores.lore.append(draft(fact("mara", "f0", eyes="blue")), "t0", NOON)

    async def replace(number: int) -> None:
        rows = (Withdrawn(entity="mara", target=f"f{number - 1}"), fact("mara", f"f{number}", eyes="green"))
        await stores.lore.append(draft(*rows), f"t{number}", NOON)

    async def read() -> tuple[int, int]:
        found = await stores.lore.rows("oz", ["mara"])
        return found.head.number, len(found.rows)

    tasks = [work for number in range(1, 20) for work in (replace(number), read(), read())]
    seen = {pair for pair in await asyncio.gather(*tasks) if pair}

    assert all(rows == 2 * number - 1 for number, rows in seen)


@pytest.mark.parametrize("yields", range(8))
async def test_cancelled_append_is_there_whole_or_not_at_all(stores: Stores, yields: int) -> None:
    """A67: after a cancellation `find` tells what happened, and the next change goes on."""
    rows = (fact("mara"), scene("s1"), TextSet(id="r1", scene="s1", text="x"))
    appending = asyncio.create_task(stores.lore.append(draft(*rows), "t1", NOON))
    for _ in range(yields):
        await asyncio.sleep(0)

    appending.cancel()
    await asyncio.wait({appending})

    made = await stores.lore.find("oz", "t1")
    assert len(await stores.lore.rows_of_changes("oz", [1])) == (3 if made else 0)
    assert (await stores.lore.append(draft(fact("tom")), "t2", NOON)).number == (2 if made else 1)
