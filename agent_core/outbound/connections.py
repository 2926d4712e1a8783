"""What connects, shared by all guarded clients of one installation."""

import asyncio
import ssl

import httpx

MAX_AT_ONCE = 32


class Connections:
    """Opens connections and keeps none; `tls` is by default what trusts the authorities browsers trust."""

    def __init__(self, tls: ssl.SSLContext | None) -> None:
        self._tls = tls
        self._transport: httpx.AsyncHTTPTransport | None = None
        self._opening = asyncio.Lock()

    async def opened(self) -> httpx.AsyncHTTPTransport:
        """Return what connects, made for the first request: to load the authorities takes its time."""
        async with self._opening:
            if self._transport is None:
                tls = self._tls
                if tls is None:
                    tls = await asyncio.to_thread(httpx.create_ssl_context)
                # A kept connection would serve any other name of that address; so none is kept.
                limits = httpx.Limits(max_connections=MAX_AT_ONCE, max_keepalive_connections=0)
                self._transport = httpx.AsyncHTTPTransport(verify=tls, trust_env=False, limits=limits)
            return self._transport

    async def aclose(self) -> None:
        """Close what is still connected."""
        if self._transport is not None:
            await self._transport.aclose()
