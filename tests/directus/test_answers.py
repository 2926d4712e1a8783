"""The canon answers over Directus as it does over SQLite: a sample of its tests, with other fixtures."""
# ruff: noqa: F401, F811  what is imported is run here

import pytest

from agent_core.clock import NewId
from agent_core.lore.model import Series
from tests.agent_core.lore import conftest as lore_fixtures
from tests.agent_core.lore.comparison import Shelf
from tests.agent_core.lore.desk import Desk as WritersDesk
from tests.agent_core.lore.library import Library
from tests.agent_core.lore.story import ten
from tests.agent_core.lore.test_against_naive import test_the_stored_canon_is_that_of_the_model
from tests.agent_core.lore.test_query_state import (
    test_answer_says_where_each_detail_comes_from,
    test_hidden_and_missing_entries_are_refused_alike,
    test_reader_sees_neither_edits_nor_authors_nor_what_comes_later,
    test_state_is_read_as_the_notes_stood,
    test_state_progresses_with_the_story,
)
from tests.agent_core.lore.test_record_retcon import (
    mara,
    test_lists_and_additions_are_struck_whole_and_asserted_anew,
    test_only_facts_that_start_in_the_range_are_struck,
    test_wrong_members_are_struck_and_the_rest_of_their_facts_stays,
)
from tests.agent_core.lore.test_search import (
    test_a_name_that_stands_only_in_scenes_is_reported,
    test_an_alias_or_another_spelling_hits_the_entry,
    test_names_come_before_words_of_names_before_facts_before_slips,
    test_names_of_any_script_are_found_in_running_text,
    test_slips_of_the_fingers_find_the_entry,
    test_terms_hit_then_reading_order_then_id_rank_what_matched_alike,
    test_undone_retired_withdrawn_and_renamed_things_are_not_found,
)
from tests.clock import FakeClock
from tests.directus.fixtures import desk as stores
from tests.directus.fixtures import empty_directus, laid_out_directus
from tests.directus.place import Desk

pytestmark = [pytest.mark.directus, pytest.mark.timeout(300)]


@pytest.fixture
def shelf(stores: Desk) -> Shelf:
    return Shelf(stores.lore, stores.index, stores.series)


@pytest.fixture
async def library(stores: Desk) -> Library:
    """Ten scenes "1".."10" of one chapter, without texts or entries."""
    opened = Library(stores.lore, stores.index)
    await stores.series.add_series(opened.series)
    await opened.lay_out(ten())
    return opened


@pytest.fixture
async def empty_desk(stores: Desk, new_id: NewId, clock: FakeClock) -> WritersDesk:
    series = Series(id="series", name="Vel", owner="ann")
    await stores.series.add_series(series)
    return WritersDesk(stores.lore, stores.index, series, new_id, clock)


@pytest.fixture
async def desk(empty_desk: WritersDesk) -> WritersDesk:
    await empty_desk.write(lore_fixtures.HERON)
    return empty_desk
