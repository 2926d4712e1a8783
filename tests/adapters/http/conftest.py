"""A whole installation behind the API: requests go to the application, or over a real socket."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from adapters.http.app import create_app
from adapters.http.host import Host, hosted
from agent_core.clock import new_id
from agent_core.people.model import Identity, Membership, Progress, SeriesRole
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, open_house

BOUND_S = 10
LOCAL = ("127.0.0.1", 5000)
ADDRESS = "http://127.0.0.1:8321"


@dataclass
class Desk:
    """The API over a house in which `local` leads the series; `client` is a browser on this machine."""

    house: House
    host: Host
    client: httpx.AsyncClient
    series: str = ""
    book: str = ""

    def from_elsewhere(self, address: str = "203.0.113.7", **headers: str) -> httpx.AsyncClient:
        """Return a client at another address."""
        transport = httpx.ASGITransport(create_app(self.host), client=(address, 5000))
        return httpx.AsyncClient(transport=transport, base_url=ADDRESS, headers=headers)

    async def token(self, user: str, role: SeriesRole, finished: str | None = None) -> str:
        """Return a token of a person who has this role in the series."""
        people = self.house.core.askers.people
        person = await people.person_for(
            Identity("terminal", user), user.title(), new_id=new_id(), operator=False
        )
        await people.set_membership(Membership(person=person.id, series=self.series, role=role))
        await people.set_progress(Progress(person=person.id, series=self.series, finished=finished))
        return await self.house.app.tokens.make(person.id, "test")

    async def get(self, path: str, **params: str | int) -> Any:  # Any: JSON of any shape
        """Return what a path answers, which has to be fine."""
        found = await self.client.get(path, params=params)
        assert found.status_code == 200, found.text
        return found.json()

    async def post(self, path: str, body: object = None) -> Any:  # Any: JSON of any shape
        """Return what a path answers to a body, which has to be fine."""
        found = await self.client.post(path, json=body)
        assert found.status_code in {200, 201}, found.text
        return found.json()

    async def node(self, label: str) -> str:
        """Return the id of a place in the series."""
        asker = await self.house.asker("local")
        canon = await self.house.core.askers.canon(asker.conversation)
        assert canon is not None
        return canon.outline.find(label, book=self.book, here=None, bound=asker.bound)


@asynccontextmanager
async def opened(folder: Path, endpoint: ModelEndpoint, clock: FakeClock, **changed: object) -> AsyncIterator[Desk]:
    """Give the API over the notes in a folder; they are begun where they are new."""
    async with open_house(folder, endpoint, clock, new_id, **changed) as house, hosted(house.app) as host:
        asker = await house.asker("local")
        if asker.conversation.series is None:
            await found(house)
            asker = await house.asker("local")
        transport = httpx.ASGITransport(create_app(host), client=LOCAL)
        async with httpx.AsyncClient(transport=transport, base_url=ADDRESS) as client:
            series, book = asker.conversation.series, asker.conversation.book
            assert series is not None
            assert book is not None
            yield Desk(house, host, client, series, book)


async def found(house: House) -> None:
    """Begin the series as `local`."""
    write = house.write

    async def as_local(tool: str, user: str = "local", **arguments: Any) -> Any:  # Any: as `write` takes them
        return await write(tool, "local", **arguments)

    house.write = as_local  # type: ignore[method-assign]  # the same founding by another person
    try:
        await house.found()
    finally:
        del house.write


@pytest.fixture
async def endpoint() -> AsyncIterator[ModelEndpoint]:
    async with ModelEndpoint() as endpoint:
        yield endpoint


@pytest.fixture
async def desk(tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock) -> AsyncIterator[Desk]:
    async with opened(tmp_path, endpoint, clock) as desk:
        yield desk
