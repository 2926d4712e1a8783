"""Series move into Directus and out of it whole: what is exported is the same to the byte."""

import asyncio
from pathlib import Path

import pytest

from tests.bot.commands import lorekeeper
from tests.bot.conftest import folder, sample
from tests.directus.fixtures import empty_directus, laid_out_directus, own_place
from tests.directus.place import BOT
from tests.directus.relay import Loss, relayed
from tests.directus_server import DirectusServer

__all__ = ["empty_directus", "folder", "laid_out_directus", "own_place", "sample"]
pytestmark = [pytest.mark.directus, pytest.mark.timeout(300)]


async def exported(folder: Path, name: str, **variables: str) -> bytes:
    ended = await lorekeeper(folder, "export", name, **variables)
    assert ended.code == 0, ended.said
    return await asyncio.to_thread((folder / name).read_bytes)


async def test_series_moves_into_directus_and_back_without_loss(folder: Path, empty_directus: str) -> None:
    there = {"LOREKEEPER_DIRECTUS_URL": empty_directus, "LOREKEEPER_DIRECTUS_TOKEN": BOT}
    before = await exported(folder, "sqlite.zip")

    checked = await lorekeeper(folder, "directus", "check", **there)
    pushed = await lorekeeper(folder, "directus", "push", **there)
    again = await lorekeeper(folder, "directus", "push", **there)
    in_directus = await exported(folder, "directus.zip", **there)
    asked = await lorekeeper(folder, "chat", "--say", "/lore Edda Marrick", **there)
    back = await exported(folder, "back.zip")

    assert "The Causeway Bells is in this installation and not in Directus" in checked.said
    assert pushed.said == "The Causeway Bells: 7 edits brought to Directus, 7 edits in all\n"
    assert again.said == "The Causeway Bells: 0 edits brought to Directus, 7 edits in all\n"
    assert before == in_directus == back
    assert "Edda Marrick" in asked.said


async def test_edits_made_in_directus_come_back_with_the_series(folder: Path, empty_directus: str) -> None:
    there = {"LOREKEEPER_DIRECTUS_URL": empty_directus, "LOREKEEPER_DIRECTUS_TOKEN": BOT}
    await lorekeeper(folder, "directus", "push", **there)
    noted = await lorekeeper(
        folder, "chat", "--say", "/record Edda Marrick coat=grey @b1:1.1", "--yes", **there
    )

    in_directus = await exported(folder, "directus.zip", **there)
    back = await exported(folder, "back.zip")

    assert noted.code == 0, noted.said
    assert in_directus == back


async def test_series_is_imported_into_directus_by_another_installation(
    folder: Path, empty_directus: str, tmp_path: Path
) -> None:
    there = {"LOREKEEPER_DIRECTUS_URL": empty_directus, "LOREKEEPER_DIRECTUS_TOKEN": BOT}
    new, third = tmp_path / "new", tmp_path / "third"
    await asyncio.to_thread(new.mkdir)
    await asyncio.to_thread(third.mkdir)
    before = await exported(folder, str(new / "out.zip"))

    brought = await lorekeeper(new, "import", "out.zip", "--yes", **there)
    after = await exported(new, "directus.zip", **there)
    same = await lorekeeper(new, "import", "out.zip", "--yes", **there)
    seen = await lorekeeper(third, "chat", "--series", "The Causeway Bells", "--say", "/history", **there)

    assert brought.code == 0, brought.said
    assert before == after
    assert same.code == 0
    assert seen.code in {0, 1}


async def test_import_that_broke_off_says_how_to_go_on_and_nothing_is_lost(
    folder: Path, own_place: DirectusServer, tmp_path: Path
) -> None:
    new = tmp_path / "new"
    await asyncio.to_thread(new.mkdir)
    before = await exported(folder, str(new / "out.zip"))
    async with relayed(own_place.url, own_place.kill) as relay:
        there = {"LOREKEEPER_DIRECTUS_URL": relay.url, "LOREKEEPER_DIRECTUS_TOKEN": BOT}
        relay.loss, relay.after = Loss.SERVER, 3  # edits pass
        broken_off = await lorekeeper(new, "import", "out.zip", "--yes", **there)
        await asyncio.to_thread(own_place.start)
        asked = await lorekeeper(new, "chat", "--say", "/lore Edda Marrick", **there)
        again = await lorekeeper(new, "import", "out.zip", "--yes", **there)
        pushed = await lorekeeper(new, "directus", "push", **there)
        after = await exported(new, "directus.zip", **there)

    assert relay.losses == 1
    assert broken_off.code == again.code == 1
    for ended in (broken_off, asked, again):
        assert "This installation has edits that Directus lacks. lorekeeper directus push" in ended.said
    assert pushed.said == "The Causeway Bells: 4 edits brought to Directus, 7 edits in all\n"
    assert before == after
