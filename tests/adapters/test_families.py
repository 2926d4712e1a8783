"""Families of tools are switched on and off by words of any language."""

import pytest

from adapters.families import family_named, switched
from agent_core.conversation.model import Conversation
from agent_core.tools.spec import SWITCHED, Family

PLACE = Conversation(id="c", platform="terminal", place="p", private=True)


@pytest.mark.parametrize(
    ("word", "family"),
    [
        ("web", Family.WEB),
        (" Tabellen ", Family.SHEETS),
        ("tableurs", Family.SHEETS),
        ("GIT", Family.FORGE),
        ("forge", Family.FORGE),
        ("lore", None),
        ("vault_write", None),
        ("", None),
    ],
)
def test_family_is_known_by_its_words(word: str, family: Family | None) -> None:
    assert family_named(word) is family


def test_switching_twice_is_switching_once() -> None:
    once = switched(PLACE, Family.WEB, on=True)

    assert switched(once, Family.WEB, on=True).families == ("web",)
    assert switched(once, Family.WEB, on=False).families == ()


def test_every_family_is_either_always_there_or_switched() -> None:
    """A family is on from the start, comes with the notes folder, or is switched: no tool is out of reach."""
    of_notes = {Family.VAULT, Family.VAULT_WRITE, Family.DUPLICATES}
    assert {Family.LORE, Family.PLACE, *of_notes, *SWITCHED} == set(Family)
