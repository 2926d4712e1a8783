"""The emulator of Discord breaks as a test plans it, and discord.py takes it as it takes the real faults."""

import asyncio

import aiohttp
import discord as library
import pytest

from tests.emulators.discord import Broken, Discord, Drop, Hold, Refuse, TooMany
from tests.emulators.discord.model import Channel
from tests.emulators.discord.probe import logged_in

_MESSAGES = "/channels/*/messages"


def _place(discord: Discord) -> Channel:
    return discord.channel(discord.guild("Writers"), "book-one")


async def test_429_is_waited_for_and_sent_once() -> None:
    async with Discord() as discord:
        channel = _place(discord)
        discord.fault("POST", _MESSAGES, TooMany(0.01), times=2)
        async with logged_in(discord) as client:
            await client.get_partial_messageable(channel.id).send("late")

    assert [message.content for message in channel.history] == ["late"]
    assert [request.status for request in discord.asked("POST", "/messages")] == [429, 429, 200]


async def test_429_without_via_is_raised() -> None:
    async with Discord() as discord:
        channel = _place(discord)
        discord.fault("POST", _MESSAGES, TooMany(via=False))
        async with logged_in(discord) as client:
            with pytest.raises(library.HTTPException) as limited:
                await client.get_partial_messageable(channel.id).send("never")

    assert limited.value.status == 429
    assert channel.history == []


async def test_bucket_makes_the_client_wait_before_it_is_refused() -> None:
    async with Discord() as discord:
        channel = _place(discord)
        discord.front.buckets.limit("POST", "/channels/{channel_id}/messages", 2, 0.1)
        async with logged_in(discord) as client:
            place = client.get_partial_messageable(channel.id)
            for number in range(5):
                await place.send(str(number))

    assert [message.content for message in channel.history] == ["0", "1", "2", "3", "4"]
    assert {request.status for request in discord.asked("POST", "/messages")} == {200}


async def test_request_beyond_a_bucket_gets_429() -> None:
    async with Discord() as discord:
        channel = _place(discord)
        discord.front.buckets.limit("POST", "/channels/{channel_id}/typing", 1, 5.0)
        headers = {"Authorization": f"Bot {discord.token}"}
        async with aiohttp.ClientSession(headers=headers) as session:
            url = f"{discord.api_base}/channels/{channel.id}/typing"
            first, second = await session.post(url), await session.post(url)
            body = await second.json()

    assert (first.status, first.headers["X-RateLimit-Remaining"]) == (204, "0")
    assert (second.status, body["global"], second.headers["X-RateLimit-Scope"]) == (429, False, "user")
    assert 0 < body["retry_after"] <= 5


async def test_global_limit_is_told_as_global() -> None:
    async with Discord() as discord:
        channel = _place(discord)
        discord.front.buckets.everywhere = (1, 5.0)
        headers = {"Authorization": f"Bot {discord.token}"}
        async with aiohttp.ClientSession(headers=headers) as session:
            url = f"{discord.api_base}/channels/{channel.id}"
            await session.get(url)
            body = await (await session.get(url)).json()

    assert body["global"] is True


async def test_refusal_can_be_planned_for_a_later_request() -> None:
    async with Discord() as discord:
        channel = _place(discord)
        discord.fault("POST", _MESSAGES, Refuse(50013), skip=1)
        async with logged_in(discord) as client:
            place = client.get_partial_messageable(channel.id)
            await place.send("first")
            with pytest.raises(library.Forbidden):
                await place.send("second")
            await place.send("third")

    assert [message.content for message in channel.history] == ["first", "third"]


async def test_failing_server_is_raised() -> None:
    async with Discord() as discord:
        channel = _place(discord)
        discord.fault("POST", _MESSAGES, Broken(503))
        async with logged_in(discord) as client:
            with pytest.raises(library.DiscordServerError):
                await client.get_partial_messageable(channel.id).send("lost")


@pytest.mark.parametrize(("after_effect", "arrived"), [(False, []), (True, ["kept?"])])
async def test_connection_breaks_before_or_after_effect(*, after_effect: bool, arrived: list[str]) -> None:
    async with Discord() as discord:
        channel = _place(discord)
        discord.fault("POST", _MESSAGES, Drop(after_effect=after_effect))
        async with logged_in(discord) as client:
            with pytest.raises(aiohttp.ClientError):
                await client.get_partial_messageable(channel.id).send("kept?")

    assert [message.content for message in channel.history] == arrived


async def test_held_request_waits_for_its_release() -> None:
    async with Discord() as discord:
        channel = _place(discord)
        hold = Hold()
        discord.fault("POST", _MESSAGES, hold)
        async with logged_in(discord) as client, asyncio.TaskGroup() as tasks:
            tasks.create_task(client.get_partial_messageable(channel.id).send("held"))
            await hold.arrived.wait()
            before = list(channel.history)
            hold.release()

    assert before == []
    assert [message.content for message in channel.history] == ["held"]


async def test_planned_fault_that_nothing_met_fails_the_test() -> None:
    discord = Discord()
    await discord.__aenter__()
    discord.fault("POST", "/nothing/like/it", Broken())
    with pytest.raises(AssertionError, match="no request met"):
        await discord.__aexit__(None, None, None)
