"""The service on its socket: ports, slow listeners, a store that fails."""

import asyncio
import socket
from dataclasses import replace

import httpx
import pytest

from adapters.http.channel import ROOM, Channel, Happening, Listener
from adapters.http.server import serve_http
from agent_core.errors import NotPermitted
from agent_core.events import Delta
from tests.adapters.http.conftest import BOUND_S, Desk
from tests.house import House


async def test_port_in_use_is_told_and_the_next_one_taken(house: House) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        wanted = other.getsockname()[1]
        app = replace(house.app, settings=house.app.settings.model_copy(update={"http_port": wanted}))
        moved: list[tuple[int, int]] = []
        address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.ensure_future(
            serve_http(app, address.set_result, lambda asked, taken: moved.append((asked, taken)))
        )
        async with asyncio.timeout(BOUND_S):
            url = await address
        async with httpx.AsyncClient() as client:
            health = await client.get(f"{url}/healthz")
        serving.cancel()
        await asyncio.wait({serving})

    [(asked, taken)] = moved
    assert asked == wanted != taken
    assert url == f"http://127.0.0.1:{taken}"
    assert health.json() == {"status": "ok"}


async def test_address_that_is_not_ours_is_refused(house: House) -> None:
    app = replace(house.app, settings=house.app.settings.model_copy(update={"http_host": "127.0.0.300"}))

    with pytest.raises(NotPermitted):
        await serve_http(app, lambda address: None)


async def test_listener_that_does_not_keep_up_is_let_go(house: House) -> None:
    channel, slow, quick = Channel("c", house.app.events), Listener(), Listener()
    await channel.join(slow)
    await channel.join(quick)
    heard = quick.heard(BOUND_S)

    for _ in range(ROOM + 1):
        await channel.publish("tool", {})
        await anext(heard)

    assert (slow.is_behind, quick.is_behind) == (True, False)
    assert channel.listeners == {quick}


async def test_late_listener_gets_all_that_it_missed_however_much(house: House) -> None:
    channel, late = Channel("c", house.app.events), Listener()
    for _ in range(ROOM + 10):
        await channel.publish("tool", {})

    await channel.join(late, after=0)
    late.close()

    assert not late.is_behind
    assert len([happening async for happening in late.heard(BOUND_S)]) == ROOM + 10


async def test_pieces_of_a_text_that_wait_become_one(house: House) -> None:
    channel, slow = Channel("c", house.app.events), Listener()
    await channel.join(slow)

    for _ in range(2 * ROOM):
        channel.stream(Delta("r", "ab"), turn="t", message="m")
    slow.close()

    [happening] = [happening async for happening in slow.heard(BOUND_S)]
    assert happening is not None
    assert happening.body == {"replyId": "r", "offset": 0, "text": "ab" * 2 * ROOM}


async def test_event_that_cannot_be_stored_is_heard_all_the_same(house: House) -> None:
    channel, listener = Channel("c", house.app.events), Listener()
    await channel.join(listener)
    database = house.app.events._database  # type: ignore[attr-defined]  # closed early, as at a failing disk
    await database.__aexit__(None, None, None)

    await channel.publish("notice", {"text": "still here"})

    assert await anext(listener.heard(BOUND_S)) == Happening(name="notice", body={"text": "still here"})


async def test_store_that_fails_is_a_problem_with_503(desk: Desk) -> None:
    database = desk.house.app.events._database  # type: ignore[attr-defined]  # closed early, as at a failing disk
    await database.__aexit__(None, None, None)

    found = [await desk.client.get(path) for path in ("/api/me", "/readyz")]

    assert [one.status_code for one in found] == [503, 503]
    assert found[0].json()["type"].startswith("urn:lorekeeper:problem:store")
    assert found[1].json() == {"status": "unavailable", "database": "unreachable", "model": "offline"}
