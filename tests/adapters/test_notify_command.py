"""/notify as it is typed, and the card of a message."""

import re
from dataclasses import replace

import pytest

from adapters.cards import proposal_card
from adapters.commands import CommandError, ParsedCommand, parse
from agent_core.lore.answers import CardLine, Warn
from agent_core.texts import LANGUAGES, say
from agent_core.tools.spec import Risk
from tests.adapters import samples
from tests.adapters.test_cards import text_of


@pytest.mark.parametrize(
    "text", ["Chapter 3 is ready.", "told from 7.3 until !end, as reader 4", "Zwei\nZeilen", "eyes=green"]
)
def test_text_is_taken_as_it_is_typed(text: str) -> None:
    parsed = parse(f"/notify team {text}")
    assert isinstance(parsed, ParsedCommand)
    assert (parsed.tool, dict(parsed.arguments)) == ("notify_external", {"channel": "team", "text": text})


def test_message_without_a_text_is_told() -> None:
    with pytest.raises(CommandError):
        parse("/notify team")


@pytest.mark.parametrize("language", LANGUAGES)
def test_card_of_a_message_shows_all_of_it_and_where_it_goes(language: str) -> None:
    text = " ".join(f"word{number}" for number in range(300))
    line = CardLine(
        kind="notify",
        title="team",
        after_text=text,
        facts={"site": "https://discord.com", "parts": 2},
        warnings=(Warn(code="goes_out"),),
    )
    view = replace(samples.VIEW, language=language)
    batch = samples.batch(line, tool="notify_external", risk=Risk.DANGEROUS)
    shown = " ".join(text_of(proposal_card(batch, view), language).split())
    assert text in shown
    assert "team (https://discord.com)" in shown
    assert say(language, "warn.goes_out") in shown
    assert not re.search(r"[{}]|\bNone\b", shown)
