"""Asks the model once for a running turn, and copes with what endpoints answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agent_core.errors import ModelCause, ModelFailure
from agent_core.events import Delta, Emit
from agent_core.messages import ChatMessage, Json, ModelReply, ModelRequest, Role, ToolCall, ToolSchema
from agent_core.pipeline.redaction import Redaction
from agent_core.turn.history import flattened, trimmed
from agent_core.turn.runtime import Runtime
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
    messages = talk.messages()
    request = ModelRequest(
        messages=messages,
        tools=tuple(tools),
        tool_choice="none" if last else "auto",
        temperature=runtime.temperature,
        max_tokens=runtime.max_tokens,
    )
    try:
        return await _stream(request, runtime, emit)
    except ModelFailure as failure:
        smaller = _second_try(request, failure.cause, last=last)
        if smaller is None:
            raise
        asked = await _stream(smaller, runtime, emit)
        return replace(asked, toolless=failure.cause is ModelCause.NO_TOOLS)


def _second_try(request: ModelRequest, cause: ModelCause, *, last: bool) -> ModelRequest | None:
    if cause is ModelCause.CONTEXT:
        return replace(request, messages=_shrunk(request.messages))
    if cause is ModelCause.NO_TOOLS:
        return replace(request, messages=flattened(request.messages), tools=())
    if cause is ModelCause.BAD_HISTORY or (last and cause is ModelCause.BAD_REQUEST):
        return replace(request, messages=flattened(request.messages), tools=() if last else request.tools)
    return None


def _shrunk(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    """Keep the prompt and the newest turns that fit into a small window; the question always stays."""
    starts = [place for place, message in enumerate(messages) if message.role is Role.USER]
    turns = [messages[a:b] for a, b in zip(starts, [*starts[1:], len(messages)], strict=True)]
    kept = trimmed(turns, SHRUNK_CHARS) or tuple(turns[-1]) if turns else ()
    return (messages[0], *kept)


async def _stream(request: ModelRequest, runtime: Runtime, emit: Emit) -> Asked:
    sink = _Redacted(runtime.pipeline.redaction, runtime.new_id(), emit)
    reply = await runtime.model.complete(request, sink.take)
    await sink.end()
    return Asked(reply, sink.reply_id)


class _Redacted:
    """Passes streamed text on, holding back whatever may be the start of a secret."""

    def __init__(self, redaction: Redaction, reply_id: str, emit: Emit) -> None:
        self.reply_id = reply_id
        self._redaction = redaction
        self._emit = emit
        self._held = ""

    async def take(self, piece: str) -> None:
        text = self._redaction.own(self._held + piece)
        keep = self._redaction.held_back(text)
        self._held = text[len(text) - keep :] if keep else ""
        await self._send(text[: len(text) - keep])

    async def end(self) -> None:
        held, self._held = self._held, ""
        await self._send(held)

    async def _send(self, text: str) -> None:
        if text:
            await self._emit(Delta(self.reply_id, text))


def unique_ids(reply: ModelReply, used: set[str], runtime: Runtime) -> ModelReply:
    """Return the reply with every call id new within the turn; an id that was used before is replaced."""
    calls: list[ToolCall] = []
    changed: dict[int, str] = {}
    for place, call in enumerate(reply.calls):
        if call.id in used:
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
