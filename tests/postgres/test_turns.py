"""Whole turns on Postgres: a sample of the tests of turns, run with the house of this folder."""
# ruff: noqa: F401  what is imported is run here

import pytest

from tests.agent_core.turn.test_cards import (
    test_declined_write_leaves_the_entry_unchanged_and_the_model_goes_on,
    test_expired_card_writes_nothing_and_ends_its_turn,
    test_later_edit_of_the_same_detail_makes_a_fresh_card,
    test_only_chosen_lines_run_and_the_model_hears_of_each,
    test_result_in_the_history_of_others_is_replaced_once_the_card_is_decided,
    test_same_person_pressing_twice_runs_nothing_twice,
    test_several_writes_are_one_card_with_every_line_seeing_those_before,
    test_two_people_deciding_at_once_decide_once,
    test_undo_takes_the_whole_edit_back,
)
from tests.agent_core.turn.test_history import (
    test_calls_that_a_crash_left_without_result_are_told_as_interrupted,
    test_reader_never_sees_what_was_said_under_a_wider_bound,
    test_steps_are_stored_as_they_happen,
)
from tests.agent_core.turn.test_order import (
    test_order_is_first_come_first_served_and_leaves_nothing_behind,
    test_repeated_delivery_is_answered_once,
    test_second_message_waits_for_the_first_and_sees_its_answer,
)
from tests.agent_core.turn.test_turn import (
    test_answer_follows_a_look_up,
    test_write_waits_for_a_person_and_then_goes_on,
)

pytestmark = pytest.mark.postgres
