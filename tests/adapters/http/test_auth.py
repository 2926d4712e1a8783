"""Who is let in: tokens from anywhere, without one this machine alone."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from adapters.http.app import create_app
from adapters.http.host import hosted
from agent_core.clock import new_id
from agent_core.errors import NotPermitted
from agent_core.people.model import SeriesRole
from tests.adapters.http.conftest import ADDRESS, LOCAL, Desk, seated, served
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, open_house

SECRET = "sk-entirely-secret-0123456789"
OWN = {"origin": ADDRESS}
EVERYWHERE = "0.0.0.0"  # noqa: S104  what is tried


async def test_this_machine_needs_no_token_and_acts_as_its_operator(desk: Desk) -> None:
    me = await desk.get("/api/me", headers=OWN)

    assert me["person"] == {"name": "Local", "operator": True}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 401),
        ({"host": "evil.example:8321", "origin": "http://evil.example:8321"}, 401),
        ({"host": "127.0.0.1.evil.example:8321"}, 401),
        ({"host": "[::1"}, 401),
        ({"host": ""}, 401),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"x-forwarded-for": "203.0.113.7"}, 401),
        ({"forwarded": "for=203.0.113.7"}, 401),
        ({"via": "1.1 proxy"}, 401),
        ({"x-real-ip": "203.0.113.7"}, 401),
        ({"authorization": "Bearer lk_00000000_nonsense"}, 401),
        ({"authorization": "Bearer"}, 401),
        ({"authorization": "Basic bG9jYWw6"}, 401),
        ({"authorization": ""}, 401),
    ],
)
async def test_request_that_may_come_from_elsewhere_is_not_believed(
    desk: Desk, headers: dict[str, str], status: int
) -> None:
    found = await desk.client.get("/api/me", headers=headers)

    assert found.status_code == status
    assert found.headers["content-type"] == "application/problem+json"


async def test_other_machines_need_a_token(desk: Desk) -> None:
    token = await desk.token("bea", SeriesRole.READER)

    async with desk.elsewhere() as stranger, desk.elsewhere(**token) as bea:
        refused = await stranger.get("/api/me")
        answered = await bea.get("/api/me")

    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert answered.json()["person"] == {"name": "Bea", "operator": False}


async def test_token_counts_on_this_machine_too(desk: Desk) -> None:
    me = await desk.get("/api/me", headers=await desk.token("bea", SeriesRole.READER))

    assert me["person"]["name"] == "Bea"


async def test_revoked_token_is_refused(desk: Desk) -> None:
    header = await desk.token("bea", SeriesRole.READER)
    public = header["authorization"].split("_")[1]

    await desk.house.app.tokens.store.revoke_token(public)

    assert (await desk.client.get("/api/me", headers=header)).status_code == 401


async def test_no_foreign_page_may_read_an_answer(desk: Desk) -> None:
    found = await desk.client.options(
        "/api/me", headers={"origin": "http://evil.example", "access-control-request-method": "GET"}
    )

    assert "access-control-allow-origin" not in found.headers


async def test_page_behind_a_proxy_with_tls_may_call_with_a_token(desk: Desk) -> None:
    token = await desk.token("bea", SeriesRole.READER)
    proxied = {"host": "notes.example", "origin": "https://notes.example", "x-forwarded-for": "203.0.113.7"}

    found = await desk.client.get("/api/me", headers={**token, **proxied})

    assert found.status_code == 200


async def test_origin_that_is_allowed_may_read_with_a_token(desk: Desk) -> None:
    settings = desk.house.app.settings.model_copy(update={"http_origins": "https://notes.example"})
    app = replace(desk.house.app, settings=settings)
    token = await desk.token("bea", SeriesRole.READER)
    async with hosted(app) as host:
        transport = httpx.ASGITransport(create_app(host), client=LOCAL)
        async with httpx.AsyncClient(transport=transport, base_url=ADDRESS) as client:
            allowed = await client.get("/api/me", headers={**token, "origin": "https://notes.example"})
            refused = await client.get("/api/me", headers={**token, "origin": "https://evil.example"})

    assert allowed.headers["access-control-allow-origin"] == "https://notes.example"
    assert refused.status_code == 403
    assert "access-control-allow-origin" not in refused.headers


async def test_secret_that_somebody_noted_does_not_leave(
    folder: Path, endpoint: ModelEndpoint, clock: FakeClock
) -> None:
    secret: dict[str, Any] = {"model_api_key": SECRET, "http_port": 0}  # Any: settings of several types
    async with open_house(folder, endpoint, clock, new_id, **secret) as house, served(house) as service:
        desk = await seated(house, service.client)
        traits = {"is": SECRET}
        await house.write("create_lore_entity", type="object", name=f"Key {SECRET}", staticTraits=traits)
        entry = (await desk.get(desk.at("/entries")))["entries"][0]["id"]
        paths = ("/entries", f"/entries/{entry}", "/timeline", "/history", "/search?q=Key", "/suggest?q=Key")
        shown = [(await service.client.get(desk.at(path))).text for path in paths]

    assert [text for text in shown if SECRET in text] == []
    assert all("Key" in text for text in shown)


async def test_refusal_is_in_the_language_of_the_caller(desk: Desk) -> None:
    async with desk.elsewhere() as stranger:
        told = [
            (await stranger.get("/api/me", headers={"accept-language": tags})).json()["detail"]
            for tags in ("de-AT,de;q=0.9", "xx, fr;q=0.5", "tlh")
        ]

    assert [text.split()[0] for text in told] == ["Dafür", "Il", "This"]


def opened_to_all(house: House) -> House:
    settings = house.app.settings.model_copy(update={"http_host": EVERYWHERE})
    return House(replace(house.app, settings=settings), house.endpoint, house.clock)


async def test_open_address_without_a_token_is_not_served(house: House) -> None:
    with pytest.raises(NotPermitted) as refused:
        async with served(opened_to_all(house)):
            pass

    assert refused.value.facts["reason"] == "open_without_token"


async def test_open_address_with_a_token_is_served(house: House) -> None:
    token = await house.app.tokens.make((await house.asker("local")).person.id, "phone")

    async with served(opened_to_all(house)) as service, httpx.AsyncClient() as client:
        near = str(service.client.base_url).replace(EVERYWHERE, "127.0.0.1")
        me = await client.get(f"{near}/api/me", headers={"authorization": f"Bearer {token}"})

    assert me.json()["person"]["name"] == "Local"
