"""Passages around hits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.lore.fold import atoms, document, terms
from agent_core.lore.quotes import (
    MAX_CHARS,
    best_passage,
    is_spelled_as_name,
    is_spelled_like,
    occurrences,
    paragraphs,
    passages,
    sentences,
)

prose = st.text(
    st.one_of(st.characters(), st.sampled_from("abc mara .!?\n\n\n“”王小明。ไทย가나")), max_size=600
)


def said(text: str, phrase: str) -> list[tuple[int, str]]:
    return [(one.paragraph, one.text) for one in passages(occurrences(text, phrase))]


@given(prose, st.sampled_from(["mara", "王小", "a", "ไ", "가나", "c"]))
def test_passages_are_short_lie_on_one_line_and_hold_what_was_looked_for(text: str, phrase: str) -> None:
    found = list(passages(occurrences(text, phrase)))
    for passage in found:
        assert len(passage.text) <= MAX_CHARS
        assert "\n" not in passage.text
        assert list(occurrences(passage.text, phrase))
    assert bool(found) == bool(list(occurrences(text, phrase)))


@given(prose)
def test_every_term_of_a_text_has_a_passage(text: str) -> None:
    for term in terms(text)[:5]:
        passage = best_passage(text, [term])
        assert passage is not None
        assert len(passage.text) <= MAX_CHARS


@given(prose)
def test_paragraphs_hold_all_words_in_order(text: str) -> None:
    words = [atom.forms for atom in atoms(text)]
    assert [atom.forms for one in paragraphs(text) for atom in atoms(one.text)] == words


@given(prose)
def test_sentences_hold_all_that_is_no_white_space(text: str) -> None:
    parts = [text[start:end] for start, end in sentences(text)]
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_a_passage_is_the_sentence_with_its_neighbours_while_they_fit() -> None:
    text = "One.\n\nIt rained. Mara laughed at Kit. Then she left.\n\nThree."
    assert said(text, "Kit") == [(2, "It rained. Mara laughed at Kit. Then she left.")]


def test_sentences_next_to_each_other_are_quoted_once() -> None:
    assert said("Mara rose. Mara fell.", "Mara") == [(1, "Mara rose. Mara fell.")]


def test_a_long_sentence_is_cut_at_words_around_the_hit() -> None:
    text = "word " * 100 + "Mara " + "thing " * 100
    ((number, passage),) = said(text, "Mara")
    assert number == 1
    assert passage.startswith("…word word")
    assert passage.endswith("thing thing…")
    assert len(passage) <= MAX_CHARS


def test_scripts_without_spaces_are_cut_at_characters() -> None:
    text = "一" * 300 + "王小明" + "二" * 300
    ((_, passage),) = said(text, "王小明")
    assert passage.startswith("…一")
    assert passage.endswith("二…")
    assert 150 < len(passage) <= MAX_CHARS


def test_one_endless_paragraph_is_quoted_too() -> None:
    text = "word " * 20_000 + "Mara " + "word " * 20_000
    ((number, passage),) = said(text, "Mara")
    assert (number, "Mara" in passage) == (1, True)


def test_paragraphs_are_lines_only_where_no_blank_line_parts_them() -> None:
    assert [(one.number, one.text) for one in paragraphs("a\nb\n\n \nc\r\n\r\nd\n")] == [
        (1, "a\nb"),
        (2, "c"),
        (3, "d"),
    ]
    assert [(one.number, one.text) for one in paragraphs("\na\n b \nc")] == [(1, "a"), (2, "b"), (3, "c")]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Dr. Watson came. He sat.", ["Dr. Watson came.", "He sat."]),
        ("J. R. Smith ran! Who?", ["J. R. Smith ran!", "Who?"]),
        ("“Go!” she said. “Why?”", ["“Go!”", "she said.", "“Why?”"]),
        ("他来了。你呢？好", ["他来了。", "你呢？", "好"]),
        ("Version 3.5 is out", ["Version 3.5 is out"]),
        ("  ", []),
    ],
)
def test_sentences_end_where_readers_see_them_end(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == parts


def test_the_best_passage_holds_most_terms() -> None:
    text = "The powder was grey.\n\n" + "Rain. " * 60 + "\n\nMombi kept the powder of life.\n\nMombi slept."
    passage = best_passage(text, ["mombi", "powder", "nothing"])
    assert passage is not None
    assert (passage.paragraph, passage.text) == (3, "Mombi kept the powder of life.")


def test_a_joined_spelling_is_quoted_where_it_stands_apart() -> None:
    passage = best_passage("Rain.\n\nThen O’Neil came.", ["oneil"])
    assert passage is not None
    assert passage.text == "Then O’Neil came."
    assert best_passage("Rain.", ["oneil"]) is None


@pytest.mark.parametrize(
    ("name", "written", "alike"),
    [
        ("Tip", "Tip", True),
        ("Tip", "TIP", True),
        ("Tip", "tip", False),
        ("the Fox", "the Fox", True),
        ("the Fox", "The fox", False),
        ("the fox", "The Fox", True),
        ("王小明", "王小明", True),
        ("Élodie", "élodie", False),
    ],
)
def test_a_name_is_given_only_as_it_is_spelled(name: str, written: str, alike: bool) -> None:
    """A62."""
    assert is_spelled_like(name, written) is alike


@pytest.mark.parametrize(
    ("written", "is_name"),
    [
        ("Wizard of Oz", True),
        ("wizard of Oz", False),
        ("Mombi", True),
        ("powder", False),
        ("1900", False),
        ("#1", True),
        ("王小明", True),
    ],
)
def test_names_begin_large(written: str, is_name: bool) -> None:
    assert is_spelled_as_name(written) is is_name


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("Will came.", [True]),
        ("Then Will came.", [False]),
        ("He left. Will came.", [True]),
        ("She said, “Will you come?”", [True]),
        ("And, Will, wait", [False]),
    ],
)
def test_where_a_sentence_opens_a_large_letter_says_nothing(text: str, opens: list[bool]) -> None:
    assert [one.opens_sentence for one in occurrences(text, "will")] == opens


def test_single_words_do_not_hit_parts_of_words() -> None:
    """A62."""
    text = "Maine is also edited, you may well ask; it ain't so. Al, Ed and AI left in May."
    for name in ("Al", "Ed", "AI"):
        assert [one.text for one in occurrences(text, name)] == [name]
    assert [one.text for one in occurrences(text, "May")] == ["may", "May"]
    assert "maine" in document(text).split()
