import pytest

from adapters.cards import Button
from adapters.terminal.decision import NoSuchLine, read_decision, reply_hints
from agent_core.pipeline.confirmations import Decision
from tests.adapters import samples

BATCH = samples.batch(samples.EYES, samples.NEW_ENTRY, samples.HOME)


@pytest.mark.parametrize("text", ["y", "s", "yes", "Save", "j", "ja", "Übernehmen", "o", "oui", " OK. "])
def test_yes_saves_what_the_card_shows(text: str) -> None:
    assert read_decision(text, BATCH) == Decision(approve=True, digest="d")


@pytest.mark.parametrize("text", ["n", "d", "no", "Discard", "nein", "verwerfen", "non"])
def test_no_discards(text: str) -> None:
    assert read_decision(text, BATCH) == Decision(approve=False, digest="d")


@pytest.mark.parametrize(
    ("text", "ordinals"),
    [
        ("1", {0}),
        ("1,3", {0, 2}),
        ("1 3", {0, 2}),
        ("1-3", {0, 1, 2}),
        ("1, 2 - 3", {0, 1, 2}),
        ("3;1", {0, 2}),
    ],
)
def test_numbers_save_only_these_lines(text: str, ordinals: set[int]) -> None:
    assert read_decision(text, BATCH) == Decision(approve=True, chosen=frozenset(ordinals), digest="d")


@pytest.mark.parametrize("text", ["4", "0", "1,9", "3-1"])
def test_a_number_off_the_card_saves_nothing(text: str) -> None:
    assert isinstance(read_decision(text, BATCH), NoSuchLine)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("a", (0, "kind", "record")),
        ("B)", (0, "kind", "retcon")),
        ("c", (2, "at", "7.3")),
        ("@4.1", (2, "at", "4.1")),
        ("@hier", (2, "at", "here")),
    ],
)
def test_a_letter_or_place_answers_a_question(text: str, answer: tuple[int, str, str]) -> None:
    button = read_decision(text, BATCH)
    assert isinstance(button, Button)
    assert (button.line, button.name, button.value) == answer


@pytest.mark.parametrize("text", ["x", "yes but later", "make it blue", "/undo", "1st of May", "12 boats"])
def test_anything_else_is_no_decision(text: str) -> None:
    assert read_decision(text, BATCH) is None


def test_a_place_answers_nothing_on_a_card_that_asks_for_none() -> None:
    assert read_decision("@4.1", samples.batch(samples.EYES)) is None


def test_the_hints_name_what_fits_the_card() -> None:
    assert reply_hints(samples.batch(samples.NEW_ENTRY)) == ["reply_save", "reply_later", "reply_else"]
    assert {"reply_lines", "reply_answer", "reply_place"} <= set(reply_hints(BATCH))
