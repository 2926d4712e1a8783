"""Whole turns with the canon in Directus: a sample of the tests of turns, run with a house over it."""
# ruff: noqa: F401  what is imported is run here

import pytest

from tests.agent_core.turn.test_cards import (
    test_later_edit_of_the_same_detail_makes_a_fresh_card,
    test_only_chosen_lines_run_and_the_model_hears_of_each,
    test_same_person_pressing_twice_runs_nothing_twice,
    test_several_writes_are_one_card_with_every_line_seeing_those_before,
    test_two_people_deciding_at_once_decide_once,
    test_undo_takes_the_whole_edit_back,
)
from tests.agent_core.turn.test_turn import (
    test_answer_follows_a_look_up,
    test_write_waits_for_a_person_and_then_goes_on,
)
from tests.directus.fixtures import empty_directus, endpoint, house, laid_out_directus, probe

pytestmark = [pytest.mark.directus, pytest.mark.timeout(120)]
