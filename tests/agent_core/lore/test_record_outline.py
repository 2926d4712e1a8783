"""Planning where scenes stand, in the story and in the reading, and taking edits back."""

import pytest

from agent_core.errors import NothingToDo, PlaceGone, StoryCycle, UnknownChange, UnknownPosition
from agent_core.lore import conflict, query, record
from agent_core.lore.answers import KeyChange
from agent_core.lore.lens import Lens
from agent_core.lore.model import EntityType, Mode, OutlineEdited, Relation, StoryPlace, TextSet, Undone
from agent_core.lore.plan import Plan
from agent_core.lore.record import Update
from tests.agent_core.lore.desk import AUTHOR, Desk


async def _place(desk: Desk, *nodes: str, relation: Relation | None = None, mode: Mode | None = None,
                 delete: bool = False, unplace: bool = False, **given: str) -> Plan:  # fmt: skip
    return await record.plan_place(
        await desk.canon(), nodes=nodes, relation=relation, mode=mode, delete=delete, unplace=unplace, **given
    )


async def _undo(desk: Desk, change: int) -> Plan:
    return await record.plan_undo(await desk.canon(), change=change)


async def _story(desk: Desk) -> list[str]:
    outline = (await desk.canon()).outline
    scenes = outline.scenes_of(await desk.at("b1"))
    return [outline.label(s.id) for s in sorted(scenes, key=lambda scene: outline.story[scene.id])]


async def _titles(desk: Desk) -> list[str]:
    return [s.title[-3:] for s in (await desk.canon()).outline.scenes_of(await desk.at("b1"))]


def _warned(plan: Plan) -> list[tuple[object, ...]]:
    return [(warn.code, *warn.facts.values()) for warn in plan.card.warnings]


async def test_scene_is_placed_in_the_story_and_the_card_says_between_what(desk: Desk) -> None:
    plan = await _place(desk, "3.1", relation=Relation.BEFORE, anchor="1.2", mode=Mode.FLASHBACK)
    assert (plan.card.kind, plan.card.relation, plan.card.facts["anchor"]) == (
        "place",
        Relation.BEFORE,
        "1.2",
    )
    assert (plan.card.facts["earlier"], plan.card.facts["later"]) == ("1.1", "1.2")
    assert plan.card.facts["mode"] == "flashback"
    await desk.save(plan)
    assert await _story(desk) == ["1.1", "3.1", "1.2", "2.1", "2.2", "3.2"]
    await desk.save(await _place(desk, "3.1", unplace=True, mode=Mode.LINEAR))
    assert await _story(desk) == ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2"]


async def test_run_of_scenes_is_placed_as_a_chain(desk: Desk) -> None:
    plan = await _place(desk, "3.1", "3.2", relation=Relation.BEFORE, anchor="2.1")
    first, second = [row.after.place for row in plan.rows if isinstance(row, OutlineEdited)]
    assert first == StoryPlace(Relation.BEFORE, await desk.at("2.1"))
    assert second == StoryPlace(Relation.AFTER, await desk.at("3.1"))
    await desk.save(plan)
    assert await _story(desk) == ["1.1", "1.2", "3.1", "3.2", "2.1", "2.2"]


async def test_place_that_closes_a_circle_is_refused(desk: Desk) -> None:
    await desk.save(await _place(desk, "3.1", relation=Relation.BEFORE, anchor="1.1"))
    with pytest.raises(StoryCycle):
        await _place(desk, "1.1", relation=Relation.AFTER, anchor="3.1")
    with pytest.raises(UnknownPosition):
        await _place(desk, "1.1", relation=Relation.AFTER, anchor="9")


async def test_book_goes_into_nothing(desk: Desk) -> None:
    for beside in ("1", "1.1"):
        with pytest.raises(UnknownPosition):
            await _place(desk, "b1", move_after=beside)


async def test_scene_moves_in_the_reading_order(desk: Desk) -> None:
    await desk.save(await _place(desk, "2.1", move_after="1.1"))
    assert await _titles(desk) == ["1.1", "2.1", "1.2", "2.2", "3.1", "3.2"]
    first = await _place(desk, "3.2", move_after="start")
    assert first.card.kind == "move"
    await desk.save(first)
    assert await _titles(desk) == ["1.1", "2.1", "1.2", "2.2", "3.2", "3.1"]
    await desk.save(await _place(desk, "1.1", move_after="3"))
    assert await _titles(desk) == ["2.1", "1.2", "2.2", "3.2", "3.1", "1.1"]
    for same in ("start", "2.1"):
        with pytest.raises(NothingToDo):
            await _place(desk, "2.1", move_after=same)


async def test_deleting_counts_the_text_and_the_facts_that_lose_their_scene(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"scar": "cheek"}, "2.1")
    await desk.record(mara, {"mask": True}, "1.1", until="2.2", told="start")
    plan = await _place(desk, "2", delete=True)
    assert (plan.card.kind, plan.card.at and plan.card.at.label, plan.card.facts["scenes"]) == (
        "delete",
        "2",
        2,
    )
    assert _warned(plan) == [
        ("text_goes", 2, 13),
        ("loses_scene", 2),
        ("fact_loses_scene", "Mara", "scar"),
        ("fact_loses_scene", "Mara", "mask"),
    ]
    number = await desk.save(plan)
    answer = await query.entry_state(await desk.canon(), mara, position="3.2", bound=AUTHOR)
    assert answer.state == {"mask": True}
    await desk.save(await _undo(desk, number))
    restored = await query.entry_state(await desk.canon(), mara, position="3.2", bound=AUTHOR)
    assert restored.state == {"scar": "cheek"}


async def test_deleting_a_chapter_touches_what_names_its_scenes(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    deletion = await _place(desk, "2", delete=True)
    retitle = await _place(desk, "2", title="Away")
    fact = await record.plan_record(
        await desk.canon(), entity=mara, patch={"scar": "cheek"}, chapter="2.1", new_id=desk.new_id
    )
    text = await record.plan_scene(
        await desk.canon(), chapter="2", number=2, title="", text="New.", new_id=desk.new_id
    )
    for plan in (fact, text):
        assert conflict.overlap(plan.keys, deletion.keys)
        assert not conflict.overlap(plan.keys, retitle.keys)


async def test_placing_that_turns_an_interval_round_is_pointed_out(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"mask": True}, "2.1", until="3.1")
    plan = await _place(desk, "3.1", relation=Relation.BEFORE, anchor="1.1")
    assert ("ends_too_early", 1) in _warned(plan)


async def test_title_and_mode_are_set_and_the_same_again_is_nothing_to_do(desk: Desk) -> None:
    plan = await _place(desk, "1.1", title="Home", mode=Mode.FLASHFORWARD)
    assert plan.card.changes == (KeyChange(key="title", before="Scene 1.1", after="Home"),)
    await desk.save(plan)
    with pytest.raises(NothingToDo):
        await _place(desk, "1.1", title="Home", mode=Mode.FLASHFORWARD)
    with pytest.raises(NothingToDo):
        await _place(desk, "1.1")
    assert ("undated", "2.1") in _warned(await _place(desk, "2.1", mode=Mode.FLASHBACK))


async def test_resolved_place_plans_the_same_again(desk: Desk) -> None:
    plan = await _place(
        desk, "3.1", relation=Relation.BEFORE, anchor="here", here=await desk.at("1.2"), move_after="1.1"
    )
    given = plan.resolved
    again = await _place(
        desk, str(given["sceneId"]), relation=Relation(str(given["relation"])), anchor=str(given["node"]),
        move_after=str(given["moveAfter"]),
    )  # fmt: skip
    assert (again.rows, again.resolved) == (plan.rows, given)


async def test_undo_and_redo_restore_state_text_and_outline(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"eyes": "blue"}, "1.1")
    retcon = await desk.save(
        await record.plan_retcon(
            await desk.canon(), entity=mara, patch={"eyes": "green"}, chapter="1.1", new_id=desk.new_id
        )
    )

    async def eyes() -> object:
        return (await query.entry_state(await desk.canon(), mara, position="3", bound=AUTHOR)).state["eyes"]

    at = Lens(await desk.canon(), AUTHOR).place(await desk.at("1.1"))
    undo = await _undo(desk, retcon)
    assert undo.card.entry is not None
    assert (undo.card.kind, undo.card.edit, undo.card.entry.name) == ("undo", retcon, "Mara")
    assert undo.card.changes == (KeyChange(key="eyes", before="green", after="blue", place=at),)
    number = await desk.save(undo)
    assert await eyes() == "blue"
    redo = await _undo(desk, number)
    assert redo.card.changes == (KeyChange(key="eyes", before="blue", after="green", place=at),)
    await desk.save(redo)
    assert await eyes() == "green"


async def test_undo_of_what_is_undone_or_never_was_says_so(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    number = await desk.record(mara, {"eyes": "blue"}, "1.1")
    await desk.save(await _undo(desk, number))
    with pytest.raises(NothingToDo) as done:
        await _undo(desk, number)
    assert done.value.facts["reason"] == "already_undone"
    for unknown in (0, 99):
        with pytest.raises(UnknownChange) as refused:
            await _undo(desk, unknown)
        assert refused.value.facts["last"] == number + 1


async def test_later_edits_that_build_on_it_are_named(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    created = (await desk.canon()).head
    eyes = await desk.record(mara, {"eyes": "blue"}, "1.1")
    coat = await desk.record(mara, {"coat": "grey"}, "1.1")
    later = await desk.record(mara, {"eyes": "green"}, "2.1")
    await desk.record(await desk.known_from_start("Tom"), {"eyes": "brown"}, "1.1")
    await desk.save(await _undo(desk, coat))
    assert _warned(await _undo(desk, eyes)) == [("built_on", later)]
    plan = await _undo(desk, later)
    assert _warned(plan) == []
    assert created < eyes


async def test_undo_that_later_edits_build_on_overwrites_and_one_of_the_newest_does_not(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"eyes": "blue"}, "2.1")
    moved = await desk.save(await _place(desk, "3.1", relation=Relation.BEFORE, anchor="1.2"))
    imported = await _undo(desk, 1)
    assert imported.overwrites
    assert ("fact_loses_scene", "Mara", "eyes") in _warned(imported)
    assert ("built_on", moved) in _warned(imported)
    assert not (await _undo(desk, moved)).overwrites


async def test_outline_edit_that_costs_facts_their_scene_or_their_time_overwrites(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"mask": True}, "2.1", until="3.1")
    assert (await _place(desk, "3.1", relation=Relation.BEFORE, anchor="1.1")).overwrites
    assert not (await _place(desk, "3.2", relation=Relation.BEFORE, anchor="1.1")).overwrites


async def test_entry_that_loses_its_scene_is_counted_once_with_all_its_names(desk: Desk) -> None:
    plan = await record.plan_create(
        await desk.canon(),
        kind=EntityType.CHARACTER,
        name="Mara Venn",
        traits={},
        aliases=("the Heron",),
        told="1.1",
        new_id=desk.new_id,
    )
    await desk.save(plan)
    deletion = await _place(desk, "1.1", delete=True)
    assert _warned(deletion)[1:] == [("loses_scene", 1), ("fact_loses_scene", "Mara Venn", "")]
    await desk.save(deletion)
    ends = (await query.loose_ends(await desk.canon(), bound=AUTHOR)).items
    assert [(end.kind, end.entry and end.entry.name, end.fact) for end in ends] == [
        ("lost_told", "Mara Venn", None)
    ]


async def test_undo_touches_what_the_edit_touched(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    number = await desk.record(mara, {"eyes": "blue"}, "1.1")
    undo = await _undo(desk, number)
    redo = await _undo(desk, await desk.save(undo))
    fact = await record.plan_record(
        await desk.canon(), entity=mara, patch={"eyes": "green"}, chapter="2.1", new_id=desk.new_id
    )
    assert conflict.overlap(undo.keys, fact.keys)
    assert redo.keys == undo.keys


async def test_undo_of_names_texts_and_outline_is_shown(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    rename = await desk.save(
        await record.plan_update(
            await desk.canon(), entity=mara, update=Update.RENAME, value="Isolde", new_id=desk.new_id
        )
    )
    text = await desk.append([TextSet(id="t", scene=await desk.at("1.1"), text="New.")])
    title = await desk.save(await _place(desk, "1.1", title="Home"))
    assert (await _undo(desk, rename)).card.changes == (KeyChange(key="name", before="Isolde", after="Mara"),)
    card = (await _undo(desk, text)).card
    assert (card.before_text, card.after_text) == ("New.", "Mara Venn came home. Her eyes were blue.")
    plan = await _undo(desk, title)
    assert plan.card.facts["nodes"] == 1
    await desk.save(plan)
    assert (await _titles(desk))[0] == "1.1"


async def test_undo_over_several_entries_names_each_and_one_that_goes_by_its_name(desk: Desk) -> None:
    canon = await desk.canon()
    plans = []
    for name in ("Mara", "Tom"):
        plan = await record.plan_create(
            canon, kind=EntityType.CHARACTER, name=name, traits={"age": 30}, new_id=desk.new_id
        )
        canon.stage(plan.rows)
        plans.append(plan)
    undo = await _undo(desk, await desk.save(*plans))
    assert [entry.name for entry in undo.card.others] == ["Mara", "Tom"]
    assert [(one.key, one.before, one.after) for one in undo.card.changes] == [
        ("Mara: name", "Mara", None),
        ("Tom: name", "Tom", None),
    ]


async def test_outline_edit_whose_node_was_changed_again_cannot_be_taken_back(desk: Desk) -> None:
    first = await desk.save(await _place(desk, "1.1", title="Home"))
    await desk.save(await _place(desk, "1.1", title="Away"))
    with pytest.raises(PlaceGone):
        await _undo(desk, first)


async def test_undo_of_an_undo_row_alone_is_one_row(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    number = await desk.record(mara, {"eyes": "blue"}, "1.1")
    undo = await desk.save(await _undo(desk, number))
    assert (await _undo(desk, undo)).rows == (Undone(change=undo),)
