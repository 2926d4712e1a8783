"""Planning "true from here on": places, what the reader learns, what the card shows."""

import pytest

from agent_core.errors import (
    BadInterval,
    BadPatch,
    Conflict,
    NothingToDo,
    UnknownEntity,
    UnknownPosition,
    UnknownScene,
)
from agent_core.lore import conflict, query, record
from agent_core.lore.answers import KeyChange, Warn
from agent_core.lore.model import (
    NEVER,
    NOT_REVEALED,
    START,
    Asserted,
    Created,
    EntityType,
    JsonObject,
    Mode,
    Named,
    Relation,
    Told,
)
from agent_core.lore.plan import Plan
from tests.agent_core.lore.desk import AUTHOR, Desk, book


async def _plan(desk: Desk, patch: JsonObject, chapter: str | None = None, **given: str) -> Plan:
    return await record.plan_record(
        await desk.canon(), entity="Mara", patch=patch, chapter=chapter, new_id=desk.new_id, **given
    )


def _row(plan: Plan) -> Asserted:
    (row,) = plan.rows
    assert isinstance(row, Asserted)
    return row


def _warned(plan: Plan, code: str) -> list[dict[str, str | int]]:
    return [warn.facts for warn in plan.card.warnings if warn.code == code]


@pytest.fixture
async def mara(desk: Desk) -> str:
    return await desk.known_from_start("Mara")


async def test_scene_comes_before_chapter_and_both_are_told_where_they_hold(desk: Desk, mara: str) -> None:
    scene, chapter = await desk.at("2.1"), await desk.at("2")
    at_scene = _row(await _plan(desk, {"scar": "cheek"}, "2", scene="2.1"))
    at_chapter = _row(await _plan(desk, {"scar": "cheek"}, "2"))
    at_start = _row(await _plan(desk, {"scar": "cheek"}, "start"))
    assert (at_scene.at, at_scene.told) == (scene, Told.at(scene))
    assert (at_chapter.at, at_chapter.told) == (chapter, Told.at(chapter))
    assert (at_start.at, at_start.told) == (None, NOT_REVEALED)


@pytest.mark.parametrize(
    ("written", "told"), [("start", START), ("never", NEVER), ("not_revealed", NOT_REVEALED)]
)
async def test_told_that_is_given_wins(desk: Desk, mara: str, written: str, told: Told) -> None:
    assert _row(await _plan(desk, {"scar": "cheek"}, "2", told=written)).told == told


async def test_scene_of_another_chapter_is_refused(desk: Desk, mara: str) -> None:
    with pytest.raises(UnknownScene) as other:
        await _plan(desk, {"scar": "cheek"}, "1", scene="2.1")
    with pytest.raises(UnknownScene) as missing:
        await _plan(desk, {"scar": "cheek"}, scene="2.9")
    with pytest.raises(UnknownScene) as chapter:
        await _plan(desk, {"scar": "cheek"}, scene="2")
    assert [one.value.facts["reason"] for one in (other, missing, chapter)] == [
        "other_chapter",
        "missing",
        "missing",
    ]
    with pytest.raises(UnknownPosition):
        await _plan(desk, {"scar": "cheek"}, "9")


async def test_fact_without_a_place_asks_from_when_and_offers_here_first(desk: Desk, mara: str) -> None:
    here = await desk.at("1.2")
    plan = await _plan(desk, {"scar": "cheek"}, here=here)
    (question,) = plan.card.questions
    assert (question.name, [choice.value for choice in question.choices], question.chosen) == (
        "at",
        [here, "start", await desk.at("3.2")],
        here,
    )
    assert _row(plan).at == here
    nowhere = await _plan(desk, {"scar": "cheek"})
    choices = [(choice.code, choice.value) for choice in nowhere.card.questions[0].choices]
    assert choices == [("start", "start"), ("now", await desk.at("3.2"))]
    assert nowhere.card.questions[0].chosen == "start"
    assert _row(nowhere).at is None
    assert (await _plan(desk, {"scar": "cheek"}, "1.2")).card.questions == ()


async def test_answer_to_from_when_is_planned_without_asking_again(desk: Desk, mara: str) -> None:
    here = await desk.at("1.2")
    asked = await _plan(desk, {"scar": "cheek"}, here=here)
    arguments = record.answered(asked.resolved, "at", "start")
    assert arguments == {
        "entityId": mara,
        "statePatch": {"scar": "cheek"},
        "retcon": False,
        "chapterId": "start",
    }
    told = await _plan(desk, {"scar": "cheek"}, here=here, told="3")
    assert record.answered(told.resolved, "at", "start")["toldAt"] == await desk.at("3")


async def test_resolved_arguments_plan_the_same_again(desk: Desk, mara: str) -> None:
    plan = await _plan(
        desk, {"scar": "cheek"}, until="3", here=await desk.at("1.2"), only_in="b1", note="as in notes"
    )
    given = plan.resolved
    again = await record.plan_record(
        await desk.canon(),
        entity=str(given["entityId"]),
        patch={"scar": "cheek"},
        chapter=str(given["chapterId"]),
        scene=str(given["sourceSceneId"]),
        until=str(given["until"]),
        told=str(given["toldAt"]),
        only_in=str(given["onlyInBook"]),
        note=str(given["note"]),
        new_id=desk.new_id,
    )
    same = {**{name: getattr(_row(plan), name) for name in vars(_row(plan))}, "id": _row(again).id}
    assert Asserted(**same) == _row(again)
    assert again.resolved == given
    assert again.keys == plan.keys


async def test_card_shows_each_detail_before_and_after_with_whose_fact_it_replaces(
    desk: Desk, mara: str
) -> None:
    await desk.record(mara, {"home": {"city": "Vel", "street": "Kiln"}, "eyes": "green"}, "1.1")
    plan = await _plan(desk, {"home": {"city": "Oru"}, "eyes": "green", "coat": "grey"}, "2.1")
    assert plan.card.changes == (
        KeyChange(
            key="home",
            before={"city": "Vel", "street": "Kiln"},
            after={"city": "Oru", "street": "Kiln"},
            place=plan.card.at,
            replaces_edit=3,
            replaces_by="ann",
        ),
        KeyChange(key="coat", before=None, after="grey", place=plan.card.at),
    )
    assert plan.card.entry is not None
    assert (plan.card.kind, plan.card.entry.name, plan.card.told) == ("record", "Mara", "2.1")
    assert plan.card.at is not None
    assert plan.card.at.label == "2.1"


async def test_changes_add_up_within_a_batch(desk: Desk, mara: str) -> None:
    canon = await desk.canon()
    first = await record.plan_record(
        canon, entity=mara, patch={"rank": "captain"}, chapter="1.1", new_id=desk.new_id
    )
    canon.stage(first.rows)
    second = await record.plan_record(
        canon, entity=mara, patch={"rank": "admiral"}, chapter="1.1", new_id=desk.new_id
    )
    assert [(one.before, one.after) for one in second.card.changes] == [("captain", "admiral")]
    await desk.save(first, second)
    answer = await query.entry_state(await desk.canon(), mara, position="1.1", bound=AUTHOR)
    assert answer.state == {"rank": "admiral"}


async def test_later_lines_name_entries_of_earlier_ones_by_name_or_fixed_id(desk: Desk) -> None:
    canon = await desk.canon()
    made = await record.plan_create(
        canon, kind=EntityType.OBJECT, name="Heronstone", traits={}, new_id=desk.new_id
    )
    canon.stage(made.rows)
    for ref in ("heronstone", str(made.resolved["entityId"])):
        plan = await record.plan_record(
            canon, entity=ref, patch={"owner": "Mara"}, chapter="1", new_id=desk.new_id
        )
        assert _row(plan).entity == made.resolved["entityId"]
    with pytest.raises(UnknownEntity):
        await record.plan_record(
            await desk.canon(), entity="heronstone", patch={"owner": "Mara"}, new_id=desk.new_id
        )


async def test_same_fact_again_is_nothing_to_do(desk: Desk, mara: str) -> None:
    """A58."""
    await desk.record(mara, {"oath": "Vel"}, "2.1")
    with pytest.raises(NothingToDo) as refused:
        await _plan(desk, {"oath": "Vel"}, "2.1")
    assert refused.value.facts["reason"] == "same_fact"
    await desk.record(mara, {"oath": "Oru"}, "2.1")
    assert _row(await _plan(desk, {"oath": "Vel"}, "2.1")).patch == {"oath": "Vel"}


async def test_same_value_at_a_later_place_is_a_fact_of_its_own(desk: Desk, mara: str) -> None:
    await desk.record(mara, {"oath": "Vel"}, "1.1")
    plan = await _plan(desk, {"oath": "Vel"}, "2.1")
    assert plan.card.changes == ()
    assert len(plan.rows) == 1


async def test_intervals_that_are_empty_or_reversed_are_refused(desk: Desk, mara: str) -> None:
    """A59."""
    with pytest.raises(BadInterval) as empty:
        await _plan(desk, {"mask": True}, "2.1", until="2.1")
    with pytest.raises(BadInterval) as reverse:
        await _plan(desk, {"mask": True}, "2.1", until="1.2")
    assert (empty.value.facts["reason"], reverse.value.facts["reason"]) == ("empty", "reversed")
    assert _row(await _plan(desk, {"mask": True}, "start", until="1")).until == await desk.at("1")


async def test_interval_names_flashbacks_in_between_and_scenes_elsewhere(desk: Desk, mara: str) -> None:
    for node, mode, anchor in (("2.1", Mode.FLASHBACK, "1.1"), ("3.1", Mode.LINEAR, "1.2")):
        await desk.save(
            await record.plan_place(
                await desk.canon(),
                nodes=[node],
                relation=Relation.BEFORE if mode is Mode.FLASHBACK else Relation.AFTER,
                anchor=anchor,
                mode=mode,
            )
        )
    plan = await _plan(desk, {"mask": True}, "1.2", until="2.2")
    assert _warned(plan, "flashback_not_covered") == [{"place": "2.1"}]
    assert _warned(plan, "elsewhere_covered") == [{"place": "3.1"}]
    assert plan.card.until is not None
    assert (plan.card.until.label, plan.card.facts["last"]) == ("2.2", "3.1")


async def test_flashback_without_a_story_place_is_pointed_out(desk: Desk, mara: str) -> None:
    await desk.save(await record.plan_place(await desk.canon(), nodes=["2.1"], mode=Mode.FLASHBACK))
    assert _warned(await _plan(desk, {"mask": True}, "2.1"), "undated") == [{"place": "2.1"}]


async def test_new_detail_close_to_one_in_use_is_pointed_out(desk: Desk, mara: str) -> None:
    tom = await desk.known_from_start("Tom")
    await desk.record(tom, {"eyes": "brown", "hair colour": "red"}, "1.1")
    place = await desk.known_from_start("Vel", EntityType.LOCATION)
    await desk.record(place, {"mayor": "Oru"}, "1.1")
    plan = await _plan(
        desk, {"eye colour": "green", "Hair Colour": "black", "mayors": 1, "coat colour": "x"}, "1.1"
    )
    assert _warned(plan, "near_key") == [
        {"key": "eye colour", "near": "eyes"},
        {"key": "Hair Colour", "near": "hair colour"},
    ]
    assert _warned(await _plan(desk, {"eyes": "green"}, "1.1"), "near_key") == []


@pytest.mark.parametrize(
    ("key", "reason"), [("", "blank_key"), (" \t", "blank_key"), ("k" * 201, "too_large")]
)
async def test_detail_without_a_name_is_refused(desk: Desk, mara: str, key: str, reason: str) -> None:
    with pytest.raises(BadPatch) as refused:
        await _plan(desk, {key: "x"}, "2.1")
    assert refused.value.facts["reason"] == reason


async def test_later_value_of_the_same_detail_is_pointed_out(desk: Desk, mara: str) -> None:
    await desk.record(mara, {"rank": "admiral"}, "3.1")
    plan = await _plan(desk, {"rank": "commodore", "coat": "grey"}, "2.1")
    [warned] = [warn for warn in plan.card.warnings if warn.code == "later_value"]
    assert (warned.facts, warned.values) == ({"key": "rank", "place": "3.1"}, {"value": "admiral"})
    assert plan.overwrites


async def test_overwriting_means_a_value_stands_there_or_begins_later(desk: Desk, mara: str) -> None:
    await desk.record(mara, {"rank": "captain"}, "1.2")
    assert not (await _plan(desk, {"coat": "grey"}, "1.2")).overwrites
    assert (await _plan(desk, {"rank": "admiral"}, "2.1")).overwrites
    assert (await _plan(desk, {"rank": "sailor"}, "1.1")).overwrites


async def test_readers_are_told_from_when_the_entry_itself_is(desk: Desk) -> None:
    told = Told.at(await desk.at("3.1"))
    await desk.append(
        [
            Created(entity="x", type=EntityType.CHARACTER, told=told),
            Named(id="n", entity="x", name="Mara", told=told),
        ]
    )
    assert _warned(await _plan(desk, {"rank": "captain"}, "1.1"), "readers_from") == [{"place": "3.1"}]
    assert _warned(await _plan(desk, {"rank": "captain"}, "3"), "readers_from") == []
    assert _warned(await _plan(desk, {"rank": "captain"}, "start"), "not_revealed") == [{}]
    assert (
        Warn(code="not_revealed")
        not in (await _plan(desk, {"rank": "captain"}, "1.1", told="never")).card.warnings
    )


async def test_record_or_always_so_is_asked_where_an_earlier_fact_gives_a_value(
    desk: Desk, mara: str
) -> None:
    await desk.record(mara, {"eyes": "blue"}, "1.1")
    plan = await _plan(desk, {"eyes": "green"}, "2.1")
    (question,) = plan.card.questions
    assert (question.name, question.chosen) == ("kind", "record")
    assert [choice.value for choice in question.choices] == ["record", "retcon"]
    assert (await _plan(desk, {"eyes": "green"}, "1.1")).card.questions == ()
    assert (await _plan(desk, {"coat": "grey"}, "2.1")).card.questions == ()
    arguments = record.answered(plan.resolved, "kind", "retcon")
    assert (arguments["retcon"], arguments["chapterId"]) == (True, "start")
    assert "toldAt" not in arguments
    assert record.answered(plan.resolved, "kind", "record") == plan.resolved


async def test_list_edit_where_no_list_stands_is_refused(desk: Desk, mara: str) -> None:
    await desk.record(mara, {"titles": "Mara", "names": ["Kit"]}, "1.1")
    with pytest.raises(BadPatch) as refused:
        await _plan(desk, {"titles": {"$add": ["the Heron"]}}, "2.1")
    assert (refused.value.facts["pointer"], refused.value.facts["reason"]) == ("/titles", "not_a_list")
    plan = await _plan(desk, {"names": {"$add": ["the Heron"]}}, "2.1")
    assert plan.card.changes[0].after == ["Kit", "the Heron"]


@pytest.mark.parametrize("patch", [{}, {"$foo": 1}, {"a": {"$none": False}}])
async def test_patch_that_says_nothing_or_is_malformed_is_refused(
    desk: Desk, mara: str, patch: JsonObject
) -> None:
    with pytest.raises(BadPatch):
        await _plan(desk, patch, "1.1")


async def test_facts_at_one_scene_touch_different_keys_and_the_same_detail_the_same(
    desk: Desk, mara: str
) -> None:
    tom = await desk.known_from_start("Tom")
    mine = await _plan(desk, {"eyes": "green"}, "1.1")
    theirs = await record.plan_record(
        await desk.canon(), entity=tom, patch={"eyes": "brown"}, chapter="1.1", new_id=desk.new_id
    )
    deletion = await record.plan_place(await desk.canon(), nodes=["1.1"], delete=True)
    again = await _plan(desk, {"eyes": "blue"}, "2.1")
    assert not conflict.overlap(mine.keys, theirs.keys)
    assert conflict.overlap(mine.keys, again.keys)
    assert conflict.overlap(mine.keys, deletion.keys)


async def test_later_edit_of_the_same_detail_stops_a_proposal_and_of_another_does_not(
    desk: Desk, mara: str
) -> None:
    since = (await desk.canon()).head
    eyes, coat = await _plan(desk, {"eyes": "green"}, "1.1"), await _plan(desk, {"coat": "grey"}, "1.1")
    number = await desk.save(await _plan(desk, {"eyes": "blue"}, "2.1"))
    with pytest.raises(Conflict) as refused:
        await desk.save(eyes, since=since)
    assert refused.value.facts["changes"] == (str(number),)
    assert await desk.save(coat, since=since) == number + 1


async def test_fact_of_one_book_only_says_so(desk: Desk, mara: str) -> None:
    await desk.write(book("The Kiln", {"1": ["Later."]}))
    plan = await _plan(desk, {"case": "band"}, "b1:1.1", only_in="The Heron")
    assert plan.card.facts["book"] == "The Heron"
    assert _row(plan).scope_book == await desk.at("b1")
