"""`lorekeeper import` of a book that is there: compared and shown first, then written as one edit."""

import asyncio
from pathlib import Path

import pytest

from tests.agent_core.stores.test_migrate import select
from tests.bot.commands import at_terminal, lorekeeper

FIRST = """# The Heron

## Chapter 1: Home

Mara Venn came home. Her eyes were blue, and nobody on the quay knew her name any more.

* * *

Tom sat by the kiln. Blue smoke rose over the roofs of Vel until the evening.

## Chapter 2: Away

Mara rode to Oru. Her blue eyes were tired from the long road along the coast.

* * *

The monk said nothing, and the lamp went out.
"""
SECOND = (
    FIRST.replace("nobody on the quay", "everybody on the quay")
    .replace("The monk said nothing, and the lamp went out.", "Snow fell on the causeway.")
    .replace("## Chapter 2", "* * *\n\nA stranger counted the boats.\n\n## Chapter 2")
)


async def write(folder: Path, text: str) -> None:
    await asyncio.to_thread((folder / "heron.md").write_text, text)


@pytest.mark.slow
async def test_book_that_is_there_is_compared_shown_and_brought_up_to_date(tmp_path: Path) -> None:
    await write(tmp_path, FIRST)
    await lorekeeper(tmp_path, "import", "heron.md", "--yes")
    same = await lorekeeper(tmp_path, "import", "heron.md")
    await write(tmp_path, SECOND)
    shown = await lorekeeper(tmp_path, "import", "heron.md")
    written = await lorekeeper(tmp_path, "import", "heron.md", "--yes")
    still = await lorekeeper(tmp_path, "import", "heron.md")
    deleted = await lorekeeper(tmp_path, "import", "heron.md", "--delete-gone", "--yes")
    said = ("--say", "/scene read 1", "--say", "/entry new Mara", "--say", "/state Mara")
    read = await lorekeeper(tmp_path, "chat", "--series", "The Heron", *said)

    assert "“The Heron” is there already, all 4 scenes the same." in same.said
    assert "Scenes of “The Heron”: 2 same, 1 edited, 2 new, 0 moved, 1 gone." in shown.said
    assert "Scene 2.2 is no longer in the file; it stays in the book with its facts." in shown.said
    assert "With --delete-gone" in shown.said
    assert "Nothing was written" in shown.said
    assert (written.code, deleted.code) == (0, 0)
    assert "One scene that is no longer in the file is still in the book." in still.said
    assert "leaves the book" in deleted.said
    assert "everybody on the quay" in read.said
    assert "A stranger counted the boats." in read.said
    assert "as of 2.2 (end)" in read.said
    database = tmp_path / "notes" / "lorekeeper.db"
    assert select(database, "SELECT count(*) FROM change") == [(4,)]
    assert select(database, "SELECT count(*) FROM node WHERE kind = 'scene' AND deleted") == [(1,)]


@pytest.mark.parametrize("bible", [True, False], ids=["bible", "manuscript"])
async def test_yes_to_what_a_file_no_longer_says_imports_nothing(bible: bool, tmp_path: Path) -> None:
    file = tmp_path / ("cast.csv" if bible else "Ebb.md")
    text = "name,age\nInes,34\n" if bible else "# Ebb\n\nShe is 34.\n"
    file.write_text(text)
    async with at_terminal(tmp_path, "import", *(["--bible"] if bible else []), str(file)) as terminal:
        await terminal.until("Import this as one edit?")
        file.write_text(text.replace("34", "77"))
        await terminal.type("y")
        await terminal.until("Nothing was imported: the notes have changed meanwhile.")
        assert await terminal.ended() == 1
