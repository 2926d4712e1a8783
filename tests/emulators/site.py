"""A small web site over a real socket: pages as a test sets them up, and answers that are traps.

Traps: `/bomb` (a few KB of gzip that are 50 MB), `/deflate-bomb`, `/drip` (a byte now and then for ever),
`/endless` (chunks for ever), `/short` (ends before its Content-Length), `/long` (goes on after it),
`/silent` (never answers), `/drop` (resets), `/brotli` (unasked).
"""

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import urlsplit

BOMB_BYTES = 50_000_000
DRIP_S = 0.02


@dataclass(frozen=True, slots=True)
class SiteRequest:
    """What a client sent; header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """The target without its query."""
        return urlsplit(self.target).path


Answer = Callable[[SiteRequest, asyncio.StreamWriter], Awaitable[None]]


@dataclass(slots=True)
class Site:
    """What is served, by path, and what was asked for. Names of hosts are whatever a resolver says."""

    port: int = 0
    answers: dict[str, Answer] = field(default_factory=dict)
    requests: list[SiteRequest] = field(default_factory=list)

    def page(
        self,
        path: str,
        body: str | bytes,
        kind: str = "text/html; charset=utf-8",
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Answer a path with a body."""
        content = body.encode() if isinstance(body, str) else body

        async def answer(request: SiteRequest, writer: asyncio.StreamWriter) -> None:
            length = {"content-length": str(len(content))}
            writer.write(head(status, {"content-type": kind, **length, **(headers or {})}) + content)

        self.answers[path] = answer

    def redirect(self, path: str, to: str, status: int = 302) -> None:
        """Answer a path with where else to look."""
        self.page(path, "", status=status, headers={"location": to})

    def asked(self) -> list[str]:
        """Return the targets that were asked for, in order."""
        return [request.target for request in self.requests]


@asynccontextmanager
async def open_site(tls: ssl.SSLContext | None = None) -> AsyncIterator[Site]:
    """Serve on a free loopback port until the block ends."""
    site = Site(answers=dict(_TRAPS))
    connections: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            # Python 3.11 complains of a connection's task that ends by being cancelled.
            with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError, asyncio.CancelledError):
                await _serve_one(site, reader, writer)
        finally:
            connections.discard(task)
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        for task in tuple(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await server.wait_closed()


def head(status: int, headers: Mapping[str, str]) -> bytes:
    """Return the first lines of an answer."""
    lines = [f"HTTP/1.1 {status} Status", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join([*lines, "connection: close"]) + "\r\n\r\n").encode("latin-1")


async def _serve_one(site: Site, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    request = await _read(reader)
    site.requests.append(request)
    answer = site.answers.get(request.target) or site.answers.get(request.path)
    if answer is None:
        writer.write(head(404, {"content-length": "0"}))
    else:
        await answer(request, writer)
    await writer.drain()


async def _read(reader: asyncio.StreamReader) -> SiteRequest:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return SiteRequest(method, target, headers, body)


@cache
def packed_bomb(wbits: int) -> bytes:
    """Return 50 MB of zeros, packed."""
    packer = zlib.compressobj(wbits=wbits)
    return (
        b"".join(packer.compress(bytes(1_000_000)) for _ in range(BOMB_BYTES // 1_000_000)) + packer.flush()
    )


async def _bomb(request: SiteRequest, writer: asyncio.StreamWriter) -> None:
    packed = packed_bomb(16 + zlib.MAX_WBITS)
    writer.write(head(200, {"content-type": "text/plain", "content-encoding": "gzip"}) + packed)


async def _deflate_bomb(request: SiteRequest, writer: asyncio.StreamWriter) -> None:
    packed = packed_bomb(-zlib.MAX_WBITS)
    writer.write(head(200, {"content-type": "text/plain", "content-encoding": "deflate"}) + packed)


async def _drip(request: SiteRequest, writer: asyncio.StreamWriter) -> None:
    writer.write(head(200, {"content-type": "text/plain"}))
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(DRIP_S)


async def _endless(request: SiteRequest, writer: asyncio.StreamWriter) -> None:
    writer.write(head(200, {"content-type": "text/plain", "transfer-encoding": "chunked"}))
    while True:
        writer.write(b"1000\r\n" + b"y" * 0x1000 + b"\r\n")
        await writer.drain()


async def _short(request: SiteRequest, writer: asyncio.StreamWriter) -> None:
    writer.write(head(200, {"content-type": "text/plain", "content-length": "1000"}) + b"beginning")


async def _long(request: SiteRequest, writer: asyncio.StreamWriter) -> None:
    writer.write(head(200, {"content-type": "text/plain", "content-length": "9"}) + b"beginning and more")


async def _silent(request: SiteRequest, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def _drop(request: SiteRequest, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def _brotli(request: SiteRequest, writer: asyncio.StreamWriter) -> None:
    writer.write(head(200, {"content-type": "text/plain", "content-encoding": "br"}) + b"\x0b\x02\x80")


_TRAPS: Mapping[str, Answer] = {
    "/bomb": _bomb,
    "/deflate-bomb": _deflate_bomb,
    "/drip": _drip,
    "/endless": _endless,
    "/short": _short,
    "/long": _long,
    "/silent": _silent,
    "/drop": _drop,
    "/brotli": _brotli,
}


def pdf(text: str, title: str = "") -> bytes:
    """Return a PDF of one page with a line of text."""
    drawn = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Title (%b) >>" % title.encode("latin-1"),
    ]
    made, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer << /Size 7 /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF" % len(made)
    return made + b"xref\n0 7\n0000000000 65535 f \n" + table + end


def article(title: str, text: str, *links: str, head: str = "") -> str:
    """Return an HTML page with navigation, a text and links."""
    anchors = "".join(f'<p>Read on: <a href="{link}">{link}</a></p>' for link in links)
    body = "".join(f"<p>{paragraph}</p>" for paragraph in text.split("\n"))
    return (
        f"<!doctype html><html><head><meta charset=utf-8><title>{title}</title>{head}</head><body>"
        f"<nav><a href='/'>Home</a></nav><article><h1>{title}</h1>{body}{anchors}</article>"
        "<script>var tracking = 1;</script></body></html>"
    )
