"""The servers that the other tests here stand on."""

import asyncio
import os

import httpx
import pytest

from tests.directus_server import TOKEN, VERSION_VARIABLE, DirectusServer

pytestmark = [pytest.mark.directus, pytest.mark.timeout(300)]  # a server starts slowly beside others

NOTES = {
    "collection": "notes_of_tests",
    "schema": {},
    "meta": {},
    "fields": [{"field": "id", "type": "uuid", "schema": {"is_primary_key": True}, "meta": {}}],
}


def test_shared_server_is_the_version_of_our_checks(directus_url: str, directus_token: str) -> None:
    headers = {"Authorization": f"Bearer {directus_token}"}
    info = httpx.get(f"{directus_url}/server/info", headers=headers, timeout=30).json()["data"]

    assert info["version"].startswith(os.environ.get(VERSION_VARIABLE, "11.17."))


async def test_administrator_may_make_collections(administrator: httpx.AsyncClient) -> None:
    made = await administrator.post("/collections", json=NOTES)
    listed = await administrator.get("/items/notes_of_tests")
    await administrator.delete("/collections/notes_of_tests")

    assert made.status_code == 200, made.text
    assert listed.json() == {"data": []}


def test_killed_server_keeps_what_was_made_and_reset_does_not(own_directus: DirectusServer) -> None:
    make_notes(own_directus)

    own_directus.kill()
    with pytest.raises(httpx.ConnectError):
        status_of_notes(own_directus)
    own_directus.start(QUERY_LIMIT_MAX="7")
    kept, most = status_of_notes(own_directus), most_rows(own_directus)
    own_directus.reset()

    assert (kept, most) == (200, 7)
    assert (status_of_notes(own_directus), most_rows(own_directus)) == (403, None)


async def test_paused_server_answers_once_it_is_resumed(own_directus: DirectusServer) -> None:
    own_directus.pause()
    waiting = asyncio.create_task(asyncio.to_thread(status_of_notes, own_directus))
    answered, _ = await asyncio.wait([waiting], timeout=0.3)

    own_directus.resume()

    assert not answered
    assert await waiting in (200, 403)


def make_notes(server: DirectusServer) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    httpx.post(f"{server.url}/collections", json=NOTES, headers=headers, timeout=30).raise_for_status()


def status_of_notes(server: DirectusServer) -> int:
    """Return how the administrator's request for the notes is answered."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    return httpx.get(f"{server.url}/items/notes_of_tests", headers=headers, timeout=30).status_code


def most_rows(server: DirectusServer) -> int | None:
    """Return how many rows the server gives at once, None where it is without a limit."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    info = httpx.get(f"{server.url}/server/info", headers=headers, timeout=30).json()["data"]
    most = info["queryLimit"]["max"]
    return None if most == -1 else int(most)
