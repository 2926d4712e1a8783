"""A serving start finds out whether the model calls tools; one that does not answers in plain chat."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from agent_core.clock import new_id
from agent_core.llm.offline import OfflineResponder
from agent_core.texts import say
from tests.clock import FakeClock
from tests.emulators.model_endpoint import Call, ModelEndpoint, Raw
from tests.emulators.model_replies import error_body
from tests.house import House, found_in, open_house

PING = Call("ping", {"word": "pong"})
TOOLLESS = say("en", "answer.toolless")


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    return await found_in(tmp_path)


@asynccontextmanager
async def started(folder: Path, endpoint: ModelEndpoint) -> AsyncIterator[House]:
    url = endpoint.url.replace("http://", "http://keeper:very-secret@")
    async with open_house(folder, endpoint, FakeClock(), new_id, model_base_url=url) as house:
        await house.app.tool_calling.prove()
        yield house


async def test_model_that_calls_tools_is_tested_once(folder: Path, endpoint: ModelEndpoint) -> None:
    endpoint.reply(PING)
    async with started(folder, endpoint):
        pass
    async with started(folder, endpoint) as house:
        endpoint.reply("Green.")
        heard = await house.say("What colour are her eyes?")

    assert heard.answer == "Green."
    assert len(endpoint.requests) == 2
    assert endpoint.requests[0].tools == ["ping"]
    assert len(endpoint.requests[1].tools) > 1


async def test_model_without_tools_chats_and_says_that_it_looks_nothing_up(
    folder: Path, endpoint: ModelEndpoint
) -> None:
    endpoint.reply("Pong!")
    endpoint.reply("I would call ping.")
    async with started(folder, endpoint) as house:
        endpoint.reply("Perhaps green.")
        heard = await house.say("What colour are her eyes?")

    assert heard.answer == f"Perhaps green.\n\n{TOOLLESS}"
    assert endpoint.requests[-1].tools == []


async def test_model_that_misses_one_call_is_not_taken_for_one_without_tools(
    folder: Path, endpoint: ModelEndpoint
) -> None:
    endpoint.reply("Pong!")
    endpoint.reply(PING)
    async with started(folder, endpoint) as house:
        endpoint.reply("Green.")
        assert (await house.say("What colour are her eyes?")).answer == "Green."


async def test_model_without_tools_is_tested_again_at_the_next_start(
    folder: Path, endpoint: ModelEndpoint
) -> None:
    for _ in range(2):
        endpoint.reply(Raw(400, error_body("x does not support tools")))
    async with started(folder, endpoint):
        pass
    endpoint.reply(PING)
    async with started(folder, endpoint) as house:
        endpoint.reply("Green.")
        assert (await house.say("What colour are her eyes?")).answer == "Green."


async def test_model_known_to_call_none_is_not_offered_any_by_a_short_command_either(
    folder: Path, endpoint: ModelEndpoint
) -> None:
    for reply in ("Pong!", "Pong!", "Perhaps green."):
        endpoint.reply(reply)
    async with started(folder, endpoint) as house:
        url = house.app.settings.model_base_url

    async with open_house(folder, endpoint, FakeClock(), new_id, model_base_url=url) as house:
        heard = await house.say("What colour are her eyes?")

    assert heard.answer == f"Perhaps green.\n\n{TOOLLESS}"


async def test_endpoint_that_is_away_leaves_what_is_known(folder: Path, endpoint: ModelEndpoint) -> None:
    refused = Raw(401, error_body("Incorrect API key provided"))
    endpoint.reply(refused)
    async with started(folder, endpoint) as house:
        endpoint.reply("Green.")
        assert (await house.say("What colour are her eyes?")).answer == "Green."
    endpoint.reply("Pong!")
    endpoint.reply("Pong!")
    async with started(folder, endpoint):
        pass
    endpoint.reply(refused)
    async with started(folder, endpoint) as house:
        endpoint.reply("Perhaps green.")
        assert TOOLLESS in (await house.say("What colour are her eyes?", update="later")).answer


async def test_offline_responder_is_not_tested(folder: Path, endpoint: ModelEndpoint) -> None:
    async with open_house(folder, endpoint, FakeClock(), new_id, model=OfflineResponder()) as house:
        await house.app.tool_calling.prove()
        assert house.app.tool_calling.model.calls_tools

    assert endpoint.requests == []


async def test_secret_in_the_address_is_not_stored(folder: Path, endpoint: ModelEndpoint) -> None:
    endpoint.reply(PING)
    async with started(folder, endpoint) as house:
        file = house.app.settings.database

    with closing(sqlite3.connect(file)) as connection:
        [(where,)] = connection.execute("SELECT endpoint FROM tool_calling")
    assert where == endpoint.url
