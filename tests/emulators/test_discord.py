"""The emulator of Discord, seen through an unmodified discord.py: messages, reactions, the gateway."""

import discord as library
import pytest

from tests.emulators.discord import Broken, Discord, Intent, Permission
from tests.emulators.discord.model import Channel, User
from tests.emulators.discord.probe import INTENTS, Bot, running


def _place(discord: Discord) -> tuple[User, Channel]:
    ana = discord.user("Ana")
    return ana, discord.channel(discord.guild("Writers", ana), "book-one")


async def test_message_is_heard_and_answered_with_an_edited_reply() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord):
            question = discord.say(ana, channel, "ask who is Mara?")
            answer = await discord.reply(question)
            await discord.until(lambda: answer.content == "you asked who is Mara?")

    assert answer.contents == ["thinking", "you asked who is Mara?"]
    assert answer.mentions == []


async def test_same_nonce_makes_one_message() -> None:
    async with Discord() as discord:
        _, channel = _place(discord)
        async with running(discord) as bot:
            place = bot.get_channel(channel.id)
            assert isinstance(place, library.TextChannel)
            first = await place.send("once", nonce="77")
            second = await place.send("once", nonce="77")

    assert first.id == second.id
    assert [message.content for message in channel.history] == ["once"]


async def test_reaction_on_a_message_of_an_earlier_process_arrives_raw() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord) as bot:
            place = bot.get_channel(channel.id)
            assert isinstance(place, library.TextChannel)
            sent = await place.send("card")
            await sent.add_reaction("✅")
        card = channel.messages[sent.id]
        async with running(discord) as bot:
            discord.react(ana, card, "✅")
            discord.edit(discord.say(ana, channel, "old"), "new")
            discord.delete(card)
            await discord.until(lambda: len(bot.raw) == 3)

    added, edited, deleted = bot.raw
    assert (added.emoji.name, added.user_id, added.member.display_name) == ("✅", ana.id, "Ana")
    assert edited.data["content"] == "new"
    assert deleted.message_id == card.id
    assert discord.reacted(card, "✅") == [discord.bot, ana]


async def test_content_is_blank_without_the_intent_except_for_mentions() -> None:
    intents = library.Intents(guilds=True, guild_messages=True)
    async with Discord(portal=Intent(0)) as discord:
        ana, channel = _place(discord)
        async with running(discord, Bot(intents)) as bot:
            discord.say(ana, channel, "nobody hears")
            discord.say(ana, channel, f"{discord.bot.mention} hears")
            await discord.until(lambda: len(bot.heard) == 2)

    assert bot.heard == ["", f"{discord.bot.mention} hears"]


async def test_privileged_intent_that_the_portal_does_not_give_ends_the_bot() -> None:
    async with Discord(portal=Intent(0)) as discord:
        _place(discord)
        with pytest.raises(library.PrivilegedIntentsRequired):
            async with running(discord, Bot(INTENTS)):
                pass

    assert discord.gateway.closed == [4014]


async def test_wrong_token_is_refused() -> None:
    async with Discord() as discord:
        discord.expects(401)
        discord.token = "another"
        with pytest.raises(library.LoginFailure):
            async with running(discord):
                pass


async def test_cut_connection_resumes_and_hears_what_it_missed() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord) as bot:
            discord.gateway.hold()
            discord.say(ana, channel, "said meanwhile")
            discord.gateway.drop()
            discord.gateway.release()
            await discord.until(lambda: bot.resumes == 1 and bot.heard == ["said meanwhile"])

    assert (discord.gateway.identified, discord.gateway.resumed) == (1, 1)


async def test_lost_session_is_identified_anew_and_hears_nothing_of_before() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord) as bot:
            discord.gateway.forget_sessions()
            discord.say(ana, channel, "lost")
            discord.gateway.drop()
            await discord.ready(times=2)
            discord.say(ana, channel, "heard")
            await discord.until(lambda: bot.heard == ["heard"])


async def test_asked_to_reconnect_the_bot_resumes() -> None:
    async with Discord() as discord:
        _place(discord)
        async with running(discord):
            discord.gateway.reconnect()
            await discord.until(lambda: discord.gateway.resumed == 1)


async def test_invalidated_session_is_begun_anew() -> None:
    async with Discord() as discord:
        _place(discord)
        async with running(discord):
            discord.gateway.invalidate()
            await discord.ready(times=2)

    assert discord.gateway.resumed == 0


async def test_gateway_that_is_away_is_tried_again() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord) as bot:
            discord.fault("GET", "/gw/", Broken(503))
            discord.gateway.drop()
            discord.say(ana, channel, "hello")
            await discord.until(lambda: bot.heard == ["hello"])


async def test_channel_that_the_bot_may_not_see_is_known_with_its_overwrites() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        assert channel.guild is not None
        async with running(discord) as bot:
            known = bot.get_channel(channel.id)
            assert isinstance(known, library.TextChannel)
            before = known.permissions_for(known.guild.me)
            discord.permit(channel, channel.guild.everyone, deny=Permission.VIEW_CHANNEL)
            discord.say(ana, discord.direct(ana), "done")
            await discord.until(lambda: bot.heard)
            after = known.permissions_for(known.guild.me)

    assert (before.view_channel, after.view_channel) == (True, False)
