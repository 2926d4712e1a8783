"""How long events take to their listeners: `python -m bench.streams` fails where a goal is missed.

One process serves the API, with a model that writes the time into each piece of its answer; this one listens.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import uvloop

from adapters.http.server import serve_http
from agent_core.llm.base import OnDelta
from agent_core.messages import ModelReply, ModelRequest, Role, ToolCall, Usage
from bench.machine import Goal, goals_met, machine
from bot.databases import migrate_database
from bot.settings import Settings
from bot.wiring import build

IDLE, ACTIVE, TURNS = 500, 50, 4
PIECES, PAUSE_S = 60, 0.05
STAMP = "@"


class Stamping:
    """A model that looks something up, then streams an answer whose pieces say when they were written."""

    name = "stamping"
    label = ""

    async def complete(self, request: ModelRequest, on_delta: OnDelta) -> ModelReply:
        if request.messages[-1].role is not Role.TOOL:
            return ModelReply(text="", calls=(ToolCall("call_1", "get_cost", "{}"),), usage=Usage(10, 10))
        text = ""
        for _ in range(PIECES):
            await asyncio.sleep(PAUSE_S)
            piece = f"{time.monotonic():.6f}{STAMP}"
            text += piece
            await on_delta(piece)
        return ModelReply(text=text, usage=Usage(10, 100))


async def serve(folder: Path) -> None:
    """Serve until ended; print the address."""
    settings = Settings(data_dir=folder, http_port=0, rate_limit_per_minute=10**9)
    await asyncio.to_thread(migrate_database, settings)
    async with build(settings, model=Stamping()) as app:
        await serve_http(app, lambda address: print(address, flush=True))


@dataclass
class Ear:
    """A stream that is read to its end. `delays` are those of its stamped pieces, in ms."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    delays: list[float] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    async def hear(self) -> None:
        async for line in self.reader:
            now = time.monotonic()
            if line.startswith(b"event: "):
                self.names.append(line[7:].decode().strip())
            elif line.startswith(b"data: ") and self.names[-1] == "delta":
                stamps = json.loads(line[6:])["text"].split(STAMP)[:-1]
                self.delays += [(now - float(stamp)) * 1000 for stamp in stamps]
            elif not line.strip(b"0\r\n") and self.names and self.names[-1] == "done" and line == b"0\r\n":
                return


async def request(port: int, method: str, path: str, body: object = None) -> Ear:
    """Send a request and return what answers, behind its head.

    Raises:
        SystemExit: it was refused.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    content = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(content)}\r\n"
    kind = "content-type: application/json\r\n" if content else ""
    writer.write(f"{head}{kind}\r\n".encode() + content)
    answer = await reader.readuntil(b"\r\n\r\n")
    if b" 20" not in answer.split(b"\r\n", 1)[0]:
        raise SystemExit(f"{method} {path}: {answer!r}")
    return Ear(reader, writer)


async def begin(port: int) -> str:
    """Begin a conversation and return its id."""
    ear = await request(port, "POST", "/api/conversations")
    found: str = json.loads(await ear.reader.read(20_000) or b"{}")["id"]
    ear.writer.close()
    return found


async def talk(port: int, place: str) -> Sequence[Ear]:
    """Ask in a conversation, some times, and return the streams."""
    ears = []
    for _ in range(TURNS):
        question = {"conversationId": place, "messages": [{"role": "user", "content": "How late is it?"}]}
        ear = await request(port, "POST", "/api/bookslm/agent", question)
        await ear.hear()
        ear.writer.close()
        ears.append(ear)
    return ears


async def measure(port: int, idle: int, active: int) -> bool:
    """Print the figures; return whether the goals are met."""
    places = [await begin(port) for _ in range(idle + active)]
    waiting = [await request(port, "GET", f"/api/conversations/{place}/events") for place in places[:idle]]
    hearing = [asyncio.create_task(ear.hear()) for ear in waiting]
    began = time.monotonic()
    streams = [
        ear for ears in await asyncio.gather(*(talk(port, place) for place in places[idle:])) for ear in ears
    ]
    took = time.monotonic() - began
    broken = sum(task.done() for task in hearing)
    failed = sum(ear.names[-1:] != ["done"] or len(ear.delays) != PIECES for ear in streams)
    delays = sorted(delay for ear in streams for delay in ear.delays)
    for task in hearing:
        task.cancel()
    print(f"{idle} idle listeners, {active} turns at once, {len(streams)} turns in {took:.1f} s,")
    print(f"{len(delays)} pieces of text, one of a turn every {PAUSE_S * 1000:.0f} ms\n")
    print("| delay of an event | ms |\n|---|---|")
    for name, share in (("half of them", 0.5), ("95 of 100", 0.95), ("99 of 100", 0.99), ("worst", 1.0)):
        print(f"| {name} | {at(delays, share):.1f} |")
    return goals_met(
        [
            Goal("event delay, 95 of 100 (ms)", at(delays, 0.95), 200),
            Goal("streams that failed", failed, 0),
            Goal("idle listeners that were dropped", broken, 0),
        ]
    )


def at(values: Sequence[float], share: float) -> float:
    """Return the value that this share of the sorted values does not exceed."""
    return values[min(int(len(values) * share), len(values) - 1)]


def main() -> int:
    """Run the bench; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the load")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        uvloop.run(serve(chosen.serve))
        return 0
    print(machine())
    scale = 10 if chosen.quick else 1
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bench.streams", "--serve", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
            try:
                assert service.stdout is not None
                port = int(service.stdout.readline().rsplit(":", 1)[1])
                is_met = uvloop.run(measure(port, IDLE // scale, ACTIVE // scale))
            finally:
                service.terminate()
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
