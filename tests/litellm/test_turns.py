"""Whole turns through the proxy: look-ups, a card, what a model without tools is like."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent_core.clock import new_id
from agent_core.llm.openai import Endpoint, OpenAIChatModel
from agent_core.texts import say
from tests.clock import FakeClock
from tests.emulators.gemini import GeminiEndpoint, GeminiReply
from tests.emulators.model_endpoint import Call, ModelEndpoint, Reply
from tests.house import House, found_in, open_house
from tests.litellm_server import Proxy

pytestmark = pytest.mark.litellm

SIGNATURES = ("Zmlyc3QgdGhvdWdodA==", "c2Vjb25kIHRob3VnaHQ=")
LONG_SIGNATURE = "c2lnbmF0dXJl" * 2_000  # the proxy makes it a part of the call's id


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    return await found_in(tmp_path)


@asynccontextmanager
async def opened(folder: Path, proxy: Proxy, name: str) -> AsyncIterator[House]:
    """Give a house whose model has this name at the proxy."""
    where = Endpoint(proxy.url, name, SecretStr(proxy.key))
    async with (
        OpenAIChatModel(where) as model,
        ModelEndpoint() as unused,
        open_house(folder, unused, FakeClock(), new_id, model=model) as house,
    ):
        yield house


@pytest.fixture
async def house(folder: Path, proxy: Proxy) -> AsyncIterator[House]:
    """A house whose model is the scripted endpoint behind the proxy."""
    async with opened(folder, proxy, "stub/scripted") as house:
        yield house


@pytest.fixture
async def gemini_house(folder: Path, proxy: Proxy) -> AsyncIterator[House]:
    """A house whose model is the one of the configuration that we ship."""
    async with opened(folder, proxy, "writer-model") as house:
        yield house


async def test_answer_follows_a_look_up(house: House, endpoint: ModelEndpoint) -> None:
    endpoint.reply(Call("search_lore", {"query": "Mara"}))
    endpoint.reply("Mara has green eyes.")

    heard = await house.say("What colour are Mara's eyes?")

    assert heard.answer == "Mara has green eyes."
    assert "green" in endpoint.requests[1].messages[-1]["content"]


async def test_what_gemini_wants_to_write_waits_for_a_person(
    gemini_house: House, gemini: GeminiEndpoint
) -> None:
    house = gemini_house
    fact = {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "1"}
    looks = [("search_lore", {"query": "Mara"}), ("search_lore", {"query": "hat"})]
    gemini.reply(
        GeminiReply("", looks, SIGNATURES[0]),
        GeminiReply("I note it.", [("record_lore_state", fact)], LONG_SIGNATURE),
    )

    heard = await house.say("Mara wears a red hat from chapter 1 on. Note it.")
    gemini.reply("It is noted.")
    batch, after = await house.decide((await house.card(heard)).id)

    assert after.answer == "It is noted."
    assert LONG_SIGNATURE in str(gemini.requests[2].body)
    assert batch.settled
    assert (await house.state("Mara"))["hat"] == "red"


async def test_each_step_of_a_turn_brings_back_the_signatures_of_all_before(
    gemini_house: House, gemini: GeminiEndpoint
) -> None:
    gemini.reply(
        GeminiReply("", [("search_lore", {"query": "Mara"})], SIGNATURES[0]),
        GeminiReply("", [("search_lore", {"query": "Tom"})], SIGNATURES[1]),
        "Neither knows the other.",
    )

    heard = await gemini_house.say("Do Mara and Tom know each other?")

    assert heard.answer == "Neither knows the other."
    parts = [part for content in gemini.requests[-1].contents for part in content["parts"]]
    assert tuple(part["thoughtSignature"] for part in parts if "functionCall" in part) == SIGNATURES


async def test_reply_without_anything_is_asked_for_again(gemini_house: House, gemini: GeminiEndpoint) -> None:
    gemini.reply(GeminiReply(finish="MALFORMED_FUNCTION_CALL"), "Mara is a sailor.")

    heard = await gemini_house.say("Who is Mara?")

    assert heard.answer == "Mara is a sailor."


async def test_conversation_goes_on_with_another_model_behind_the_proxy(
    folder: Path, proxy: Proxy, gemini: GeminiEndpoint, endpoint: ModelEndpoint
) -> None:
    """Neither is sent what only the other understands."""
    gemini.reply(GeminiReply("", [("search_lore", {"query": "Mara"})], SIGNATURES[0]), "Green.")
    async with opened(folder, proxy, "writer-model") as house:
        await house.say("What colour are Mara's eyes?")

    endpoint.reply(Reply(calls=(Call("search_lore", {"query": "Tom"}),), fields={"reasoning_content": "Hm."}))
    endpoint.reply("A smith.")
    async with opened(folder, proxy, "stub/scripted") as house:
        await house.say("And who is Tom?", update="later")
    gemini.reply("Yes.")
    async with opened(folder, proxy, "writer-model") as house:
        heard = await house.say("Is he a thief?", update="last")

    assert heard.answer == "Yes."
    assert SIGNATURES[0] not in str(endpoint.requests[0].body)
    assert "Hm." not in str(gemini.requests[-1].body)


async def test_tools_that_a_proxy_removes_without_a_word_are_missed_at_the_start(
    folder: Path, proxy: Proxy, endpoint: ModelEndpoint
) -> None:
    for reply in ("Pong!", "Pong!", "Perhaps green."):
        endpoint.reply(reply)
    async with opened(folder, proxy, "tools-dropped") as house:
        await house.app.tool_calling.prove()
        heard = await house.say("What colour are Mara's eyes?")

    assert [request.tools for request in endpoint.requests] == [[], [], []]
    assert heard.answer == f"Perhaps green.\n\n{say('en', 'answer.toolless')}"


async def test_model_that_takes_no_tools_answers_without_them_and_says_so(
    folder: Path, proxy: Proxy, endpoint: ModelEndpoint
) -> None:
    """The configuration that we ship lets the proxy say so, where dropping the tools would hide it."""
    endpoint.reply("Perhaps green.")
    async with opened(folder, proxy, "no-tools") as house:
        heard = await house.say("What colour are Mara's eyes?")

    assert heard.answer == f"Perhaps green.\n\n{say('en', 'answer.toolless')}"
