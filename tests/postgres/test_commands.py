"""The command line with the notes on a Postgres server: a setting is all it takes."""

import asyncio
from pathlib import Path

import pytest

from bot.cli.start import TERMINATED
from tests.bot.commands import lorekeeper, served
from tests.postgres_server import PASSWORD

pytestmark = pytest.mark.postgres


async def test_doctor_names_the_server_and_no_password(tmp_path: Path, postgres_url: str) -> None:
    ended = await lorekeeper(tmp_path, "doctor", LOREKEEPER_DATABASE_URL=postgres_url)

    assert ended.code == 0
    assert "PostgreSQL 1" in ended.said
    assert "postgresql://127.0.0.1:" in ended.said
    assert PASSWORD not in ended.said
    assert PASSWORD.replace(" ", "%20") not in ended.said


async def test_doctor_says_that_the_password_is_refused(tmp_path: Path, postgres_url: str) -> None:
    wrong = postgres_url.replace("a%20password", "another")

    ended = await lorekeeper(tmp_path, "doctor", LOREKEEPER_DATABASE_URL=wrong)

    assert ended.code == 1
    assert "refuses this user or password" in ended.said
    assert "another" not in ended.said


async def test_backup_and_restore_point_to_the_tools_of_the_server(tmp_path: Path, postgres_url: str) -> None:
    for command in (("backup",), ("restore", "x.db")):
        ended = await lorekeeper(tmp_path, *command, LOREKEEPER_DATABASE_URL=postgres_url)

        assert ended.code == 1
        assert "pg_dump" in ended.said


async def test_notes_move_to_the_server_and_back(folder: Path, tmp_path: Path, postgres_url: str) -> None:
    new = tmp_path / "new"
    await asyncio.to_thread(new.mkdir)
    url = {"LOREKEEPER_DATABASE_URL": postgres_url}
    await lorekeeper(folder, "export", str(new / "file.zip"))
    moved = await lorekeeper(new, "import", "file.zip", "--yes", **url)
    written = await lorekeeper(new, "export", "server.zip", **url)
    asked = await lorekeeper(new, "chat", "--say", "/lore Edda Marrick", **url)

    assert (moved.code, written.code, asked.code) == (0, 0, 0)
    archives = [await asyncio.to_thread((new / name).read_bytes) for name in ("file.zip", "server.zip")]
    assert archives[0] == archives[1]
    assert "Edda Marrick" in asked.said


async def test_run_serves_notes_on_a_server(tmp_path: Path, postgres_url: str) -> None:
    ended = await served(tmp_path, LOREKEEPER_DATABASE_URL=postgres_url)

    assert ended.code == TERMINATED
    assert not await asyncio.to_thread(lambda: list(tmp_path.rglob("*.db")))
