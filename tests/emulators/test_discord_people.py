"""The people whom a test plays on the emulated Discord: they see, and can do, what real ones do."""

import pytest

from tests.emulators.discord import Discord, Guild, Permission, User
from tests.emulators.discord.model import Channel
from tests.emulators.discord.probe import Bot, logged_in, running


def _place(discord: Discord) -> tuple[User, Guild, Channel]:
    ana = discord.user("Ana", locale="de")
    guild = discord.guild("Writers", ana)
    return ana, guild, discord.channel(guild, "book-one")


async def test_text_of_the_bot_notifies_nobody_whom_it_may_not() -> None:
    """C45."""
    async with Discord() as discord:
        ana, guild, channel = _place(discord)
        role = discord.role(guild, "readers", to=[ana])
        discord.role(guild, "loud", Permission.MENTION_EVERYONE, to=[discord.bot])
        text = f"@everyone {ana.mention} {role.mention}"
        async with logged_in(discord) as client:
            await client.get_partial_messageable(channel.id).send(text)
            client.allowed_mentions = None
            await client.get_partial_messageable(channel.id).send(text)

    quiet, loud = channel.history
    assert (quiet.mentions, quiet.mention_roles, quiet.mention_everyone) == ([], [], False)
    assert (loud.mentions, loud.mention_roles, loud.mention_everyone) == ([ana], [role], True)


async def test_reply_notifies_the_author_unless_told_otherwise() -> None:
    """C28."""
    async with Discord() as discord:
        ana, guild, channel = _place(discord)
        other = discord.user("Other bot", is_bot=True)
        discord.join(guild, other)
        said = discord.say(ana, channel, "hello")
        pinged = discord.say(other, channel, "hi", reply_to=said)
        silent = discord.say(other, channel, "hi", reply_to=said, ping=False)

    assert (pinged.mentions, silent.mentions) == ([ana], [])
    assert discord.replies_to(said) == [pinged, silent]


async def test_forwarded_message_carries_a_snapshot() -> None:
    async with Discord() as discord:
        ana, guild, channel = _place(discord)
        original = discord.say(ana, discord.channel(guild, "notes"), "Mara is 17")
        forwarded = discord.say(ana, channel, forwards=original)
        async with logged_in(discord) as client:
            message = await client.get_partial_messageable(channel.id).fetch_message(forwarded.id)

    assert (message.content, message.message_snapshots[0].content) == ("", "Mara is 17")


async def test_webhook_is_heard_as_one() -> None:
    async with Discord() as discord:
        _, _, channel = _place(discord)
        said = discord.say_by_webhook(channel, "Feed", "news")
        async with logged_in(discord) as client:
            message = await client.get_partial_messageable(channel.id).fetch_message(said.id)

    assert (message.webhook_id, message.author.name) == (said.author.id, "Feed")


async def test_nobody_uses_what_is_not_offered() -> None:
    async with Discord() as discord:
        ana, guild, channel = _place(discord)
        ben = discord.user("Ben")
        discord.join(guild, ben)
        async with running(discord):
            private = await discord.answered(discord.slash(ana, channel, "lore", name="Mara", private=True))

    with pytest.raises(AssertionError, match="registered are"):
        discord.slash(ana, channel, "nonsense")
    with pytest.raises(AssertionError, match="needs"):
        discord.slash(ana, channel, "lore")
    with pytest.raises(AssertionError, match="has no 'title'"):
        discord.slash(ana, channel, "lore", name="Mara", title="x")
    with pytest.raises(AssertionError, match="takes no"):
        discord.slash(ana, channel, "lore", name=7)
    with pytest.raises(AssertionError, match="too small"):
        discord.slash(ana, channel, "scene read", ref=0)
    with pytest.raises(AssertionError, match="no 'Decline'"):
        discord.click(ana, private, "Decline")
    with pytest.raises(AssertionError, match="does not see"):
        discord.click(ben, private, "Accept")


async def test_hidden_channel_is_hidden_from_people_and_bot() -> None:
    async with Discord() as discord:
        ana, guild, channel = _place(discord)
        ben = discord.user("Ben")
        discord.join(guild, ben)
        discord.permit(channel, guild.everyone, deny=Permission.VIEW_CHANNEL)
        discord.permit(channel, ana, allow=Permission.VIEW_CHANNEL)
        async with running(discord) as bot:
            discord.say(ana, channel, "secret")
            discord.say(ana, discord.channel(guild, "open"), "open")
            await discord.until(lambda: bot.heard == ["open"])

    assert [message.content for message in discord.seen_by(ana, channel)] == ["secret"]
    assert discord.seen_by(ben, channel) == []
    with pytest.raises(AssertionError, match="may not write"):
        discord.say(ben, channel, "me too")


async def test_order_of_what_happened_is_kept() -> None:
    async with Discord() as discord:
        ana, _, channel = _place(discord)
        said = discord.say(ana, channel, "ask something")
        async with logged_in(discord) as client:
            await client.get_partial_messageable(channel.id).typing()
            answer = await client.get_partial_messageable(channel.id).send("answer")

    sent = channel.messages[answer.id]
    assert discord.typed_in(channel) == 1
    assert discord.typed_in(channel, after=said) == 1
    assert discord.typed_in(channel, after=sent) == 0
    sequences = [request.sequence for request in discord.requests]
    assert sequences == sorted(sequences)


async def test_language_of_a_person_comes_with_their_commands() -> None:
    async with Discord() as discord:
        ana, _, channel = _place(discord)
        bot = Bot()
        async with running(discord, bot):
            discord.slash(ana, channel, "later")
            interaction = await bot.left_over.get()
            await interaction.response.defer()

    assert interaction.locale.value == "de"
