"""Writes a request as the bytes of an OpenAI-compatible chat completion.

The `openai` client's own parameter transform and chunk models cost three to four times the CPU of all the
rest of a call, so the body is written here, and the tool list, which rarely changes, only once per tool set.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping

from agent_core.llm.surrogates import mend
from agent_core.messages import ChatMessage, Json, ModelRequest, Role, ToolCall, ToolSchema

# Parameters that some endpoint refuses, and that a request can do without. The order is that in which a
# refusal that names several is understood: "max_tokens is not supported, use max_completion_tokens".
DISPENSABLE = ("stream_options", "max_tokens", "max_completion_tokens", "temperature", "stream")

_TOOL_SETS_KEPT = 16
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")


class RequestEncoder:
    """Encodes requests for one model."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._tool_sets: list[tuple[tuple[ToolSchema, ...], str]] = []

    def encode(self, request: ModelRequest, refused: Collection[str] = ()) -> bytes:
        """Return the JSON body, as a stream if possible, without the parameters in `refused`."""
        head: dict[str, Json] = {
            "model": self._model,
            "messages": [_message(message, self._model) for message in request.messages],
            **_parameters(request, refused),
        }
        body = _dumped(head)
        if request.tools:
            body = f'{body[:-1]},"tools":{self._tools(request.tools)}}}'
        try:
            return body.encode()
        except UnicodeEncodeError:
            return mend(body).encode()

    def _tools(self, tools: tuple[ToolSchema, ...]) -> str:
        for known, text in self._tool_sets:
            if known is tools or known == tools:
                return text
        text = _dumped([_tool(tool) for tool in tools])
        self._tool_sets = [(tools, text), *self._tool_sets[: _TOOL_SETS_KEPT - 1]]
        return text


def _parameters(request: ModelRequest, refused: Collection[str]) -> dict[str, Json]:
    length = "max_completion_tokens" if "max_tokens" in refused else "max_tokens"
    parameters: dict[str, Json] = {
        "temperature": request.temperature,
        length: request.max_tokens,
        "stream": True,
    }
    if "stream" not in refused:
        parameters["stream_options"] = {"include_usage": True}
    if request.tools and request.tool_choice == "none":
        parameters["tool_choice"] = "none"
    return {name: value for name, value in parameters.items() if name not in refused}


def _message(message: ChatMessage, model: str) -> Mapping[str, Json]:
    """Return `message` on the wire; what only its own provider understands stays away from others."""
    if message.role is Role.TOOL:
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.content}
    result: dict[str, Json] = {"role": message.role.value, "content": message.content}
    calls: Json = [_call(call) for call in message.calls]
    is_own = message.provider == model
    if is_own and message.raw is not None and _ids(message.raw.get("tool_calls")) == _ids(calls):
        result = {**message.raw, **result}
        calls = result.pop("tool_calls", None)
    if sound := list(_sound(calls)):
        result["tool_calls"] = sound
    return result


def _ids(calls: Json) -> list[Json]:
    return [call.get("id") for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []


def _call(call: ToolCall) -> Json:
    inner: Json = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": inner}


def _sound(calls: Json) -> Iterator[Json]:
    """Yield `calls` with bad names and arguments put right: one of them gets the whole history refused.

    What was wrong the model reads in the call's result.
    """
    for call in calls if isinstance(calls, list) else ():
        inner = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(call, Mapping) and isinstance(inner, Mapping):
            name = _sound_name(str(inner.get("name")))
            arguments = _sound_object(str(inner.get("arguments")))
            yield {**call, "function": {**inner, "name": name, "arguments": arguments}}


def _sound_name(name: str) -> str:
    return _NOT_IN_NAMES.sub("_", name)[:64] or "unknown"


def _sound_object(text: str) -> str:
    """Return the JSON object that `text` begins with, as it is written; `{}` if there is none."""
    start = text.lstrip()
    try:
        value, end = _STRICT.raw_decode(start)
    except (ValueError, RecursionError):
        return "{}"
    if not isinstance(value, dict):
        return "{}"
    return text if not start[end:].strip() else start[:end]


def _refuse_constant(name: str) -> Json:
    raise ValueError(name)


_STRICT = json.JSONDecoder(parse_constant=_refuse_constant)


def _tool(tool: ToolSchema) -> Json:
    function: Json = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _dumped(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
