"""A book taken out at the terminal: the file lies in its folder, and its path is said."""

import asyncio

from agent_core.importing.epub import read_epub
from tests.adapters.terminal.conftest import Terminal


async def test_typed_export_lays_the_book_into_the_folder(terminal: Terminal) -> None:
    printed = await terminal.type("/export epub")

    [path] = terminal.host.files.iterdir()
    assert path.name == "The Heron.epub"
    assert str(path) in "".join(printed.split("\n"))
    book = await asyncio.to_thread(read_epub, path)
    assert [one.number for one in book.chapters] == ["1", "2"]
