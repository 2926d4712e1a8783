"""What a scripted model endpoint answers, and the shape that each answer has on the wire."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from pydantic import ConfigDict

# `Any` in this module is JSON on the wire, in any shape that a test wants to send.
_Wire = dict[str, Any]  # any JSON

DROP: Final = "drop"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call in a reply; arguments that are text go out as they are, well-formed or not."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)  # any JSON
    id: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """A well-formed reply.

    `finish` is by default what fits, `piece` the length of a streamed piece, `fields` go into the message as
    they are. `hold` is the number of events sent before waiting, `cut` the number sent before a reset.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = ""
    usage: tuple[int, int] = (11, 7)
    piece: int = 24
    fields: Mapping[str, Any] = field(default_factory=dict)  # any JSON
    hold: int | None = None
    cut: int | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    """Any response; a body that is not text goes out as JSON.

    With `hold` nothing is sent before the release, with `cut` the connection is reset behind the body.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    status: int = 200
    body: Any = ""  # any JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    hold: bool = False
    cut: bool = False


def sse(*events: Mapping[str, Any] | str, cut: bool = False) -> Raw:  # any JSON
    """Return a stream of exactly `events`; a text stands for a line of its own, such as `data: [DONE]`."""
    lines = [event if isinstance(event, str) else f"data: {json.dumps(event)}" for event in events]
    body = "".join(f"{line}\n\n" for line in lines)
    return Raw(body=body, headers={"content-type": "text/event-stream"}, cut=cut)


def chunk(delta: Mapping[str, Any] | None, finish: str | None = None) -> _Wire:  # any JSON
    """Return one chunk of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "scripted", "choices": [choice]}


def chunks(reply: Reply, calls: list[_Wire], *, wants_usage: bool) -> Iterator[_Wire]:
    """Yield the chunks of `reply`, whose `calls` are on the wire already, as OpenAI cuts them."""
    yield chunk({"role": "assistant", "content": "", **reply.fields})
    for piece in _pieces(reply.text, reply.piece):
        yield chunk({"content": piece})
    for index, call in enumerate(calls):
        inner = call["function"]
        yield chunk({"tool_calls": [{**call, "index": index, "function": {**inner, "arguments": ""}}]})
        for piece in _pieces(inner["arguments"], reply.piece):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, _finish(reply))
    if wants_usage:
        yield {**chunk({}), "choices": [], "usage": _usage(reply)}


def completion(reply: Reply, calls: list[_Wire]) -> _Wire:
    """Return `reply`, whose `calls` are on the wire already, in one piece."""
    message = {"role": "assistant", "content": reply.text or None, **reply.fields}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "model": "scripted"}
    return {**head, "choices": [choice], "usage": _usage(reply)}


def error_body(message: str) -> _Wire:
    """Return an error as OpenAI words it."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}


def _finish(reply: Reply) -> str:
    return reply.finish or ("tool_calls" if reply.calls else "stop")


def _usage(reply: Reply) -> dict[str, int]:
    prompt, said = reply.usage
    return {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}


def _pieces(text: str, length: int) -> list[str]:
    return [text[start : start + length] for start in range(0, len(text), length)]
