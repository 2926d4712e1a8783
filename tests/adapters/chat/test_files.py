"""Files that tools make reach the room they were made for, also after a crash."""

import asyncio
from collections.abc import Sequence

import pytest

from adapters.cards import Action
from adapters.chat.keeping import Keeping
from adapters.chat.model import Document, Speaker
from agent_core.tools.spec import AnyTool
from tests.adapters.chat.paper import Paper
from tests.attaching import ATTACHING, CONTENT, NAME
from tests.emulators.model_endpoint import Call

FILE = Document(name=NAME, content=CONTENT, media_type="application/zip")


@pytest.fixture
def more_tools() -> Sequence[AnyTool]:
    return ATTACHING


async def due(paper: Paper) -> int:
    return len(await paper.house.core.askers.files.store.due_files())


async def kept(paper: Paper) -> None:
    """Let the desk look once for what has to be sent."""
    async with asyncio.TaskGroup() as tasks:
        await Keeping(paper.desk.exchange).tick(tasks)


async def test_file_of_a_look_up_is_sent_once_with_the_answer(paper: Paper) -> None:
    paper.house.endpoint.reply(Call("make_file", {}))
    paper.house.endpoint.reply("Here it is.")

    room = await paper.say("ann", "Make me a file.")
    await kept(paper)

    assert room.files == [FILE]
    assert await due(paper) == 0


async def test_file_of_a_write_is_sent_when_it_was_approved(paper: Paper) -> None:
    paper.house.endpoint.reply(Call("print_file", {}))
    room = await paper.say("ann", "Print me a file.")
    assert room.files == []
    paper.house.endpoint.reply("Printed.")

    await paper.press("ann", room.with_button(Action.SAVE), Action.SAVE)

    assert room.files == [FILE]
    assert await due(paper) == 0


async def test_file_that_a_crash_kept_back_is_sent_after_the_restart(paper: Paper) -> None:
    seat = await paper.desk.exchange.reception.seat(Speaker(user="ann", name="Ann"), paper.spot("7"))
    files = paper.house.core.askers.files
    await files.attach(seat.conversation.id, seat.person.id, NAME, "application/zip", CONTENT)
    again = paper.restarted()

    await kept(again)
    await kept(again)

    assert paper.rooms.at("7").files == [FILE]


async def test_file_waits_while_a_room_is_closed_to_us(paper: Paper) -> None:
    room = paper.rooms.at("7")
    room.refusing = "closed"
    paper.house.endpoint.reply(Call("make_file", {}))
    paper.house.endpoint.reply("Here it is.")

    await paper.say("ann", "Make me a file.")
    assert await due(paper) == 1
    room.refusing = ""
    await kept(paper)  # first the answer itself
    await kept(paper)

    assert room.files == [FILE]
