"""What the API says of itself, and the page it serves."""

import pytest

from adapters.http.app import described
from tests.adapters.http.conftest import Desk

API = described().openapi()
OPERATIONS = [
    (f"{method} {path}", operation)
    for path, operations in API["paths"].items()
    for method, operation in operations.items()
]


@pytest.mark.parametrize(("name", "operation"), OPERATIONS, ids=[name for name, _ in OPERATIONS])
def test_endpoint_is_described_with_examples(name: str, operation: dict[str, dict[str, object]]) -> None:
    assert operation["description"]
    answers = {code: media for code, one in operation["responses"].items() for media in content(one).items()}
    assert {"default"} < answers.keys()
    assert "422" not in answers
    for code, (media, described_as) in answers.items():
        assert "example" in described_as or media in {"application/zip", "application/octet-stream"}, code
    for media, described_as in content(operation.get("requestBody", {})).items():
        assert "example" in described_as or media == "multipart/form-data"


def content(described_as: object) -> dict[str, dict[str, object]]:
    assert isinstance(described_as, dict)
    found: dict[str, dict[str, object]] = described_as.get("content", {})
    return found


async def test_page_is_served_with_its_type_and_kept_by_its_hash(desk: Desk) -> None:
    page = await desk.client.get("/")
    again = await desk.client.get("/", headers={"if-none-match": page.headers["etag"]})

    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert (again.status_code, again.content) == (304, b"")


async def test_nothing_foreign_and_nothing_inline_runs_on_the_page(desk: Desk) -> None:
    policy = (await desk.client.get("/")).headers["content-security-policy"]

    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy


async def test_answers_are_kept_by_nobody_on_their_way(desk: Desk) -> None:
    found = [await desk.client.get(path) for path in ("/api/me", desk.at("/entries/Mara"), "/api/nothing")]

    assert {one.headers["cache-control"] for one in found} == {"no-store"}
    assert {one.headers["x-content-type-options"] for one in found} == {"nosniff"}


async def test_health_is_told_to_everybody_and_counters_to_operators(desk: Desk) -> None:
    async with desk.elsewhere() as stranger:
        health = [(await stranger.get(path)).json() for path in ("/healthz", "/readyz")]
        refused = await stranger.get("/metrics")
    counted = (await desk.client.get("/metrics")).text

    assert health == [{"status": "ok"}, {"status": "ready", "database": "ok", "model": "offline"}]
    assert refused.status_code == 401
    assert "lorekeeper_http_listeners 0\n" in counted
