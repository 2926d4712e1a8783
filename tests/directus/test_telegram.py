"""Telegram with the canon in Directus: a sample of its tests."""
# ruff: noqa: F401  what is imported is run here

import pytest

from tests.adapters.telegram.conftest import closed_hall, hall, telegram
from tests.adapters.telegram.test_decisions import (
    test_button_saves_and_the_card_says_so,
    test_taking_back_restores_what_was,
)
from tests.directus.fixtures import empty_directus, endpoint, house, laid_out_directus, probe

pytestmark = [pytest.mark.directus, pytest.mark.timeout(120)]
