"""Reads Server-Sent Events as a browser does."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

PATIENCE_S = 5


@dataclass(frozen=True)
class Sent:
    """An event as it came over the wire. `data` is JSON of any shape."""

    name: str
    data: Mapping[str, Any]
    id: int | None


@dataclass
class Ear:
    """An open stream."""

    response: httpx.Response
    lines: AsyncIterator[str]
    heard: list[Sent] = field(default_factory=list)

    async def next(self) -> Sent | None:
        """Return the next event, None at the end of the stream."""
        name, data, number = "", "", None
        async with asyncio.timeout(PATIENCE_S):
            async for line in self.lines:
                if line.startswith("id: "):
                    number = int(line[4:])
                elif line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    data = line[6:]
                elif not line and name:
                    self.heard.append(Sent(name, json.loads(data), number))
                    return self.heard[-1]
        return None

    async def until(self, name: str, **wanted: object) -> Sent:
        """Return the next event of this name with these data, passing over others."""
        while (found := await self.next()) is not None:
            if found.name == name and wanted.items() <= found.data.items():
                return found
        raise AssertionError(f"no {name} in {[one.name for one in self.heard]}")

    async def rest(self) -> list[Sent]:
        """Return all events up to the end of the stream."""
        while await self.next() is not None:
            pass
        return self.heard


@asynccontextmanager
async def listening(
    client: httpx.AsyncClient,
    path: str,
    *,
    body: object = None,
    headers: Mapping[str, str] | None = None,
) -> AsyncIterator[Ear]:
    """Give an open stream: of a POST with a body, else of a GET."""
    method = "GET" if body is None else "POST"
    async with client.stream(method, path, json=body, headers=headers) as response:
        assert response.status_code == 200, await response.aread()
        yield Ear(response, response.aiter_lines())
