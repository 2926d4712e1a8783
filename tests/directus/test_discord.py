"""Discord with the canon in Directus: a sample of its tests."""
# ruff: noqa: F401  what is imported is run here

import pytest

from tests.adapters.discord.conftest import discord, hall
from tests.adapters.discord.test_cards import (
    test_button_saves_and_the_same_card_takes_back,
    test_reader_decides_nothing_and_a_co_author_does,
)
from tests.directus.fixtures import empty_directus, endpoint, house, laid_out_directus, probe

pytestmark = [pytest.mark.directus, pytest.mark.timeout(120)]
