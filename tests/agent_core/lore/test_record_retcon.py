"""Planning "it was always so": what is struck out, what stands instead, what still says the old value."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.errors import BadInterval, BadPatch, NothingToDo
from agent_core.lore import merge, query, record
from agent_core.lore.model import NOT_REVEALED, START, Asserted, EntityType, Merged, Row, Told, Withdrawn
from agent_core.lore.outline import Outline
from agent_core.lore.plan import Plan
from agent_core.lore.replaced import replaced_by
from agent_core.lore.timeline import ActiveFact
from agent_core.messages import Json
from tests.agent_core.lore.desk import AUTHOR, Desk, book


@pytest.fixture
async def mara(desk: Desk) -> str:
    return await desk.known_from_start("Mara")


async def _plan(desk: Desk, patch: dict[str, Json], **given: str) -> Plan:
    return await record.plan_retcon(
        await desk.canon(), entity="Mara", patch=patch, new_id=desk.new_id, **given
    )


async def _state(desk: Desk, position: str, known: int | None = None) -> dict[str, object]:
    answer = await query.entry_state(await desk.canon(), "Mara", position=position, known=known, bound=AUTHOR)
    return dict(answer.state)


def _struck(plan: Plan) -> list[str]:
    return [row.pointer for row in plan.rows if isinstance(row, Withdrawn)]


def _asserted(plan: Plan) -> list[Asserted]:
    return [row for row in plan.rows if isinstance(row, Asserted)]


async def test_wrong_members_are_struck_and_the_rest_of_their_facts_stays(desk: Desk, mara: str) -> None:
    """A57, A58."""
    await desk.record(mara, {"eyes": "blue", "hair": "red"}, "1.1")
    before = await desk.record(mara, {"eyes": "blue", "coat": "grey"}, "2.2")
    number = await desk.save(await _plan(desk, {"eyes": "green"}, chapter="1.1"))
    assert await _state(desk, "3.1") == {"eyes": "green", "hair": "red", "coat": "grey"}
    assert await _state(desk, "3.1", known=before) == {"eyes": "blue", "hair": "red", "coat": "grey"}
    assert await _state(desk, "1.2") == {"eyes": "green", "hair": "red"}
    await desk.save(await record.plan_undo(await desk.canon(), change=number))
    assert await _state(desk, "3.1") == {"eyes": "blue", "hair": "red", "coat": "grey"}


async def test_right_value_is_told_at_the_earliest_told_replaced(desk: Desk, mara: str) -> None:
    await desk.record(mara, {"eyes": "blue"}, "2.1")
    await desk.record(mara, {"eyes": "blue"}, "3.1", told="1.2")
    plan = await _plan(desk, {"eyes": "green"})
    (row,) = _asserted(plan)
    assert (row.at, row.until, row.told) == (None, None, Told.at(await desk.at("1.2")))
    assert plan.card.told == "1.2"
    assert _asserted(await _plan(desk, {"eyes": "green"}, told="start"))[0].told == START


async def test_only_facts_that_start_in_the_range_are_struck(desk: Desk, mara: str) -> None:
    for place in ("1.1", "2.1", "3.1"):
        await desk.record(mara, {"eyes": f"blue {place}"}, place)
    plan = await _plan(desk, {"eyes": "green"}, chapter="1.2", until="3.1")
    assert len(_struck(plan)) == 1
    await desk.save(plan)
    assert [(await _state(desk, place)).get("eyes") for place in ("1.1", "1.2", "2.2", "3.1")] == [
        "blue 1.1",
        "green",
        "green",
        "blue 3.1",
    ]


async def test_detail_that_has_no_value_after_the_range_is_pointed_out(desk: Desk, mara: str) -> None:
    await desk.record(mara, {"eyes": "blue"}, "1.1")
    plan = await _plan(desk, {"eyes": "green"}, until="2.1")
    warned = [warn.facts for warn in plan.card.warnings if warn.code == "no_value_after"]
    assert warned == [{"key": "eyes", "place": "2.1"}]


async def test_each_end_and_book_of_the_replaced_gets_an_assertion_of_its_own(desk: Desk, mara: str) -> None:
    await desk.write(book("The Kiln", {"1": ["Later."]}))
    await desk.record(mara, {"eyes": "blue", "coat": "red"}, "b1:1.1")
    await desk.record(mara, {"eyes": "grey"}, "b1:1.2", until="b1:2.1")
    await desk.record(mara, {"eyes": "black"}, "b1:2.2", only_in="b1")
    plan = await _plan(desk, {"eyes": "green", "hat": "none", "coat": "red"})
    b1, end = await desk.at("b1"), await desk.at("b1:2.1")
    found = [(dict(row.patch), row.until, row.scope_book) for row in _asserted(plan)]
    assert found == [
        ({"eyes": "green"}, None, None),
        ({"eyes": "green"}, end, None),
        ({"eyes": "green"}, None, b1),
        ({"coat": "red", "hat": "none"}, None, None),
    ]
    codes = {(warn.code, *warn.facts.values()) for warn in plan.card.warnings}
    assert {("keeps_end", "b1:2.1"), ("keeps_book", "b1")} <= codes
    assert _asserted(plan)[-1].told == NOT_REVEALED


async def test_null_strikes_out_without_a_new_value(desk: Desk, mara: str) -> None:
    await desk.record(mara, {"home": {"city": "Vel", "street": "Kiln"}, "spouse": "Tom"}, "1.1")
    plan = await _plan(desk, {"spouse": None, "home": {"street": None}})
    assert _asserted(plan) == []
    assert sorted(_struck(plan)) == ["/home/street", "/spouse"]
    await desk.save(plan)
    assert await _state(desk, "2.1") == {"home": {"city": "Vel"}}
    with pytest.raises(NothingToDo):
        await _plan(desk, {"spouse": None})


async def test_value_above_the_right_one_is_struck_whole(desk: Desk, mara: str) -> None:
    await desk.record(mara, {"home": "Vel"}, "1.1")
    await desk.record(mara, {"home": {"city": "Oru", "street": "Kiln"}}, "2.1")
    await desk.save(await _plan(desk, {"home": {"city": "Aru"}}))
    assert await _state(desk, "1.1") == {"home": {"city": "Aru"}}
    assert await _state(desk, "2.1") == {"home": {"city": "Aru", "street": "Kiln"}}


async def test_lists_and_additions_are_struck_whole_and_asserted_anew(desk: Desk, mara: str) -> None:
    await desk.record(mara, {"titles": ["Mara"]}, "1.1")
    await desk.record(mara, {"titles": {"$add": ["Kit"]}}, "2.1")
    await desk.save(await _plan(desk, {"titles": ["M."]}))
    assert await _state(desk, "3.1") == {"titles": ["M."]}
    with pytest.raises(BadPatch):
        await _plan(desk, {"titles": {"$add": ["Heron"]}})


async def test_fact_that_says_the_right_value_already_stays(desk: Desk, mara: str) -> None:
    await desk.record(mara, {"eyes": "blue"}, "1.1")
    await desk.record(mara, {"eyes": "green"}, "2.1")
    plan = await _plan(desk, {"eyes": "green"})
    assert len(_struck(plan)) == 1
    assert [(change.before, change.after) for change in plan.card.changes] == [
        (None, "green"),
        ("blue", "green"),
    ]


async def test_correction_that_finds_nothing_wrong_is_a_plain_fact(desk: Desk, mara: str) -> None:
    plan = await _plan(desk, {"eyes": "green"}, chapter="2.1")
    (row,) = plan.rows
    assert isinstance(row, Asserted)
    assert (row.at, row.told) == (await desk.at("2.1"), Told.at(await desk.at("2.1")))
    await desk.save(plan)
    with pytest.raises(NothingToDo):
        await _plan(desk, {"eyes": "green"}, chapter="2.1")


async def test_static_traits_stay_static_when_they_are_corrected(desk: Desk) -> None:
    plan = await record.plan_create(
        await desk.canon(),
        kind=EntityType.CHARACTER,
        name="Mara",
        traits={"born": "Vel"},
        new_id=desk.new_id,
    )
    await desk.save(plan)
    await desk.save(await _plan(desk, {"born": "Oru"}))
    answer = await query.entry_state(await desk.canon(), "Mara", position="1.1", bound=AUTHOR)
    assert answer.traits == {"born": "Oru"}


async def test_card_lists_what_is_replaced_and_the_sentences_that_say_it(desk: Desk, mara: str) -> None:
    await desk.record(mara, {"eyes": "blue"}, "1.1")
    await desk.record(mara, {"eyes": "blue", "coat": "x"}, "2.1")
    plan = await _plan(desk, {"eyes": "green"}, chapter="1.1")
    assert plan.card.kind == "retcon"
    shown = [(one.before, one.after, one.place and one.place.label, one.replaces_edit)
             for one in plan.card.changes]  # fmt: skip
    assert shown == [("blue", "green", "1.1", 3), ("blue", "green", "2.1", 4)]
    assert [(saying.key, saying.value, saying.quote.scene.label) for saying in plan.card.old_sayings] == [
        ("eyes", "blue", "1.1"),
        ("eyes", "blue", "2.1"),
    ]
    assert plan.overwrites


async def test_resolved_correction_plans_the_same_rows_again(desk: Desk, mara: str) -> None:
    await desk.record(mara, {"eyes": "blue"}, "1.1", told="start")
    plan = await _plan(desk, {"eyes": "green"}, until="3")
    given = plan.resolved
    assert given["retcon"] is True
    assert "toldAt" not in given
    again = await _plan(desk, {"eyes": "green"}, chapter=str(given["chapterId"]), until=str(given["until"]))
    assert [_bare(row) for row in again.rows] == [_bare(row) for row in plan.rows]
    assert again.resolved == given


def _bare(row: Row) -> dict[str, object]:
    return {member.name: getattr(row, member.name) for member in fields(row) if member.name != "id"}


async def test_reversed_range_is_refused(desk: Desk, mara: str) -> None:
    with pytest.raises(BadInterval):
        await _plan(desk, {"eyes": "green"}, chapter="2.1", until="1.1")


async def test_facts_of_an_absorbed_entry_are_corrected_too(desk: Desk, mara: str) -> None:
    fox = await desk.known_from_start("Fox")
    await desk.record(fox, {"eyes": "blue"}, "1.1")
    await desk.append([Merged(entity=fox, into=mara)])
    await desk.save(await _plan(desk, {"eyes": "green"}))
    assert await _state(desk, "2.1") == {"eyes": "green"}


_VALUES = st.sampled_from(["blue", "green", 1, None, ["a"], {"$none": True}])
_PATCHES = st.dictionaries(
    st.sampled_from("abc"), _VALUES | st.dictionaries(st.sampled_from("xy"), _VALUES, min_size=1, max_size=2),
    min_size=1, max_size=3,
)  # fmt: skip


@given(st.lists(_PATCHES, max_size=5), _PATCHES)
def test_after_a_correction_from_the_beginning_nothing_says_otherwise_anywhere(
    recorded: list[dict[str, Json]], right: dict[str, Json]
) -> None:
    facts = [
        ActiveFact(
            id=str(i), entity="e", patch=patch, at=None, until=None, told=START, scope_book=None,
            static=False, note="", change=i, order=0,
        )
        for i, patch in enumerate(recorded)
    ]  # fmt: skip
    struck: dict[str, set[str]] = {}
    for one in replaced_by(right, facts, None, None, Outline([])):
        struck.setdefault(one.fact.id, set()).add(one.pointer)
    left = [
        patch for fact in facts if (patch := merge.withdraw(fact.patch, struck.get(fact.id, ()))) is not None
    ]
    wanted = merge.apply({}, right)
    for count in range(len(left) + 1):
        state = merge.fold([("new", right), *((str(i), patch) for i, patch in enumerate(left[:count]))]).state
        assert merge.same(merge.apply(state, right), state)
        assert all(key in state for key in wanted)
