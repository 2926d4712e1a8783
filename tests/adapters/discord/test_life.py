"""The bot's life: connections, missed messages, closed places, missing rights, limits of the platform."""

import asyncio
import time

import pytest

from adapters.chat.desk import Desk
from adapters.discord.masked import masked_tokens
from adapters.discord.rooms import DiscordRooms
from agent_core.people.model import SeriesRole
from bot.desks import desk_for
from tests.adapters.discord.hall import Hall, open_hall, serving
from tests.clock import FakeClock
from tests.emulators.discord import Broken, Discord, Drop, Intent, Message, Permission, Refuse, TooMany
from tests.emulators.model_endpoint import Call, Raw, Reply
from tests.house import House


async def rest(discord: Discord, desk: Desk) -> None:
    await discord.until(lambda: not desk.exchange.driving, because="the end of all turns")


async def typed(hall: Hall, question: Message) -> None:
    await hall.discord.until(lambda: hall.discord.typed_in(hall.channel, after=question), because="typing")


async def test_message_said_while_the_line_was_down_is_answered_once(hall: Hall) -> None:
    """The session is resumed, and what was missed comes again."""
    hall.discord.gateway.drop()
    hall.house.endpoint.reply("Green.")
    question = await hall.say("what are Mara's eyes?")
    answer = await hall.discord.reply(question)
    await hall.discord.until(lambda: answer.content == "Green.")
    assert hall.discord.gateway.identified == 1


@pytest.mark.slow
async def test_message_said_while_the_session_was_lost_is_found_by_its_mark(hall: Hall) -> None:
    """Nothing comes again by itself: the bot reads on where it stopped."""
    hall.house.endpoint.reply("Here.")
    await hall.ask("are you there?")
    await hall.rest()
    await hall.marks_written()
    hall.discord.gateway.forget_sessions()
    hall.discord.gateway.drop()
    hall.house.endpoint.reply("Green.")
    question = await hall.say("what are Mara's eyes?")
    await hall.discord.until(lambda: hall.discord.replies_to(question), within_s=20)
    await hall.rest()
    assert len(hall.discord.replies_to(question)) == 1


async def test_without_the_content_intent_mentions_work_and_the_help_says_so(
    house: House, clock: FakeClock
) -> None:
    async with Discord(clock=clock, portal=Intent(0)) as discord, open_hall(house, discord) as hall:
        house.endpoint.reply("Green.")
        answer = await hall.ask("what are Mara's eyes?")
        await discord.until(lambda: answer.content == "Green.")
        said = await discord.reply(await hall.say("/help"), number=2)
        assert "mention me" in said.content


async def test_missed_messages_are_answered_or_named_once(hall: Hall) -> None:
    """What is an hour old is kept as context and named, not answered."""
    discord, endpoint = hall.discord, hall.house.endpoint
    endpoint.reply("Here.")
    await hall.ask("are you there?")
    await hall.rest()
    await hall.stop()
    discord.clock.advance(minutes=1)
    old = await hall.say("what was the name of the inn?")
    discord.say(hall.ana, hall.channel, "I call it the Drowned Bell")
    discord.clock.advance(minutes=70)
    fresh = await hall.say("and what colour is it?")
    for _ in range(2):
        rooms = DiscordRooms()
        desk = desk_for(hall.house.app, rooms)
        endpoint.reply("Blue.")
        async with serving(desk, rooms, discord):
            if not discord.replies_to(fresh):
                await discord.until(lambda: discord.replies_to(fresh))
            else:
                await hall.ask("still there?")
            await rest(discord, desk)
    named = [one for one in discord.from_bot(hall.channel) if old.url in one.content]
    assert len(named) == 1
    assert discord.replies_to(old) == []
    assert len(discord.replies_to(fresh)) == 1
    assert "Drowned Bell" in str(endpoint.requests[1].messages)


async def test_locked_thread_is_told_once_in_private_and_costs_nothing(hall: Hall) -> None:
    boss = hall.guild.owner
    await hall.join(boss, SeriesRole.EDITOR)
    thread = hall.discord.thread(hall.ana, hall.channel, "closed")
    hall.discord.lock(thread)
    private = hall.discord.direct(boss)
    for _ in range(2):
        await hall.say("who is Mara?", boss, thread)
    await hall.discord.until(lambda: hall.discord.from_bot(private))
    hall.house.endpoint.reply("Here.")
    await hall.ask("are you there?")
    assert len(hall.discord.from_bot(private)) == 1
    assert "locked" in hall.discord.from_bot(private)[0].content
    assert len(hall.house.endpoint.requests) == 1


async def test_archived_thread_is_opened_again_for_its_card(hall: Hall) -> None:
    thread = hall.discord.thread(hall.ana, hall.channel, "old")
    card = await hall.card(await hall.say("/record Mara coat=blue", channel=thread))
    await hall.discord.until(lambda: hall.discord.reacted(card, "❌"))
    hall.discord.archive(thread)
    hall.discord.expects(50083)
    await hall.save(card)
    await hall.changes(card, "Saved, edit no.")


async def test_deleted_thread_ends_its_turn_and_nothing_else(hall: Hall) -> None:
    thread = hall.discord.thread(hall.ana, hall.channel, "gone")
    hall.house.endpoint.reply(Reply(text="Too late.", hold=0))
    await hall.say("who is Mara?", channel=thread)
    await hall.house.endpoint.received(1)
    hall.discord.expects(10003)
    hall.discord.delete_channel(thread)
    hall.house.endpoint.release()
    hall.house.endpoint.reply("Here.")
    answer = await hall.ask("are you there?")
    await hall.discord.until(lambda: answer.content == "Here.")
    assert len([one for one in hall.discord.requests if one.code == 10003]) <= 4


@pytest.mark.parametrize("place", ["channel", "thread"])
async def test_the_right_that_counts_is_the_one_of_the_place(hall: Hall, place: str) -> None:
    """C37: sending in threads is not sending in channels."""
    discord, everyone = hall.discord, hall.guild.everyone
    channel = discord.channel(hall.guild, "narrow")
    thread = discord.thread(hall.ana, channel, "inside")
    deny = Permission.SEND_MESSAGES if place == "channel" else Permission.SEND_MESSAGES_IN_THREADS
    discord.permit(channel, discord.bot, deny=deny)
    assert everyone is not None
    closed, open_ = (channel, thread) if place == "channel" else (thread, channel)
    await hall.link(open_)
    private = discord.direct(hall.ana)
    for _ in range(2):
        await hall.say("who is Mara?", channel=closed)
    await discord.until(lambda: discord.from_bot(private))
    hall.house.endpoint.reply("She waits.")
    answer = await hall.ask("who is Mara?", channel=open_)
    await discord.until(lambda: answer.content == "She waits.")
    assert len(discord.from_bot(private)) == 1
    wanted = "Send Messages”" if place == "channel" else "Send Messages in Threads"
    assert wanted in discord.from_bot(private)[0].content
    assert len(hall.house.endpoint.requests) == 1


async def test_missing_right_to_cards_is_said(hall: Hall) -> None:
    channel = hall.discord.channel(hall.guild, "bare")
    hall.discord.permit(channel, hall.discord.bot, deny=Permission.EMBED_LINKS)
    await hall.say("/lore Mara", channel=channel)
    private = hall.discord.direct(hall.ana)
    await hall.discord.until(lambda: hall.discord.from_bot(private))
    assert "Embed Links" in hall.discord.from_bot(private)[0].content


async def test_thread_that_may_not_be_made_is_explained(hall: Hall) -> None:
    """C37: the right to create threads is missing."""
    await hall.until_listed()
    hall.discord.permit(hall.channel, hall.discord.bot, deny=Permission.CREATE_PUBLIC_THREADS)
    hall.discord.expects(50013)
    asked = hall.discord.slash(hall.ana, hall.channel, "book open", book="The Heron")
    await hall.discord.until(lambda: [one for one in asked.replies if one.ephemeral])
    assert "Create Public Threads" in asked.replies[-1].content
    await hall.discord.until(lambda: hall.discord.from_bot(hall.channel) == [], because="nothing left over")


async def test_typing_is_shown_in_each_turn_whatever_failed_before(hall: Hall) -> None:
    """C47: an outage of the signal ends neither the answer nor later signals."""
    hall.discord.expects(503)
    hall.discord.fault("POST", "*/typing", Broken(503), times=1)
    for number in range(3):
        hall.house.endpoint.reply(Reply(text=f"Answer {number}.", hold=0))
        question = await hall.say("who is Mara?")
        await hall.house.endpoint.received(number + 1)
        if number:
            await typed(hall, question)
        hall.house.endpoint.release()
        await hall.discord.reply(question)


@pytest.mark.parametrize("end", ["answer", "card", "failure", "cancel"])
async def test_typing_ends_with_the_turn(hall: Hall, end: str) -> None:
    """C48: on every way out."""
    call = Call("record_lore_state", {"entityId": "Mara", "chapterId": "1.1", "statePatch": {"coat": "blue"}})
    replies: dict[str, Reply | Raw] = {
        "answer": Reply(text="Green.", hold=0),
        "card": Reply(calls=(call,), hold=0),
        "failure": Raw(status=400, body={"error": {"message": "no"}}, hold=True),
        "cancel": Reply(text="Green.", hold=0),
    }
    hall.house.endpoint.reply(replies[end])
    question = await hall.say("who is Mara?")
    await hall.discord.until(lambda: hall.discord.typed_in(hall.channel))
    await hall.house.endpoint.received(1)
    if end == "cancel":
        await hall.ask("/cancel")
    else:
        hall.house.endpoint.release()
    await hall.discord.reply(question)
    typing = hall.desk.exchange.rooms
    assert isinstance(typing, DiscordRooms)
    await hall.discord.until(lambda: not typing.is_typing(hall.channel.id))


async def test_edit_of_an_old_message_goes_on_in_a_new_one(hall: Hall) -> None:
    """C07: no loop of tries."""
    card = await hall.card(await hall.say("/record Mara coat=blue"))
    await hall.discord.until(lambda: hall.discord.reacted(card, "❌"))
    hall.discord.expects(30046)
    hall.discord.fault("PATCH", f"*/messages/{card.id}", Refuse(30046), times=1)
    hall.discord.react(hall.ana, card, "✅")
    await hall.discord.until(
        lambda: [one for one in hall.discord.from_bot(hall.channel) if "Saved, edit" in str(one.embeds)]
    )
    assert len([one for one in hall.discord.requests if one.code == 30046]) == 1


async def test_answer_grows_by_several_edits_none_of_them_in_a_flood_wait(hall: Hall) -> None:
    """C32 for Discord: two texts or more before the final one, which arrives whole and once."""
    rooms = hall.desk.exchange.rooms
    assert isinstance(rooms, DiscordRooms)
    rooms._edit_every_s = 0.0
    hall.discord.expects(429)
    hall.discord.fault("PATCH", "*/messages/*", TooMany(0.3), skip=1)
    text = "A long answer that grows piece by piece, to its very end."
    hall.house.endpoint.reply(Reply(text=text, piece=6))
    question = await hall.say("tell me")
    answer = await hall.discord.reply(question)
    await hall.discord.until(lambda: answer.content == text)
    assert len(set(answer.contents)) >= 3
    edits = hall.discord.asked("PATCH", f"/messages/{answer.id}")
    [refused] = [place for place, edit in enumerate(edits) if edit.status == 429]
    assert edits[refused + 1].arrived_s - edits[refused].arrived_s >= 0.3
    assert len(hall.discord.replies_to(question)) == 1


async def test_send_that_broke_off_is_not_sent_twice(hall: Hall) -> None:
    """The nonce lets Discord know the second try."""
    hall.discord.fault("POST", "*/messages", Drop(after_effect=True))
    hall.house.endpoint.reply("Green.")
    question = await hall.say("what are Mara's eyes?")
    answer = await hall.discord.reply(question)
    await hall.discord.until(lambda: answer.content == "Green.")
    hall.house.endpoint.reply("Here.")
    await hall.ask("are you there?")
    assert len(hall.discord.replies_to(question)) == 1


async def test_answer_arrives_although_its_file_is_too_large(hall: Hall) -> None:
    """C31: text first, and a line that says why there is no file."""
    hall.guild.upload_limit = 1000
    hall.discord.expects(40005)
    text = "\n\n".join(f"Paragraph {number}. " + "Salt and tide. " * 60 for number in range(15))
    hall.house.endpoint.reply(Reply(text=text, piece=4000))
    answer = await hall.ask("tell me everything")
    await hall.discord.until(lambda: "answer.md" in answer.content or "too large" in answer.content)
    assert answer.content.startswith("Paragraph 0.")
    assert answer.attachments == []


async def test_turn_that_was_under_way_is_finished_after_a_restart(hall: Hall) -> None:
    hall.house.endpoint.reply(Reply(text="Never heard.", hold=0))
    await hall.say("what are Mara's eyes?")
    await hall.house.endpoint.received(1)
    await hall.stop()
    rooms = DiscordRooms()
    desk = desk_for(hall.house.app, rooms)
    hall.house.endpoint.reply("Green.")
    async with serving(desk, rooms, hall.discord):
        await hall.discord.until(
            lambda: [one for one in hall.discord.from_bot(hall.channel) if "Green." in one.content],
            within_s=10,
        )
        hall.house.endpoint.reply("Still here.")
        await hall.discord.reply(await hall.say("are you there?"))
        await rest(hall.discord, desk)
    answers = [one for one in hall.discord.from_bot(hall.channel) if "Green." in one.content]
    assert len(answers) == 1


async def test_forum_makes_each_post_a_place_of_its_book(hall: Hall) -> None:
    forum = hall.discord.forum(hall.guild, "chapters")
    await hall.link(forum)
    post = hall.discord.forum_post(hall.ana, forum, "Chapter one", "Let us talk about Mara.")
    answer = await hall.ask("/lore Mara", channel=post)
    assert answer.embeds[0]["title"].startswith("Mara")


async def test_thread_takes_over_the_book_of_its_channel(hall: Hall) -> None:
    thread = hall.discord.thread(hall.ana, hall.channel, "plotting")
    answer = await hall.ask("/lore Mara", channel=thread)
    assert answer.embeds[0]["title"].startswith("Mara")


def test_tokens_in_addresses_are_masked_and_ids_stay() -> None:
    """C43."""
    line = "POST https://discord.com/api/v10/interactions/123/aW50ZXJhY3Rpb246c2VjcmV0/callback returned 404"
    assert (
        masked_tokens(line) == "POST https://discord.com/api/v10/interactions/123/***/callback returned 404"
    )
    hook = "https://discord.com/api/webhooks/99/abc_DEF-123.456 failed"
    assert masked_tokens(hook) == "https://discord.com/api/webhooks/99/*** failed"


async def test_every_interaction_is_acknowledged_at_once_under_fifty_turns(hall: Hall) -> None:
    """C22: within a second."""
    await hall.until_listed()
    users = [hall.discord.user(f"Writer {number}") for number in range(50)]
    hall.discord.join(hall.guild, *users)
    threads = [hall.discord.thread(hall.ana, hall.channel, f"thread {number}") for number in range(50)]
    for _ in users:
        hall.house.endpoint.reply("Green.")
    for user, thread in zip(users, threads, strict=True):
        await hall.join(user, SeriesRole.EDITOR)
        await hall.say("what are Mara's eyes?", user, thread)
    asked = [
        hall.discord.slash(user, thread, "lore", entity="Mara")
        for user, thread in zip(users, threads, strict=True)
    ]
    await asyncio.gather(*(hall.discord.acknowledged(one) for one in asked))
    slowest = max(one.took_s or 9 for one in asked)
    assert slowest < 1
    await hall.discord.until(
        lambda: (
            sum(one.content == "Green." for thread in threads for one in hall.discord.from_bot(thread)) == 50
        ),
        within_s=30,
    )
    for one in asked:
        await hall.discord.answered(one)


async def test_a_large_import_holds_up_no_other_thread(hall: Hall) -> None:
    """C49: no step of the loop takes long, in its own time; the second thread is answered meanwhile."""
    chapters = "".join(f"# Chapter {number}\n\n" + "The tide turns. " * 300 + "\n\n" for number in range(60))
    other = hall.discord.thread(hall.ana, hall.channel, "other")
    mention = hall.discord.bot.mention
    book = {"book.md": f"---\ntitle: The Heron\n---\n\n{chapters}".encode()}
    longest_s = 0.0

    async def watch() -> None:
        nonlocal longest_s
        while True:
            before = time.thread_time()
            await asyncio.sleep(0)
            longest_s = max(longest_s, time.thread_time() - before)

    watching = asyncio.create_task(watch())
    imported = hall.discord.say(hall.ana, hall.channel, f"{mention} /import", attachments=book)
    hall.house.endpoint.reply("Green.")
    answer = await hall.ask("what are Mara's eyes?", channel=other)
    await hall.discord.until(lambda: answer.content == "Green.")
    await hall.discord.until(lambda: hall.discord.replies_to(imported), within_s=20)
    watching.cancel()
    assert longest_s < 0.2
