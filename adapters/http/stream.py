"""Server-Sent Events over one response: numbered, with heartbeats, ended when the listener is gone."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from adapters.http.channel import Happening, Listener
from agent_core.messages import Json

BEAT_S = 15.0
SEND_S = 30.0
"""A proxy or browser that takes nothing for so long is let go."""

Shown = Callable[[Happening], Awaitable[Mapping[str, Json] | None]]

HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


class EventStream(Response):
    """A response that lasts as long as its listener. `show` gives the data of an event, None for nothing."""

    media_type = "text/event-stream"

    def __init__(self, listening: AbstractContextManager[Listener], show: Shown) -> None:
        super().__init__(headers=HEADERS)
        del self.headers["content-length"]
        self._listening = listening
        self._show = show

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._listening as listener:
            await self._serve(listener, receive, send)

    async def _serve(self, listener: Listener, receive: Receive, send: Send) -> None:
        async with asyncio.TaskGroup() as tasks:
            watching = tasks.create_task(_close_when_gone(receive, listener))

            async def patient(message: Message) -> None:
                async with asyncio.timeout(SEND_S):
                    await send(message)

            try:
                await self._send_all(patient, listener)
            except TimeoutError:
                listener.is_behind = True
            finally:
                watching.cancel()

    async def _send_all(self, send: Send, listener: Listener) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await send(_body(b"retry: 2000\n\n"))
        async for happening in listener.heard(BEAT_S):
            if happening is None:
                await send(_body(b": still here\n\n"))
                continue
            data = await self._show(happening)
            if data is not None:
                await send(_body(framed(happening.name, data, happening.seq)))
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def framed(name: str, data: Mapping[str, Json], seq: int) -> bytes:
    """Return one event as it goes over the wire; without a number it has no id."""
    number = f"id: {seq}\n" if seq else ""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{number}event: {name}\ndata: {text}\n\n".encode("utf-8", "replace")


def _body(piece: bytes) -> Message:
    return {"type": "http.response.body", "body": piece, "more_body": True}


async def _close_when_gone(receive: Receive, listener: Listener) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    listener.close()
