"""Knows whether a model calls tools, and has one that does not answer in plain chat instead."""

import logging
from dataclasses import dataclass
from urllib.parse import urlsplit

from agent_core.clock import Clock
from agent_core.errors import ModelCause, ModelFailure, StoreFailure
from agent_core.llm.base import ChatModel, OnDelta
from agent_core.llm.selftest import can_call_tools
from agent_core.llm.store import ToolCallingStore
from agent_core.messages import ModelReply, ModelRequest

logger = logging.getLogger(__name__)

_TRIES = 2


@dataclass(slots=True)
class ProvenModel:
    """A model. Once it has shown that it calls no tools, a request with tools fails as if it had said so."""

    model: ChatModel
    calls_tools: bool = True

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def label(self) -> str:
        return self.model.label

    async def complete(self, request: ModelRequest, on_delta: OnDelta) -> ModelReply:
        if request.tools and not self.calls_tools:
            raise ModelFailure(reason=ModelCause.NO_TOOLS)
        return await self.model.complete(request, on_delta)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalling:
    """What is known of one model at one endpoint."""

    model: ProvenModel
    endpoint: str
    store: ToolCallingStore
    clock: Clock

    async def recall(self) -> bool | None:
        """Return what the last test showed, None without one, and go by it: nothing is asked of the model."""
        known = await self.store.calls_tools(_place(self.endpoint), self.model.name)
        self.model.calls_tools = known is not False
        return known

    async def prove(self) -> None:
        """Find out whether the model calls tools; whatever fails here leaves the question open.

        One that did at an earlier start is not asked again. One that did not is, and answers in plain chat
        until it has: its server may have learnt to since. Nothing is asked of the offline responder.
        """
        if self.model.label:
            return
        try:
            if not await self.recall():
                await self._note(calls=await self._tested())
        except (ModelFailure, StoreFailure) as failure:
            logger.warning("model not tested", extra={"cause": failure.for_model()})

    async def _tested(self) -> bool:
        """Return whether the model calls a tool in one of a few tries, as even good models may miss one."""
        for _ in range(_TRIES):
            if await can_call_tools(self.model.model):
                return True
        return False

    async def _note(self, *, calls: bool) -> None:
        self.model.calls_tools = calls
        if not calls:
            logger.warning("model calls no tools", extra={"model": self.model.name})
        now = self.clock.now()
        await self.store.note_calls_tools(_place(self.endpoint), self.model.name, now, calls=calls)


def _place(url: str) -> str:
    """Return the address without what may be secret in it."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
