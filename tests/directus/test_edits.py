"""What people edit in Directus itself becomes an edit of the canon: nothing is lost, hidden or doubled."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from agent_core.clock import new_id
from agent_core.lore.canon import Canon
from agent_core.lore.frames import FrameCache
from agent_core.lore.model import (
    NOT_REVEALED,
    START,
    Asserted,
    Author,
    Created,
    EntityType,
    Named,
    Node,
    NodeKind,
    OutlineEdited,
    Retired,
    Row,
    Series,
    TextSet,
    Undone,
)
from agent_core.messages import Json
from agent_core.stores.directus.following import BY, SUMMARY
from agent_core.stores.directus.layout import ENTITIES
from agent_core.stores.directus.posting import post_change
from agent_core.stores.directus.showing import Showing
from agent_core.stores.directus.shown import Unfit, Wanted
from agent_core.stores.directus.tail import Watched, read_tail
from agent_core.stores.sql.changes import FullChange
from tests.clock import NOON
from tests.contracts.lore_rows import draft
from tests.directus.fixtures import desk, empty_directus, laid_out_directus
from tests.directus.place import Desk, open_desk
from tests.directus.relay import Loss, relayed

__all__ = ["desk", "empty_directus", "laid_out_directus"]
pytestmark = [pytest.mark.directus, pytest.mark.timeout(120)]

SERIES = Series(id=new_id(), name="Oz", owner="p1")
SHOWING = b"PATCH /items/lore_entities"
BOOK, CHAPTER, OTHER, S1, S2, S3, MARA = (new_id() for _ in range(7))


def node(id_: str, kind: NodeKind, parent: str | None, rank: str, title: str = "") -> OutlineEdited:
    return OutlineEdited(after=Node(id=id_, kind=kind, parent=parent, rank=rank, title=title))


FIRST: tuple[Row, ...] = (
    node(BOOK, NodeKind.BOOK, None, "V", "The Heron"),
    node(CHAPTER, NodeKind.CHAPTER, BOOK, "V", "Salt"),
    node(OTHER, NodeKind.CHAPTER, BOOK, "W", "Tar"),
    node(S1, NodeKind.SCENE, CHAPTER, "V", "Quay"),
    node(S2, NodeKind.SCENE, CHAPTER, "W", "Dusk"),
    node(S3, NodeKind.SCENE, CHAPTER, "X", "Night"),
    TextSet(id=new_id(), scene=S1, text="Mara waits."),
    Created(entity=MARA, type=EntityType.CHARACTER, told=START),
    Named(id=new_id(), entity=MARA, name="Mara", told=START),
    Named(id=new_id(), entity=MARA, name="Heron", told=START, alias=True),
    Asserted(id=new_id(), entity=MARA, patch={"eyes": "green", "age": 41}, told=START, static=True),
)


@dataclass(frozen=True)
class People:
    """Who edits in Directus."""

    client: httpx.AsyncClient

    async def edit(self, collection: str, id_: str, **values: Json) -> None:
        answer = await self.client.patch(f"/items/{collection}/{id_}", json=values)
        assert answer.status_code == 200, answer.text

    async def add(self, collection: str, **values: Json) -> str:
        answer = await self.client.post(f"/items/{collection}", json={"series": SERIES.id, **values})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["data"]["id"])

    async def see(self, collection: str, id_: str) -> Mapping[str, Json]:
        answer = await self.client.get(f"/items/{collection}/{id_}")
        found: Mapping[str, Json] = answer.json()["data"]
        return found


@pytest.fixture
def people(administrator: httpx.AsyncClient) -> People:
    return People(administrator)


@pytest.fixture
async def begun(desk: Desk) -> Desk:
    """A series with a book, two chapters, three scenes of the first, and Mara: its edit no. 1."""
    await desk.series.add_series(SERIES)
    await desk.lore.append(draft(*FIRST, series=SERIES.id), "t1", NOON)
    return desk


@pytest.fixture
async def renamed_unseen(begun: Desk) -> None:
    """Mara has another name by edit no. 2, which a crash left before anybody was shown it."""
    [last] = await begun.lore.changes(SERIES.id)
    named = Named(id=new_id(), entity=MARA, name="Mara Voss", told=START)
    await post_change(begun.client, FullChange(replace(last, number=2), "crashed", (named,), ()))


async def canon_of(desk: Desk) -> Canon:
    return await Canon.open(desk.lore, desk.index, SERIES, FrameCache())


async def test_what_we_show_is_no_edit_of_people(begun: Desk, people: People) -> None:
    await begun.lore.append(draft(Undone(change=1), series=SERIES.id, since=1), "t2", NOON)

    for _ in range(2):
        assert (await begun.lore.head(SERIES.id)).number == 2
    assert await begun.lore.unfit(SERIES.id) == ()
    assert (await begun.lore.head(SERIES.id)).number == 2
    assert (await people.see("scenes", S1))["title"] == "Quay"
    assert (await people.see("lore_entities", MARA))["deleted"] is True


async def test_names_traits_and_texts_that_people_edit_are_adopted_as_an_edit(
    begun: Desk, people: People
) -> None:
    await people.edit(
        "lore_entities", MARA, name="Mara Voss", aliases=["Salt Heron"], traits={"eyes": "blue", "age": 41}
    )
    await people.edit("scenes", S1, text="Mara waited.", title="Pier")
    await people.edit("chapters", CHAPTER, title="Brine")

    canon = await canon_of(begun)

    entry = await canon.entry(MARA, bound=Author())
    assert entry is not None
    assert (entry.name, [name.name for name in entry.names]) == ("Mara Voss", ["Mara Voss", "Salt Heron"])
    assert {key: value for fact in entry.facts for key, value in fact.patch.items()} == {
        "eyes": "blue",
        "age": 41,
    }
    assert [name.told for name in entry.names] == [START, NOT_REVEALED]
    assert (await canon.texts([S1]))[S1].text == "Mara waited."
    assert [canon.outline.nodes[one].title for one in (S1, CHAPTER)] == ["Pier", "Brine"]
    [change, _] = await begun.lore.changes(SERIES.id)
    assert (change.number, change.proposed_by, change.summary) == (2, BY, SUMMARY)
    assert (await begun.lore.head(SERIES.id)).number == 2


async def test_edit_of_people_is_adopted_before_the_next_change_and_neither_is_lost(
    begun: Desk, people: People
) -> None:
    await people.edit("scenes", S1, text="Mara waited.")

    change = await begun.lore.append(
        draft(
            OutlineEdited(after=replace(node_of(S1), title="Pier"), before=node_of(S1)),
            series=SERIES.id,
            since=1,
        ),
        "t2",
        NOON,
    )

    assert change.number == 3
    canon = await canon_of(begun)
    assert (await canon.texts([S1]))[S1].text == "Mara waited."
    shown = await people.see("scenes", S1)
    assert (shown["text"], shown["title"]) == ("Mara waited.", "Pier")
    assert (await begun.lore.head(SERIES.id)).number == 3


async def test_two_processes_adopt_an_edit_once(
    begun: Desk, empty_directus: str, people: People, tmp_path: Path
) -> None:
    async with open_desk(empty_directus, tmp_path / "other.db") as other:
        await other.series.all_series()
        await other.lore.head(SERIES.id)
        await people.edit("lore_entities", MARA, name="Mara Voss")

        heads = await asyncio.gather(begun.lore.head(SERIES.id), other.lore.head(SERIES.id))
        again = await asyncio.gather(begun.lore.head(SERIES.id), other.lore.head(SERIES.id))

    assert max(head.number for head in heads) == 2
    assert {head.number for head in again} == {2}


async def test_the_same_edit_made_twice_with_another_between_is_adopted_each_time(
    begun: Desk, people: People
) -> None:
    for number, name in enumerate(("Kit", "Mara", "Kit"), 2):
        await people.edit("lore_entities", MARA, name=name)
        assert (await begun.lore.head(SERIES.id)).number == number

    entry = await (await canon_of(begun)).entry(MARA, bound=Author())
    assert entry is not None
    assert entry.name == "Kit"


async def test_order_that_people_change_without_a_trace_is_adopted_before_the_next_change(
    begun: Desk, people: People
) -> None:
    moved = await people.client.post("/utils/sort/scenes", json={"item": S3, "to": S1})
    assert moved.status_code in {200, 204}, moved.text

    await begun.lore.append(draft(Retired(entity=MARA), series=SERIES.id, since=1), "t2", NOON)

    canon = await canon_of(begun)
    assert [one.id for one in canon.outline.children(CHAPTER)] == [S3, S1, S2]
    assert [(await people.see("scenes", one))["sort"] for one in (S3, S1, S2)] == [1, 2, 3]
    assert (await begun.lore.head(SERIES.id)).number == 3


async def test_scene_that_people_move_to_another_chapter_is_moved(begun: Desk, people: People) -> None:
    await people.edit("scenes", S2, chapter=OTHER)

    canon = await canon_of(begun)

    assert [one.id for one in canon.outline.children(CHAPTER)] == [S1, S3]
    assert [one.id for one in canon.outline.children(OTHER)] == [S2]
    await begun.lore.append(draft(Retired(entity=MARA), series=SERIES.id, since=2), "t2", NOON)
    assert (await people.see("scenes", S3))["sort"] == 2


async def test_rows_that_people_add_are_new_scenes_and_entries(begun: Desk, people: People) -> None:
    scene = await people.add("scenes", chapter=OTHER, title="Dawn", text="Gulls.")
    tom = await people.add("lore_entities", name="Tom", type="character", traits={"job": "smith"})

    canon = await canon_of(begun)

    assert canon.outline.nodes[scene].title == "Dawn"
    assert (await canon.texts([scene]))[scene].text == "Gulls."
    entry = await canon.entry(tom, bound=Author())
    assert entry is not None
    assert (entry.name, entry.told, entry.facts[0].patch) == ("Tom", NOT_REVEALED, {"job": "smith"})
    assert (await begun.lore.head(SERIES.id)).number == 2


async def test_entry_that_people_mark_as_deleted_leaves_the_canon(begun: Desk, people: People) -> None:
    await people.edit("lore_entities", MARA, deleted=True)

    assert await (await canon_of(begun)).entry(MARA, bound=Author()) is None


async def test_value_that_does_not_fit_stays_and_is_told_of_and_the_rest_is_adopted(
    begun: Desk, people: People
) -> None:
    await people.edit("lore_entities", MARA, name="  ", traits={"eyes": "blue"})
    await people.edit("scenes", S1, mode="dream", title="Pier")

    assert (await begun.lore.head(SERIES.id)).number == 2

    assert await begun.lore.unfit(SERIES.id) == (
        Unfit("lore_entities", MARA, "name"),
        Unfit("scenes", S1, "mode"),
    )
    canon = await canon_of(begun)
    entry = await canon.entry(MARA, bound=Author())
    assert entry is not None
    assert (entry.name, canon.outline.nodes[S1].title) == ("Mara", "Pier")
    assert ((await people.see("lore_entities", MARA))["name"], (await people.see("scenes", S1))["mode"]) == (
        "  ",
        "dream",
    )
    await people.edit("lore_entities", MARA, name="Mara Voss")
    await people.edit("scenes", S1, mode="flashback")
    assert (await begun.lore.head(SERIES.id)).number == 3
    assert await begun.lore.unfit(SERIES.id) == ()


async def test_change_that_a_crash_left_unshown_is_shown_by_the_next_process(
    renamed_unseen: None, begun: Desk, empty_directus: str, people: People, tmp_path: Path
) -> None:
    async with open_desk(empty_directus, tmp_path / "next.db") as after:
        assert (await after.lore.head(SERIES.id)).number == 2

    assert (await people.see("lore_entities", MARA))["name"] == "Mara Voss"
    assert (await begun.lore.head(SERIES.id)).number == 2


async def test_change_that_could_not_be_shown_is_shown_when_the_canon_is_asked_again(
    renamed_unseen: None, empty_directus: str, people: People, tmp_path: Path
) -> None:
    async with relayed(empty_directus) as relay, open_desk(relay.url, tmp_path / "next.db") as after:
        relay.of, relay.loss, relay.later = SHOWING, Loss.REQUEST, timedelta(hours=1)
        heads = [await after.lore.head(SERIES.id)]
        hidden = await people.see("lore_entities", MARA)
        heads.append(await after.lore.head(SERIES.id))

    assert (relay.losses, [head.number for head in heads]) == (1, [2, 2])
    assert (hidden["name"], (await people.see("lore_entities", MARA))["name"]) == ("Mara", "Mara Voss")


async def test_row_that_somebody_deletes_while_we_show_it_comes_back_when_the_canon_is_asked_again(
    renamed_unseen: None, empty_directus: str, people: People, tmp_path: Path
) -> None:
    gone: list[int] = []

    async def delete() -> None:
        gone.append((await people.client.delete(f"/items/lore_entities/{MARA}")).status_code)

    async with relayed(empty_directus) as relay, open_desk(relay.url, tmp_path / "next.db") as after:
        relay.of, relay.meanwhile = SHOWING, delete
        for _ in range(2):
            assert (await after.lore.head(SERIES.id)).number == 2

    assert gone == [204]
    assert (await people.see("lore_entities", MARA))["name"] == "Mara Voss"


async def test_row_that_somebody_edits_while_we_show_it_is_left_to_them(begun: Desk, people: People) -> None:
    page = await read_tail(begun.client, SERIES.id, 1, Watched(ids=[MARA]))
    assert page is not None
    [row] = page.rows
    await people.edit("lore_entities", MARA, name="Mara Voss")
    wanted: Mapping[str, Json] = {"name": "Mara", "traits": {"eyes": "grey"}}

    shown = await Showing(begun.client).show(SERIES.id, [Wanted(ENTITIES, MARA, MARA, wanted)], {MARA: row})

    assert not shown
    there = await people.see("lore_entities", MARA)
    assert (there["name"], there["traits"]) == ("Mara Voss", {"eyes": "green", "age": 41})


async def test_series_that_people_rename_has_its_new_name(begun: Desk, people: People) -> None:
    await people.edit("series", SERIES.id, name="The Land of Oz")

    await begun.lore.head(SERIES.id)

    found = await begun.series.series(SERIES.id)
    assert found is not None
    assert found.name == "The Land of Oz"


def node_of(id_: str) -> Node:
    return next(row.after for row in FIRST if isinstance(row, OutlineEdited) and row.after.id == id_)
