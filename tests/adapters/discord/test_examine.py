"""What the doctor says of the Discord bot, and what a refused token leads to."""

from pathlib import Path

import pytest

from adapters.discord.place import DiscordSettings
from adapters.discord.rooms import DiscordRooms
from adapters.discord.serve import serve_discord
from bot.desks import desk_for
from tests.bot.commands import lorekeeper
from tests.emulators.discord import Discord, Intent
from tests.house import House


def variables(discord: Discord) -> dict[str, str]:
    return {
        "LOREKEEPER_DISCORD_TOKEN": discord.token,
        "LOREKEEPER_DISCORD_API_BASE": discord.api_base,
        "LOREKEEPER_DISCORD_GATEWAY_URL": discord.gateway_url,
    }


async def test_doctor_prints_the_invite_link_and_the_missing_intent(tmp_path: Path) -> None:
    async with Discord(portal=Intent(0)) as discord:
        said = (await lorekeeper(tmp_path, "doctor", **variables(discord))).said
    [line] = [line for line in said.splitlines() if line.startswith("Discord")]
    assert f"client_id={discord.world.application_id}" in line
    assert "scope=bot+applications.commands" in line
    assert "Message Content Intent is off" in line


async def test_doctor_is_content_with_a_bot_that_reads_messages(tmp_path: Path) -> None:
    async with Discord() as discord:
        said = (await lorekeeper(tmp_path, "doctor", **variables(discord))).said
    [line] = [line for line in said.splitlines() if line.startswith("Discord")]
    assert "Intent" not in line


async def test_doctor_says_that_a_token_is_refused(tmp_path: Path) -> None:
    async with Discord() as discord:
        discord.expects(401, 0)
        given = {**variables(discord), "LOREKEEPER_DISCORD_TOKEN": "another.bot.token"}
        ended = await lorekeeper(tmp_path, "doctor", **given)
    assert ended.code != 0
    assert "LOREKEEPER_DISCORD_TOKEN" in ended.said
    assert "another.bot.token" not in ended.said


async def test_refused_token_ends_the_service_with_a_line_that_names_the_setting(
    house: House, discord: Discord, caplog: pytest.LogCaptureFixture
) -> None:
    discord.expects(401, 0)
    rooms = DiscordRooms()
    settings = DiscordSettings(
        token="another.bot.token", api_base=discord.api_base, gateway_url=discord.gateway_url
    )
    await serve_discord(desk_for(house.app, rooms), rooms, settings)
    assert "LOREKEEPER_DISCORD_TOKEN" in caplog.text
    assert "another.bot.token" not in caplog.text
