"""A StoryLine vault from the first look to the canon: searched, renamed, merged, put back, brought in."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.clock import new_id
from agent_core.lore.answers import Answer, LooseEnds
from agent_core.messages import Json
from agent_core.pipeline.model import CallStatus
from agent_core.vault.answers import BackupList, FileList, NotesFound
from agent_core.vault.paths import TRASH
from tests.agent_core.importing.bible.vault import VAULT, write_vault
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, open_house

pytestmark = pytest.mark.slow

BRAM, BRAM_NOW = "Characters/Bram Oster.md", "Characters/Captain Oster.md"
HOUSE, STUB = "Locations/Oru/The Salt House.md", "Locations/The Salt House.md"


@pytest.fixture
async def house(tmp_path: Path, clock: FakeClock) -> AsyncIterator[House]:
    vault = write_vault(tmp_path / "tide")
    async with (
        ModelEndpoint() as endpoint,
        open_house(tmp_path / "house", endpoint, clock, new_id, vaults=(("tide", vault),)) as opened,
    ):
        await opened.write("link_thread", series="The Tide Clock")
        await opened.write("attach_notes", name="tide")
        yield opened


def tree(root: Path) -> dict[str, bytes]:
    """Every file of the vault with its bytes, what lies in the trash apart."""
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    found = {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
    return {path: content for path, content in found.items() if not path.startswith(TRASH)}


async def look(house: House, tool: str, **arguments: Json) -> Answer:
    return await house.core.lookup(tool, arguments, await house.asker())


async def do(house: House, tool: str, **arguments: Json) -> None:
    batch = await house.write(tool, "ann", **arguments)
    assert [call.status for call in batch.calls] == [CallStatus.DONE], batch.calls


async def put_back(house: House, path: str) -> None:
    """Restore what a note was before anything changed it."""
    kept = await look(house, "list_backups", path=path)
    assert isinstance(kept, BackupList)
    await do(house, "restore_backup", path=path, backup=kept.items[-1].id)


async def test_a_vault_is_worked_on_put_back_to_the_byte_and_brought_into_the_canon(
    house: House, tmp_path: Path
) -> None:
    vault = tmp_path / "tide"
    before = tree(vault)
    assert before.keys() == VAULT.keys()

    listed = await look(house, "list_all_files", glob="Characters/*")
    assert isinstance(listed, FileList)
    assert [item.path for item in listed.items] == [BRAM, "Characters/Elke.md", "Characters/Ines Valk.md"]
    found = await look(house, "search_fulltext", query="clock keeps")
    assert isinstance(found, NotesFound)
    assert [item.path for item in found.items] == ["Characters/Ines Valk.md"]

    await do(house, "rename_file", path=BRAM, name="Captain Oster")
    ines = (vault / "Characters/Ines Valk.md").read_text()
    assert '- "[[Captain Oster]]"' in ines
    assert "[[Captain Oster|Bram]]" in ines
    assert "Bram Oster" not in ines
    assert (vault / BRAM_NOW).read_bytes() == before[BRAM]

    await do(house, "merge_duplicate_notes", keep=HOUSE, paths=[STUB])
    assert not (vault / STUB).exists()
    assert "world: Oru" in (vault / HOUSE).read_text()

    await do(house, "rename_file", path=BRAM_NOW, name="Bram Oster")
    await put_back(house, HOUSE)
    await put_back(house, STUB)
    for path, content in tree(vault).items():
        if content != before[path]:
            await put_back(house, path)
    assert tree(vault) == before

    await do(house, "import_bible", source="notes")
    assert (await house.state("Ines Valk"))["allies"] == ["Bram Oster"]
    loose = await look(house, "list_loose_ends")
    assert isinstance(loose, LooseEnds)
    assert [one.scene.label for one in loose.items if one.kind == "undated" and one.scene] == ["2.2"]
    assert tree(vault) == before
