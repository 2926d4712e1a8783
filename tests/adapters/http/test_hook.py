"""Where platforms call us."""

import httpx

from adapters.http.app import create_app
from adapters.http.hook import Hook
from tests.adapters.http.conftest import Desk

HEADER = "X-Telegram-Bot-Api-Secret-Token"


async def test_hook_takes_what_has_the_secret_and_refuses_the_rest(desk: Desk) -> None:
    taken: list[bytes] = []

    async def take(body: bytes, secret: str) -> bool:
        if secret != "right":
            return False
        taken.append(body)
        return True

    assert desk.host is not None
    app = create_app(desk.host, [Hook("/telegram", HEADER, take)])
    transport = httpx.ASGITransport(app, client=("203.0.113.7", 5000))
    async with httpx.AsyncClient(transport=transport, base_url="https://bot.example") as platform:
        fine = await platform.post("/telegram", json={"update_id": 1}, headers={HEADER: "right"})
        wrong = await platform.post("/telegram", json={"update_id": 2}, headers={HEADER: "wrong"})
        huge = await platform.post("/telegram", content=b"x" * 2_000_000, headers={HEADER: "right"})
        seen = await platform.get("/telegram")

    assert (fine.status_code, wrong.status_code, huge.status_code) == (200, 403, 413)
    assert seen.status_code in {404, 405}
    assert taken == [b'{"update_id":1}']


async def test_without_a_platform_there_is_no_hook(desk: Desk) -> None:
    answer = await desk.client.post("/telegram", json={})

    assert answer.status_code in {404, 405}
