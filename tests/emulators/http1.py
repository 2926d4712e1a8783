"""The least of an HTTP/1.1 server over real sockets that an emulator needs: keep-alive, chunks, hang-ups."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

_REASONS = {200: "OK", 204: "No Content", 400: "Bad Request", 404: "Not Found"}


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What a client sent, and from where; header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    peer: str


class Hangup(Exception):
    """The client closed the connection before its answer was complete."""


class Response:
    """Answers one request: `send` at once, or `begin`, `write` and `end`; or `drop`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Answer at once, in one write."""
        head = _head(status, {**headers, "content-length": str(len(body))})
        self._writer.write(head + body)
        await self._writer.drain()

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Send the head of an answer in chunks."""
        self._writer.write(_head(status, {**headers, "transfer-encoding": "chunked"}))
        await self._writer.drain()

    async def write(self, chunk: bytes) -> None:
        """Send one chunk, in one write."""
        self._writer.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        await self._writer.drain()

    async def end(self) -> None:
        """Complete an answer in chunks."""
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    def drop(self) -> None:
        """Reset the connection."""
        self._writer.transport.abort()

    async def hold(self, release: Awaitable[object]) -> None:
        """Wait for `release`.

        Raises:
            Hangup: if the client leaves first.
        """
        waiting = asyncio.ensure_future(release)
        leaving = asyncio.ensure_future(self._reader.read(1))
        try:
            await asyncio.wait((waiting, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                raise Hangup
        finally:
            waiting.cancel()
            leaving.cancel()
            await asyncio.wait((waiting, leaving))


Handler = Callable[[HttpRequest, Response], Awaitable[None]]


@asynccontextmanager
async def serve(handler: Handler, port: int = 0) -> AsyncIterator[int]:
    """Serve on this loopback port, or a free one, which is yielded, until the block ends."""
    connections: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            await _converse(handler, reader, writer)
        except asyncio.CancelledError:
            pass  # by the end of the block, and Python 3.11 prints a traceback for each that stays cancelled
        finally:
            connections.discard(task)
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", port)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tuple(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await server.wait_closed()


async def _converse(handler: Handler, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(asyncio.IncompleteReadError, ConnectionError, Hangup):
        while not writer.transport.is_closing():
            request = await _request(reader, str(writer.get_extra_info("peername")))
            await handler(request, Response(reader, writer))


async def _request(reader: asyncio.StreamReader, peer: str) -> HttpRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return HttpRequest(method, path, headers, body, peer)


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
