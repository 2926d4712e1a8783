"""Planning scenes and whole manuscripts."""

import pytest

from agent_core.errors import LoreRefusal, NothingToDo, StoryCycle, UnknownPosition, UnknownScene
from agent_core.lore import conflict, query, record
from agent_core.lore.answers import KeyChange, Warn
from agent_core.lore.model import Mode, OutlineEdited, Relation, TextSet
from agent_core.lore.plan import Plan
from tests.agent_core.lore.conftest import HERON
from tests.agent_core.lore.desk import AUTHOR, Desk, book

OLD = "Mara Venn came home. Her eyes were blue."


async def _plan(
    desk: Desk,
    chapter: str,
    number: int,
    text: str = "New.",
    title: str = "",
    *,
    mode: Mode | None = None,
    relation: Relation | None = None,
    **given: str,
) -> Plan:
    return await record.plan_scene(
        await desk.canon(),
        chapter=chapter,
        number=number,
        title=title,
        text=text,
        mode=mode,
        relation=relation,
        new_id=desk.new_id,
        **given,
    )


async def _texts(desk: Desk, chapter: str) -> list[str]:
    answer = await query.chapter_scenes(await desk.canon(), chapter, bound=AUTHOR, max_chars=10_000)
    return [scene.text for scene in answer.scenes]


async def test_existing_number_gets_a_new_revision(desk: Desk) -> None:
    plan = await _plan(desk, "1", 1)
    scene = await desk.at("1.1")
    (row,) = plan.rows
    assert isinstance(row, TextSet)
    assert (row.scene, plan.resolved["sceneId"]) == (scene, scene)
    assert (plan.card.kind, plan.card.before_text, plan.card.after_text) == ("scene_edit", OLD, "New.")
    assert (plan.card.title, plan.card.facts["words"]) == ("Scene 1.1", 1)
    await desk.save(plan)
    assert (await _texts(desk, "1"))[0] == "New."


async def test_next_number_adds_a_scene_whose_id_is_fixed(desk: Desk) -> None:
    plan = await _plan(desk, "1", 3, title="After")
    assert plan.card.kind == "scene_new"
    assert plan.card.at is not None
    assert (plan.card.at.label, plan.card.at.id) == ("1.3", plan.resolved["sceneId"])
    again = await _plan(
        desk, str(plan.resolved["chapterId"]), 3, title="After", scene=str(plan.resolved["sceneId"])
    )
    assert again.rows[0] == plan.rows[0]
    await desk.save(again)
    assert (await _texts(desk, "1"))[-1] == "New."
    later = await _plan(desk, "1", 3, "Newer.", scene=str(plan.resolved["sceneId"]))
    assert later.card.kind == "scene_edit"


@pytest.mark.parametrize("number", [0, 4, 99])
async def test_number_that_leaves_a_gap_is_refused(desk: Desk, number: int) -> None:
    with pytest.raises(UnknownScene) as refused:
        await _plan(desk, "1", number)
    assert refused.value.facts == {"scene": f"1.{number}", "reason": "gap"}


async def test_after_always_inserts_whatever_the_number(desk: Desk) -> None:
    plan = await _plan(desk, "1", 1, "Between.", after="1.1")
    assert plan.card.at is not None
    assert plan.card.at.label == "1.2"
    again = await _plan(
        desk,
        "1",
        1,
        "Between.",
        after=str(plan.resolved["afterSceneId"]),
        scene=str(plan.resolved["sceneId"]),
    )
    assert again.resolved == plan.resolved
    await desk.save(again)
    assert [text.split()[0] for text in await _texts(desk, "1")] == ["Mara", "Between.", "Tom"]
    with pytest.raises(UnknownScene) as refused:
        await _plan(desk, "1", 1, after="2.1")
    assert refused.value.facts["reason"] == "other_chapter"


@pytest.mark.parametrize("written", ["4", "b1:4", "chapter 4", "Kapitel 4"])
async def test_chapter_one_past_the_last_is_made_with_its_scene(desk: Desk, written: str) -> None:
    plan = await _plan(desk, written, 1)
    assert Warn(code="chapter_created", facts={"place": "4"}) in plan.card.warnings
    assert (plan.resolved["chapterId"], plan.card.at and plan.card.at.label) == ("b1:4", "4.1")
    again = await _plan(
        desk, "b1:4", 1, scene=str(plan.resolved["sceneId"]), new_chapter=str(plan.resolved["newChapterId"])
    )
    assert again.resolved == plan.resolved
    await desk.save(again)
    assert await _texts(desk, "4") == ["New."]


async def test_later_line_goes_on_in_the_chapter_that_an_earlier_one_makes(desk: Desk) -> None:
    canon = await desk.canon()
    plans = []
    for number in (1, 2):
        plan = await record.plan_scene(
            canon, chapter="4", number=number, title="", text=f"{number}.", new_id=desk.new_id
        )
        canon.stage(plan.rows)
        plans.append(plan)
    await desk.save(*plans)
    assert await _texts(desk, "4") == ["1.", "2."]


async def test_chapter_further_on_or_that_is_none_is_refused(desk: Desk) -> None:
    for written in ("5", "b2:1", "b1", "nowhere"):
        with pytest.raises(UnknownPosition):
            await _plan(desk, written, 1)
    with pytest.raises(UnknownScene):
        await _plan(desk, "4", 2)


async def test_same_text_is_nothing_to_do_but_a_new_title_is(desk: Desk) -> None:
    with pytest.raises(NothingToDo) as refused:
        await _plan(desk, "1", 1, OLD)
    assert refused.value.facts["reason"] == "same_text"
    plan = await _plan(desk, "1", 1, OLD, "Home")
    assert plan.card.changes == (KeyChange(key="title", before="Scene 1.1", after="Home"),)
    assert len(plan.rows) == 1


async def test_flashback_is_placed_or_pointed_out(desk: Desk) -> None:
    undated = await _plan(desk, "3", 3, mode=Mode.FLASHBACK)
    assert Warn(code="undated", facts={"place": "3.3"}) in undated.card.warnings
    placed = await _plan(desk, "3", 3, mode=Mode.FLASHBACK, relation=Relation.BEFORE, anchor="1.1")
    assert placed.card.warnings == ()
    await desk.save(placed)
    moved = await _plan(desk, "3", 3, "New.", relation=Relation.AFTER, anchor="2.1")
    assert moved.resolved["relation"] == "after"
    with pytest.raises(StoryCycle):
        await _plan(desk, "3", 3, "New.", relation=Relation.AFTER, anchor="3.3")


async def test_enormous_text_is_refused_with_its_size(desk: Desk) -> None:
    with pytest.raises(LoreRefusal) as refused:
        await _plan(desk, "1", 1, "a" * 40_000_000)
    assert refused.value.facts["reason"] == "text_too_long"
    assert refused.value.facts["chars"] == 40_000_000
    longest = await _plan(desk, "1", 1, "a" * record.MAX_SCENE_CHARS)
    assert len(longest.rows) == 1


@pytest.mark.parametrize("nothing", ["", " \n"])
async def test_scene_does_not_lose_its_text_to_an_empty_one(desk: Desk, nothing: str) -> None:
    """A model that only means to give a title leaves the text out."""
    with pytest.raises(LoreRefusal) as refused:
        await _plan(desk, "1", 1, nothing, title="Home")
    assert refused.value.facts == {"reason": "text_missing", "scene": "1.1"}
    assert len((await _plan(desk, "1", 3, nothing)).rows) >= 1


async def test_text_and_new_scene_touch_what_they_change(desk: Desk) -> None:
    text, other = await _plan(desk, "1", 1), await _plan(desk, "1", 2)
    new, also_new = await _plan(desk, "1", 3), await _plan(desk, "1", 3)
    assert not conflict.overlap(text.keys, other.keys)
    assert conflict.overlap(text.keys, (await _plan(desk, "1", 1, "Other.")).keys)
    assert conflict.overlap(new.keys, also_new.keys)
    assert not conflict.overlap(text.keys, new.keys)


async def test_manuscripts_become_the_next_books_of_the_series_in_one_change(desk: Desk) -> None:
    plan = await record.plan_manuscript(
        await desk.canon(),
        books=[book("The Kiln", {"1": ["One two.", ""]}), book("The Sea", {"1": ["Three."], "2": []})],
        new_id=desk.new_id,
    )
    assert plan.card.title == "The Kiln, The Sea"
    assert plan.card.facts == {"books": 2, "chapters": 3, "scenes": 3, "words": 3}
    assert [type(row) for row in plan.rows].count(TextSet) == 2
    await desk.save(plan)
    contents = await query.contents(await desk.canon(), bound=AUTHOR)
    assert [(b.place.label, b.place.title) for b in contents.books] == [
        ("b1", "The Heron"),
        ("b2", "The Kiln"),
        ("b3", "The Sea"),
    ]
    assert await _texts(desk, "b2:1") == ["One two.", ""]


async def test_book_that_is_there_is_refused_and_so_is_one_twice(desk: Desk) -> None:
    for books in ([book("THE HERON", {"1": ["x"]})], [book("Kiln", {}), book("kiln", {})]):
        with pytest.raises(LoreRefusal) as refused:
            await record.plan_manuscript(await desk.canon(), books=books, new_id=desk.new_id)
        assert refused.value.facts["reason"] == "book_exists"


async def test_import_is_taken_back_whole(desk: Desk) -> None:
    plan = await record.plan_undo(await desk.canon(), change=1)
    assert {row.after.deleted for row in plan.rows if isinstance(row, OutlineEdited)} == {True}
    await desk.save(plan)
    assert (await query.contents(await desk.canon(), bound=AUTHOR)).books == ()
    await desk.write(HERON)
    assert len((await query.contents(await desk.canon(), bound=AUTHOR)).books) == 1
