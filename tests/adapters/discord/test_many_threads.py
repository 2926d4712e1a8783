"""A server with a thousand threads, each bound to the book."""

import asyncio
import tracemalloc
from dataclasses import replace

import pytest

from adapters.discord.rooms import DiscordRooms
from tests.adapters.discord.hall import open_hall
from tests.emulators.discord import Discord
from tests.house import House

THREADS = 1000
_OURS = (
    tracemalloc.Filter(inclusive=True, filename_pattern="*/site-packages/discord/*"),
    tracemalloc.Filter(inclusive=True, filename_pattern="*/adapters/*"),
)


@pytest.mark.slow
async def test_a_thousand_bound_threads_do_not_slow_a_turn(house: House, discord: Discord) -> None:
    """Memory is what discord.py and the adapter hold per thread, without the emulator's."""
    loop = asyncio.get_running_loop()
    async with open_hall(house, discord) as hall:
        rooms = hall.desk.exchange.rooms
        assert isinstance(rooms, DiscordRooms)

        async def turn_s() -> float:
            house.endpoint.reply("Green.")
            before = loop.time()
            answer = await hall.ask("what are Mara's eyes?")
            await discord.until(lambda: answer.content == "Green.")
            took_s = loop.time() - before
            await hall.rest()
            return took_s

        few_s = min([await turn_s() for _ in range(5)])
        home = await hall.link(hall.channel)
        tracemalloc.start()
        before = _held()
        threads = [discord.thread(hall.ana, hall.channel, f"thread {number}") for number in range(THREADS)]
        client = rooms._client
        assert client is not None
        await discord.until(lambda: len(client.guilds[0].threads) >= THREADS, within_s=30)
        held = (_held() - before) / THREADS
        tracemalloc.stop()
        for thread in threads:
            place = replace(home, id=f"c{thread.id}", place=str(thread.id))
            await house.core.askers.conversations.conversation_at(place)
        many_s = min([await turn_s() for _ in range(5)])
    assert many_s < few_s * 2 + 0.1
    assert held < 10_000


def _held() -> int:
    snapshot = tracemalloc.take_snapshot().filter_traces(_OURS)
    return sum(line.size for line in snapshot.statistics("filename"))
