"""Everything in this folder goes through a real LiteLLM proxy; behind it stand emulators on its ports."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import pytest
from pydantic import SecretStr

from agent_core.llm.openai import CallLimits, Endpoint, OpenAIChatModel
from agent_core.messages import ModelReply, ModelRequest
from tests.emulators.gemini import GeminiEndpoint
from tests.emulators.model_endpoint import ModelEndpoint
from tests.litellm_server import Proxy, given_proxy


@dataclass
class Talk:
    """Our model at the proxy, with all that it said and slept."""

    model: OpenAIChatModel
    deltas: list[str] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    has_spoken: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask(self, request: ModelRequest) -> ModelReply:
        return await self.model.complete(request, self._hear)

    async def _hear(self, text: str) -> None:
        self.deltas.append(text)
        self.has_spoken.set()


Opener = Callable[..., Awaitable[Talk]]


@pytest.fixture(scope="session")
def proxy() -> Proxy:
    return given_proxy()


@pytest.fixture
async def endpoint(proxy: Proxy) -> AsyncIterator[ModelEndpoint]:
    """What answers behind all models of the proxy that are called stub/..., slow and no-tools."""
    async with ModelEndpoint(proxy.stub_port) as opened:
        yield opened


@pytest.fixture
async def gemini(proxy: Proxy) -> AsyncIterator[GeminiEndpoint]:
    """What answers behind writer-model, of the configuration that we ship, and gem-two."""
    async with GeminiEndpoint(proxy.gemini_port) as opened:
        yield opened


@pytest.fixture
async def talk_to(proxy: Proxy) -> AsyncIterator[Opener]:
    """Opens our model under one of the proxy's names, with another key or more tries if asked."""
    async with AsyncExitStack() as opened:

        async def talk_to(name: str, *, key: str = proxy.key, attempts: int = 1) -> Talk:
            slept: list[float] = []

            async def sleep(delay_s: float) -> None:
                slept.append(delay_s)

            endpoint = Endpoint(proxy.url, name, SecretStr(key))
            model = OpenAIChatModel(endpoint, limits=CallLimits(attempts=attempts), sleep=sleep)
            return Talk(await opened.enter_async_context(model), slept=slept)

        yield talk_to
