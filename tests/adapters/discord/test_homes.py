"""Who is heard in private by which server, and who is told what is lacking to answer them."""

from agent_core.people.model import SeriesRole
from tests.adapters.discord.hall import Hall
from tests.emulators.discord import User


async def eve_of(hall: Hall) -> User:
    eve = hall.discord.user("Eve")
    hall.discord.join(hall.guild, eve)
    await hall.join(eve, SeriesRole.EDITOR)
    return eve


async def test_talk_in_a_server_that_is_not_let_in_closes_no_private_chat(hall: Hall) -> None:
    eve = await eve_of(hall)
    hall.house.endpoint.reply("Hello.")
    await hall.ask("hello", eve)
    elsewhere = hall.discord.guild("Elsewhere", eve, hall.ana)
    square = hall.discord.channel(elsewhere, "square")
    hall.discord.say(eve, square, "lovely weather")
    hall.house.endpoint.reply("Here.")
    await hall.ask("are you there?", channel=square)  # what was said there before is taken by now
    hall.house.endpoint.reply("Hello again.")
    answer = await hall.discord.reply(hall.discord.say(eve, hall.discord.direct(eve), "hello?"))
    await hall.discord.until(lambda: answer.content == "Hello again.")


async def test_stranger_does_not_use_up_what_a_member_is_told(hall: Hall) -> None:
    elsewhere = hall.discord.guild("Elsewhere", hall.ana)
    zed = hall.discord.user("Zed")
    hall.discord.join(elsewhere, zed)
    thread = hall.discord.thread(hall.ana, hall.discord.channel(elsewhere, "square"), "closed")
    hall.discord.lock(thread)
    await hall.say("who is Mara?", zed, thread)
    await hall.say("who is Mara?", hall.ana, thread)
    private = hall.discord.direct(hall.ana)
    await hall.discord.until(lambda: hall.discord.from_bot(private))
    assert "locked" in hall.discord.from_bot(private)[0].content
    assert hall.discord.from_bot(hall.discord.direct(zed)) == []
