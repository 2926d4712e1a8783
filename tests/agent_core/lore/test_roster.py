"""Entries are listed by name, for the reader who asks, and a page at a time."""

from agent_core.lore.canon import Canon
from agent_core.lore.model import (
    NOT_REVEALED,
    START,
    Bound,
    Created,
    EntityType,
    Merged,
    Named,
    Nothing,
    Retired,
)
from agent_core.lore.query import entry_list
from tests.agent_core.lore.desk import AUTHOR, Desk

ROOM = 80_000


async def names(canon: Canon, bound: Bound = AUTHOR, kind: EntityType | None = None) -> list[str]:
    listed = await entry_list(canon, kind, bound=bound, max_chars=ROOM)
    assert listed.more == 0
    return [entry.name for entry in listed.entries]


async def test_entries_stand_in_the_order_of_their_names_whatever_the_case_or_accent(desk: Desk) -> None:
    for name in ("zoe", "Émile", "Adam", "eve"):
        await desk.known_from_start(name)

    assert await names(await desk.canon()) == ["Adam", "Émile", "eve", "zoe"]


async def test_only_entries_of_one_kind_are_listed_where_it_is_given(desk: Desk) -> None:
    await desk.known_from_start("Mara")
    await desk.append([Created(entity="v", type=EntityType.LOCATION, told=START), named("v", "Vel")])

    assert await names(await desk.canon(), kind=EntityType.LOCATION) == ["Vel"]
    assert await names(await desk.canon(), kind=EntityType.RULE) == []


async def test_reader_sees_no_entry_and_no_name_that_is_told_later(desk: Desk) -> None:
    tip = await desk.known_from_start("Tip")
    hidden = Created(entity="x", type=EntityType.OBJECT, told=NOT_REVEALED)
    ozma = Named(id="n2", entity=tip, name="Ozma", told=NOT_REVEALED)
    await desk.append([hidden, named("x", "Heronstone"), ozma])
    reader = await desk.reader("1.1")

    assert await names(await desk.canon()) == ["Heronstone", "Ozma"]
    assert await names(await desk.canon(), reader) == ["Tip"]
    assert await names(await desk.canon(), Nothing()) == []


async def test_merged_and_retired_entries_are_not_listed_and_the_merged_name_is_an_alias(desk: Desk) -> None:
    mara, fox = await desk.known_from_start("Mara"), await desk.known_from_start("The Fox")
    gone = await desk.known_from_start("Tom")
    await desk.append([Merged(entity=fox, into=mara), Retired(entity=gone)])

    listed = await entry_list(await desk.canon(), bound=AUTHOR, max_chars=ROOM)

    assert [(entry.name, entry.aliases) for entry in listed.entries] == [("Mara", ("The Fox",))]


async def test_list_follows_each_edit(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    before = await desk.canon()
    assert await names(before) == ["Mara"]
    await desk.append([Named(id="n2", entity=mara, name="Ozma", told=START)])

    assert await names(await desk.canon()) == ["Ozma"]
    assert await names(before) == ["Mara"]


async def test_staged_entries_are_listed_too(desk: Desk) -> None:
    canon = await desk.canon()
    canon.stage([Created(entity="i", type=EntityType.CHARACTER, told=START), named("i", "Isolde")])

    assert await names(canon) == ["Isolde"]


async def test_pages_that_are_cut_to_their_room_hold_each_entry_once(desk: Desk) -> None:
    for number in range(9):
        await desk.known_from_start(f"Mara {number}")
    canon, found, offset = await desk.canon(), list[str](), 0

    while True:
        page = await entry_list(canon, offset=offset, bound=AUTHOR, max_chars=400)
        found += [entry.name for entry in page.entries]
        assert len(page.model_dump_json(by_alias=True)) < 500
        assert page.more == 9 - len(found)
        if page.next_offset is None:
            break
        offset = page.next_offset

    assert found == [f"Mara {number}" for number in range(9)]


async def test_page_holds_one_entry_however_little_room_there_is(desk: Desk) -> None:
    await desk.known_from_start("Mara")
    await desk.known_from_start("Tom")

    page = await entry_list(await desk.canon(), bound=AUTHOR, max_chars=1)

    assert ([entry.name for entry in page.entries], page.more, page.next_offset) == (["Mara"], 1, 1)


async def test_offset_behind_the_last_entry_gives_none(desk: Desk) -> None:
    await desk.known_from_start("Mara")

    page = await entry_list(await desk.canon(), offset=5, bound=AUTHOR, max_chars=ROOM)

    assert (page.entries, page.more, page.next_offset) == ((), 0, None)


def named(entity: str, name: str) -> Named:
    told = NOT_REVEALED if entity == "x" else START
    return Named(id=f"name of {entity}", entity=entity, name=name, told=told)
