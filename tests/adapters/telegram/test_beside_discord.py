"""One canon on two platforms in one process: what is written on one is read on the other."""

import asyncio
import re
from collections.abc import AsyncIterator

import pytest

from agent_core.people.model import Identity
from tests.adapters.discord import hall as discord_halls
from tests.adapters.telegram.hall import Hall
from tests.clock import FakeClock
from tests.emulators.discord import Discord
from tests.emulators.model_endpoint import Call
from tests.emulators.telegram import Telegram
from tests.house import House


@pytest.fixture
async def other(house: House, clock: FakeClock) -> AsyncIterator[discord_halls.Hall]:
    async with Discord(clock=clock) as discord, discord_halls.open_hall(house, discord) as opened:
        yield opened


async def noted(house: House, place: str) -> None:
    """Wait until it is noted where the one open card of a place on Discord stands."""
    conversation = await house.core.askers.conversations.conversation_in("discord", place)
    assert conversation is not None
    [batch] = await house.core.open_batches(conversation.id)
    async with asyncio.timeout(5):
        while not await house.core.chat.cards_of(batch.id):  # noqa: ASYNC110  the store has no bell
            await asyncio.sleep(0)


async def test_write_on_telegram_is_read_on_discord_at_once(
    hall: Hall, telegram: Telegram, other: discord_halls.Hall
) -> None:
    patch = {"entityId": "Mara", "chapterId": "1.1", "statePatch": {"hat": "grey"}}
    hall.house.endpoint.reply(Call("record_lore_state", patch))
    telegram.say(hall.ana, hall.private, "note that Mara wears a grey hat")
    card = await telegram.shown(hall.private, "Proposal")
    hall.house.endpoint.reply("Noted.")
    telegram.press(hall.ana, card, "Save")
    await telegram.until(lambda: "Take back" in card.buttons)
    read = await other.ask("/lore Mara")
    assert "grey" in str(read.embeds)


async def test_accounts_on_both_platforms_are_joined_by_a_code(
    hall: Hall, telegram: Telegram, other: discord_halls.Hall
) -> None:
    told = await hall.ask("/identity code")
    code = re.search(r"\b[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}\b", told.text)
    assert code is not None
    direct = other.discord.direct(other.ana)
    said = other.discord.say(other.ana, direct, f"/identity link {code[0]}")
    card = await other.discord.reply(said)
    await noted(hall.house, str(direct.id))
    other.discord.click(other.ana, card, "Save")
    await other.discord.until(lambda: "Save" not in other.discord.labels(card))
    people = hall.house.core.askers.people
    here = await people.person_known_as(Identity("telegram", str(hall.ana.id)))
    there = await people.person_known_as(Identity("discord", str(other.ana.id)))
    assert here is not None
    assert there is not None
    assert here.id == there.id
