"""A whole installation behind the API: requests go to the application, or over a real socket."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from adapters.http.app import create_app
from adapters.http.host import Host, hosted
from adapters.http.server import serve_http
from agent_core.clock import new_id
from agent_core.people.model import Identity, Membership, Progress, SeriesRole
from agent_core.tools.spec import AnyTool
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, found_in, open_house

BOUND_S = 10
LOCAL = ("127.0.0.1", 5000)
ADDRESS = "http://127.0.0.1:8321"


@dataclass
class Desk:
    """The API over a house in which `local` leads the series; `client` is a browser on this machine."""

    house: House
    client: httpx.AsyncClient
    series: str
    book: str
    host: Host | None = None

    def at(self, path: str = "") -> str:
        """Return a path below the series."""
        return f"/api/series/{self.series}{path}"

    def elsewhere(self, address: str = "203.0.113.7", **headers: str) -> httpx.AsyncClient:
        """Return a client at another address."""
        assert self.host is not None
        transport = httpx.ASGITransport(create_app(self.host), client=(address, 5000))
        return httpx.AsyncClient(transport=transport, base_url=ADDRESS, headers=headers)

    async def token(self, user: str, role: SeriesRole, finished: str | None = None) -> dict[str, str]:
        """Return the header of a token of a person who has this role in the series."""
        people = self.house.core.askers.people
        identity = Identity("terminal", user)
        person = await people.person_for(identity, user.title(), new_id=new_id(), operator=False)
        await people.set_membership(Membership(person=person.id, series=self.series, role=role))
        node = await self.node(finished) if finished else None
        await people.set_progress(Progress(person=person.id, series=self.series, finished=node))
        return {"authorization": f"Bearer {await self.house.app.tokens.make(person.id, 'test')}"}

    async def get(self, path: str, headers: dict[str, str] | None = None, **params: str | int) -> Any:
        """Return what a path answers, which has to be fine: JSON of any shape."""
        found = await self.client.get(path, params=params or None, headers=headers)
        assert found.status_code == 200, found.text
        return found.json()

    async def post(self, path: str, body: object = None, headers: dict[str, str] | None = None) -> Any:
        """Return what a path answers to a body, which has to be fine: JSON of any shape."""
        found = await self.client.post(path, json=body, headers=headers)
        assert found.status_code in {200, 201}, found.text
        return found.json()

    async def ask(self, text: str, conversation: str | None = None) -> Any:
        """Ask the agent and return its reply, JSON of any shape."""
        question = {"bookId": self.book, "messages": [{"role": "user", "content": text}]}
        if conversation is not None:
            question["conversationId"] = conversation
        return await self.post("/api/agent/chat", question)

    async def node(self, label: str) -> str:
        """Return the id of a place in the series."""
        asker = await self.house.asker("local")
        canon = await self.house.core.askers.canon(asker.conversation)
        assert canon is not None
        return canon.outline.finished(canon.outline.find(label, book=self.book, here=None, bound=asker.bound))


async def seated(house: House, client: httpx.AsyncClient, host: Host | None = None) -> Desk:
    """Return a desk in a house where the series is founded; `local` leads it from now on."""
    await house.join("local", SeriesRole.OWNER)
    place = (await house.asker("local")).conversation
    assert place.series is not None
    assert place.book is not None
    return Desk(house, client, place.series, place.book, host)


@dataclass
class Served:
    """The API on a real socket, and a client to it."""

    client: httpx.AsyncClient
    serving: asyncio.Future[None]

    async def stop(self) -> None:
        """End the service as a stop of the program does."""
        self.serving.cancel()
        await asyncio.wait({self.serving}, timeout=BOUND_S)
        assert self.serving.cancelled()


@asynccontextmanager
async def served(house: House) -> AsyncIterator[Served]:
    """Serve the API over a real socket."""
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.ensure_future(serve_http(house.app, address.set_result))
    try:
        async with asyncio.timeout(BOUND_S):
            either: set[asyncio.Future[Any]] = {serving, address}  # Any: only which of them is done counts
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
        async with httpx.AsyncClient(base_url=await address, timeout=BOUND_S) as client:
            yield Served(client, serving)
    finally:
        serving.cancel()
        await asyncio.wait({serving})


@pytest.fixture(scope="session")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return asyncio.run(found_in(tmp_path_factory.mktemp("founded")))


@pytest.fixture
def folder(founded: Path, tmp_path: Path) -> Path:
    return shutil.copytree(founded, tmp_path / "house")


@pytest.fixture
async def endpoint() -> AsyncIterator[ModelEndpoint]:
    async with ModelEndpoint() as endpoint:
        yield endpoint


@pytest.fixture
def more_tools() -> Sequence[AnyTool]:
    """Tools beside ours; a test module puts its own here."""
    return ()


@pytest.fixture
async def house(
    folder: Path, endpoint: ModelEndpoint, clock: FakeClock, more_tools: Sequence[AnyTool]
) -> AsyncIterator[House]:
    async with open_house(folder, endpoint, clock, new_id, tools=more_tools, http_port=0) as house:
        yield house


@pytest.fixture
async def desk(house: House) -> AsyncIterator[Desk]:
    """Requests go to the application itself."""
    async with hosted(house.app) as host:
        transport = httpx.ASGITransport(create_app(host), client=LOCAL, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=ADDRESS) as client:
            yield await seated(house, client, host)


@pytest.fixture
async def wire(house: House) -> AsyncIterator[Desk]:
    """Requests go over a real socket."""
    async with served(house) as service:
        yield await seated(house, service.client)
