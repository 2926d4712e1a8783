"""The guarded HTTP client. What it is for: fetching and crawling, search, code hosting, webhooks."""

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx

from agent_core.errors import OutboundFailure, OutboundRefusal
from agent_core.outbound.address import PrivateHosts, Resolver, is_public, parse_address, system_resolver
from agent_core.outbound.body import Body, UnknownCoding
from agent_core.outbound.connections import Connections
from agent_core.outbound.target import Target, enters, is_web_port, target

USER_AGENT = "LoreKeeper/0.1 (keeps the canon of book series)"
CONNECT_S = 10.0
Within = Callable[[Target], bool]
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Headers that may go on to another site; whatever else was given may be a credential.
_HARMLESS = frozenset({"accept", "accept-language", "user-agent"})


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer. `url` is where it came from in the end; header names are in lower case.

    `cut` tells that `body` is only the beginning: more than was wanted, too slow, or broken off.
    """

    status: int
    url: str
    headers: Mapping[str, str]
    body: bytes
    cut: bool = False


class Outbound:
    """Sends requests to public addresses only, and to private hosts that are named for this client.

    The name is resolved once, every address of it is checked, and the connection goes to a checked address;
    Host and the name that TLS proves stay those of the URL. One private address among several refuses.
    Cookies, proxies and credentials of the environment are never used, and connections never kept.

    Usage:
        reply = await outbound.request("GET", url, headers={"Accept": "application/json"}, deadline_s=20)
        if reply.status == 200 and not reply.cut: parse(reply.body)

    An answer of any status is a `Reply`. For a POST whose outcome matters look at `OutboundFailure.sent`:
    False means that nothing was sent, so trying again can't repeat anything; True that the outcome is open.
    `check` is for what connects by other means (SMTP): it returns the checked addresses, or refuses.
    In tests give `open_outbound` hosts such as PrivateHosts(["site.test"]) and a resolver of 127.0.0.1.
    """

    def __init__(self, private: PrivateHosts, resolver: Resolver, connections: Connections) -> None:
        self._private = private
        self._resolver = resolver
        self._connections = connections

    def serving(self, places: Iterable[str]) -> "Outbound":
        """Return a client for one service: private hosts are its own places alone, as HOST:PORT."""
        return Outbound(PrivateHosts(places), self._resolver, self._connections)

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes = b"",
        max_bytes: int = 2_000_000,
        deadline_s: float = 30.0,
        follow: int = 0,
        within: Within = lambda following: True,
    ) -> Reply:
        """Return the answer to a request, after at most `follow` redirects and `deadline_s` seconds in all.

        The body is cut at `max_bytes` after unpacking, and where the deadline or the server ends it early.
        Headers that may be credentials, and content, are not carried to another origin by a redirect. One
        that is not `within` is no more followed than one too many: it is the answer.

        Raises:
            OutboundRefusal: the address, or one that a redirect leads to, may not be reached.
            OutboundFailure: there was no answer.
        """
        asked = httpx.Headers({"user-agent": USER_AGENT, **(headers or {})})
        exchange = _Exchange(method.upper(), target(url), asked, content, max_bytes)
        try:
            async with asyncio.timeout(deadline_s):
                return await self._followed(exchange, follow, within)
        except TimeoutError:
            if exchange.body is not None:  # part of an answer is better than none, and marked
                return exchange.reply(cut=True)
            raise OutboundFailure(reason="timeout", site=exchange.target.site, sent=exchange.sent) from None

    async def check(self, host: str, port: int, site: str = "") -> tuple[str, ...]:
        """Return the addresses of a host, all of which may be connected to; `site` names it in errors.

        Raises:
            OutboundRefusal: one of them may not.
            OutboundFailure: there are none.
        """
        site = site or host
        allowed = self._private.allow(host, port)
        try:
            found = await self._resolver(host, port)
        except (OSError, UnicodeError) as error:
            raise OutboundFailure(reason="resolve", site=site) from error
        addresses = [parse_address(one) for one in found]
        if not addresses:
            raise OutboundFailure(reason="resolve", site=site)
        if not allowed and not all(one is not None and is_public(one) for one in addresses):
            raise OutboundRefusal(reason="address", site=site)
        return tuple(found)

    def is_private(self, host: str, port: int) -> bool:
        """Return whether this host is named for this client."""
        return self._private.allow(host, port)

    def led(self, came_from: Target, location: str) -> Target:
        """Return where a redirect leads; the address is checked when it is asked for.

        Raises:
            OutboundRefusal: out of TLS, or from elsewhere to a host of our own.
        """
        following = came_from.joined(location)
        if came_from.scheme == "https" and following.scheme == "http":
            raise OutboundRefusal(reason="downgrade", site=following.site)
        if enters(self._private, came_from, following):
            raise OutboundRefusal(reason="address", site=following.site)
        return following

    async def _followed(self, exchange: "_Exchange", follow: int, within: Within) -> Reply:
        for left in range(follow, -1, -1):
            following = await self._sent(exchange, within if left else lambda _: False)
            if following is None:
                return exchange.reply()
            exchange.go_to(following)
        raise AssertionError("the last one is never followed")

    async def _sent(self, exchange: "_Exchange", within: Within) -> Target | None:
        """Send one request; return where it leads, or read its answer if that is not `within`."""
        to = exchange.target
        if not is_web_port(to.port) and not self.is_private(to.host, to.port):
            raise OutboundRefusal(reason="port", site=to.site)
        addresses = await self.check(to.host, to.port, to.site)
        async with self._answer(exchange, addresses) as response:
            location = response.headers.get("location")
            if response.status_code in _REDIRECTS and location:
                following = self.led(to, location)
                if within(following):
                    exchange.status = response.status_code
                    return following
            await exchange.read(response)
            return None

    @asynccontextmanager
    async def _answer(self, exchange: "_Exchange", addresses: Sequence[str]) -> AsyncIterator[httpx.Response]:
        response = await self._first_answer(exchange, addresses)
        try:
            yield response
        finally:
            with suppress(httpx.HTTPError):  # what was wanted of it has been read
                await response.aclose()

    async def _first_answer(self, exchange: "_Exchange", addresses: Sequence[str]) -> httpx.Response:
        """Return the answer of the first address that can be connected to."""
        site, transport = exchange.target.site, await self._connections.opened()
        for place, address in enumerate(addresses, 1):
            try:
                return await transport.handle_async_request(exchange.request(address))
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                if place == len(addresses):
                    raise OutboundFailure(reason=_why(error), site=site, sent=False) from error
            except (httpx.LocalProtocolError, ValueError):  # their text would show headers
                raise OutboundRefusal(reason="url", site=site) from None
            except httpx.HTTPError as error:
                raise OutboundFailure(reason="dropped", site=site, sent=exchange.sent) from error
        raise OutboundFailure(reason="resolve", site=site)


@asynccontextmanager
async def open_outbound(
    private: PrivateHosts | None = None,
    *,
    resolver: Resolver = system_resolver,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[Outbound]:
    """Give the client; `tls` is by default what trusts the authorities that browsers trust."""
    connections = Connections(tls)
    try:
        yield Outbound(private or PrivateHosts(), resolver, connections)
    finally:
        await connections.aclose()


@dataclass(slots=True)
class _Exchange:
    """A request on its way, and what has come back of it so far."""

    method: str
    target: Target
    headers: httpx.Headers
    content: bytes
    max_bytes: int
    sent: bool = False
    status: int = 0
    answered: httpx.Headers = field(default_factory=httpx.Headers)
    body: Body | None = None

    def request(self, address: str) -> httpx.Request:
        """Return the request as it goes to one address."""
        headers = self.headers.copy()
        headers["host"] = self.target.authority
        headers["accept-encoding"] = "gzip, deflate"  # what can be unpacked step by step
        headers["connection"] = "close"
        timeouts = {"connect": CONNECT_S, "read": None, "write": None, "pool": None}  # the deadline ends them
        extensions = {"sni_hostname": self.target.host.rstrip("."), "timeout": timeouts, "trace": self._trace}
        url = self.target.url.copy_with(host=address, port=self.target.port)
        return httpx.Request(self.method, url, headers=headers, content=self.content, extensions=extensions)

    async def read(self, response: httpx.Response) -> None:
        """Read the answer's body up to the limit."""
        site = self.target.site
        self.status, self.answered = response.status_code, response.headers
        try:
            self.body = Body(response.headers.get("content-encoding", ""), self.max_bytes)
            await self.body.read(response.aiter_raw())
        except (UnknownCoding, zlib.error) as error:
            raise OutboundFailure(reason="encoding", site=site, sent=True) from error
        except httpx.HTTPError as error:  # ended before its time
            if self.body is None:
                raise OutboundFailure(reason="dropped", site=site, sent=True) from error
            self.body.cut = True

    def go_to(self, following: Target) -> None:
        """Turn to where a redirect leads.

        Raises:
            OutboundRefusal: content would be carried to another origin.
        """
        becomes_get = self.status == 303 or (self.status in {301, 302} and self.method == "POST")
        if becomes_get and self.method != "HEAD":
            self.method, self.content = "GET", b""
            self.headers.pop("content-type", None)
        if following.site != self.target.site:
            if self.content:
                raise OutboundRefusal(reason="carried", site=following.site)
            kept = {name: value for name, value in self.headers.items() if name in _HARMLESS}
            self.headers = httpx.Headers(kept)
        self.target = following

    def reply(self, *, cut: bool = False) -> Reply:
        """Return what has come back."""
        body = self.body.content() if self.body else b""
        was_cut = cut or (self.body is not None and self.body.cut)
        return Reply(self.status, str(self.target.url), dict(self.answered), body, was_cut)

    async def _trace(self, event: str, info: Mapping[str, Any]) -> None:  # Any: as the library gives it
        if event.endswith("send_request_headers.started"):
            self.sent = True


def _why(error: httpx.TransportError) -> str:
    """Return whether it was TLS that failed: the library keeps the cause of the cause."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return "tls"
        cause = cause.__cause__ or cause.__context__
    return "connect"
