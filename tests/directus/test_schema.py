"""`lorekeeper directus init` and `check`: what is missing is made, what is there is left alone and told."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from agent_core.lore.model import Series, TextSet
from bot.cli.start import TERMINATED
from tests.bot.commands import lorekeeper, served
from tests.clock import NOON
from tests.contracts.lore_rows import draft, fact
from tests.directus.fixtures import desk, empty_directus, laid_out_directus
from tests.directus.place import BOT, Desk, lay_out
from tests.directus_server import TOKEN, DirectusServer

__all__ = ["desk", "empty_directus", "laid_out_directus"]
pytestmark = [pytest.mark.directus, pytest.mark.timeout(300)]

SEED_SERIES = {
    "collection": "series",
    "schema": {},
    "meta": {"note": "made by hand"},
    "fields": [
        {"field": "id", "type": "integer", "schema": {"is_primary_key": True}, "meta": {}},
        {"field": "title", "type": "string", "schema": {}, "meta": {}},
    ],
}


@pytest.fixture
def bare(own_directus: DirectusServer) -> Iterator[DirectusServer]:
    """A Directus as it is after its installation; what a test makes in our way is gone afterwards."""
    own_directus.reset()
    yield own_directus
    with admin(own_directus) as administrator:
        if administrator.get("/fields/series/title").is_success:
            administrator.delete("/collections/series").raise_for_status()


def admin(server: DirectusServer) -> httpx.Client:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    return httpx.Client(base_url=server.url, headers=headers, timeout=30)


async def test_collection_of_our_name_with_other_columns_is_reported_and_left_alone(
    bare: DirectusServer, tmp_path: Path
) -> None:
    with admin(bare) as administrator:
        administrator.post("/collections", json=SEED_SERIES).raise_for_status()
        administrator.post("/items/series", json={"id": 1, "title": "Oz"}).raise_for_status()
        refused = await lorekeeper(
            tmp_path,
            "directus",
            "init",
            "--apply",
            LOREKEEPER_DIRECTUS_URL=bare.url,
            LOREKEEPER_DIRECTUS_ADMIN_TOKEN=TOKEN,
        )
        kept = administrator.get("/items/series").json()
        names = {one["collection"] for one in administrator.get("/collections").json()["data"]}

    assert refused.code == 1
    assert "in the way: the collection series" in refused.said
    assert "id, title" in refused.said
    assert "Nothing was made" in refused.said
    assert kept == {"data": [{"id": 1, "title": "Oz"}]}
    assert not names & {"books", "lore_changes", "lore_states"}


async def test_init_reports_then_makes_everything_and_the_bot_can_work_with_it(
    bare: DirectusServer, tmp_path: Path
) -> None:
    there = {"LOREKEEPER_DIRECTUS_URL": bare.url}
    dry = await lorekeeper(tmp_path, "directus", "init", LOREKEEPER_DIRECTUS_ADMIN_TOKEN=TOKEN, **there)
    made = await lorekeeper(
        tmp_path, "directus", "init", "--apply", LOREKEEPER_DIRECTUS_ADMIN_TOKEN=TOKEN, **there
    )
    [line] = [one for one in made.said.splitlines() if one.startswith("LOREKEEPER_DIRECTUS_TOKEN=")]
    bot = {"LOREKEEPER_DIRECTUS_TOKEN": line.partition("=")[2], **there}
    checked = await lorekeeper(tmp_path, "directus", "check", **bot)
    doctor = await lorekeeper(tmp_path, "doctor", **bot)
    begun = await served(tmp_path, **bot)
    asked = await lorekeeper(tmp_path, "chat", "--say", "/lore Edda Marrick", **bot)

    assert (dry.code, made.code, checked.code) == (0, 0, 0), made.said
    assert "missing: the collection lore_changes" in dry.said
    assert "Nothing was made" in dry.said
    assert "Directus 11.17" in checked.said or "Directus 12." in checked.said
    assert "Everything is as it should be" in checked.said
    assert "Directus" in doctor.said
    assert BOT not in made.said
    assert TOKEN not in made.said
    assert (begun.code, asked.code) == (TERMINATED, 0), begun.said + asked.said
    assert "Edda Marrick" in asked.said


async def test_check_names_what_the_account_lacks_and_what_it_has_too_much(
    own_directus: DirectusServer, tmp_path: Path
) -> None:
    await lay_out(own_directus.url, TOKEN)
    there = {"LOREKEEPER_DIRECTUS_URL": own_directus.url, "LOREKEEPER_DIRECTUS_TOKEN": BOT}
    with admin(own_directus) as administrator:
        rights = administrator.get("/permissions", params={"limit": -1}).json()["data"]
        [reading] = [
            one
            for one in rights
            if (one["collection"], one["action"]) == ("scenes", "read") and one["policy"]
        ]
        administrator.delete(f"/permissions/{reading['id']}").raise_for_status()
        deleting = {**reading, "action": "delete", "collection": "lore_states"}
        deleting.pop("id")
        administrator.post("/permissions", json=deleting).raise_for_status()
        administrator.delete("/fields/lore_changes/summary").raise_for_status()

    checked = await lorekeeper(tmp_path, "directus", "check", **there)
    as_administrator = await lorekeeper(
        tmp_path, "directus", "check", **{**there, "LOREKEEPER_DIRECTUS_TOKEN": TOKEN}
    )

    assert checked.code == 1
    assert "lacks the right to read scenes" in checked.said
    assert "may delete lore_states, which it does not need" in checked.said
    assert "Columns of lore_changes are missing" in checked.said
    assert "may delete lore_changes, which it does not need" in as_administrator.said


async def test_check_tells_of_a_limit_on_rows(own_directus: DirectusServer, tmp_path: Path) -> None:
    await lay_out(own_directus.url, TOKEN)
    own_directus.restart(QUERY_LIMIT_MAX="100")

    checked = await lorekeeper(
        tmp_path,
        "directus",
        "check",
        LOREKEEPER_DIRECTUS_URL=own_directus.url,
        LOREKEEPER_DIRECTUS_TOKEN=BOT,
    )

    assert checked.code == 1
    assert "at most 100 rows at once" in checked.said


async def test_bot_may_neither_change_nor_delete_the_log(desk: Desk, empty_directus: str) -> None:
    await desk.series.add_series(Series(id="oz", name="Oz", owner="p1"))
    await desk.lore.append(draft(fact("mara"), TextSet(id="r1", scene="s1", text="x")), "t1", NOON)
    headers = {"Authorization": f"Bearer {BOT}"}
    async with httpx.AsyncClient(base_url=empty_directus, headers=headers, timeout=30) as bot:
        everything = {"query": {"limit": -1}}
        summary, body = {**everything, "data": {"summary": "x"}}, {**everything, "data": {"body": "x"}}
        ended = [
            (await bot.patch("/items/lore_changes", json=summary)).status_code,
            (await bot.patch("/items/lore_states", json=body)).status_code,
            *[
                (await bot.request("DELETE", f"/items/{name}", json=everything)).status_code
                for name in ("lore_changes", "lore_states", "scene_revisions", "series")
            ],
        ]

    assert ended == [403] * 6
