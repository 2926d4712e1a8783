"""The product and the naive model give the same answers about any series."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.errors import StoryCycle
from agent_core.lore import edits, merge, timeline
from agent_core.lore.model import (
    Asserted,
    Bound,
    JsonObject,
    Node,
    Recorded,
    Relation,
    StoryPlace,
    When,
)
from agent_core.lore.outline import Outline
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.sqlite import SqliteDatabase
from tests.agent_core.lore.comparison import (
    Shelf,
    assert_same_canon,
    assert_same_fold,
    of_model,
    of_product,
    same_order,
)
from tests.agent_core.lore.naive import NaiveLore
from tests.agent_core.lore.naive_json import canonical, fold, without
from tests.agent_core.lore.naive_outline import NaiveOutline
from tests.agent_core.lore.random_lore import (
    ENTITIES,
    PATCHES,
    RandomLore,
    bounds,
    lores,
    outlines,
    pointers_of,
)

pytestmark = pytest.mark.timeout(600)  # a failure is shrunk for up to five minutes

_MANY = settings(max_examples=4 * settings().max_examples)
_TWICE = settings(max_examples=2 * settings().max_examples)
_FEW = settings(max_examples=max(10, settings().max_examples // 5))


def resolved(
    rows: Sequence[Recorded], entity: str, bound: Bound, known: int | None, outline: Outline
) -> timeline.Entry | None:
    gone = timeline.undone(rows, known)
    into = timeline.merges(rows, gone, known)
    final = into.get(entity, entity)
    entry = timeline.resolve(
        rows,
        entity=final,
        absorbed=[one for one, other in into.items() if other == final and one != final],
        frame_undone=gone,
        known=known,
        bound=bound,
        outline=outline,
    )
    return entry if entry and entity in entry.family else None


@_MANY
@given(outlines())
def test_both_orders_are_those_of_the_model(nodes: list[Node]) -> None:
    model = NaiveOutline({node.id: node for node in nodes})
    outline = Outline(nodes)

    assert list(outline.reading) == list(model.reading)
    assert same_order(dict(outline.story), model.story)
    assert outline.ignored_places == frozenset()
    assert [node.id for node in outline.undated()] == [one for one in model.living() if model.is_undated(one)]
    assert {node for node in outline.nodes if not outline.is_gone(node)} == set(model.living())


@_MANY
@given(st.data(), outlines())
def test_a_story_place_is_refused_exactly_where_its_chain_would_close(
    data: st.DataObject, nodes: list[Node]
) -> None:
    outline, living = Outline(nodes), NaiveOutline({node.id: node for node in nodes}).living()
    if not living:
        return
    node, target = data.draw(st.sampled_from(living)), data.draw(st.sampled_from(living))
    place = data.draw(st.none() | st.builds(StoryPlace, st.sampled_from(Relation), st.just(target)))
    placed = replace(outline.nodes[node], place=place)
    closes = NaiveOutline({**outline.nodes, node: placed}).closes()

    try:
        row = edits.set_place(outline, node, place)
    except StoryCycle:
        assert closes
    else:
        assert not closes
        assert row.after == placed


@_TWICE
@given(st.data(), lores())
def test_entries_are_those_of_the_model(data: st.DataObject, lore: RandomLore) -> None:
    model, outline = NaiveLore(lore.changes), Outline(lore.outline.nodes.values())
    bound = data.draw(bounds(lore.outline))

    for known, entity in product((None, *range(len(lore.changes) + 1)), ENTITIES):
        entry = resolved(lore.recorded, entity, bound, known, outline)
        assert of_product(entry) == of_model(model.entry(entity, bound, known)), (known, entity)


@given(st.data(), lores())
def test_states_are_those_of_the_model(data: st.DataObject, lore: RandomLore) -> None:
    model, outline = NaiveLore(lore.changes), Outline(lore.outline.nodes.values())
    bound = data.draw(bounds(lore.outline))
    known = data.draw(st.none() | st.integers(2, len(lore.changes)))

    for entity in ENTITIES:
        entry = resolved(lore.recorded, entity, bound, known, outline)
        seen = model.entry(entity, bound, known)
        if entry is None or seen is None:
            continue
        for position, when in product((None, *model.outline.living()), When):
            facts = timeline.at_position(entry, position, when, outline)
            held = model.held_of(seen.facts, position, when)
            assert [fact.id for fact in facts] == [fact.id for fact in held], (entity, position, when)
            assert_same_fold(facts, held)


@given(st.data(), lores())
def test_default_positions_are_those_of_the_model(data: st.DataObject, lore: RandomLore) -> None:
    model, outline = NaiveLore(lore.changes), Outline(lore.outline.nodes.values())
    bound = data.draw(bounds(lore.outline))
    here = data.draw(st.none() | st.sampled_from(list(lore.outline.reading)))
    book = data.draw(st.none() | st.sampled_from(lore.outline.children(None)))

    assert timeline.default_position(here, book, bound, outline) == model.default_position(here, book, bound)


@given(lores())
def test_facts_lose_their_scene_as_in_the_model(lore: RandomLore) -> None:
    model, outline = NaiveLore(lore.changes), Outline(lore.outline.nodes.values())

    for known in (None, *range(len(lore.changes) + 1)):
        gone = timeline.undone(lore.recorded, known)
        lost = timeline.lost(lore.recorded, undone=gone, known=known, outline=outline)
        facts = {(one.row.id, one.what.value) for one in lost if isinstance(one.row, Asserted)}
        assert facts == model.lost(known)


@_MANY
@given(st.lists(PATCHES, max_size=6))
def test_patches_fold_as_in_the_model(patches: list[JsonObject]) -> None:
    facts = [(str(number), patch) for number, patch in enumerate(patches)]
    folded, expected = merge.fold(facts), fold(facts)

    assert canonical(folded.state) == canonical(expected.state)
    assert dict(folded.sources) == dict(expected.sources)
    assert frozenset(folded.misfits) == expected.misfits


@_MANY
@given(st.data(), PATCHES)
def test_members_are_withdrawn_as_in_the_model(data: st.DataObject, patch: JsonObject) -> None:
    pointers = data.draw(
        st.lists(st.sampled_from(["", *pointers_of(patch), "/missing", "/home/missing"][::-1]))
    )

    assert merge.withdraw(patch, pointers) == without(patch, pointers)


@given(st.lists(PATCHES, max_size=6), st.integers(0, 6))
def test_a_difference_applied_to_the_earlier_state_gives_the_later_one(
    patches: list[JsonObject], then: int
) -> None:
    facts = [(str(number), patch) for number, patch in enumerate(patches)]
    earlier, later = merge.fold(facts[:then]).state, merge.fold(facts).state

    difference = merge.diff(earlier, later)

    assert canonical(merge.apply(earlier, difference)) == canonical(later)
    assert canonical(fold([("earlier", earlier), ("difference", difference)]).state) == canonical(later)


@pytest.fixture
def shelf(database: SqliteDatabase) -> Shelf:
    return Shelf(SqlLoreStore(database), SqlLoreIndex(database), SqlSeriesStore(database))


@_FEW
@given(data=st.data(), lore=lores())
async def test_the_stored_canon_is_that_of_the_model(
    shelf: Shelf, data: st.DataObject, lore: RandomLore
) -> None:
    series, model = await shelf.put(lore.changes), NaiveLore(lore.changes)
    bound = data.draw(bounds(lore.outline))

    for known in (None, *range(1, len(lore.changes) + 1)):
        await assert_same_canon(await shelf.canon(series, known), model, bound, known)


@_FEW
@given(data=st.data(), lore=lores())
async def test_a_staged_change_counts_as_if_it_were_stored(
    shelf: Shelf, data: st.DataObject, lore: RandomLore
) -> None:
    *stored, staged = lore.changes
    canon = await shelf.canon(await shelf.put(stored))
    bound = data.draw(bounds(lore.outline))

    canon.stage(staged)

    await assert_same_canon(canon, NaiveLore(lore.changes), bound, None)
