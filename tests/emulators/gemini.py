"""Gemini's own API on loopback, with scripted replies: what a gateway translates our requests into.

It records every request and refuses, as Gemini does, what would lose a whole turn there: words of JSON schema
that it does not know, results that are not one for each call, calls that come back without their thought
signature. **The test fails when the emulator closes** if there was any such request, or if a scripted reply
was never asked for. Both ways of asking are answered, in one piece and as a stream.
"""

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from tests.emulators.http1 import HttpRequest, Response, serve

_Wire = dict[str, Any]  # any JSON: what is on the wire in either direction

_ROUTE = re.compile(r"/v1beta/models/(?P<model>[^:]+):(?P<way>generateContent|streamGenerateContent)\b")
_SCHEMA_WORDS = {
    "anyOf", "default", "description", "enum", "example", "format", "items", "maxItems", "maxLength",
    "maximum", "minItems", "minLength", "minimum", "nullable", "pattern", "properties",
    "propertyOrdering", "required", "title", "type",
}  # fmt: skip
_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}")
DUMMY_SIGNATURE: Final = "skip_thought_signature_validator"


@dataclass(frozen=True, slots=True)
class GeminiReply:
    """One candidate: its text, its calls (name and arguments), what it thought before.

    The signature stands on the first call; without calls, on the text.
    """

    text: str = ""
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()  # any JSON
    signature: str = ""
    thought: str = ""
    finish: str = "STOP"
    usage: tuple[int, int] = (11, 7)

    @property
    def parts(self) -> list[_Wire]:
        """The parts of the candidate's content."""
        parts: list[_Wire] = [{"text": self.thought, "thought": True}] if self.thought else []
        parts += [{"text": self.text}] if self.text else []
        calls: list[_Wire] = [
            {"functionCall": {"name": name, "args": dict(args)}} for name, args in self.calls
        ]
        if self.signature:
            (calls or parts)[-len(calls) or -1]["thoughtSignature"] = self.signature
        return [*parts, *calls]


@dataclass(frozen=True, slots=True)
class GeminiError:
    """An error as Gemini words it."""

    status: int
    message: str
    kind: str = "INVALID_ARGUMENT"
    details: Sequence[Mapping[str, Any]] = ()  # any JSON

    @property
    def body(self) -> _Wire:
        """The error as JSON."""
        told = {"code": self.status, "message": self.message, "status": self.kind}
        return {"error": told | ({"details": list(self.details)} if self.details else {})}


@dataclass(frozen=True, slots=True)
class GeminiRequest:
    """A request as it came."""

    model: str
    key: str
    body: _Wire

    @property
    def contents(self) -> list[_Wire]:
        """The history that was sent."""
        return list(self.body["contents"])

    @property
    def declarations(self) -> list[_Wire]:
        """The tools that were offered."""
        return [one for tool in self.body.get("tools", ()) for one in tool.get("functionDeclarations", ())]


@dataclass
class GeminiEndpoint:
    """A scripted Gemini; open while used as an async context manager."""

    port: int = 0
    url: str = ""
    requests: list[GeminiRequest] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _script: deque[GeminiReply | GeminiError] = field(default_factory=deque)
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        port = await self._open.enter_async_context(serve(self._handle, self.port))
        self.url = f"http://127.0.0.1:{port}/v1beta"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()
        if error is None:
            assert not self.problems, "requests that Gemini would refuse:\n" + "\n".join(self.problems)
            assert not self._script, f"{len(self._script)} scripted replies were never asked for"

    def reply(self, *replies: GeminiReply | GeminiError | str) -> None:
        """Script the next replies."""
        self._script += [GeminiReply(one) if isinstance(one, str) else one for one in replies]

    async def _handle(self, request: HttpRequest, response: Response) -> None:
        route = _ROUTE.match(request.path)
        if route is None:
            await _send(response, GeminiError(404, f"no route {request.path}", "NOT_FOUND"))
            return
        body = _in_camel_case(json.loads(request.body))
        self.requests.append(GeminiRequest(route["model"], request.headers.get("x-goog-api-key", ""), body))
        problems = [*problems_of(body, signed="gemini-3" in route["model"])]
        if not problems and not self._script:
            problems = ["no reply is scripted for it"]
        if problems:
            self.problems += [f"request {len(self.requests)}: {problem}" for problem in problems]
            await _send(response, GeminiError(400, "; ".join(problems)))
            return
        reply = self._script.popleft()
        if isinstance(reply, GeminiError):
            await _send(response, reply)
        elif route["way"] == "generateContent":
            whole = json.dumps(_candidate(reply, reply.parts, finish=reply.finish)).encode()
            await response.send(200, {"content-type": "application/json"}, whole)
        else:
            await _stream(response, reply)


def problems_of(body: Mapping[str, Any], *, signed: bool) -> Iterator[str]:  # any JSON
    """Yield what Gemini would refuse; models that are `signed` want their thought signatures back."""
    for tool in body.get("tools", ()):
        for place, declaration in enumerate(tool.get("functionDeclarations", ())):
            where = f"tools[0].function_declarations[{place}]"
            if not _NAME.fullmatch(declaration.get("name", "")):
                yield f"{where}.name: invalid"
            if not declaration.get("description"):
                yield f"{where}.description: missing"
            yield from _in_schema(declaration.get("parameters", {"type": "object"}), f"{where}.parameters")
    yield from _in_contents(body.get("contents", []), signed=signed)


def _in_camel_case(body: _Wire) -> _Wire:
    """Return the request with the names that Gemini documents; it takes those with underscores too."""
    contents = [
        {**content, "parts": [_renamed(part) for part in content.get("parts") or []]}
        for content in body.get("contents", [])
    ]
    tools = [_renamed(tool) for tool in body.get("tools", [])]
    return {**_renamed(body), "contents": contents, **({"tools": tools} if tools else {})}


def _renamed(value: _Wire) -> _Wire:
    return {re.sub("_([a-z])", lambda found: found[1].upper(), name): one for name, one in value.items()}


def _in_schema(schema: Mapping[str, Any], where: str) -> Iterator[str]:  # any JSON
    for word in schema.keys() - _SCHEMA_WORDS:
        yield f'Unknown name "{word}" at {where}'
    if not isinstance(schema.get("type", "object"), str):
        yield f"{where}.type: must be one type"
    if "type" not in schema and "anyOf" not in schema:
        yield f"{where}.type: missing"
    if str(schema.get("type", "")).lower() == "array" and "items" not in schema:
        yield f"{where}.items: missing field"
    if not all(isinstance(value, str) and value for value in schema.get("enum", ())):
        yield f"{where}.enum: only texts that are not empty"
    for name, inner in schema.get("properties", {}).items():
        yield from _in_schema(inner, f"{where}.properties[{name}]")
    for inner in [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else [])]:
        yield from _in_schema(inner, f"{where}.items")


def _in_contents(contents: Sequence[_Wire], *, signed: bool) -> Iterator[str]:
    asked = max((place for place, one in enumerate(contents) if _is_question(one)), default=0)
    for place, content in enumerate(contents):
        parts = content.get("parts") or []
        if not parts:
            yield f"contents[{place}].parts: must not be empty"
        calls = [part for part in parts if "functionCall" in part]
        following = contents[place + 1]["parts"] if place + 1 < len(contents) else []
        results = [part for part in following if "functionResponse" in part]
        if calls and len(results) != len(calls):
            yield (
                "Please ensure that the number of function response parts is equal to the number of function "
                "call parts of the function call turn."
            )
        if signed and calls and place > asked and not calls[0].get("thoughtSignature"):
            yield "Function call is missing a thought_signature in functionCall parts"


def _is_question(content: _Wire) -> bool:
    return content.get("role") == "user" and any("text" in part for part in content.get("parts", ()))


def _candidate(reply: GeminiReply, parts: list[_Wire], *, finish: str = "") -> _Wire:
    candidate: _Wire = {"content": {"role": "model", "parts": parts} if parts else {}, "index": 0}
    prompt, said = reply.usage
    usage = {"promptTokenCount": prompt, "candidatesTokenCount": said, "totalTokenCount": prompt + said}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini"}


async def _stream(response: Response, reply: GeminiReply) -> None:
    await response.begin(200, {"content-type": "text/event-stream"})
    for part in reply.parts:
        await response.write(f"data: {json.dumps(_candidate(reply, [part]))}\r\n\r\n".encode())
    last = json.dumps(_candidate(reply, [], finish=reply.finish))
    await response.write(f"data: {last}\r\n\r\n".encode())
    await response.end()


async def _send(response: Response, error: GeminiError) -> None:
    await response.send(error.status, {"content-type": "application/json"}, json.dumps(error.body).encode())
