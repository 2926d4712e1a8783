"""Rows on their way to Directus and back: nothing is lost, and nothing is sent that a database can't hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.lore.model import Change, Node, NodeKind, Row, TextSet
from agent_core.lore.outline import Outline
from agent_core.messages import Json
from agent_core.stores.directus import schema
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure
from agent_core.stores.directus.ids import change_row, shown_row
from agent_core.stores.directus.layout import ALL, CHANGES, MARK, SERIES
from agent_core.stores.directus.log import read_changes, written
from agent_core.stores.directus.moves import in_their_order
from agent_core.stores.directus.payload import canonical, in_pieces, is_plain
from agent_core.stores.directus.showing import check_written
from agent_core.stores.sql.changes import FullChange
from tests.clock import NOON
from tests.contracts.lore_rows import ANY_ROW, fact

CHANGE = Change(series="oz", number=7, at=NOON, proposed_by="p1", approved_by="p2", source="m1")


def stored(full: FullChange) -> Json:
    """Return the rows of a change as Directus gives them back."""
    posted = written(full)
    texts = {row["id"]: row["text"] for row in posted.revisions}
    states = [
        {**row, "revision": {"text": texts[row["revision"]]} if row["revision"] else None}
        for row in posted.states
    ]
    found: Json = json.loads(json.dumps([{**posted.change, "states": states}], ensure_ascii=False))
    return found


@given(rows=st.lists(ANY_ROW, max_size=8), keys=st.lists(st.text(max_size=10), max_size=3))
def test_any_change_comes_back_byte_for_byte(rows: list[Row], keys: list[str]) -> None:
    full = FullChange(CHANGE, "token", tuple(rows), tuple(keys))

    [found] = read_changes("oz", stored(full))

    assert repr(found) == repr(full)


@given(rows=st.lists(ANY_ROW, max_size=8))
def test_nothing_is_sent_that_no_database_takes(rows: list[Row]) -> None:
    posted = written(FullChange(CHANGE, "token", tuple(rows), ()))

    for row in (*posted.revisions, posted.change, *posted.states):
        assert all(is_plain(value) for value in row.values() if isinstance(value, str))


@given(rows=st.lists(ANY_ROW, min_size=1, max_size=8), data=st.data())
def test_change_that_lacks_a_row_is_damaged(rows: list[Row], data: st.DataObject) -> None:
    found = stored(FullChange(CHANGE, "token", (*rows, fact("mara")), ()))
    assert isinstance(found, list)
    states = found[0]["states"]
    states.pop(data.draw(st.integers(0, len(states) - 1)))

    with pytest.raises(DirectusFailure) as damaged:
        read_changes("oz", found)

    assert damaged.value.cause is DirectusCause.DRIFT


def test_ids_follow_from_what_rows_stand_for() -> None:
    uuid = "5d0c9d3e-0f0e-4a39-9d6f-c1e1e2c1a001"
    assert shown_row("oz", uuid) == uuid
    assert shown_row("oz", "mara") == shown_row("oz", "mara") != shown_row("vel", "mara")
    assert change_row("oz", "t1") != change_row("oz", "t2")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 12345678901234567890}, {"a": 12345678901234567000}, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": True}, {"a": 1}, False),
        ({"a": "1"}, {"a": 1}, False),
        ({"a": None}, {}, False),
        (10**400, 10**401, True),
        ("a\0", "a\ufffd", True),
    ],
)
def test_values_are_the_same_that_directus_cannot_tell_apart(one: Json, other: Json, same: bool) -> None:
    assert (canonical(one) == canonical(other)) is same


def test_column_that_was_dropped_with_success_is_noticed() -> None:
    check_written([{"id": "1", "summary": "x"}], [{"id": "1", "summary": "x", "more": 2}], CHANGES)
    for found in ([{"id": "1"}], [{"id": "1", "summary": None}], [], None):
        with pytest.raises(DirectusFailure):
            check_written([{"id": "1", "summary": "x"}], found, CHANGES)


def test_rows_are_sent_in_pieces_that_fit() -> None:
    rows: list[dict[str, Json]] = [{"id": str(number), "text": "x" * 400_000} for number in range(5)]

    pieces = in_pieces(rows)

    assert [len(piece) for piece in pieces] == [2, 2, 1]
    with pytest.raises(DirectusFailure):
        in_pieces([{"text": "ä" * 500_000}])


def test_text_with_half_a_character_stays_in_the_log_alone() -> None:
    posted = written(FullChange(CHANGE, "t", (TextSet(id="r", scene="s", text="a\ud800\0"),), ()))

    assert posted.revisions == ()
    assert "\\ud800" in str(posted.states[0]["body"])


def scenes(count: int) -> Outline:
    ranks = "VWXYZabcdefgh"
    return Outline(
        Node(id=f"s{number}", kind=NodeKind.SCENE, parent=None, rank=ranks[number]) for number in range(count)
    )


@given(order=st.permutations([f"s{number}" for number in range(8)]))
def test_numbers_that_people_give_put_nodes_in_that_order(order: list[str]) -> None:
    outline = scenes(8)
    places: dict[str, int | None] = {node: number for number, node in enumerate(order, 1)}

    ranked = in_their_order(outline, outline.nodes, places, order)

    assert [node.id for node in Outline(ranked.values()).children(None)] == order


@given(moved=st.integers(0, 7), to=st.integers(0, 7))
def test_only_what_moved_gets_another_rank(moved: int, to: int) -> None:
    outline = scenes(8)
    order = [f"s{number}" for number in range(8) if number != moved]
    order.insert(to, f"s{moved}")
    places: dict[str, int | None] = {node: number for number, node in enumerate(order, 1)}

    ranked = in_their_order(outline, outline.nodes, places, order)

    changed = [node for node in ranked.values() if node != outline.nodes[node.id]]
    assert [node.id for node in Outline(ranked.values()).children(None)] == order
    assert len(changed) <= 1


def test_nodes_without_a_number_come_last() -> None:
    outline = scenes(3)
    new = Node(id="new", kind=NodeKind.SCENE, parent=None, rank="")

    ranked = in_their_order(outline, {**outline.nodes, "new": new}, {"new": None}, ["new"])

    assert [node.id for node in Outline(ranked.values()).children(None)] == ["s0", "s1", "s2", "new"]


def everything() -> schema.Survey:
    columns = {one.name: {column.name: (column.type, column.unique) for column in one.columns} for one in ALL}
    for one in ALL:
        for column in one.columns:
            if column.to:
                columns[column.to][column.back] = ("alias", False)
    relations = {(one.name, column.name, column.to) for one in ALL for column in one.columns if column.to}
    return schema.Survey({one.name: f"{MARK}: x" for one in ALL}, columns, frozenset(relations))


def test_plan_of_an_empty_directus_makes_each_thing_once_and_nothing_later_needs_what_comes_after() -> None:
    made = schema.plan(schema.Survey({}, {}, frozenset()))

    names = [step.name for step in made.steps]
    assert len(set(names)) == len(names)
    assert [step.name for step in made.steps if step.what is schema.What.COLLECTION] == [
        one.name for one in ALL
    ]
    assert schema.plan(everything()) == schema.Plan((), ())


def test_plan_names_what_is_in_the_way() -> None:
    found = everything()
    foreign = schema.Survey({**found.notes, SERIES.name: "by hand"}, found.columns, found.relations)
    columns = {**found.columns, CHANGES.name: {**found.columns[CHANGES.name], "token": ("string", False)}}
    loose = schema.Survey(found.notes, columns, found.relations)

    assert [one.what for one in schema.plan(foreign).obstacles] == [schema.What.FOREIGN]
    assert [one.what for one in schema.plan(loose).obstacles] == [schema.What.UNIQUE]
