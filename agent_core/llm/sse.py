"""Server-sent events out of blocks of bytes.

The `openai` client's own reader hides `[DONE]`, the only thing that tells a finished stream of an endpoint
that never sends a finish reason from one that was cut.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import suppress

import httpx

DONE = "[DONE]"

_DRAIN_S = 0.1
_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")


async def events(blocks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """Yield the data of each event of a stream, up to and with `DONE` if it comes."""
    reader = EventReader()
    async for block in blocks:
        for event in reader.feed(block):
            yield event
            if event == DONE:
                await _drain(blocks)
                return
    for event in reader.close():
        yield event


class EventReader:
    """Turns blocks of bytes, cut anywhere, into the data of each event."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._data: list[str] = []

    def feed(self, block: bytes) -> list[str]:
        """Return the data of the events that `block` completes.

        Raises:
            UnicodeDecodeError: if an event is not UTF-8.
        """
        may_end = b"\n" in block or b"\r" in block or (self._rest and self._rest[-1].endswith(b"\r"))
        self._rest.append(block)
        if not may_end:  # a line of millions of bytes is put together once, not with every block
            return []
        *lines, rest = _LINE_END.split(b"".join(self._rest))
        self._rest = [rest]
        return [event for line in lines if (event := self._take(line)) is not None]

    def close(self) -> list[str]:
        """Return the event that the end of the stream completes; some endpoints omit the last blank line."""
        return self.feed(b"\n\n")

    def _take(self, line: bytes) -> str | None:
        if not line:
            event, self._data = "\n".join(self._data), []
            return event or None
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" ").decode())
        return None


async def _drain(blocks: AsyncIterator[bytes]) -> None:
    """Read what is left: HTTP/1.1 uses a connection again only if its last response was read to the end."""
    with suppress(TimeoutError, httpx.HTTPError):
        async with asyncio.timeout(_DRAIN_S):
            async for _ in blocks:
                pass
