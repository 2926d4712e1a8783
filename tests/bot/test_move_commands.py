"""`lorekeeper export` and `import` of what it wrote, as whole processes."""

import asyncio
from pathlib import Path

from agent_core.importing.epub import read_epub
from tests.agent_core.stores.test_migrate import select
from tests.bot.commands import lorekeeper


async def test_series_moves_to_another_installation_and_out_again_the_same(
    folder: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new"
    await asyncio.to_thread(new.mkdir)
    written = await lorekeeper(folder, "export", str(new / "out.zip"))
    dry = await lorekeeper(new, "import", "out.zip")
    brought = await lorekeeper(new, "import", "out.zip", "--yes")
    again = await lorekeeper(new, "export", "again.zip")
    asked = await lorekeeper(new, "chat", "--say", "/lore Edda Marrick")

    assert "The Causeway Bells (7 edits)" in written.said
    assert "Nothing was written" in dry.said
    assert (brought.code, again.code) == (0, 0)
    archives = [await asyncio.to_thread((new / name).read_bytes) for name in ("out.zip", "again.zip")]
    assert archives[0] == archives[1]
    assert asked.code == 0
    assert "Edda Marrick" in asked.said


async def test_who_sits_at_a_terminal_that_was_used_before_leads_the_series_they_bring(
    folder: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new"
    await asyncio.to_thread(new.mkdir)
    await lorekeeper(new, "chat", "--say", "hello")
    await lorekeeper(folder, "export", str(new / "out.zip"))
    await lorekeeper(new, "import", "out.zip", "--yes")

    noted = await lorekeeper(
        new,
        "chat",
        "--series",
        "The Causeway Bells",
        "--say",
        "/record Edda Marrick coat=grey @b1:1.1",
        "--yes",
    )

    assert noted.code == 0, noted.said
    assert select(new / "notes" / "lorekeeper.db", "SELECT count(*) FROM change") == [(8,)]


async def test_refusals_are_sentences(folder: Path) -> None:
    unknown = await lorekeeper(folder, "export", "out.zip", "--series", "Nowhere")
    await asyncio.to_thread((folder / "novel.zip").write_text, "no zip")
    damaged = await lorekeeper(folder, "import", "novel.zip", "--yes")
    several = await lorekeeper(folder, "import", "novel.zip", "other.zip")

    assert (unknown.code, damaged.code, several.code) == (1, 1, 2)
    assert damaged.said == "novel.zip is damaged. Nothing was changed; export it anew or copy it once more.\n"


async def test_book_is_written_as_people_read_it_and_never_over_a_file(folder: Path) -> None:
    written = await lorekeeper(folder, "export", "book.epub", "--format", "epub", "--book", "1")
    again = await lorekeeper(folder, "export", "book.epub", "--format", "epub", "--book", "1")
    unknown = await lorekeeper(folder, "export", "other.docx", "--format", "docx", "--book", "Nowhere")

    assert (written.code, again.code, unknown.code) == (0, 1, 1), written.said
    assert "chapters." in written.said
    book = await asyncio.to_thread(read_epub, folder / "book.epub")
    assert book.chapters[0].scenes
    assert not await asyncio.to_thread((folder / "other.docx").exists)


async def test_files_are_taken_out_into_folders_that_are_not_there_yet(folder: Path) -> None:
    book = await lorekeeper(folder, "export", "new/book.md", "--format", "markdown", "--book", "1")
    canon = await lorekeeper(folder, "export", "new/far/canon.json", "--format", "lorebook")
    whole = await lorekeeper(folder, "export", "nowhere/x.zip")
    await asyncio.to_thread((folder / "file").write_text, "no folder")
    refused = await lorekeeper(folder, "export", "file/canon.json", "--format", "lorebook")

    assert (book.code, canon.code, whole.code) == (0, 0, 0), book.said + canon.said + whole.said
    assert await asyncio.to_thread((folder / "nowhere" / "x.zip").is_file)
    assert await asyncio.to_thread((folder / "new" / "far" / "canon.json").is_file)
    assert refused.code == 1
    assert "can’t be written" in refused.said
