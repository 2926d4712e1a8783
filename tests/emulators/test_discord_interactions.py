"""The emulator of Discord, seen through an unmodified discord.py: commands, buttons, modals."""

from tests.emulators.discord import Choice, Discord
from tests.emulators.discord.model import Channel, User
from tests.emulators.discord_bot import running


def _place(discord: Discord) -> tuple[User, Channel]:
    ana = discord.user("Ana")
    return ana, discord.channel(discord.guild("Writers", ana), "book-one")


async def test_slash_command_is_deferred_and_answered() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord):
            used = discord.slash(ana, channel, "lore", name="Mara")
            reply = await discord.answered(used)

    assert reply.content == "Mara has grey eyes"
    assert reply is used.original
    assert [message.content for message in channel.history] == ["Mara has grey eyes"]


async def test_private_answer_is_seen_by_the_one_alone() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        ben = discord.user("Ben")
        assert channel.guild is not None
        discord.join(channel.guild, ben)
        async with running(discord):
            await discord.answered(discord.slash(ana, channel, "lore", name="Mara", private=True))

    assert [message.content for message in discord.seen_by(ana, channel)] == ["Mara has grey eyes"]
    assert discord.seen_by(ben, channel) == []


async def test_subcommand_gets_its_typed_option() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord):
            reply = await discord.answered(discord.slash(ana, channel, "scene read", ref=7))

    assert reply.content == "scene 7"


async def test_autocomplete_suggests() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord):
            suggested = await discord.autocomplete(ana, channel, "lore", focus="name", name="mar")

    assert suggested == [Choice("Mara", "Mara"), Choice("Marek", "Marek")]


async def test_button_works_after_a_restart() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord):
            card = await discord.answered(discord.slash(ana, channel, "lore", name="Mara"))
        async with running(discord):
            reply = await discord.answered(discord.click(ana, card, "Accept"))

    assert (reply.content, reply.only_for) == ("accepted by Ana", ana)


async def test_modal_is_opened_and_submitted() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord):
            opened = await discord.acknowledged(discord.slash(ana, channel, "feedback"))
            reply = await discord.answered(discord.submit(opened, {"Words": "more dragons"}))

    assert reply.content == "you wrote more dragons"


async def test_message_menu_carries_the_message() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord):
            said = discord.say(ana, channel, "Mara has a sword")
            reply = await discord.answered(discord.menu(ana, said, "Save to lore"))

    assert reply.content == "saved Mara has a sword"
