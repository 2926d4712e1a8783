"""The client's rules, against a server over a real socket that answers as Directus does, or worse."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from agent_core.errors import StoreFailure
from agent_core.stores.directus.breaker import OPEN_S
from agent_core.stores.directus.client import DirectusClient, open_client
from agent_core.stores.directus.faults import DirectusCause, NotUnique, OutcomeUnknown
from tests.clock import FakeClock
from tests.emulators.http1 import HttpRequest, Response, serve

Reply = tuple[int, Mapping[str, str], bytes] | None


@dataclass
class Server:
    """Answers with `replies` in turn, then with an empty list; None drops the connection."""

    replies: deque[Reply] = field(default_factory=deque)
    requests: list[HttpRequest] = field(default_factory=list)

    async def answer(self, request: HttpRequest, response: Response) -> None:
        self.requests.append(request)
        reply = self.replies.popleft() if self.replies else ok([])
        if reply is None:
            response.drop()
        else:
            await response.send(*reply)


def ok(data: object) -> Reply:
    return 200, {"content-type": "application/json"}, json.dumps({"data": data}).encode()


def refused(status: int, code: str, headers: Mapping[str, str] | None = None, **more: object) -> Reply:
    body = {"errors": [{"message": "for administrators", "extensions": {"code": code, **more}}]}
    return status, headers or {}, json.dumps(body).encode()


@dataclass
class Naps:
    """How long the client waited, which takes no time."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@asynccontextmanager
async def opened(
    server: Server, clock: FakeClock | None = None, naps: Naps | None = None
) -> AsyncIterator[DirectusClient]:
    async with (
        serve(server.answer) as port,
        open_client(
            f"http://127.0.0.1:{port}", "a-token", clock or FakeClock(), sleep=naps or Naps()
        ) as client,
    ):
        yield client


async def failure_of(work: Awaitable[object]) -> StoreFailure:
    with pytest.raises(StoreFailure) as failure:
        await work
    return failure.value


async def test_token_goes_into_a_header_and_never_into_the_address() -> None:
    server = Server()
    async with opened(server) as client:
        await client.get("/items/series", {"fields": ["id", "name"], "filter": {"id": {"_eq": "x"}}})

    [request] = server.requests
    assert request.headers["authorization"] == "Bearer a-token"
    assert "a-token" not in request.path
    assert "fields=id%2Cname" in request.path


async def test_question_too_long_for_an_address_goes_into_a_body() -> None:
    server = Server()
    wanted = {"id": {"_in": [f"id-{number}" for number in range(2000)]}}
    async with opened(server) as client:
        await client.get("/items/scenes", {"filter": wanted, "fields": ["id"]})

    [request] = server.requests
    assert (request.method, request.path) == ("SEARCH", "/items/scenes")
    assert json.loads(request.body) == {"query": {"filter": wanted, "fields": ["id"]}}


@pytest.mark.parametrize("first", [None, refused(503, "SERVICE_UNAVAILABLE"), refused(500, "INTERNAL")])
async def test_read_is_asked_again(first: Reply) -> None:
    server = Server(deque([first, ok([1])]))
    async with opened(server) as client:
        assert (await client.get("/items/series")).data == [1]

    assert len(server.requests) == 2


async def test_write_whose_answer_is_lost_is_not_sent_again() -> None:
    server = Server(deque([None]))
    async with opened(server) as client:
        failure = await failure_of(client.post("/items/lore_changes", {}))

    assert isinstance(failure, OutcomeUnknown)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [502, 504])
async def test_write_that_a_proxy_gave_up_may_have_happened(status: int) -> None:
    server = Server(deque([(status, {}, b"<html>")]))
    async with opened(server) as client:
        assert isinstance(await failure_of(client.post("/items/x", {})), OutcomeUnknown)

    assert len(server.requests) == 1


async def test_server_with_no_time_is_asked_again_after_what_it_asks_for() -> None:
    naps = Naps()
    limited = refused(429, "REQUESTS_EXCEEDED", {"retry-after": "3"})
    server = Server(deque([limited, ok({"id": "x"})]))
    async with opened(server, naps=naps) as client:
        assert (await client.post("/items/x", {})).data == {"id": "x"}

    assert len(naps.seconds) == 1
    assert 3 <= naps.seconds[0] <= 3.25


async def test_server_with_no_time_at_all_is_told_of_after_three_more_tries() -> None:
    server = Server(deque([refused(429, "REQUESTS_EXCEEDED")] * 9))
    async with opened(server) as client:
        failure = await failure_of(client.get("/items/x"))

    assert failure.facts["reason"] == DirectusCause.LIMITED
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (refused(401, "INVALID_TOKEN"), DirectusCause.TOKEN),
        (refused(403, "INVALID_TOKEN"), DirectusCause.TOKEN),
        (refused(403, "FORBIDDEN", reason="a column"), DirectusCause.DENIED),
        (refused(403, "RESOURCE_RESTRICTED"), DirectusCause.LICENCE),
        (refused(400, "INVALID_FOREIGN_KEY", collection=None, field=None), DirectusCause.INVALID),
        (refused(400, "INVALID_PAYLOAD", reason="request entity too large"), DirectusCause.TOO_LARGE),
        (refused(413, "CONTENT_TOO_LARGE"), DirectusCause.TOO_LARGE),
        ((431, {}, b""), DirectusCause.TOO_LARGE),
        (refused(404, "ROUTE_NOT_FOUND"), DirectusCause.FOREIGN),
        ((302, {"location": "/login"}, b""), DirectusCause.FOREIGN),
        ((200, {}, b"<html>"), DirectusCause.FOREIGN),
        ((200, {}, b"[]"), DirectusCause.FOREIGN),
        (refused(500, "INTERNAL_SERVER_ERROR"), DirectusCause.BROKEN),
    ],
)
async def test_refusals_are_told_apart_and_not_repeated(reply: Reply, cause: DirectusCause) -> None:
    server = Server(deque([reply]))
    async with opened(server) as client:
        failure = await failure_of(client.post("/items/x", {}))

    assert failure.facts["reason"] == cause
    assert "for administrators" not in failure.for_model()
    assert len(server.requests) == 1


async def test_value_that_is_there_already_is_named() -> None:
    taken = refused(400, "RECORD_NOT_UNIQUE", collection="lore_changes", field="seq_key", value="s:1")
    async with opened(Server(deque([taken]))) as client:
        failure = await failure_of(client.post("/items/lore_changes", {}))

    assert isinstance(failure, NotUnique)
    assert (failure.facts["collection"], failure.facts["field"]) == ("lore_changes", "seq_key")


async def test_server_that_fails_again_and_again_is_left_alone_for_a_while() -> None:
    server, clock = Server(deque([refused(503, "SERVICE_UNAVAILABLE")] * 5)), FakeClock()
    async with opened(server, clock) as client:
        ask: Callable[[], Awaitable[object]] = lambda: client.get("/items/x")  # noqa: E731  short
        for _ in range(2):
            assert (await failure_of(ask())).facts["reason"] == DirectusCause.AWAY
        asked = len(server.requests)
        await failure_of(ask())

        assert (asked, len(server.requests)) == (5, 5)
        clock.advance(seconds=OPEN_S)
        await ask()
        await ask()
        assert len(server.requests) == 7


async def test_address_where_nothing_listens_is_told_of() -> None:
    async with open_client("http://127.0.0.1:9", "x", FakeClock(), sleep=Naps()) as client:
        assert (await failure_of(client.post("/items/x", {}))).facts["reason"] == DirectusCause.AWAY


async def test_answer_that_never_comes_ends_in_time() -> None:
    async def hold(_: HttpRequest, response: Response) -> None:
        await response.hold(asyncio.Event().wait())

    async with (
        serve(hold) as port,
        open_client(f"http://127.0.0.1:{port}", "x", FakeClock(), deadline_s=0.2) as client,
    ):
        assert isinstance(await failure_of(client.post("/items/x", {})), OutcomeUnknown)
        assert (await failure_of(client.get("/items/x"))).facts["reason"] == DirectusCause.AWAY
