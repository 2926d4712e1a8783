"""An OpenAI-compatible model endpoint on loopback whose replies are scripted.

It answers over real sockets, streaming or not as the request asks, records every request and checks it the
way real providers do (`model_rules`). A request that a provider would refuse gets its 400, **and the test
fails when the endpoint closes**, even if the code under test swallowed the error; so does a request without a
scripted reply, and a scripted reply that nobody asked for.

    async def test_answer_follows_a_look_up() -> None:
        async with ModelEndpoint() as endpoint:
            endpoint.reply(Call("lore_lookup", {"name": "Mara"}))       # first request: one call
            endpoint.reply("Mara has grey eyes.")                       # second request: the answer
            ... run the turn against endpoint.url ...
            assert endpoint.requests[1].messages[-1]["role"] == "tool"

`reply` takes text, calls, both (`reply("Let me see.", Call(...), Call(...))`), a `Reply` (finish reason,
unknown fields, hold, cut), a `Raw` (any status, headers and body; `sse(...)` makes a stream), `DROP` (the
socket is reset), or a function from the `Seen` request to one of these, for replies that quote an id out of
an earlier result.

`Reply(hold=n)` sends n events and waits (0: before anything is sent). `await endpoint.received(k)` returns
when the k-th request is there, `endpoint.release()` lets the held reply go on, and `endpoint.hung_up` is set
once a client has left a held reply.

As a process of its own, for end-to-end tests of the command line:

    python -m tests.emulators.model_endpoint --script replies.json --port-file port.txt

`replies.json` is a list of replies: `{"text": ..., "calls": [{"name": ..., "arguments": {...}}], "hold": 0}`
with the fields of `Reply`, `{"status": 429, "headers": {...}, "body": ...}` with those of `Raw`, or `"drop"`.
The port is in the port file as soon as it listens. `GET /seen` answers `{"requests": [bodies], "problems":
[...], "left": number of unused replies}`; `POST /release` lets a held reply go on. On SIGTERM or SIGINT it
ends, with exit code 1 and the problems on stderr if there were any.
"""

import argparse
import asyncio
import json
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import TypeAdapter

from tests.emulators.http1 import Hangup, HttpRequest, Response, serve
from tests.emulators.model_replies import DROP, Call, Raw, Reply, chunks, completion, error_body, sse
from tests.emulators.model_rules import problems_of

__all__ = ["DROP", "Call", "ModelEndpoint", "Raw", "Reply", "Scripted", "Seen", "sse"]

_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it came; `peer` is the same for requests over one connection."""

    headers: Mapping[str, str]
    body: dict[str, Any]  # any JSON
    peer: str = ""

    @property
    def messages(self) -> list[dict[str, Any]]:  # any JSON
        """The history that was sent."""
        return list(self.body["messages"])

    @property
    def tools(self) -> list[str]:
        """The names of the tools that were offered."""
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]


Scripted = Reply | Raw | str


class ModelEndpoint:
    """A scripted endpoint; open while used as an async context manager. The module says how to use it."""

    def __init__(self, port: int = 0) -> None:
        self.url = ""
        self._port = port
        self.requests: list[Seen] = []
        self.problems: list[str] = []
        self.hung_up = asyncio.Event()
        self._script: deque[Scripted | Callable[[Seen], Scripted]] = deque()
        self._releases = asyncio.Semaphore(0)
        self._arrival = asyncio.Condition()
        self._calls_made = 0
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        port = await self._open.enter_async_context(serve(self._handle, self._port))
        self.url = f"http://127.0.0.1:{port}/v1"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()
        if error is None:
            assert not self.problems, "requests that a provider would refuse:\n" + "\n".join(self.problems)
            assert not self._script, f"{self.left} scripted replies were never asked for"

    @property
    def left(self) -> int:
        """How many scripted replies have not been asked for."""
        return len(self._script)

    def reply(self, first: Scripted | Call | Callable[[Seen], Scripted], *calls: Call) -> None:
        """Script the next reply."""
        if isinstance(first, Call):
            self._script.append(Reply(calls=(first, *calls)))
        elif calls:
            assert isinstance(first, str), "calls go with text, or into the Reply"
            self._script.append(Reply(text=first, calls=calls))
        else:
            self._script.append(first)

    def release(self) -> None:
        """Let one held reply go on."""
        self._releases.release()

    async def received(self, count: int) -> Seen:
        """Wait for the `count`-th request and return it."""
        async with asyncio.timeout(_PATIENCE_S), self._arrival:
            await self._arrival.wait_for(lambda: len(self.requests) >= count)
        return self.requests[count - 1]

    async def exhausted(self) -> None:
        """Wait until every scripted reply was asked for, or patience is over: the end says what was not."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S), self._arrival:
                await self._arrival.wait_for(lambda: not self._script)

    async def _handle(self, request: HttpRequest, response: Response) -> None:
        match request.method, request.path:
            case "POST", "/v1/chat/completions":
                await self._complete(request, response)
            case "GET", "/v1/models":
                listed = {"object": "list", "data": [{"id": "scripted", "object": "model"}]}
                await _send_json(response, 200, listed)
            case "GET", "/seen":
                bodies = [seen.body for seen in self.requests]
                seen = {"requests": bodies, "problems": self.problems, "left": self.left}
                await _send_json(response, 200, seen)
            case "POST", "/release":
                self.release()
                await _send_json(response, 200, {})
            case _:
                await _send_json(response, 404, error_body(f"no route {request.method} {request.path}"))

    async def _complete(self, request: HttpRequest, response: Response) -> None:
        body, problems = _checked(request.body)
        seen = Seen(request.headers, body, request.peer)
        async with self._arrival:
            self.requests.append(seen)
            self._arrival.notify_all()
        if not problems and not self._script:
            problems = ["no reply is scripted for it"]
        if problems:
            self.problems += [f"request {len(self.requests)}: {problem}" for problem in problems]
            await _send_json(response, 400, error_body("; ".join(problems)))
            return
        scripted = self._script.popleft()
        try:
            await self._answer(scripted(seen) if callable(scripted) else scripted, seen, response)
        except (Hangup, ConnectionError):
            self.hung_up.set()
            response.drop()

    async def _answer(self, scripted: Scripted, seen: Seen, response: Response) -> None:
        if scripted == DROP:
            response.drop()
        elif isinstance(scripted, Raw):
            await self._send_raw(scripted, response)
        else:
            reply = Reply(text=scripted) if isinstance(scripted, str) else scripted
            calls = [self._wire_call(call) for call in reply.calls]
            if seen.body.get("stream"):
                await self._stream(reply, calls, seen, response)
            else:
                await self._hold(response, now=reply.hold is not None)
                await _send_json(response, 200, completion(reply, calls))

    async def _send_raw(self, raw: Raw, response: Response) -> None:
        is_text = isinstance(raw.body, str)
        body = (raw.body if is_text else json.dumps(raw.body)).encode()
        headers = {"content-type": "text/html" if is_text else "application/json", **raw.headers}
        await self._hold(response, now=raw.hold)
        if not raw.cut:
            await response.send(raw.status, headers, body)
            return
        await response.begin(raw.status, headers)
        await response.write(body)
        response.drop()

    async def _stream(
        self,
        reply: Reply,
        calls: list[dict[str, Any]],
        seen: Seen,
        response: Response,  # any JSON
    ) -> None:
        wants_usage = bool(seen.body.get("stream_options", {}).get("include_usage"))
        events = [json.dumps(event) for event in chunks(reply, calls, wants_usage=wants_usage)]
        await self._hold(response, now=reply.hold == 0)
        await response.begin(200, {"content-type": "text/event-stream"})
        for place, event in enumerate([*events, "[DONE]"]):
            await self._hold(response, now=0 < place == reply.hold)
            if place == reply.cut:
                response.drop()
                return
            await response.write(f"data: {event}\n\n".encode())
        await response.end()

    async def _hold(self, response: Response, *, now: bool) -> None:
        if now:
            await response.hold(self._releases.acquire())

    def _wire_call(self, call: Call) -> dict[str, Any]:  # any JSON
        self._calls_made += 1
        arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
        inner = {"name": call.name, "arguments": arguments}
        return {"id": call.id or f"call_{self._calls_made:04}", "type": "function", "function": inner}


def _checked(text: bytes) -> tuple[dict[str, Any], list[str]]:  # any JSON
    """Return the body and what is wrong with it."""
    try:
        body = json.loads(text.decode(), parse_constant=_refuse)
        return body if isinstance(body, dict) else {}, problems_of(body)
    except (
        Exception
    ) as error:  # a shape that the rules themselves stumble over is a problem of the request too
        return {}, [f"unreadable, {error!r}: {text[:500]!r}"]


def _refuse(constant: str) -> None:
    raise ValueError(constant)


async def _send_json(response: Response, status: int, body: dict[str, Any]) -> None:  # any JSON
    await response.send(status, {"content-type": "application/json"}, json.dumps(body).encode())


async def _serve(script: list[Scripted], port_file: Path) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    endpoint = ModelEndpoint()
    for reply in script:
        endpoint.reply(reply)
    async with endpoint:
        await asyncio.to_thread(_announce, endpoint.url.rsplit(":", 1)[1].removesuffix("/v1"), port_file)
        await stopped.wait()


def _announce(port: str, port_file: Path) -> None:
    """Put the whole port into place at once, so that nobody reads half of it."""
    fresh = port_file.with_suffix(".new")
    fresh.write_text(port)
    fresh.replace(port_file)


def _main() -> None:
    parser = argparse.ArgumentParser(description="Scripted OpenAI-compatible endpoint")
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--port-file", type=Path, required=True)
    chosen = parser.parse_args()
    script = TypeAdapter(list[Scripted]).validate_json(chosen.script.read_bytes())
    try:
        asyncio.run(_serve(script, chosen.port_file))
    except AssertionError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    _main()
