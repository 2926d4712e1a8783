"""What can be watched of a running installation, without knowing who watches.

Turns, replies of the model and tool calls are observed; where nobody watches that costs nothing.
"""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from agent_core.errors import ModelFailure
from agent_core.llm.base import ChatModel, OnDelta
from agent_core.messages import ChatMessage, ModelReply, ModelRequest
from agent_core.pipeline.call import Pipeline
from agent_core.pipeline.model import AuditOutcome
from agent_core.pipeline.outcome import Outcome, Requested
from agent_core.pipeline.redaction import Redaction
from agent_core.tools.spec import ToolContext

CANCELLED = AuditOutcome.CANCELLED.value
UNKNOWN_TOOL = "unknown"


class Kind(StrEnum):
    """What is observed."""

    TURN = "turn"
    REPLY = "reply"
    CALL = "call"


def _nothing() -> str:
    return ""


@dataclass(slots=True, kw_only=True)
class Observation:
    """One thing that is going on. `name` is a model or a registered tool, `id` a conversation or a call.

    `outcome` and `facts` are filled in until it is over; `asked` and `answered` make the redacted content,
    only for those who may see it.
    """

    kind: Kind
    name: str = ""
    id: str = ""
    outcome: str = CANCELLED
    facts: dict[str, int | float | str] = field(default_factory=dict)
    asked: Callable[[], str] = _nothing
    answered: Callable[[], str] = _nothing


Telemetry: TypeAlias = Callable[[Observation], AbstractContextManager[None]]


def unwatched(observation: Observation) -> AbstractContextManager[None]:
    """Return a context in which nobody watches."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class ObservedModel:
    """A model whose replies are observed."""

    model: ChatModel
    telemetry: Telemetry
    redaction: Redaction

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def label(self) -> str:
        return self.model.label

    async def complete(self, request: ModelRequest, on_delta: OnDelta) -> ModelReply:
        seen = Observation(kind=Kind.REPLY, name=self.name, asked=lambda: self._text(request.messages))
        seen.facts |= {"temperature": request.temperature, "max_tokens": request.max_tokens}
        with self.telemetry(seen):
            try:
                reply = await self.model.complete(request, on_delta)
            except ModelFailure as failure:
                seen.outcome = failure.cause.value
                raise
            seen.outcome = reply.finish.value
            seen.facts["prompt_tokens"] = reply.usage.prompt_tokens
            seen.facts["completion_tokens"] = reply.usage.completion_tokens
            seen.answered = lambda: self.redaction.own(reply.text)
        return reply

    def _text(self, messages: tuple[ChatMessage, ...]) -> str:
        said = [{"role": one.role.value, "content": self.redaction.own(one.content)} for one in messages]
        return json.dumps(said, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedPipeline(Pipeline):
    """A pipeline whose calls are observed."""

    telemetry: Telemetry

    async def call(self, call: Requested, context: ToolContext) -> Outcome:
        known = any(tool.name == call.tool for tool in self.tools)
        seen = Observation(kind=Kind.CALL, name=call.tool if known else UNKNOWN_TOOL, id=call.call_id)
        seen.asked = lambda: self.redaction.outside(str(call.arguments))
        with self.telemetry(seen):
            outcome = await Pipeline.call(self, call, context)
            seen.outcome = outcome.outcome.value
            seen.answered = lambda: outcome.content
        return outcome
