"""A relay between the driver and the server that loses what a test tells it to lose."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from urllib.parse import urlsplit


class Loss(Enum):
    """What becomes of the next COMMIT and its connection."""

    COMMIT = "the server never hears of it"
    ANSWER = "the server does it, nobody hears of it"


@dataclass
class Relay:
    """Passes bytes on. `refusing` turns new connections away; `silent` ones are never answered again."""

    host: str
    port: int
    loss: Loss | None = None
    refuses_after_loss: bool = False
    refusing: bool = False
    silent: bool = False
    losses: int = 0
    url: str = ""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refusing:
            writer.close()
            return
        from_server, to_server = await asyncio.open_connection(self.host, self.port)
        try:
            async with asyncio.TaskGroup() as passing:
                passing.create_task(self._down(from_server, writer))
                await self._up(reader, to_server, from_server)
                raise _Ended
        except* (_Ended, ConnectionError):
            pass
        finally:
            writer.close()
            to_server.close()

    async def _up(
        self, reader: asyncio.StreamReader, to_server: asyncio.StreamWriter, from_server: asyncio.StreamReader
    ) -> None:
        while data := await reader.read(65536):
            if b"COMMIT\0" in data and self.loss is not None:
                loss, self.loss = self.loss, None
                self.losses += 1
                self.refusing = self.refuses_after_loss
                if loss is Loss.ANSWER:
                    self._deaf = True
                    to_server.write(data)
                    await to_server.drain()
                    await self._answered.wait()
                return
            to_server.write(data)
            await to_server.drain()

    def __post_init__(self) -> None:
        self._deaf = False
        self._answered = asyncio.Event()
        self.silenced = asyncio.Event()

    async def _down(self, from_server: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await from_server.read(65536):
            if self._deaf:
                self._deaf = False
                self._answered.set()
                return
            if self.silent:
                self.silenced.set()
                continue
            writer.write(data)
            await writer.drain()


class _Ended(Exception):
    """One side has closed its end."""


@asynccontextmanager
async def relayed(url: str) -> AsyncIterator[Relay]:
    """Give a relay to the server of a URL; its own URL leads through it."""
    parts = urlsplit(url)
    assert parts.hostname
    assert parts.port
    relay = Relay(parts.hostname, parts.port)
    server = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        relay.url = url.replace(f":{parts.port}/", f":{port}/")
        yield relay
