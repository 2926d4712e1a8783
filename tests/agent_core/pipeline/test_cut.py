"""Results fit their budget, stay valid JSON, and say where something is missing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.messages import Json
from agent_core.pipeline.cut import LEAST_CHARS, cut_json, cut_result, cut_text, dump

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=80), inner, max_size=30),
    max_leaves=60,
)


@given(VALUES, st.integers(min_value=LEAST_CHARS, max_value=3_000))
def test_result_is_valid_json_within_its_limit_and_says_what_is_missing(value: Json, limit: int) -> None:
    """A12: never over the limit, never broken, never silently short."""
    cut = cut_json(value, limit)

    text = dump(cut)
    assert len(text) <= limit
    assert json.loads(text) == json.loads(dump(cut))
    if len(dump(value)) > limit:
        assert "cut, " in text
    else:
        assert cut is value


@given(st.text(), st.integers(min_value=LEAST_CHARS, max_value=500))
def test_text_is_cut_at_a_character_and_counts_what_it_kept(text: str, limit: int) -> None:
    cut = cut_text(text, limit)

    if cut != text:
        kept, note = cut.rsplit("… ", 1)
        assert text.startswith(kept)
        assert note == f"(cut, {len(kept)} of {len(text)} characters)"


def test_list_keeps_whole_items_and_a_piece_of_the_next() -> None:
    items = [{"name": "Mara", "text": "x" * 40} for _ in range(50)]

    cut = cut_json(items, 600)

    assert isinstance(cut, list)
    assert cut[0] == items[0]
    assert cut[-1] == f"(cut, {len(cut) - 1} of 50 items)"


def test_small_fields_survive_a_huge_neighbour() -> None:
    cut = cut_json({"text": "y" * 2_000_000, "total": 2_000_000, "next": 100_000}, 10_000)

    assert isinstance(cut, dict)
    assert (cut["total"], cut["next"]) == (2_000_000, 100_000)
    assert "of 2000000 characters" in str(cut["text"])
    assert 9_000 < len(dump(cut)) <= 10_000


def test_object_of_more_fields_than_fit_says_how_many_are_left_out() -> None:
    cut = cut_json({f"field {n}": "value" * 20 for n in range(5_000)}, 1_000)

    assert isinstance(cut, dict)
    assert str(cut["…"]).endswith("of 5000 fields)")
    assert len(dump(cut)) <= 1_000


def test_stored_result_is_shortened_as_json_and_other_text_as_text() -> None:
    content = dump({"tool": "t", "data": {"items": ["x" * 100] * 100}})

    assert json.loads(cut_result(content, 500))["tool"] == "t"
    assert cut_result("no json " * 100, 200).endswith("of 800 characters)")
    assert cut_result(content, 100_000) is content


@pytest.mark.parametrize("limit", [0, 1, LEAST_CHARS - 1])
def test_limit_too_small_for_anything_leaves_a_note(limit: int) -> None:
    assert len(dump(cut_json({"a": "b" * 500}, limit))) <= LEAST_CHARS
