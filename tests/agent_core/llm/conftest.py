import itertools
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from pydantic import SecretStr

from agent_core.llm.openai import CallLimits, Endpoint, OpenAIChatModel
from agent_core.messages import ModelReply, ModelRequest
from tests.emulators.model_endpoint import ModelEndpoint


@dataclass
class Talk:
    """A model on a scripted endpoint, with all that it said and slept."""

    endpoint: ModelEndpoint
    model: OpenAIChatModel
    deltas: list[str] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)

    async def ask(self, request: ModelRequest) -> ModelReply:
        return await self.model.complete(request, self.hear)

    async def hear(self, text: str) -> None:
        self.deltas.append(text)


@pytest.fixture
def limits() -> CallLimits:
    return CallLimits()


@pytest.fixture
async def endpoint() -> AsyncIterator[ModelEndpoint]:
    async with ModelEndpoint() as endpoint:
        yield endpoint


@pytest.fixture
async def talk(endpoint: ModelEndpoint, limits: CallLimits) -> AsyncIterator[Talk]:
    slept: list[float] = []
    numbers = itertools.count(1)

    async def sleep(delay_s: float) -> None:
        slept.append(delay_s)

    where = Endpoint(endpoint.url, "scripted", SecretStr("key-1"))
    async with OpenAIChatModel(
        where, limits=limits, sleep=sleep, new_call_id=lambda: f"fresh{next(numbers):04}"
    ) as model:
        yield Talk(endpoint, model, slept=slept)
