import pytest

from adapters.commands import COMMANDS
from adapters.help import help_card
from agent_core.texts import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_lists_every_command(language: str) -> None:
    labels = [line.label for line in help_card(language).fields[0].lines if line.label]
    assert labels == [f"/{command.name}" for command in COMMANDS]


def test_the_help_on_a_command_shows_how_it_is_written() -> None:
    card = help_card("en", "/record")
    assert [line.text for line in card.lines][:2] == [
        "notes what is true from a place on",
        "/record Mara eyes=green @7.3",
    ]


def test_the_help_on_a_group_shows_its_commands() -> None:
    assert [line.text for line in help_card("en", "scene").lines][:2] == ["/scene read 7.3", "/scene list"]


def test_the_help_on_an_unknown_name_says_so_above_the_help() -> None:
    card = help_card("en", "/nonsense")
    assert card.lines[0].text == "There is no command /nonsense. These are the commands:"
    assert card.fields == help_card("en").fields
