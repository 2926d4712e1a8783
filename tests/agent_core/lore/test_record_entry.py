"""Planning entries: creating, naming, telling, retiring, uniting."""

import pytest

from agent_core.errors import DuplicateEntity, LoreRefusal, NothingToDo, UnknownEntity
from agent_core.lore import conflict, query, record
from agent_core.lore.answers import KeyChange, Warn
from agent_core.lore.model import (
    NOT_REVEALED,
    START,
    Asserted,
    Created,
    EntityType,
    JsonObject,
    Merged,
    Named,
    Retired,
    Told,
)
from agent_core.lore.plan import Plan
from agent_core.lore.record import Update
from tests.agent_core.lore.desk import AUTHOR, Desk


async def _create(
    desk: Desk,
    name: str,
    traits: JsonObject | None = None,
    *,
    kind: EntityType = EntityType.CHARACTER,
    **given: str,
) -> Plan:
    aliases = tuple(filter(None, given.pop("aliases", "").split(",")))
    return await record.plan_create(
        await desk.canon(),
        kind=kind,
        name=name,
        traits=traits or {},
        aliases=aliases,
        new_id=desk.new_id,
        **given,
    )


async def _update(desk: Desk, update: Update, value: str = "", entity: str = "Mara", **given: str) -> Plan:
    return await record.plan_update(
        await desk.canon(), entity=entity, update=update, value=value, new_id=desk.new_id, **given
    )


def _told(plan: Plan) -> list[Told]:
    return [row.told for row in plan.rows if isinstance(row, Created | Named | Asserted)]


async def test_entry_is_told_in_the_first_scene_that_gives_its_full_name(desk: Desk) -> None:
    plan = await _create(desk, "Mara Venn", {"born": "Vel"})
    first = Told.at(await desk.at("1.1"))
    assert _told(plan) == [first, first, first]
    assert plan.card.told == "1.1"
    assert Warn(code="readers_from", facts={"place": "1.1"}) in plan.card.warnings
    assert plan.card.changes == (KeyChange(key="born", after="Vel"),)


async def test_entry_that_no_scene_names_is_told_here_or_nowhere(desk: Desk) -> None:
    here = await desk.at("2.1")
    assert set(_told(await _create(desk, "Isolde Rask", here=here))) == {Told.at(here)}
    nowhere = await _create(desk, "Isolde Rask")
    assert set(_told(nowhere)) == {NOT_REVEALED}
    assert Warn(code="not_revealed") in nowhere.card.warnings
    assert set(_told(await _create(desk, "Isolde Rask", told="start"))) == {START}


async def test_alias_is_never_looked_for_in_texts(desk: Desk) -> None:
    plan = await _create(desk, "Mara Venn", aliases="the Heron,Mara Venn, ")
    names = {row.name: row.told for row in plan.rows if isinstance(row, Named)}
    assert names == {"Mara Venn": Told.at(await desk.at("1.1")), "the Heron": NOT_REVEALED}
    assert Warn(code="alias_told", facts={"name": "the Heron", "told": "not_revealed"}) in plan.card.warnings
    given = await _create(desk, "Mara Venn", aliases="the Heron", alias_told="3.1")
    assert _told(given)[-1] == Told.at(await desk.at("3.1"))


async def test_name_or_alias_that_is_taken_is_refused_unless_a_hint_tells_apart(desk: Desk) -> None:
    """A55, A56."""
    await desk.save(await _create(desk, "Ann Lee", aliases="The Fox"))
    for name in ("ann lee", "Lee, Ann", "THE FOX", "Ánn Lee"):
        with pytest.raises(DuplicateEntity) as refused:
            await _create(desk, name, kind=EntityType.LOCATION)
        assert refused.value.facts["existing"] == "Ann Lee"
    with pytest.raises(DuplicateEntity):
        await _create(desk, "Bo", aliases="the fox")
    await desk.save(await _create(desk, "Ann Lee", disambiguator="the smith"))
    with pytest.raises(DuplicateEntity):
        await _create(desk, "Ann Lee", disambiguator="The Smith")


async def test_name_of_a_retired_entry_is_free_again(desk: Desk) -> None:
    await desk.save(await _create(desk, "Mara"))
    await desk.save(await _update(desk, Update.RETIRE))
    plan = await _create(desk, "Mara")
    assert len(plan.rows) == 2


async def test_two_plans_for_one_name_touch_the_same_key(desk: Desk) -> None:
    one, other = await _create(desk, "Isolde"), await _create(desk, "isolde")
    assert conflict.overlap(one.keys, other.keys)
    assert not conflict.overlap(one.keys, (await _create(desk, "Oru")).keys)


async def test_creation_planned_again_has_the_same_id_and_tolds(desk: Desk) -> None:
    plan = await _create(desk, "Mara Venn", {"born": "Vel"}, aliases="the Heron", here=await desk.at("2.1"))
    given = plan.resolved
    again = await _create(
        desk, str(given["name"]), {"born": "Vel"}, aliases="the Heron", told=str(given["toldAt"]),
        alias_told=str(given["aliasToldAt"]), entity=str(given["entityId"]),
    )  # fmt: skip
    assert again.resolved == given
    assert _told(again) == _told(plan)


async def test_new_name_is_timeless_and_inherits_when_the_old_one_was_told(desk: Desk) -> None:
    await desk.save(await _create(desk, "Mara Venn"))
    plan = await _update(desk, Update.RENAME, "Mara Vane", entity="Mara Venn")
    (row,) = plan.rows
    assert isinstance(row, Named)
    assert (row.at, row.alias, row.told) == (None, False, Told.at(await desk.at("1.1")))
    assert plan.card.changes == (KeyChange(key="name", before="Mara Venn", after="Mara Vane"),)
    await desk.save(plan)
    entry = await query.find_entry(await desk.canon(), "mara vane", await desk.reader("1.1"))
    assert (entry.name, [name.name for name in entry.names]) == ("Mara Vane", ["Mara Vane"])
    with pytest.raises(NothingToDo):
        await _update(desk, Update.RENAME, "Mara Vane", entity="Mara Vane")


@pytest.mark.parametrize(
    ("name", "reason"),
    [("", "no_name"), (" \n ", "no_name"), ("\x1b\x00", "no_name"), ("N" * 201, "name_too_long")],
)
async def test_name_that_is_none_is_refused(desk: Desk, name: str, reason: str) -> None:
    await desk.known_from_start("Mara")
    for plan in (
        _create(desk, name),
        _update(desk, Update.RENAME, name),
        _update(desk, Update.ADD_ALIAS, name),
    ):
        with pytest.raises(LoreRefusal) as refused:
            await plan
        assert refused.value.facts["reason"] == reason


async def test_name_is_kept_in_one_line_without_control_characters(desk: Desk) -> None:
    plan = await _create(desk, " Mara\n\tVenn\x1b[2J ", aliases="the  Heron")
    assert [row.name for row in plan.rows if isinstance(row, Named)] == ["Mara Venn[2J", "the Heron"]
    assert [(await _create(desk, name)).card.entry.name for name in ("王小明", "C++", "#1", "?!")] == [  # type: ignore[union-attr]  # such a card has an entry
        "王小明",
        "C++",
        "#1",
        "?!",
    ]


async def test_rename_to_the_name_of_another_entry_is_refused(desk: Desk) -> None:
    await desk.known_from_start("Mara")
    await desk.known_from_start("Tom")
    with pytest.raises(DuplicateEntity):
        await _update(desk, Update.RENAME, "tom")
    await desk.save(await _update(desk, Update.ADD_ALIAS, "Fox"))
    assert len((await _update(desk, Update.RENAME, "Fox")).rows) == 1


async def test_alias_from_a_place_is_told_there_unless_told_otherwise(desk: Desk) -> None:
    await desk.known_from_start("Mara")
    place, here = await desk.at("2.1"), await desk.at("1.2")
    from_place = await _update(desk, Update.ADD_ALIAS, "the Heron", at="2.1", here=here)
    (row,) = from_place.rows
    assert isinstance(row, Named)
    assert (row.alias, row.at, row.told) == (True, place, Told.at(place))
    assert _told(await _update(desk, Update.ADD_ALIAS, "the Heron", here=here)) == [Told.at(here)]
    assert _told(await _update(desk, Update.ADD_ALIAS, "the Heron")) == [NOT_REVEALED]
    assert _told(await _update(desk, Update.ADD_ALIAS, "the Heron", at="2.1", told="start")) == [START]
    await desk.save(from_place)
    with pytest.raises(NothingToDo):
        await _update(desk, Update.ADD_ALIAS, "THE HERON")


async def test_alias_is_taken_away_but_the_name_is_not(desk: Desk) -> None:
    await desk.known_from_start("Mara")
    await desk.save(await _update(desk, Update.ADD_ALIAS, "the Heron", told="start"))
    await desk.save(await _update(desk, Update.REMOVE_ALIAS, "the heron"))
    with pytest.raises(UnknownEntity):
        await query.find_entry(await desk.canon(), "the Heron", AUTHOR)
    with pytest.raises(UnknownEntity):
        await _update(desk, Update.REMOVE_ALIAS, "Mara")


async def test_entry_told_anew_takes_its_name_and_traits_along(desk: Desk) -> None:
    await desk.save(await _create(desk, "Ozma", {"is": "queen"}, told="3.1"))
    await desk.save(await _update(desk, Update.TELL, entity="Ozma", told="1.2"))
    reader = await desk.reader("1.2")
    answer = await query.entry_state(await desk.canon(), "Ozma", bound=reader)
    assert answer.traits == {"is": "queen"}
    with pytest.raises(UnknownEntity):
        await query.entry_state(await desk.canon(), "Ozma", bound=await desk.reader("1.1"))
    with pytest.raises(NothingToDo):
        await _update(desk, Update.TELL, entity="Ozma", told="1.2")


async def test_hint_tells_two_of_one_name_apart(desk: Desk) -> None:
    await desk.known_from_start("Mara")
    plan = await _update(desk, Update.HINT, "the captain")
    await desk.save(plan)
    entry = await query.find_entry(await desk.canon(), "Mara (the captain)", AUTHOR)
    assert entry.disambiguator == "the captain"
    with pytest.raises(NothingToDo):
        await _update(desk, Update.HINT, "the captain")


async def test_retired_entry_is_absent_with_all_its_facts(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"eyes": "green"}, "1.1")
    plan = await _update(desk, Update.RETIRE)
    assert plan.rows == (Retired(entity=mara),)
    assert plan.card.warnings == (Warn(code="facts_go", facts={"n": 1}),)
    await desk.save(plan)
    with pytest.raises(UnknownEntity):
        await query.find_entry(await desk.canon(), mara, AUTHOR)


async def test_merge_counts_what_moves_and_shows_what_clashes(desk: Desk) -> None:
    mara, fox = await desk.known_from_start("Mara"), await desk.known_from_start("Fox", EntityType.OBJECT)
    await desk.record(mara, {"eyes": "green", "coat": "grey"}, "2.1")
    await desk.record(fox, {"eyes": "amber", "coat": "grey", "tail": "red"}, "1.1")
    plan = await record.plan_merge(await desk.canon(), keep="Mara", others=["Fox", "Mara"])
    assert plan.rows == (Merged(entity=fox, into=mara),)
    assert plan.card.facts == {"facts": 1, "names": 1}
    assert plan.card.changes == ()
    assert plan.card.warnings == (
        Warn(code="other_kind", facts={"name": "Fox", "kind": "object"}),
        Warn(
            code="values_clash",
            facts={"key": "eyes", "name": "Fox"},
            values={"kept": "green", "other": "amber"},
        ),
    )
    assert plan.resolved == {"keep": mara, "merge": [fox]}
    await desk.save(plan)
    answer = await query.entry_state(await desk.canon(), "Fox", position="3", bound=AUTHOR)
    assert answer.state == {"eyes": "green", "coat": "grey", "tail": "red"}
    assert answer.entry.aliases == ("Fox",)
    with pytest.raises(NothingToDo):
        await record.plan_merge(await desk.canon(), keep="Mara", others=["Fox"])


async def test_merge_shows_the_value_that_the_kept_entry_would_get(desk: Desk) -> None:
    mara, fox = await desk.known_from_start("Mara"), await desk.known_from_start("Fox")
    await desk.record(mara, {"eyes": "green"}, "1.1")
    await desk.record(fox, {"eyes": "amber"}, "2.1")
    plan = await record.plan_merge(await desk.canon(), keep=mara, others=[fox])
    assert plan.card.changes == (KeyChange(key="eyes", before="green", after="amber"),)
