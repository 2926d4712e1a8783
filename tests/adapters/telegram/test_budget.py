"""One person can't use up what a group has."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.clock import new_id
from agent_core.people.model import SeriesRole
from tests.adapters.telegram.hall import Hall, open_hall
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.emulators.telegram import Telegram
from tests.house import open_house


@pytest.fixture
async def frugal(
    folder: Path, endpoint: ModelEndpoint, clock: FakeClock, telegram: Telegram
) -> AsyncIterator[Hall]:
    """A hall in which each person may have three replies of the model in a day."""
    async with (
        open_house(folder, endpoint, clock, new_id, person_calls_per_day=3) as house,
        open_hall(house, telegram) as hall,
        hall.serving(),
    ):
        yield hall


async def test_person_who_asks_much_is_told_so_and_the_others_are_answered(
    frugal: Hall, telegram: Telegram
) -> None:
    """C46."""
    gus = telegram.user("Gus")
    group = await frugal.group(gus)
    await frugal.join(gus, SeriesRole.EDITOR)
    for number in range(3):
        frugal.house.endpoint.reply(f"Answer {number}.")
    questions = [telegram.say(gus, group, f"/ask question {number}?") for number in range(15)]
    await telegram.until(lambda: len(telegram.sent(group)) >= len(questions))
    frugal.house.endpoint.reply("For Ana.")
    telegram.say(frugal.ana, group, "/ask and me?")
    await telegram.shown(group, "For Ana.")
    texts = telegram.texts(group)
    assert [f"Answer {number}." in texts for number in range(3)] == [True] * 3
    assert len(frugal.house.endpoint.requests) == 4
    refused = {text for text in texts if "Answer" not in text and text != "For Ana."}
    assert len(refused) == 1
    assert "today" in refused.pop()
