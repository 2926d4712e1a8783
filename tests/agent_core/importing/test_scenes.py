"""Scenes keep every word of a chapter, whatever stands between."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.importing.manuscript import ManuscriptScene, WarningCode, as_position, warnings_of
from agent_core.importing.scenes import (
    Block,
    Passage,
    SceneBreak,
    SceneTitle,
    emphasised,
    is_ornament,
    scenes_of,
)

words = st.text(alphabet=st.characters(categories=("L", "N")), min_size=1, max_size=8)
passages = st.lists(words, min_size=1, max_size=6).map(lambda found: Passage(" ".join(found)))
blocks = st.lists(st.one_of(passages, st.just(SceneBreak()), words.map(SceneTitle)), max_size=20)


@given(blocks)
def test_scenes_together_hold_every_word_in_order(given_blocks: list[Block]) -> None:
    told = " ".join(block.text for block in given_blocks if isinstance(block, Passage))
    assert " ".join(scene.text for scene in scenes_of(given_blocks)).split() == told.split()


@given(blocks)
def test_no_scene_is_empty(given_blocks: list[Block]) -> None:
    assert all(scene.text.strip() for scene in scenes_of(given_blocks))


@given(st.lists(passages, max_size=6))
def test_without_breaks_a_chapter_is_one_scene(found: list[Passage]) -> None:
    assert len(scenes_of(found)) == bool(found)


def test_title_names_the_scene_it_opens_also_across_a_rule() -> None:
    told: list[Block] = [Passage("One."), SceneTitle("The Docks"), SceneBreak(), Passage("Two.")]
    assert scenes_of(told) == (ManuscriptScene("", "One."), ManuscriptScene("The Docks", "Two."))


@given(st.lists(st.tuples(st.text(alphabet="ab \n", max_size=6), st.booleans(), st.booleans()), max_size=8))
def test_emphasis_changes_no_word(runs: list[tuple[str, bool, bool]]) -> None:
    assert emphasised(runs).replace("*", "") == "".join(text for text, _, _ in runs)


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([("never ", True, False), ("said", False, False)], "*never* said"),
        ([("a", True, False), (" ", False, False), ("b", True, False)], "*a b*"),
        ([("one\ntwo", False, True)], "**one**\n**two**"),
        ([("x", True, True), ("y", False, False)], "***x***y"),
        ([(" ", True, False)], " "),
    ],
)
def test_emphasis_marks_touch_their_words(runs: list[tuple[str, bool, bool]], text: str) -> None:
    assert emphasised(runs) == text


@pytest.mark.parametrize(
    "text", ["***", "* * *", "⁂", "#", "# # #", "—", "---", "~ ~ ~", "• • •", "❦", r"\* \* \*", "＊"]
)
def test_ornaments(text: str) -> None:
    assert is_ornament(text)


@pytest.mark.parametrize("text", ["", " ", "…", "...", "1", "x x x", "“—”", "?", "\u200f", "*" * 60, "- no"])
def test_what_is_no_ornament(text: str) -> None:
    assert not is_ornament(text)


def test_warnings_are_grouped_by_code_with_each_item_once() -> None:
    found = [
        (WarningCode.MARKUP_REPAIRED, "a"),
        (WarningCode.PART_MISSING, "b"),
        (WarningCode.MARKUP_REPAIRED, "a"),
    ]
    grouped = [(one.code, one.params) for one in warnings_of(found)]
    assert grouped == [
        (WarningCode.MARKUP_REPAIRED, {"count": 2, "items": ("a",)}),
        (WarningCode.PART_MISSING, {"count": 1, "items": ("b",)}),
    ]


@pytest.mark.parametrize(
    ("text", "position"),
    [("2", 2.0), (" 1.5 ", 1.5), ("2.3.1", 2.3), ("", None), ("first", None), ("nan", None), ("1e999", None)],
)
def test_position_in_a_series(text: str, position: float | None) -> None:
    assert as_position(text) == position
