"""The emulator of Discord: threads and forum posts as an unmodified discord.py sees them."""

import discord as library
import pytest
from discord.http import Route

from tests.emulators.discord import Discord, Permission
from tests.emulators.discord.model import Channel, Guild, User
from tests.emulators.discord.probe import Bot, logged_in, running


def _place(discord: Discord) -> tuple[User, Guild, Channel]:
    ana = discord.user("Ana")
    guild = discord.guild("Writers", ana)
    return ana, guild, discord.channel(guild, "book-one")


async def test_thread_from_a_message_has_its_id_and_comes_once() -> None:
    async with Discord() as discord:
        ana, _, channel = _place(discord)
        said = discord.say(ana, channel, "chapter one")
        discord.expects(160004)
        async with logged_in(discord) as client:
            message = await client.get_partial_messageable(channel.id).fetch_message(said.id)
            path = f"/channels/{channel.id}/messages/{message.id}/threads"
            await client.http.request(Route("POST", path), json={"name": "one"})
            with pytest.raises(library.HTTPException) as again:
                await client.http.request(Route("POST", path), json={"name": "two"})

    assert again.value.code == 160004
    assert said.thread is not None
    assert (said.thread.id, said.thread.name) == (said.id, "one")


async def test_thread_of_a_person_is_known_and_answered_in() -> None:
    async with Discord() as discord:
        ana, _, channel = _place(discord)
        async with running(discord) as bot:
            thread = discord.thread(ana, channel, "book two")
            answer = await discord.reply(discord.say(ana, thread, "ask this"))
            known = bot.get_channel(thread.id)

    assert answer.channel is thread
    assert isinstance(known, library.Thread)
    assert known.name == "book two"


async def test_archived_thread_is_fetched_and_opens_on_a_message_only() -> None:
    async with Discord() as discord:
        ana, _, channel = _place(discord)
        thread = discord.thread(ana, channel, "old")
        said = discord.say(ana, thread, "hello")
        discord.archive(thread)
        discord.expects(50083)
        async with running(discord) as bot:
            assert bot.get_channel(thread.id) is None
            found, parent = await bot.fetch_channel(thread.id), bot.get_channel(channel.id)
            assert isinstance(found, library.Thread)
            assert isinstance(parent, library.TextChannel)
            listed = [one.id async for one in parent.archived_threads()]
            message = await found.fetch_message(said.id)
            with pytest.raises(library.HTTPException) as refused:
                await message.add_reaction("✅")
            await found.send("awake")

    assert listed == [thread.id]
    assert refused.value.code == 50083
    assert thread.thread is not None
    assert not thread.thread.archived


async def test_locked_thread_takes_nothing_from_those_who_do_not_moderate() -> None:
    async with Discord() as discord:
        ana, guild, channel = _place(discord)
        thread = discord.thread(ana, channel, "done")
        discord.lock(thread)
        discord.expects(50083)
        async with logged_in(discord) as client:
            place = client.get_partial_messageable(thread.id)
            with pytest.raises(library.Forbidden) as refused:
                await place.send("no")
            discord.role(guild, "mods", Permission.MANAGE_THREADS, to=[discord.bot])
            await place.send("yes")

    assert refused.value.code == 50083
    assert [message.content for message in thread.history] == ["yes"]


async def test_forum_post_of_the_bot_has_its_first_message() -> None:
    async with Discord() as discord:
        _, guild, _ = _place(discord)
        forum = discord.forum(guild, "books", tags=("draft",))
        async with running(discord) as bot:
            place = bot.get_channel(forum.id)
            assert isinstance(place, library.ForumChannel)
            made = await place.create_thread(name="Book", content="begins", applied_tags=place.available_tags)

    post = discord.world.channels[made.thread.id]
    assert (made.message.id, made.thread.id) == (post.id, post.id)
    assert [message.content for message in post.history] == ["begins"]


async def test_forum_post_waits_for_its_author() -> None:
    async with Discord() as discord:
        ana, guild, _ = _place(discord)
        post = discord.forum_post(ana, discord.forum(guild, "books"), "Book")
        discord.expects(40058)
        async with logged_in(discord) as client:
            place = client.get_partial_messageable(post.id)
            with pytest.raises(library.Forbidden) as refused:
                await place.send("too early")
            discord.say_first(ana, post, "it begins")
            await place.send("welcome")

    assert refused.value.code == 40058
    assert [message.content for message in post.history] == ["it begins", "welcome"]


async def test_deleted_thread_is_unknown() -> None:
    async with Discord() as discord:
        ana, _, channel = _place(discord)
        thread = discord.thread(ana, channel, "gone")
        discord.expects(10003)
        async with running(discord) as bot:
            discord.delete_channel(thread)
            await discord.until(lambda: bot.get_channel(thread.id) is None)
            with pytest.raises(library.NotFound):
                await bot.get_partial_messageable(thread.id).send("hello?")


async def test_private_thread_is_unseen_until_one_is_in_it() -> None:
    async with Discord() as discord:
        ana, _, channel = _place(discord)
        async with running(discord) as bot:
            thread = discord.thread(ana, channel, "secret", private=True)
            discord.say(ana, thread, "unheard")
            discord.join_thread(discord.bot, thread)
            discord.say(ana, thread, "heard")
            await discord.until(lambda: bot.heard == ["heard"])


async def test_direct_messages_are_heard_and_answered() -> None:
    async with Discord() as discord:
        ana, _, _ = _place(discord)
        async with running(discord):
            answer = await discord.reply(discord.say(ana, discord.direct(ana), "ask privately"))

    assert answer.channel is discord.direct(ana)


async def test_person_who_takes_no_direct_messages_gets_none() -> None:
    async with Discord() as discord:
        ana, _, _ = _place(discord)
        ana.takes_messages = False
        discord.expects(50007)
        async with running(discord) as bot:
            user = await bot.fetch_user(ana.id)
            with pytest.raises(library.Forbidden):
                await user.send("hello")


async def test_bot_out_of_the_server_hears_nothing_more() -> None:
    async with Discord() as discord:
        ana, guild, channel = _place(discord)
        async with running(discord, Bot()) as bot:
            discord.kick(guild, discord.bot)
            discord.say(ana, channel, "gone")
            discord.say(ana, discord.direct(ana), "still here")
            await discord.until(lambda: bot.heard == ["still here"] and not bot.guilds)
