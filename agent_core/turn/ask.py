"""Asks the model once for a running turn, and copes with what endpoints answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from agent_core.errors import ModelCause, ModelFailure
from agent_core.events import Emit
from agent_core.messages import ChatMessage, Json, ModelReply, ModelRequest, Role, ToolCall, ToolSchema
from agent_core.pipeline.cut import cut_result
from agent_core.pipeline.redaction import Redaction
from agent_core.turn.history import flattened, sanitised, trimmed
from agent_core.turn.runtime import Runtime
from agent_core.turn.stream import Stream
from agent_core.turn.talk import Talk

SHRUNK_CHARS = 12_000


@dataclass(frozen=True, slots=True)
class Asked:
    """A reply and the id under which its text was streamed; `toolless`: no tool could be offered."""

    reply: ModelReply
    reply_id: str
    toolless: bool = False


async def ask(talk: Talk, tools: Sequence[ToolSchema], runtime: Runtime, emit: Emit, *, last: bool) -> Asked:
    """Return the model's reply to the turn so far. With `last` it may not call tools any more.

    A history that is too long is shortened once; an endpoint without tools is asked without them; one
    that refuses a last request with tools gets a flattened history.

    Raises:
        ModelFailure: there is no reply to be had.
    """
    request = ModelRequest(
        messages=talk.messages(),
        tools=tuple(tools),
        tool_choice="none" if last else "auto",
        temperature=runtime.temperature,
        max_tokens=runtime.max_tokens,
    )
    try:
        return await _stream(request, runtime, emit)
    except ModelFailure as failure:
        other = _second_try(talk, request, failure.cause, last=last)
        if other is None:
            raise
        asked = await _stream(other, runtime, emit)
        return replace(asked, toolless=failure.cause is ModelCause.NO_TOOLS)


def _second_try(talk: Talk, request: ModelRequest, cause: ModelCause, *, last: bool) -> ModelRequest | None:
    if cause is ModelCause.CONTEXT:
        return replace(request, messages=_shrunk(talk))
    if cause is ModelCause.NO_TOOLS:
        return replace(request, messages=flattened(talk.messages()), tools=())
    if cause is ModelCause.BAD_HISTORY or (last and cause is ModelCause.BAD_REQUEST):
        tools = () if last else request.tools
        return replace(request, messages=flattened(talk.messages()), tools=tools)
    return None


def _shrunk(talk: Talk) -> tuple[ChatMessage, ...]:
    """Return the turn for a small window: prompt, question and steps stay, results and history are cut."""
    earlier = talk.prefix[1:]
    starts = [place for place, message in enumerate(earlier) if message.role is Role.USER]
    turns = [earlier[start:end] for start, end in pairwise([*starts, len(earlier)])]
    steps = [step.message for step in talk.steps]
    results = sum(message.role is Role.TOOL for message in steps)
    each = max(SHRUNK_CHARS // max(results, 1), 500)
    shortened = (
        replace(message, content=cut_result(message.content, each)) if message.role is Role.TOOL else message
        for message in steps
    )
    kept = trimmed(turns, SHRUNK_CHARS // 2)
    return sanitised((talk.prefix[0], *kept, talk.question, *shortened))


async def _stream(request: ModelRequest, runtime: Runtime, emit: Emit) -> Asked:
    redaction = runtime.pipeline.redaction
    stream = Stream(redaction, runtime.new_id(), emit)
    if redaction.knows_secrets:
        request = replace(request, messages=tuple(_redacted(one, redaction) for one in request.messages))
    reply = await runtime.model.complete(request, stream.take)
    await stream.end()
    return Asked(reply, stream.reply_id)


def _redacted(message: ChatMessage, redaction: Redaction) -> ChatMessage:
    """Return a message as it may leave: what people and the model wrote, without our secrets."""
    own = redaction.own
    calls = tuple(replace(call, name=own(call.name), arguments=own(call.arguments)) for call in message.calls)
    raw = message.raw if message.raw is None else _own_object(message.raw, redaction)
    return replace(message, content=own(message.content), calls=calls, raw=raw)


def _own_object(raw: Mapping[str, Json], redaction: Redaction) -> Mapping[str, Json]:
    masked = redaction.own_json(raw)
    return masked if isinstance(masked, Mapping) else {}


def unique_ids(reply: ModelReply, used: set[str], runtime: Runtime) -> ModelReply:
    """Return the reply with every call id new within the turn and fit to be seen; others are replaced."""
    own = runtime.pipeline.redaction.own
    calls: list[ToolCall] = []
    changed: dict[int, str] = {}
    for place, call in enumerate(reply.calls):
        if call.id in used or own(call.id) != call.id:
            changed[place] = runtime.new_id().replace("-", "")[:9]
            call = replace(call, id=changed[place])  # noqa: PLW2901  the list is what counts
        used.add(call.id)
        calls.append(call)
    raw = _renamed(reply.raw, changed) if reply.raw and changed else reply.raw
    return replace(reply, calls=tuple(calls), raw=raw)


def _renamed(raw: Mapping[str, Json], changed: Mapping[int, str]) -> Mapping[str, Json]:
    calls = raw.get("tool_calls")
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        return raw
    renamed = [
        {**call, "id": changed[place]} if place in changed and isinstance(call, Mapping) else call
        for place, call in enumerate(calls)
    ]
    return {**raw, "tool_calls": renamed}
