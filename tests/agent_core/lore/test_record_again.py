"""A book that is imported again, in the real store: facts keep their scenes, all can be taken back."""

import pytest

from agent_core.errors import Conflict, LoreRefusal, NothingToDo, StoryCycle
from agent_core.importing.again import plan_books
from agent_core.lore import query, record
from agent_core.lore.answers import CardLine
from agent_core.lore.model import ChangeDraft, Mode, Relation
from agent_core.lore.plan import Plan
from tests.agent_core.lore.desk import AUTHOR, Book, Desk, book
from tests.clock import NOON

SCENES = {
    "1": [
        "Mara Venn came home. Her eyes were blue.",
        "Tom sat by the kiln. Blue smoke rose.",
    ],
    "2": ["Mara rode to Vel. Her blue eyes were tired.", "The monk said nothing."],
    "3": ["Years before, the Heron burned.", "Mara Venn saw the sea."],
}


def heron(**changed: list[str]) -> Book:
    """The book as it is on the desk, with other scenes in the chapters that are given as c1, c2, c3."""
    chapters = {number: changed.get(f"c{number}", texts) for number, texts in SCENES.items()}
    return book("The Heron", {number: texts for number, texts in chapters.items() if texts})


async def again(desk: Desk, *books: Book, delete_gone: bool = False) -> Plan:
    return await plan_books(await desk.canon(), books, delete_gone=delete_gone, new_id=desk.new_id)


def told(card: CardLine) -> list[tuple[str, str | int | None]]:
    """The lines of a card in short: its code, and the place or the number that it names."""
    return [
        (one.code, one.facts.get("place", one.facts.get("n", one.facts.get("name"))))
        for one in card.warnings
        if one.code != "revised"
    ]


def counts(card: CardLine) -> list[str | int]:
    [revised] = [one for one in card.warnings if one.code == "revised"]
    return [revised.facts[name] for name in ("same", "edited", "new", "moved", "gone")]


async def titles(desk: Desk) -> list[str]:
    contents = await query.contents(await desk.canon(), bound=AUTHOR)
    return [
        scene.place.title for one in contents.books for chapter in one.chapters for scene in chapter.scenes
    ]


async def test_facts_keep_their_scenes_through_edits_inserts_and_moves(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"scar": "left cheek"}, "2.1")
    await desk.record(mara, {"coat": "grey"}, "3.2")
    before = [await desk.at("2.1"), await desk.at("3.2")]

    plan = await again(
        desk,
        heron(
            c1=[*SCENES["1"], "A storm came up over the causeway and nobody slept."],
            c2=[
                "Mara Venn saw the sea.",
                "Mara rode to Oru. Her blue eyes were tired.",
                "The monk said nothing.",
            ],
            c3=["Years before, the Heron burned."],
        ),
    )
    await desk.save(plan)

    assert counts(plan.card) == [4, 1, 1, 1, 0]
    assert told(plan.card) == [("scene_moved", "2.1"), ("scene_added", "1.3"), ("scene_edited", "2.2")]
    assert [await desk.at("2.2"), await desk.at("2.1")] == before
    state = await query.entry_state(await desk.canon(), mara, position="2.2", bound=AUTHOR)
    assert state.state == {"scar": "left cheek", "coat": "grey"}
    assert (await query.loose_ends(await desk.canon(), bound=AUTHOR)).items == ()


async def test_gone_scene_stays_with_its_facts(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"scar": "left cheek"}, "2.1")

    plan = await again(desk, heron(c2=["The monk said everything."]))
    await desk.save(plan)

    assert counts(plan.card) == [4, 1, 0, 0, 1]
    assert told(plan.card) == [("scene_gone_stays", "2.1"), ("scene_edited", "2.2")]
    assert (await query.loose_ends(await desk.canon(), bound=AUTHOR)).items == ()
    state = await query.entry_state(await desk.canon(), mara, position="2.1", bound=AUTHOR)
    assert state.state == {"scar": "left cheek"}


async def test_facts_that_would_lose_their_scene_are_named_before_all_else(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"scar": "left cheek"}, "2.1")
    await desk.record(mara, {"coat": "grey"}, "3.2")

    plan = await again(desk, heron(c2=["The monk said nothing."]), delete_gone=True)
    await desk.save(plan)

    assert told(plan.card)[:3] == [
        ("loses_scene", 1),
        ("fact_loses_scene", "Mara"),
        ("scene_gone_deleted", "2.1"),
    ]
    assert plan.card.warnings[1].facts["detail"] == "scar"
    assert (await desk.canon()).outline.is_gone(await desk.at("2.1")) is False
    assert await titles(desk) == ["Scene 1.1", "Scene 1.2", "Scene 2.1", "Scene 3.1", "Scene 3.2"]
    [lost, _] = (await query.loose_ends(await desk.canon(), bound=AUTHOR)).items
    assert (lost.kind, lost.fact and lost.fact.patch) == ("lost_from", {"scar": "left cheek"})


async def test_whole_import_is_taken_back(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"scar": "left cheek"}, "2.1")
    before = await query.contents(await desk.canon(), bound=AUTHOR)
    texts = [await desk.at(f"{c}.{s}") for c in (1, 2, 3) for s in (1, 2)]
    old = await (await desk.canon()).texts(texts)

    number = await desk.save(
        await again(
            desk,
            heron(c1=["Mara Venn saw the sea.", *SCENES["1"]], c2=["Nothing is as it was."], c3=[]),
            Book("Another", heron().chapters),
            delete_gone=True,
        )
    )
    await desk.save(await record.plan_undo(await desk.canon(), change=number))

    assert await query.contents(await desk.canon(), bound=AUTHOR) == before
    assert await (await desk.canon()).texts(texts) == old
    assert (await query.loose_ends(await desk.canon(), bound=AUTHOR)).items == ()


async def test_same_book_again_is_nothing_to_do(desk: Desk) -> None:
    with pytest.raises(NothingToDo) as nothing:
        await again(desk, heron())
    assert nothing.value.facts == {"reason": "same_book", "gone": 0}

    await desk.save(
        await again(desk, heron(c2=["The monk said nothing."], c3=["The Heron burned, years before."]))
    )
    with pytest.raises(NothingToDo) as still:
        await again(desk, heron(c2=["The monk said nothing."], c3=["The Heron burned, years before."]))
    assert still.value.facts["gone"] == 2


async def test_mode_story_place_and_title_of_a_scene_stay(desk: Desk) -> None:
    await desk.save(
        await record.plan_place(
            await desk.canon(), nodes=["3.1"], relation=Relation.BEFORE, anchor="1.1", mode=Mode.FLASHBACK
        )
    )
    scene = await desk.at("3.1")

    await desk.save(
        await again(
            desk,
            heron(c1=["Years before, the Heron burned down.", *SCENES["1"]], c3=["Mara Venn saw the sea."]),
        )
    )

    node = (await desk.canon()).outline.nodes[scene]
    assert (await desk.at("1.1"), node.mode) == (scene, Mode.FLASHBACK)
    assert node.place is not None
    assert node.place.node == await desk.at("1.2")


async def test_move_that_closes_a_story_place_on_itself_is_refused(desk: Desk) -> None:
    await desk.save(
        await record.plan_place(await desk.canon(), nodes=["3"], relation=Relation.BEFORE, anchor="2.1")
    )
    moved = heron(c2=["The monk said nothing."], c3=[*SCENES["3"], SCENES["2"][0]])

    with pytest.raises(StoryCycle):
        await again(desk, moved)


async def test_new_and_known_books_come_as_one_edit(desk: Desk) -> None:
    plan = await again(
        desk,
        heron(c1=[*SCENES["1"], "A new scene about somebody else altogether."]),
        Book("Ashes", heron().chapters),
    )
    await desk.save(plan)

    assert plan.card.facts == {"books": 1, "chapters": 3, "scenes": 6, "words": 39}
    assert counts(plan.card) == [6, 0, 1, 0, 0]
    assert [node.title for node in (await desk.canon()).outline.books()] == ["The Heron", "Ashes"]


async def test_two_files_of_the_same_book_are_refused(desk: Desk) -> None:
    with pytest.raises(LoreRefusal) as refused:
        await again(desk, heron(), heron())
    assert refused.value.facts["reason"] == "book_exists"


async def test_later_edit_of_a_scene_is_in_the_way(desk: Desk) -> None:
    """A proposal that was made before somebody edited the same scene doesn't go through."""
    canon = await desk.canon()
    plan = await again(desk, heron(c1=["Mara Venn came home late. Her eyes were blue.", SCENES["1"][1]]))
    scene = await record.plan_scene(
        canon, chapter="1", number=1, title="", text="Somebody else wrote this.", new_id=desk.new_id
    )
    await desk.save(scene)
    draft = ChangeDraft(
        series=desk.series.id,
        rows=plan.rows,
        since=canon.head,
        keys=plan.keys,
        proposed_by="a",
        approved_by="a",
    )

    with pytest.raises(Conflict):
        await desk.store.append(draft, "late", NOON)
