"""What goes wrong once and ends nothing: a token that is reset, a database that refuses for a while."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from adapters.discord.marks import Marks
from adapters.discord.place import DiscordSettings
from adapters.discord.rooms import DiscordRooms
from adapters.discord.serve import serve_discord
from agent_core.errors import StoreFailure
from bot.desks import desk_for
from tests.adapters.discord.hall import Hall
from tests.emulators.discord import Discord, Refuse
from tests.house import House

CHANNEL = 7


@contextmanager
def without_notes(house: House) -> Iterator[None]:
    """Let the database refuse what chat platforms note, until the end of the block."""
    with closing(sqlite3.connect(house.app.settings.database)) as other:
        other.execute("ALTER TABLE chat_note RENAME TO chat_note_away")
        yield
        other.execute("ALTER TABLE chat_note_away RENAME TO chat_note")


async def written(house: House) -> str | None:
    return await house.core.chat.noted("discord", f"read:{CHANNEL}")


@pytest.mark.parametrize("code", [4004, 4012])
async def test_gateway_that_closes_on_us_for_good_raises_nothing(
    house: House, discord: Discord, caplog: pytest.LogCaptureFixture, code: int
) -> None:
    """A token that was reset ends this platform with a line; after anything else it connects anew."""
    rooms = DiscordRooms()
    settings = DiscordSettings(
        token=discord.token, api_base=discord.api_base, gateway_url=discord.gateway_url, settled_s=0.05
    )
    async with asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(serve_discord(desk_for(house.app, rooms), rooms, settings))
        await discord.until(discord.commands, because="a bot that is ready")
        discord.gateway.drop(code)
        if code == 4004:
            async with asyncio.timeout(10):
                await serving
            assert "LOREKEEPER_DISCORD_TOKEN" in caplog.text
        else:
            await discord.ready(times=2)
            serving.cancel()
    await asyncio.sleep(0)  # the library's last events begin, to find nobody there
    assert discord.token not in caplog.text


async def test_marks_that_could_not_be_written_are_written_the_next_time(house: House) -> None:
    marks = Marks(house.core.chat)
    marks.read(CHANNEL, 41)
    with without_notes(house), pytest.raises(StoreFailure):
        await marks.flush()
    assert await written(house) is None
    await marks.flush()
    assert await written(house) == "41"


async def test_keeping_marks_goes_on_after_the_database_refused(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    marks = Marks(house.core.chat, every_s=0.01)
    marks.read(CHANNEL, 41)
    with without_notes(house):
        keeping = asyncio.create_task(marks.keep())
        async with asyncio.timeout(10):
            while "not written down" not in caplog.text:  # noqa: ASYNC110  a log
                await asyncio.sleep(0)
    async with asyncio.timeout(10):
        while await written(house) is None:  # noqa: ASYNC110  a database
            await asyncio.sleep(0)
    keeping.cancel()
    assert await written(house) == "41"


async def test_mark_never_passes_a_message_that_is_not_stored(house: House) -> None:
    marks = Marks(house.core.chat)
    marks.begin(CHANNEL, 41)
    marks.begin(CHANNEL, 42)
    marks.read(CHANNEL, 42)
    await marks.flush()
    assert await written(house) == "40"
    assert marks.is_taken(CHANNEL, 41)
    assert marks.is_taken(CHANNEL, 42)
    marks.read(CHANNEL, 41)
    await marks.flush()
    assert await written(house) == "42"


async def test_commands_are_listed_after_the_database_refused(
    hall: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    await hall.until_listed()
    with without_notes(hall.house):
        hall.discord.guild("Others", hall.ana)
        async with asyncio.timeout(10):
            while "commands not looked after" not in caplog.text:  # noqa: ASYNC110  a log
                await asyncio.sleep(0)
    third = hall.discord.guild("Friends", hall.ana)
    await hall.admit(third)
    await hall.discord.until(lambda: hall.discord.commands(third.id), within_s=20)


async def test_question_is_answered_although_it_could_not_be_shown(hall: Hall) -> None:
    await hall.until_listed()
    hall.discord.expects(50027)
    hall.discord.fault("PATCH", "*/messages/@original", Refuse(50027, status=401))
    hall.house.endpoint.reply("Green.")
    hall.discord.slash(hall.ana, hall.channel, "ask", question="what are her eyes?")
    await hall.discord.until(
        lambda: [one for one in hall.discord.from_bot(hall.channel) if one.content == "Green."]
    )


async def test_deleted_message_under_save_as_scene_is_explained(hall: Hall) -> None:
    await hall.until_listed()
    said = hall.discord.say(hall.ana, hall.channel, "The tide went out.")
    opened = await hall.discord.acknowledged(hall.discord.menu(hall.ana, said, "Save as scene"))
    hall.discord.delete(said)
    hall.discord.expects(10008)
    sent = hall.discord.submit(opened, {"place": "2.3"})
    await hall.discord.until(lambda: [one for one in sent.replies if "is gone" in one.content])
    await hall.discord.until(lambda: hall.discord.from_bot(hall.channel) == [], because="nothing left over")


async def test_command_while_the_database_refuses_is_answered_with_a_sentence(hall: Hall) -> None:
    await hall.until_listed()
    ben = hall.discord.user("Ben")
    hall.discord.join(hall.guild, ben)
    with without_notes(hall.house):
        asked = hall.discord.slash(ben, hall.channel, "lore", entity="Mara")
        await hall.discord.until(lambda: [one for one in asked.replies if one.ephemeral and one.content])
