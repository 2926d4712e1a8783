"""`/where`, and `/here` and `/progress` alone, say where a conversation stands and how far one has read."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.cards import answer_card
from adapters.commands import ParsedCommand, parse
from adapters.lookup import looked_up
from adapters.view import view_of
from agent_core.clock import new_id
from agent_core.people.model import SeriesRole
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, found_in, open_house


@pytest.fixture
async def house(tmp_path: Path, clock: FakeClock) -> AsyncIterator[House]:
    folder = await found_in(tmp_path)
    async with ModelEndpoint() as endpoint, open_house(folder, endpoint, clock, new_id) as opened:
        yield opened


async def shown(house: House, text: str, user: str = "ann") -> list[str]:
    asker, command = await house.asker(user), parse(text)
    assert isinstance(command, ParsedCommand)
    answer = await looked_up(house.core, command, asker)
    card = answer_card(answer, view_of(asker, await house.core.askers.canon(asker.conversation)))
    return [line.text for line in card.lines]


async def test_position_is_told_once_it_is_set(house: House) -> None:
    assert await shown(house, "/here") == ["this conversation stands nowhere in particular"]
    await house.write("set_position", position="2.1")
    assert await shown(house, "/here") == await shown(house, "/where") == ["this conversation stands at 2.1"]


async def test_reader_is_told_how_far_they_have_read_and_no_position_beyond(house: House) -> None:
    await house.write("set_position", position="2.2")
    await house.join("rob", SeriesRole.READER)
    nothing = await shown(house, "/progress", "rob")
    await house.write("set_progress", user="rob", finished="1")
    assert nothing == ["this conversation stands nowhere in particular", "you have read nothing yet"]
    assert await shown(house, "/progress", "rob") == [
        "this conversation stands nowhere in particular",
        "you have finished 1.2",
    ]
