"""The emulator of Discord, seen through an unmodified discord.py: commands, buttons, modals."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import discord as library
import pytest

from tests.emulators.discord import Choice, Discord, Interaction
from tests.emulators.discord.model import Channel, User
from tests.emulators.discord.probe import Bot, logged_in, running


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


async def test_options_of_every_kind_reach_the_bot() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord):
            given = discord.slash(ana, channel, "take", file=("a b.md", b"# Mara"), member=ana, place=channel)
            reply = await discord.answered(given)

    assert reply.content == "a_b.md # Mara of Ana in book-one"


async def test_choice_in_a_select_changes_the_message() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord):
            given = discord.slash(ana, channel, "take", file=("a.md", b"x"), member=ana, place=channel)
            card = await discord.answered(given)
            offered = discord.options(card)
            await discord.acknowledged(discord.choose(ana, card, "which", "Mara the queen"))

    assert offered == {"Mara the smith": "e1", "Mara the queen": "e2"}
    assert (card.content, card.components) == ("chose e2", [])


async def test_message_menu_carries_the_message() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        async with running(discord):
            said = discord.say(ana, channel, "Mara has a sword")
            reply = await discord.answered(discord.menu(ana, said, "Save to lore"))

    assert reply.content == "saved Mara has a sword"


@asynccontextmanager
async def _asked(discord: Discord) -> AsyncIterator[tuple[Interaction, library.Interaction[Any]]]:
    """Yield an interaction that the bot has heard of and nobody has answered."""
    ana, channel = _place(discord)
    bot = Bot()
    async with running(discord, bot):
        used = discord.slash(ana, channel, "later")
        yield used, await bot.left_over.get()


async def test_answer_after_three_seconds_is_refused() -> None:
    """C22."""
    async with Discord() as discord, _asked(discord) as (used, interaction):
        discord.expects(10062)
        discord.clock.advance(seconds=3.1)
        with pytest.raises(library.NotFound) as refused:
            await interaction.response.send_message("too late")

    assert refused.value.code == 10062
    assert not used.acknowledged


async def test_interaction_that_the_bot_leaves_alone_fails_the_test() -> None:
    discord = Discord()
    await discord.__aenter__()
    async with _asked(discord):
        pass

    with pytest.raises(AssertionError, match="Ana was never answered: COMMAND later"):
        await discord.__aexit__(None, None, None)


async def test_second_answer_is_refused() -> None:
    async with Discord() as discord, _asked(discord) as (used, interaction):
        discord.expects(40060)
        await interaction.response.send_message("first")
        interaction.response._response_type = None  # what a bot does that lost its state
        with pytest.raises(library.HTTPException) as refused:
            await interaction.response.send_message("second")

    assert refused.value.code == 40060
    assert [message.content for message in used.replies] == ["first"]


async def test_token_is_dead_after_fifteen_minutes() -> None:
    """C08."""
    async with Discord() as discord, _asked(discord) as (used, interaction):
        discord.expects(50027)
        await interaction.response.defer()
        discord.clock.advance(minutes=16)
        with pytest.raises(library.HTTPException) as refused:
            await interaction.edit_original_response(content="done")

    assert (refused.value.status, refused.value.code) == (401, 50027)
    assert used.thinking


async def test_deferred_answer_is_edited_followed_up_and_deleted() -> None:
    async with Discord() as discord, _asked(discord) as (used, interaction):
        await interaction.response.defer(ephemeral=True)
        await interaction.edit_original_response(content="one")
        followed = await interaction.followup.send("two", wait=True)
        await followed.edit(content="three")
        await interaction.delete_original_response()

    assert [message.contents for message in used.replies] == [["", "one"], ["two", "three"]]
    assert [message.content for message in discord.seen_by(used.user, used.channel)] == ["three"]


async def test_first_follow_up_of_a_deferred_answer_fills_it() -> None:
    async with Discord() as discord, _asked(discord) as (used, interaction):
        await interaction.response.defer(ephemeral=True)
        await interaction.followup.send("filled")

    assert used.followups == []
    assert (used.reply.content, used.reply.only_for) == ("filled", used.user)


async def test_answer_in_a_locked_thread_is_refused() -> None:
    async with Discord() as discord:
        ana, channel = _place(discord)
        thread = discord.thread(ana, channel, "done")
        discord.expects(50083)
        bot = Bot()
        async with running(discord, bot):
            discord.slash(ana, thread, "later")
            interaction = await bot.left_over.get()
            discord.lock(thread)
            with pytest.raises(library.Forbidden):
                await interaction.response.send_message("no")


async def test_wrong_answers_are_refused() -> None:
    async with Discord() as discord, _asked(discord) as (_, interaction):
        discord.expects(50035, 50006)
        adapter = library.webhook.async_.async_context.get()
        for kind, data in (
            (8, {"choices": []}),
            (4, {"content": "a" * 2001}),
            (4, {"content": ""}),
            (9, {"custom_id": "m", "title": "a" * 46, "components": []}),
        ):
            params = library.webhook.async_.interaction_response_params(kind, data)
            with pytest.raises(library.HTTPException):
                await adapter.create_interaction_response(
                    interaction.id, interaction.token, session=interaction._session, params=params
                )


async def test_too_many_suggestions_are_refused() -> None:
    """C20."""
    async with Discord() as discord:
        ana, channel = _place(discord)
        discord.expects(50035)
        async with running(discord):
            asked = discord.suggest(ana, channel, "lore", focus="name", name="*")
            await discord.until(lambda: discord.asked("POST", "/callback"))

    assert asked.choices is None


async def test_commands_are_kept_with_their_localisations_and_ids() -> None:
    async with Discord() as discord:
        _place(discord)
        async with running(discord) as bot:
            first = discord.commands()["lore"].id
            await bot.tree.sync()
            fetched = await bot.tree.fetch_commands()

    assert discord.commands()["lore"].id == first
    assert sorted(command.name for command in fetched) == sorted(discord.commands())


@pytest.mark.parametrize(
    "command",
    [
        {"name": "Lore", "description": "a"},
        {"name": "a" * 33, "description": "a"},
        {"name": "lore", "description": ""},
        {"name": "lore", "description": "a" * 101},
        {"name": "lore", "description": "a", "name_localizations": {"de-AT": "a"}},
        {"name": "lore", "description": "a", "options": [{"type": 3, "name": "x", "description": "a"}] * 2},
    ],
)
async def test_command_that_discord_would_refuse_is_refused(command: dict[str, Any]) -> None:  # any JSON
    async with Discord() as discord:
        discord.expects(50035)
        async with logged_in(discord) as client:
            assert client.application_id is not None
            with pytest.raises(library.HTTPException):
                await client.http.bulk_upsert_global_commands(client.application_id, [command])
