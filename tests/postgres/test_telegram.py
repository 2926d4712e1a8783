"""Telegram with the notes on Postgres: a sample of its tests."""
# ruff: noqa: F401  what is imported is run here

import pytest

from tests.adapters.telegram.conftest import closed_hall, hall, telegram
from tests.adapters.telegram.test_decisions import (
    test_button_saves_and_the_card_says_so,
    test_card_works_after_a_restart,
    test_taking_back_restores_what_was,
)
from tests.adapters.telegram.test_talk import (
    test_edited_message_is_taken_note_of_and_starts_nothing,
    test_two_topics_at_once_keep_their_cards_apart,
    test_what_is_said_besides_is_context,
)

pytestmark = pytest.mark.postgres
