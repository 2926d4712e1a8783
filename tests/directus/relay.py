"""A relay between our client and Directus that loses what a test tells it to lose."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from email.utils import format_datetime, parsedate_to_datetime
from enum import Enum
from urllib.parse import urlsplit

APPENDING = b"POST /items/lore_changes"
_DATE = re.compile(rb"(?<=\r\nDate: )[^\r]+")


class Loss(Enum):
    """What becomes of the next request of the kind that a test looks at."""

    REQUEST = "the server never hears of it"
    ANSWER = "the server does it, nobody hears of it"
    SERVER = "the server is killed while it does it"


@dataclass
class Relay:
    """Passes bytes on. `kill` ends the server; `requests` counts those that came.

    `of` is how a request begins that gets lost, `after` how many of them pass before; `meanwhile` is done
    once before such a request is passed on. `later` is how far the server's time is on when it answers.
    """

    host: str
    port: int
    kill: Callable[[], None] = lambda: None
    of: bytes = APPENDING
    after: int = 0
    meanwhile: Callable[[], Awaitable[object]] | None = None
    loss: Loss | None = None
    later: timedelta = timedelta()
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
            loss = await self._loss(data)
            if loss is not None:
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

    def _dated(self, found: re.Match[bytes]) -> bytes:
        return format_datetime(parsedate_to_datetime(found[0].decode()) + self.later, usegmt=True).encode()

    async def _loss(self, data: bytes) -> Loss | None:
        """Return what becomes of a request, None where it is passed on."""
        if not data.startswith(self.of):
            return None
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        if self.loss is None or self.after > 0:
            self.after -= 1
            return None
        loss, self.loss = self.loss, None
        return loss

    async def _down(
        self, from_server: asyncio.StreamReader, writer: asyncio.StreamWriter, deaf: asyncio.Event
    ) -> None:
        while data := await from_server.read(65536):
            if deaf.is_set():
                return
            writer.write(_DATE.sub(self._dated, data, count=1))
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
