"""`lorekeeper doctor` as a person reads it."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.bot.commands import lorekeeper
from tests.emulators.model_endpoint import ModelEndpoint


async def test_doctor_lines_up_its_findings_in_every_language(tmp_path: Path) -> None:
    said = (await lorekeeper(tmp_path, "doctor", LOREKEEPER_LANGUAGE="de")).said
    rows = said.splitlines()
    healths = [next(word for word in ("in Ordnung", "nachsehen") if word in row) for row in rows]
    assert len({row.index(health) for row, health in zip(rows, healths, strict=True)}) == 1
    assert "Platz auf dem Datenträger  in Ordnung" in said


async def test_doctor_names_notes_folders_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "novel").mkdir()
    vaults = f"novel={tmp_path / 'novel'}; world={tmp_path / 'moved'}"
    said = (await lorekeeper(tmp_path, "doctor", LOREKEEPER_VAULTS=vaults)).said
    assert f"look at this  not there: {tmp_path / 'moved'}; until then" in said
    (tmp_path / "moved").mkdir()
    said = (await lorekeeper(tmp_path, "doctor", LOREKEEPER_VAULTS=vaults)).said
    assert "notes folders     fine          novel, world" in said


async def test_doctor_says_what_a_model_without_tools_cannot_do(tmp_path: Path) -> None:
    async with ModelEndpoint() as endpoint:
        endpoint.reply("I have no tools.")
        model = {"LOREKEEPER_MODEL": "scripted", "LOREKEEPER_MODEL_BASE_URL": endpoint.url}
        ended = await lorekeeper(tmp_path, "doctor", **model)
    assert ended.code == 0
    assert "scripted answers but can’t call tools, so it can look nothing up." in ended.said


async def test_usage_names_the_command_as_it_was_installed(tmp_path: Path) -> None:
    assert "Usage: lorekeeper chat" in (await lorekeeper(tmp_path, "chat", "--help")).said


@pytest.mark.skipif(find_spec("psycopg") is not None, reason="the extra is installed")
async def test_doctor_names_the_extra_that_a_server_of_notes_needs(tmp_path: Path) -> None:
    ended = await lorekeeper(tmp_path, "doctor", LOREKEEPER_DATABASE_URL="postgresql://db.invalid/lore")

    assert ended.code == 1
    assert "lorekeeper[postgres]" in ended.said
