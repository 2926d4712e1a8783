"""In which order messages are taken: as they came within a channel, beside each other across channels."""

from adapters.discord.rooms import DiscordRooms
from bot.desks import desk_for
from tests.adapters.discord.hall import Hall, serving
from tests.emulators.discord.faults import Hold
from tests.emulators.model_endpoint import Reply


async def restart_missing(hall: Hall) -> None:
    """Let the bot note how far it read, and stop it."""
    hall.house.endpoint.reply("Here.")
    await hall.ask("are you there?")
    await hall.rest()
    await hall.stop()
    hall.discord.clock.advance(minutes=1)


async def test_message_with_a_slow_file_is_stored_before_the_next_one(hall: Hall) -> None:
    discord, endpoint = hall.discord, hall.house.endpoint
    slow = Hold()
    discord.fault("GET", "*/cdn/*", slow)
    for _ in range(2):
        endpoint.reply("Noted.")
    mention = discord.bot.mention
    first = discord.say(hall.ana, hall.channel, f"{mention} read this", attachments={"a.txt": b"The tide."})
    await slow.arrived.wait()
    second = await hall.say("and what of Mara?")
    fenced = discord.thread(hall.ana, hall.channel, "beside")
    await hall.ask("/help", channel=fenced)
    assert endpoint.requests == []
    slow.release()
    await discord.until(lambda: discord.replies_to(first) and discord.replies_to(second))
    core = hall.house.core
    place = await core.askers.conversations.conversation_in("discord", str(hall.channel.id))
    assert place is not None
    stored = await core.runtime.turns.recent_turns(place.id, before=None, limit=9)
    assert ["read this" in turn.text for turn in stored] == [True, False]
    # Once both are stored, either may be first to take the turn order.
    assert sorted("read this" in str(one.messages[-1]) for one in endpoint.requests) == [False, True]


async def test_cancel_passes_a_turn_that_runs(hall: Hall) -> None:
    hall.house.endpoint.reply(Reply(text="Green.", hold=0))
    await hall.say("what are Mara's eyes?")
    await hall.house.endpoint.received(1)
    await hall.say("and her coat?")
    answer = await hall.ask("/cancel")
    assert answer.content
    hall.house.endpoint.reply("Blue.")
    await hall.rest()


async def test_message_is_found_again_that_was_not_stored_when_the_bot_stopped(hall: Hall) -> None:
    """The mark does not pass it, although what came later elsewhere was read."""
    discord, endpoint = hall.discord, hall.house.endpoint
    slow = Hold()
    discord.fault("GET", "*/cdn/*", slow)
    mention = discord.bot.mention
    first = discord.say(hall.ana, hall.channel, f"{mention} read this", attachments={"a.txt": b"The tide."})
    await slow.arrived.wait()
    await hall.stop()
    slow.release()
    rooms = DiscordRooms()
    endpoint.reply("Noted.")
    async with serving(desk_for(hall.house.app, rooms), rooms, discord):
        await discord.until(lambda: discord.replies_to(first))
    assert len(discord.replies_to(first)) == 1


async def test_missed_questions_of_two_channels_are_answered_beside_each_other(hall: Hall) -> None:
    discord, endpoint = hall.discord, hall.house.endpoint
    other = discord.channel(hall.guild, "other")
    await hall.link(other)
    endpoint.reply("Here.")
    await hall.ask("are you there?", channel=other)
    await restart_missing(hall)
    asked = [await hall.say("what are her eyes?", channel=place) for place in (hall.channel, other)]
    rooms = DiscordRooms()
    desk = desk_for(hall.house.app, rooms)
    endpoint.reply(Reply(text="Green.", hold=0))
    endpoint.reply("Green.")
    async with serving(desk, rooms, discord):
        await discord.until(lambda: [one for one in asked if discord.replies_to(one)], within_s=10)
        endpoint.release()
        await discord.until(lambda: all(discord.replies_to(one) for one in asked), within_s=10)


async def test_old_messages_of_machines_are_not_kept(hall: Hall) -> None:
    await restart_missing(hall)
    hall.discord.say_by_webhook(hall.channel, "News", "the lighthouse keeper is called Odo")
    hall.discord.say(hall.ana, hall.channel, "the inn is called the Drowned Bell")
    hall.discord.clock.advance(minutes=70)
    rooms = DiscordRooms()
    fresh = await hall.say("what are they called?")
    hall.house.endpoint.reply("The Drowned Bell.")
    async with serving(desk_for(hall.house.app, rooms), rooms, hall.discord):
        await hall.discord.until(lambda: hall.discord.replies_to(fresh))
    told = str(hall.house.endpoint.requests[-1].messages)
    assert "Drowned Bell" in told
    assert "Odo" not in told
