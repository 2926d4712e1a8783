"""/notify as it is typed: the channel, then a text in which no word is ours."""

import pytest

from adapters.commands import CommandError, ParsedCommand, parse


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
