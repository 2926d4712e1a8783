"""A desk over a house with a linked series, and a paper platform in front of it."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from adapters.chat.model import Speaker
from agent_core.lore.model import Author
from agent_core.people.model import Membership, Progress, SeriesRole
from agent_core.tools.spec import AnyTool
from bot.desks import desk_for
from tests.adapters.chat.paper import Paper, PaperRooms
from tests.clock import FakeClock, counting_ids
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import BOOK, SERIES, found_in, open_house


@pytest.fixture(scope="session")
def canon(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small series in it."""
    return asyncio.run(found_in(tmp_path_factory.mktemp("canon")))


@pytest.fixture
async def endpoint() -> AsyncIterator[ModelEndpoint]:
    async with ModelEndpoint() as model:
        yield model


@pytest.fixture
def more_tools() -> Sequence[AnyTool]:
    """Tools beside ours; a test module puts its own here."""
    return ()


@pytest.fixture
async def fresh(
    tmp_path: Path, canon: Path, endpoint: ModelEndpoint, more_tools: Sequence[AnyTool]
) -> AsyncIterator[Paper]:
    """A platform that nobody has opened yet."""
    folder = Path(shutil.copytree(canon, tmp_path / "notes"))
    async with open_house(folder, endpoint, FakeClock(), counting_ids("chat"), tools=more_tools) as house:
        rooms = PaperRooms()
        yield Paper(house, rooms, desk_for(house.app, rooms))


@pytest.fixture
async def paper(fresh: Paper) -> Paper:
    """Ann leads the series, Ben is co-author, Bea has read chapter 1, Sam is a stranger; room 7 is linked."""
    code = await fresh.house.app.pairing.new_code()
    await fresh.say("ann", f"/start {code}", "@ann")
    await fresh.say("ann", "/access open chat 7", "@ann")
    await fresh.say("ann", "/access open chat 8", "@ann")
    for user in ("ann", "ben", "bea", "sam"):
        await fresh.say("ann", f"/access open person {user}", "@ann")
    await _join(fresh)
    for place in ("7", "@ann"):
        await fresh.say("ann", f"/book link {SERIES} / {BOOK}", place)
    for room in fresh.rooms.rooms.values():
        room.sent.clear()
        room.marks.clear()
    return fresh


async def _join(paper: Paper) -> None:
    """Give the people of the platform their roles in the series that the terminal's Ann has founded."""
    reception = paper.desk.exchange.reception
    people = paper.house.core.askers.people
    terminal = await paper.house.asker("ann")
    series = terminal.conversation.series
    assert series is not None
    roles = {"ann": SeriesRole.OWNER, "ben": SeriesRole.EDITOR, "bea": SeriesRole.READER}
    for user, role in roles.items():
        seat = await reception.seat(Speaker(user=user, name=user.title()), paper.spot(f"@{user}"))
        await paper.house.app.core.askers.people.set_membership(
            Membership(person=seat.person.id, series=series, role=role)
        )
    canon = await paper.house.core.askers.canon(terminal.conversation)
    assert canon is not None
    first = canon.outline.find("1", book=None, here=None, bound=Author())
    bea = await reception.seat(Speaker(user="bea", name="Bea"), paper.spot("@bea"))
    await people.set_progress(
        Progress(person=bea.person.id, series=series, finished=canon.outline.finished(first))
    )
