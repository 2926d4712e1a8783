"""Files that tools make reach the room they were made for, also after a crash."""

from collections.abc import Sequence

import pytest

from adapters.cards import Action
from adapters.chat.model import Document
from agent_core.tools.spec import AnyTool
from tests.adapters.chat.acts import keep, readers_up_to, seat
from tests.adapters.chat.paper import Paper
from tests.attaching import ATTACHING, CONTENT, NAME
from tests.emulators.model_endpoint import Call

FILE = Document(name=NAME, content=CONTENT, media_type="application/zip")


@pytest.fixture
def more_tools() -> Sequence[AnyTool]:
    return ATTACHING


async def due(paper: Paper) -> int:
    return len(await paper.house.core.askers.files.store.due_files())


async def test_file_of_a_look_up_is_sent_once_with_the_answer(paper: Paper) -> None:
    paper.house.endpoint.reply(Call("make_file", {}))
    paper.house.endpoint.reply("Here it is.")

    room = await paper.say("ann", "Make me a file.")
    await keep(paper)

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
    ann = await seat(paper, "ann")
    files = paper.house.core.askers.files
    await files.attach(ann.conversation.id, ann.person.id, NAME, "application/zip", CONTENT)
    again = paper.restarted()

    await keep(again)
    await keep(again)

    assert paper.rooms.at("7").files == [FILE]


async def test_among_readers_a_file_goes_to_its_asker_alone(paper: Paper) -> None:
    await readers_up_to(paper, "1")
    ben = await seat(paper, "ben")
    files = paper.house.core.askers.files
    await files.attach(ben.conversation.id, ben.person.id, NAME, "application/zip", CONTENT)
    paper.house.endpoint.reply("Nothing.")

    await paper.say("ben", "Anything new?")

    assert paper.rooms.at("7").files == []
    assert paper.rooms.at("@ben").files == [FILE]


async def test_book_that_a_writer_takes_out_among_readers_goes_to_them_alone(paper: Paper) -> None:
    await readers_up_to(paper, "1")

    await paper.say("ben", "/export markdown")

    assert paper.rooms.at("7").files == []
    assert len(paper.rooms.at("@ben").files) == 1


async def test_file_waits_for_a_person_who_lets_nobody_write_to_them(paper: Paper) -> None:
    await readers_up_to(paper, "1")
    paper.rooms.silent.add("ben")

    await paper.say("ben", "/export markdown")
    await keep(paper)
    assert await due(paper) == 1
    paper.rooms.silent.clear()
    paper.house.clock.advance(hours=2)
    await keep(paper)

    assert (len(paper.rooms.at("@ben").files), await due(paper)) == (1, 0)
    assert paper.rooms.at("7").files == []


async def test_file_that_breaks_on_its_way_is_sent_again(paper: Paper) -> None:
    paper.house.endpoint.reply(Call("make_file", {}))
    paper.house.endpoint.reply("Here it is.")
    room = paper.rooms.at("7")
    room.stuck_files = 1

    await paper.say("ann", "Make me a file.")
    assert await due(paper) == 1
    await keep(paper)

    assert (room.files, await due(paper)) == ([FILE], 0)


async def test_file_waits_while_a_room_is_closed_to_us(paper: Paper) -> None:
    room = paper.rooms.at("7")
    room.refusing = "closed"
    paper.house.endpoint.reply(Call("make_file", {}))
    paper.house.endpoint.reply("Here it is.")

    await paper.say("ann", "Make me a file.")
    assert await due(paper) == 1
    room.refusing = ""
    await keep(paper)  # first the answer itself
    await keep(paper)

    assert room.files == [FILE]
