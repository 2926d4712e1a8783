"""A relay between our client and Directus that loses what a test tells it to lose."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum
from urllib.parse import urlsplit

_APPENDING = b"POST /items/lore_changes"


class Loss(Enum):
    """What becomes of the next request that appends a change."""

    REQUEST = "the server never hears of it"
    ANSWER = "the server does it, nobody hears of it"
    SERVER = "the server is killed while it does it"


@dataclass
class Relay:
    """Passes bytes on. `kill` ends the server; `requests` counts those that came."""

    host: str
    port: int
    kill: Callable[[], None] = lambda: None
    loss: Loss | None = None
    losses: int = 0
    requests: int = 0
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_server, to_server = await asyncio.open_connection(self.host, self.port)
        except ConnectionError:
            writer.transport.abort()
            return
        deaf = asyncio.Event()
        up = asyncio.create_task(self._up(reader, to_server, deaf))
        down = asyncio.create_task(self._down(from_server, writer, deaf))
        try:
            await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (up, down):
                task.cancel()
            await asyncio.gather(up, down, return_exceptions=True)
            writer.transport.abort()
            to_server.transport.abort()

    async def _up(
        self, reader: asyncio.StreamReader, to_server: asyncio.StreamWriter, deaf: asyncio.Event
    ) -> None:
        while data := await reader.read(65536):
            self.requests += b" HTTP/1.1\r\n" in data
            if data.startswith(_APPENDING) and self.loss is not None:
                loss, self.loss = self.loss, None
                self.losses += 1
                if loss is Loss.REQUEST:
                    return
                deaf.set()
                if loss is Loss.SERVER:
                    to_server.write(data)
                    await to_server.drain()
                    await asyncio.to_thread(self.kill)
                    return
            to_server.write(data)
            await to_server.drain()

    async def _down(
        self, from_server: asyncio.StreamReader, writer: asyncio.StreamWriter, deaf: asyncio.Event
    ) -> None:
        while data := await from_server.read(65536):
            if deaf.is_set():
                return
            writer.write(data)
            await writer.drain()


@asynccontextmanager
async def relayed(url: str, kill: Callable[[], None] = lambda: None) -> AsyncIterator[Relay]:
    """Give a relay to the server at a URL; its own URL leads through it."""
    parts = urlsplit(url)
    assert parts.hostname
    assert parts.port
    relay = Relay(parts.hostname, parts.port, kill)
    server = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    async with server:
        relay.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield relay
