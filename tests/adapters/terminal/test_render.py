import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from adapters.cards import answer_card, proposal_card
from adapters.surface import Said
from adapters.terminal.console import terminal_console
from adapters.terminal.render import answer_renderable, block_renderable, card_renderable, clean, plain_text
from tests.adapters import samples

CARDS = [
    answer_card(samples.STATE, samples.VIEW),
    answer_card(samples.SEARCH, samples.VIEW),
    answer_card(samples.WHY, samples.VIEW),
    answer_card(samples.CONTENTS, samples.VIEW),
    proposal_card(samples.batch(*samples.EVERY_KIND), samples.VIEW),
]


def said(markdown: str, width: int = 60) -> str:
    return plain_text(answer_renderable(Said(markdown=markdown), "en"), width)


@pytest.mark.parametrize(
    ("text", "repeated"),
    [("Green (1.2).", False), ("Since 11.2: green.", True), ("Since b1:1.2.1: green.", True)],
)
def test_sources_that_an_answer_names_are_not_repeated(text: str, repeated: bool) -> None:
    shown = plain_text(answer_renderable(Said(markdown=text, sources=("1.2", "3.1")), "en"))
    assert ("Sources: 1.2, 3.1" in shown) is repeated


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_cards_fit_narrow_and_wide_terminals(width: int) -> None:
    for card in CARDS:
        lines = plain_text(card_renderable(card), width).split("\n")
        assert max(map(cell_len, lines)) <= min(width, 100)


def test_a_narrow_card_loses_no_word() -> None:
    for card in CARDS:
        wide, narrow = (plain_text(card_renderable(card), width).split() for width in (100, 40))
        assert "".join(wide) == "".join(narrow)


def test_names_in_angle_brackets_stay() -> None:
    """C06: what looks like a tag is text."""
    assert said("Use /lore <name>, then <b>1 < 2</b>.") == "Use /lore <name>, then <b>1 < 2</b>.\n"


def test_links_show_their_address() -> None:
    assert said("See [the map](https://maps.example/vel).") == "See the map (https://maps.example/vel).\n"


def test_markdown_is_laid_out() -> None:
    text = said(
        "# Mara\n\nHer *eyes*:\n\n1. green\n2. calm\n\n```\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    )
    assert text.startswith("Mara\n")
    assert " 1 green" in text
    assert "x = 1" in text
    assert "┃" in text or "│" in text or " a " in text


def test_lines_of_an_answer_end_where_they_were_ended() -> None:
    assert said("**Name:** Mara\n**Eyes:** green") == "Name: Mara\nEyes: green\n"


def test_sources_and_position_stand_below_an_answer() -> None:
    block = Said(markdown="Green.", sources=("edit no. 3", "1.2"), as_of="as of ch. 7")
    assert plain_text(block_renderable(block, "en")) == "Green.\n\nSources: edit no. 3, 1.2 · as of ch. 7\n"


@given(st.text())
def test_no_text_can_steer_the_terminal(text: str) -> None:
    cleaned = clean(text)
    assert not any(ord(char) < 32 and char != "\n" for char in cleaned)
    assert not any(0x7F <= ord(char) < 0xA0 for char in cleaned)


def test_escape_sequences_in_notes_are_shown_as_letters() -> None:
    line = samples.HOME.model_copy(
        update={"title": "x", "entry": samples.MARA.model_copy(update={"name": "\x1b[2JM"})}
    )
    shown = plain_text(card_renderable(proposal_card(samples.batch(line), samples.VIEW)))
    assert "[2JM" in shown
    assert "\x1b" not in shown


def test_a_terminal_gets_colours_unless_it_says_no(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn() -> str:
        screen = io.StringIO()
        console = terminal_console(screen, width=60, is_terminal=True)
        console.print(card_renderable(CARDS[0]))
        return screen.getvalue()

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[36m" in drawn()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[36m" not in drawn()
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in drawn()


def test_what_a_file_cannot_encode_is_replaced() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    terminal_console(stream, width=60).print(card_renderable(CARDS[0]))
    stream.flush()
    assert b"as of b2:7.3 The Crossing (end) ? edit no. 412" in raw.getvalue()
