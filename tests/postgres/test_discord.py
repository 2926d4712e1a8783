"""Discord with the notes on Postgres: a sample of its tests."""
# ruff: noqa: F401  what is imported is run here

import pytest

from tests.adapters.discord.conftest import discord, hall
from tests.adapters.discord.test_cards import (
    test_button_saves_and_the_same_card_takes_back,
    test_old_card_works_after_a_restart,
    test_reader_decides_nothing_and_a_co_author_does,
)

pytestmark = pytest.mark.postgres
