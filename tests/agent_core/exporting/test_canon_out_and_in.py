"""The canon goes out as of a place, for a bound, and comes in again with the same facts."""

import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.clock import new_id
from agent_core.errors import NotPermitted
from agent_core.lore.answers import EntryList
from agent_core.messages import Json
from agent_core.people.model import SeriesRole
from agent_core.tools.canon_export import CanonExport
from tests.bot.commands import lorekeeper
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, open_house


@pytest.fixture
async def house(tmp_path: Path, clock: FakeClock) -> AsyncIterator[House]:
    async with (
        ModelEndpoint() as endpoint,
        open_house(tmp_path / "house", endpoint, clock, new_id) as opened,
    ):
        await opened.found()
        yield opened


async def exported(house: House, tmp_path: Path, **arguments: str) -> Path:
    asker = await house.asker()
    answer = await house.core.lookup("export_canon", {"format": "notes", **arguments}, asker)
    assert isinstance(answer, CanonExport)
    files = house.core.askers.files.store
    [*_, file] = await files.due_files(asker.conversation.id)
    assert file.name == answer.name
    content = await files.content(file.id)
    assert content is not None
    place = tmp_path / f"{file.id}.zip"
    place.write_bytes(content)
    return place


async def brought_in(house: House, file: Path) -> House:
    """Bring notes into a series of their own."""
    asker = await house.asker(place="copy")
    await house.core.propose([("link_thread", {"series": "A Copy"})], asker, complete=True)
    asker = await house.asker(place="copy")
    batch = await house.core.propose([("import_bible", {"paths": [str(file)]})], asker, complete=True)
    await house.decide(batch.id, place="copy")
    return house


async def state(house: House, entry: str) -> object:
    found = await house.core.lookup("get_entity_state", {"entityId": entry}, await house.asker(place="copy"))
    return getattr(found, "state", None)


async def test_what_goes_out_as_of_a_place_comes_in_with_the_same_facts(house: House, tmp_path: Path) -> None:
    await house.write("create_lore_entity", type="object", name="The Heron", staticTraits={"masts": 2})
    patch: dict[str, Json] = {
        "scar": "left cheek",
        "ship": "The Heron",
        "spouse": {"$none": True},
        "home": {"city": "Vel"},
    }
    await house.write("record_lore_state", entityId="Mara", statePatch=patch, chapterId="1.2")
    await house.write("record_lore_state", entityId="Mara", statePatch={"status": "dead"}, chapterId="2.2")
    there = await house.state("Mara", asOf="2.1")

    await brought_in(house, await exported(house, tmp_path, asOf="2.1"))

    assert there == {"eyes": "green", **patch}
    assert await state(house, "Mara") == there
    assert await state(house, "The Heron") == {"masts": 2}


async def test_an_export_for_a_reader_holds_nothing_told_later(house: House, tmp_path: Path) -> None:
    await house.write("record_lore_state", entityId="Mara", statePatch={"secret": "heir"}, chapterId="2.2")
    await house.write("create_lore_entity", type="character", name="Tom", staticTraits={"job": "thief"})

    file = await exported(house, tmp_path, asReader="1")

    await brought_in(house, file)
    listed = await house.core.lookup("list_entries", {}, await house.asker(place="copy"))
    assert isinstance(listed, EntryList)
    assert [entry.name for entry in listed.entries] == ["Mara"]
    assert await state(house, "Mara") == {"eyes": "green"}
    with zipfile.ZipFile(file) as archive:
        assert not any(b"heir" in archive.read(name) for name in archive.namelist())


async def test_readers_take_nothing_out(house: House) -> None:
    await house.join("rob", SeriesRole.READER, finished="1")

    with pytest.raises(NotPermitted):
        await house.core.lookup("export_canon", {}, await house.asker("rob"))


@pytest.mark.slow
async def test_the_command_line_brings_a_bible_in_and_takes_the_canon_out(tmp_path: Path) -> None:
    (tmp_path / "cast.csv").write_text("name,eyes\nMara,green\nTom,brown\n")
    dry = await lorekeeper(tmp_path, "import", "--bible", "cast.csv", "--series", "Tide")
    assert dry.code == 0
    assert "Entries: 2 new" in dry.said
    assert "Nothing was written" in dry.said

    done = await lorekeeper(tmp_path, "import", "--bible", "cast.csv", "--series", "Tide", "--yes")
    assert (done.code, "imported as edit no. 1" in done.said) == (0, True), done.said
    out = await lorekeeper(tmp_path, "export", "canon", "--format", "notes", "--series", "Tide")

    assert (out.code, "Wrote 2 entries to canon." in out.said) == (0, True), out.said
    assert "eyes: green" in (tmp_path / "canon/Characters/Mara.md").read_text()
    again = await lorekeeper(tmp_path, "import", "--bible", "canon", "--series", "Tide")
    assert "Details: 0 new, 2 same, 0 differ." in again.said
    taken = await lorekeeper(tmp_path, "export", "canon", "--format", "notes", "--series", "Tide")
    assert (taken.code, "is there already" in taken.said) == (1, True)
    bad = await lorekeeper(tmp_path, "import", "--bible", "missing.csv")
    assert (bad.code, "There is no file missing.csv" in bad.said) == (1, True), bad.said
