"""What real providers refuse in a chat completion request, each with a 400, gathered from all of them.

A request that breaks none of these is taken by OpenAI, Gemini, Mistral, Anthropic and Ollama alike.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# `Any` below is JSON from the wire, looked at without trust; it is what this module is there to check.
_Object = Mapping[str, Any]  # any JSON

_CALL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_TOOL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
_SCHEMA_WORDS = {
    "type",
    "description",
    "enum",
    "items",
    "properties",
    "required",
    "anyOf",
    "minimum",
    "maximum",
}


def problems_of(body: Any) -> list[str]:  # any JSON
    """Return what is wrong with the request `body`, in reading order."""
    if not isinstance(body, dict):
        return ["the body is no object"]
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return ["messages: must be a list that is not empty"]
    return [*_in_parameters(body), *_in_messages(messages, body), *_in_pairs(messages), *_in_tools(body)]


def _in_parameters(body: _Object) -> Iterator[str]:
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model: missing"
    if not isinstance(body.get("temperature", 1.0), int | float):
        yield "temperature: no number"
    limit = body.get("max_tokens", body.get("max_completion_tokens", 1))
    if not isinstance(limit, int) or limit < 1:
        yield "max_tokens: no positive number"
    if "stream_options" in body and not body.get("stream"):
        yield "stream_options: only for a stream"
    if "tool_choice" in body and not body.get("tools"):
        yield "tool_choice: only with tools"


def _in_messages(messages: Sequence[Any], body: _Object) -> Iterator[str]:  # any JSON
    roles = [message.get("role") if isinstance(message, dict) else None for message in messages]
    if roles[-1] not in ("user", "tool"):
        yield f"messages: the last role is {roles[-1]}, not user or tool"
    for place, message in enumerate(messages):
        where = f"messages[{place}]"
        if roles[place] not in ("system", "user", "assistant", "tool"):
            yield f"{where}: role {roles[place]!r}"
            continue
        if roles[place] == "system" and any(role != "system" for role in roles[:place]):
            yield f"{where}: a system message must stand at the beginning"
        if not isinstance(message.get("content"), str):
            yield f"{where}: content must be text, not {type(message.get('content')).__name__}"
        if roles[place] == "assistant" and "tool_calls" in message:
            yield from _in_calls(message["tool_calls"], where)
    if "assistant" in roles and "tool" in roles and not body.get("tools"):
        yield "tools: missing although the history has tool calls"


def _in_calls(calls: Any, where: str) -> Iterator[str]:  # any JSON
    if not isinstance(calls, list) or not calls:
        yield f"{where}: tool_calls must not be empty"
        return
    for place, call in enumerate(calls):
        here = f"{where}.tool_calls[{place}]"
        if not isinstance(call.get("id"), str) or not call["id"]:
            yield f"{here}: id missing"
        if call.get("type") != "function":
            yield f"{here}: type {call.get('type')!r}"
        inner = call.get("function") or {}
        if not _CALL_NAME.fullmatch(str(inner.get("name"))):
            yield f"{here}: name {inner.get('name')!r}"
        if not _is_object_text(inner.get("arguments")):
            yield f"{here}: arguments are no JSON object: {inner.get('arguments')!r}"


def _in_pairs(messages: Sequence[Any]) -> Iterator[str]:  # any JSON
    """Yield where calls and results do not match: one result per call, right behind it, in the same order."""
    waiting: list[str] = []
    seen: set[str] = set()
    for place, message in enumerate(messages):
        where = f"messages[{place}]"
        if message.get("role") == "tool":
            id_ = message.get("tool_call_id")
            if id_ not in waiting:
                yield f"{where}: role 'tool' must be a response to a preceding message with 'tool_calls'"
            elif waiting.pop(0) != id_:
                yield f"{where}: results must stand in the order of their calls"
            continue
        if waiting:
            yield f"{where}: calls without a result before it: {waiting}"
        waiting = [call.get("id") for call in message.get("tool_calls") or ()]
        repeated = [id_ for place, id_ in enumerate(waiting) if id_ in seen or id_ in waiting[:place]]
        if repeated:
            yield f"{where}: call ids used twice: {repeated}"
        seen.update(waiting)
    if waiting:
        yield f"messages: calls without a result at the end: {waiting}"


def _in_tools(body: _Object) -> Iterator[str]:
    if "tools" not in body:
        return
    tools = body["tools"]
    if not isinstance(tools, list) or not tools:
        yield "tools: must not be empty"
        return
    names = [str(tool.get("function", {}).get("name")) for tool in tools]
    for place, (tool, name) in enumerate(zip(tools, names, strict=True)):
        here = f"tools[{place}] {name}"
        if not _TOOL_NAME.fullmatch(name) or name in names[:place]:
            yield f"{here}: bad or repeated name"
        if not isinstance(tool["function"].get("description"), str):
            yield f"{here}: description missing"
        parameters = tool["function"].get("parameters")
        if not isinstance(parameters, dict) or parameters.get("type") != "object":
            yield f"{here}: parameters must be an object"
        else:
            yield from _in_schema(parameters, f"{here}: parameters")


def _in_schema(schema: Any, where: str) -> Iterator[str]:  # any JSON
    if not isinstance(schema, dict):
        yield f"{where}: no schema"
        return
    for word in schema.keys() - _SCHEMA_WORDS:
        yield f"{where}: unknown name {word!r}"
    if not isinstance(schema.get("type"), str) and "anyOf" not in schema:
        yield f"{where}: type {schema.get('type')!r}"
    if schema.get("type") == "array" and "items" not in schema:
        yield f"{where}: an array without items"
    if "enum" in schema and not (schema["enum"] and all(isinstance(v, str) and v for v in schema["enum"])):
        yield f"{where}: only texts can be enumerated"
    properties = schema.get("properties", {})
    if not set(schema.get("required", [])) <= properties.keys():
        yield f"{where}: required names that are no properties"
    for name, inner in properties.items():
        yield from _in_schema(inner, f"{where}.{name}")
    for place, inner in enumerate(schema.get("anyOf", ())):
        yield from _in_schema(inner, f"{where}|{place}")
    if "items" in schema:
        yield from _in_schema(schema["items"], f"{where}[]")


def _is_object_text(text: object) -> bool:
    if not isinstance(text, str):
        return False
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
