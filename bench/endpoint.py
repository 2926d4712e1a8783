"""A model endpoint in a process of its own: three rounds of one tool call, then a text, streamed.

It keeps no state (the request says how many results there are), so that any number of turns may run at once.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ROUNDS = 3
TEXT = "Mara has green eyes, and she has been in Vel since the second chapter of the first book. " * 4
_PIECE = 40


def call_of(round_: int) -> tuple[str, str]:
    """Return name and arguments of the call in a round."""
    return f"tool_{round_}", json.dumps({"entry": "Mara", "depth": round_})


@contextmanager
def serving() -> Iterator[str]:
    """Give the address of an endpoint in a process of its own."""
    command = [sys.executable, "-m", "bench.endpoint"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as endpoint:
        assert endpoint.stdout is not None
        yield f"http://127.0.0.1:{endpoint.stdout.readline().strip()}/v1"
        endpoint.terminate()


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "bench", "choices": [choice]}
    return b"data: " + json.dumps(body).encode() + b"\n\n"


def _usage() -> bytes:
    body = {
        "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "bench", "choices": [],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050},
    }  # fmt: skip
    return b"data: " + json.dumps(body).encode() + b"\n\ndata: [DONE]\n\n"


def _reply(round_: int) -> bytes:
    head = _chunk({"role": "assistant", "content": ""})
    if round_ >= ROUNDS:
        pieces = [TEXT[at : at + _PIECE] for at in range(0, len(TEXT), _PIECE)]
        return head + b"".join(_chunk({"content": piece}) for piece in pieces) + _chunk({}, "stop") + _usage()
    name, arguments = call_of(round_)
    call = {"index": 0, "id": f"call{round_:05}", "type": "function"}
    begun = _chunk({"tool_calls": [{**call, "function": {"name": name, "arguments": ""}}]})
    said = b"".join(
        _chunk({"tool_calls": [{"index": 0, "function": {"arguments": arguments[at : at + 12]}}]})
        for at in range(0, len(arguments), 12)
    )
    return head + begun + said + _chunk({}, "tool_calls") + _usage()


def _response(body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


_RESPONSES = [_response(_reply(round_)) for round_ in range(ROUNDS + 1)]


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
            messages = json.loads(await reader.readexactly(length))["messages"]
            results = sum(message["role"] == "tool" for message in messages)
            writer.write(_RESPONSES[min(results, ROUNDS)])
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _main() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, limit=1 << 22, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)  # until the process that started this one is gone


if __name__ == "__main__":
    asyncio.run(_main())
