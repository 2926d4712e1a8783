"""Patches: what they merge to, what may be recorded, what is left of them, how two states differ."""

from collections.abc import Callable
from copy import deepcopy
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.errors import BadPatch
from agent_core.lore.merge import (
    MAX_BYTES,
    MAX_DEPTH,
    apply,
    diff,
    fold,
    is_object,
    join_pointer,
    same,
    split_pointer,
    validate_patch,
    withdraw,
)
from agent_core.lore.model import JsonObject
from agent_core.messages import Json

NONE: JsonObject = {"$none": True}
UNKNOWN: JsonObject = {"$unknown": True}

Object: TypeAlias = dict[str, Json]


def test_objects_merge_and_null_removes() -> None:
    state: Object = {"home": {"city": "Vel", "street": "Kiln"}, "age": 30}

    assert apply(state, {"home": {"street": None}, "age": None}) == {"home": {"city": "Vel"}}


def test_null_inside_a_new_object_leaves_no_trace() -> None:
    assert apply({}, {"home": {"city": "Vel", "street": None, "of": {"x": None}}}) == {
        "home": {"city": "Vel", "of": {}}
    }


def test_null_inside_a_list_is_kept() -> None:
    assert apply({}, {"ages": [1, None]}) == {"ages": [1, None]}


@pytest.mark.parametrize("there", ["Vel", 7, True, ["a"], NONE, UNKNOWN])
def test_object_replaces_what_is_no_object(there: Json) -> None:
    assert apply({"home": there}, {"home": {"city": "Oru"}}) == {"home": {"city": "Oru"}}


@pytest.mark.parametrize("new", ["Vel", 7, False, ["a"], [], NONE, UNKNOWN])
def test_what_is_no_object_replaces_an_object_whole(new: Json) -> None:
    assert apply({"home": {"city": "Oru"}}, {"home": new}) == {"home": new}


def test_empty_object_makes_an_object_and_leaves_one_alone() -> None:
    assert apply({}, {"home": {}}) == {"home": {}}
    assert apply({"home": "Vel"}, {"home": {}}) == {"home": {}}
    assert apply({"home": {"city": "Vel"}}, {"home": {}}) == {"home": {"city": "Vel"}}


def test_list_edit_removes_first_then_adds_what_is_missing() -> None:
    edit: JsonObject = {"titles": {"$add": ["Kit", "M.", "Kit"], "$remove": ["Mara", "M.", "gone"]}}

    assert apply({"titles": ["Mara", "M.", "Kit"]}, edit) == {"titles": ["Kit", "M."]}


def test_list_items_are_compared_as_json() -> None:
    assert apply({"n": [1]}, {"n": {"$add": [True, 1.0, {"a": 1}, {"a": 1}]}}) == {"n": [1, True, {"a": 1}]}


@pytest.mark.parametrize("there", [{}, {"titles": "Mara"}, {"titles": {"a": 1}}, {"titles": NONE}])
def test_list_edit_on_no_list_starts_one_and_does_not_fit(there: Object) -> None:
    folded = fold([("base", there), ("edit", {"titles": {"$add": ["Kit"], "$remove": ["Mara"]}})])

    assert folded.state == {"titles": ["Kit"]}
    assert folded.misfits == (("edit", "/titles"),)


def test_list_edit_on_a_list_fits() -> None:
    folded = fold([("base", {"a": {"titles": []}}), ("edit", {"a": {"titles": {"$add": ["Kit"]}}})])

    assert folded.state == {"a": {"titles": ["Kit"]}}
    assert folded.misfits == ()


def test_sources_name_the_fact_behind_each_leaf() -> None:
    folded = fold(
        [
            ("first", {"eyes": "blue", "home": {"city": "Vel", "a/b": 1}, "titles": ["M."], "spouse": NONE}),
            ("second", {"eyes": "green", "home": {"street": "Kiln"}, "titles": {"$add": ["Kit"]}}),
            ("third", {"home": {"city": None}, "empty": {}}),
        ]
    )

    assert folded.sources == {
        "/eyes": "second",
        "/home/a~1b": "first",
        "/home/street": "second",
        "/titles": "second",
        "/spouse": "first",
    }


def test_list_edit_that_changes_nothing_is_no_source() -> None:
    folded = fold([("list", {"titles": ["M."]}), ("edit", {"titles": {"$add": ["M."], "$remove": ["Kit"]}})])

    assert folded.sources == {"/titles": "list"}
    assert folded.misfits == ()


def test_merging_changes_neither_side() -> None:
    state: Object = {"home": {"city": "Vel"}, "titles": ["M."]}
    patch: Object = {"home": {"street": "Kiln"}, "titles": {"$add": ["Kit"]}, "new": {"deep": {"er": 1}}}
    before = deepcopy((state, patch))

    merged = apply(apply(state, patch), {"new": {"deep": {"er": 2}}})

    assert (state, patch) == before
    assert merged["new"] == {"deep": {"er": 2}}


@pytest.mark.parametrize(
    ("patch", "pointer", "reason"),
    [
        ("text", "", "not_object"),
        ([1], "", "not_object"),
        (None, "", "not_object"),
        ({"$foo": 1}, "/$foo", "dollar_key"),
        ({"$none": True}, "/$none", "dollar_key"),
        ({"$add": [1]}, "/$add", "dollar_key"),
        ({"a": {"$foo": 1}}, "/a/$foo", "dollar_key"),
        ({"a": {"$none": False}}, "/a/$none", "dollar_key"),
        ({"a": {"$none": 1}}, "/a/$none", "dollar_key"),
        ({"a": {"$none": True, "$unknown": True}}, "/a/$none", "dollar_key"),
        ({"a": {"$none": True, "b": 1}}, "/a/$none", "dollar_key"),
        ({"a": {"$add": "x"}}, "/a/$add", "dollar_key"),
        ({"a": {"$add": [1], "b": 2}}, "/a/$add", "dollar_key"),
        ({"a": [{"$none": True}]}, "/a/0/$none", "dollar_key"),
        ({"a": [{"$add": [1]}]}, "/a/0/$add", "dollar_key"),
        ({"a": {"$add": [[{"$x": 1}]]}}, "/a/$add/0/0/$x", "dollar_key"),
        ({"a/b": {"c~": {"$x": 1}}}, "/a~1b/c~0/$x", "dollar_key"),
        ({"a": [1.0, float("nan")]}, "/a/1", "not_finite"),
        ({"a": float("-inf")}, "/a", "not_finite"),
        ({"a": "ü" * (MAX_BYTES // 2)}, "", "too_large"),
    ],
)
def test_bad_patch_is_refused_with_its_place(patch: Json, pointer: str, reason: str) -> None:
    with pytest.raises(BadPatch) as refused:
        validate_patch(patch)

    assert refused.value.facts == {"pointer": pointer, "reason": reason}


@pytest.mark.parametrize(
    "patch",
    [
        {},
        {"a": NONE, "b": {"c": UNKNOWN}, "d": None},
        {"titles": {"$add": ["x", [1]], "$remove": [{"a": None}]}},
        {"": {"": ""}, "price $": "5$"},
        {"a": "ü" * (MAX_BYTES // 2 - 10), "b": "\ud800"},
    ],
)
def test_good_patch_may_be_recorded(patch: Json) -> None:
    validate_patch(patch)

    assert isinstance(patch, dict)


@pytest.mark.parametrize("box", [lambda inner: {"a": inner}, lambda inner: [inner]])
def test_depth_is_limited_for_objects_and_lists(box: Callable[[Json], Json]) -> None:
    deep: Json = {"a": 1}
    for _ in range(MAX_DEPTH - 2):
        deep = box(deep)
    validate_patch({"top": deep})

    with pytest.raises(BadPatch) as refused:
        validate_patch({"top": box(deep)})
    assert refused.value.facts["reason"] == "too_deep"


def test_depth_beyond_all_measure_is_refused_not_crashed_on() -> None:
    deep: Json = 1
    for _ in range(100_000):
        deep = [deep]

    with pytest.raises(BadPatch):
        validate_patch({"a": deep})


@pytest.mark.parametrize(
    ("pointers", "left"),
    [
        ([], {"a": {"b": 1, "c": None}, "l": [1], "e": {}}),
        (["/a/b"], {"a": {"c": None}, "l": [1], "e": {}}),
        (["/a/b", "/a/c"], {"l": [1], "e": {}}),
        (["/a", "/l", "/e"], None),
        ([""], None),
        (["/l/0"], {"a": {"b": 1, "c": None}, "e": {}}),
        (["/a/b/x", "/nothing", "/e/x", "odd"], {"a": {"b": 1, "c": None}, "l": [1], "e": {}}),
    ],
)
def test_withdrawal_removes_exactly_the_named_members(pointers: list[str], left: Json) -> None:
    assert withdraw({"a": {"b": 1, "c": None}, "l": [1], "e": {}}, pointers) == left


@pytest.mark.parametrize("value", [{"$add": [1]}, NONE, [1, 2]])
def test_what_is_whole_is_withdrawn_whole(value: Json) -> None:
    assert withdraw({"x": value, "y": 1}, ["/x/$add", "/x/$none", "/x/0"]) == {"y": 1}


def test_emptied_parents_go_and_empty_ones_stay() -> None:
    assert withdraw({"a": {"b": {"c": 1}}, "d": {}}, ["/a/b/c"]) == {"d": {}}
    assert withdraw({"a": {"b": {"c": 1}}}, ["/a/b/c"]) is None


def test_true_is_not_one() -> None:
    assert not same({"a": [True]}, {"a": [1]})
    assert same({"a": 1, "b": [1.0]}, {"b": [1], "a": 1.0})
    assert diff({"a": True}, {"a": 1}) == {"a": 1}


keys = st.sampled_from(["a", "b", "c", "a/b", "~", ""])
scalars = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["x", "y"]) | st.just(0.5)
items = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(keys, inner, max_size=2),
    max_leaves=4,
)
lists = st.lists(items, max_size=3)
edits = st.fixed_dictionaries({"$add": lists}, optional={"$remove": lists}) | st.fixed_dictionaries(
    {"$remove": lists}
)
values = st.recursive(
    scalars | lists | edits | st.sampled_from([NONE, UNKNOWN]),
    lambda inner: st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
patches: st.SearchStrategy[Object] = st.dictionaries(keys, values, max_size=4)
facts = st.lists(patches, max_size=6).map(lambda found: [(str(n), patch) for n, patch in enumerate(found)])


@given(patches)
def test_generated_patches_are_valid_and_parents_of_their_state(patch: Object) -> None:
    validate_patch(patch)

    assert all(value is not None for value in fold([("", patch)]).state.values())


@given(facts, facts)
def test_diff_turns_one_state_into_the_other(
    one: list[tuple[str, JsonObject]], other: list[tuple[str, JsonObject]]
) -> None:
    old, new = fold(one).state, fold(other).state

    assert same(apply(old, diff(old, new)), new)
    assert diff(old, old) == {}


@given(facts)
def test_fold_is_apply_after_apply(found: list[tuple[str, JsonObject]]) -> None:
    state: Object = {}
    for _, patch in found:
        state = apply(state, patch)

    assert same(fold(found).state, state)


@given(facts)
def test_every_leaf_has_a_source_and_nothing_else_has(found: list[tuple[str, JsonObject]]) -> None:
    folded = fold(found)

    assert folded.sources.keys() == set(_leaves(folded.state, ()))
    assert set(folded.sources.values()) <= {key for key, _ in found}


@given(patches, st.data())
def test_withdrawing_takes_the_named_members_and_only_those(patch: Object, data: st.DataObject) -> None:
    members = list(_members(patch, ()))
    named = data.draw(st.lists(st.sampled_from(members), max_size=3)) if members else []

    left = withdraw(patch, [join_pointer(path) for path in named])

    kept = set() if left is None else set(_members(left, ()))
    expected = [path for path in members if not any(path[: len(one)] == one for one in named)]
    emptied = [path for path in expected if path not in kept]
    assert kept <= set(expected)
    for path in emptied:
        below = [one for one in members if one[: len(path)] == path and one != path]
        assert below
        assert all(one not in kept for one in below)


@given(st.lists(st.text(max_size=4), max_size=4))
def test_pointers_round_trip(path: list[str]) -> None:
    assert split_pointer(join_pointer(path)) == tuple(path)


def _leaves(state: JsonObject, path: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for key, value in state.items():
        if is_object(value):
            found += _leaves(value, (*path, key))
        else:
            found.append(join_pointer((*path, key)))
    return found


def _members(patch: JsonObject, path: tuple[str, ...]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for key, value in patch.items():
        found.append((*path, key))
        if is_object(value):
            found += _members(value, (*path, key))
    return found
