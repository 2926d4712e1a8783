"""Files that tools make are laid where the person at the terminal finds them."""

import json
from collections.abc import Sequence

import pytest

from adapters.terminal.folder import laid
from adapters.terminal.say import Instruction
from agent_core.tools.spec import AnyTool
from tests.adapters.terminal.conftest import Terminal
from tests.attaching import ATTACHING, CONTENT, NAME
from tests.emulators.model_endpoint import Call


@pytest.fixture
def more_tools() -> Sequence[AnyTool]:
    return ATTACHING


async def test_file_lies_in_the_folder_and_its_path_is_said(terminal: Terminal) -> None:
    terminal.house.endpoint.reply(Call("make_file", {}))
    terminal.house.endpoint.reply("Here it is.")

    printed = await terminal.type("Make me a file.")

    [path] = terminal.host.files.iterdir()
    assert path.read_bytes() == CONTENT
    assert path.name in printed
    assert await terminal.house.core.askers.files.store.due_files() == ()


async def test_program_reads_where_the_file_lies(terminal: Terminal) -> None:
    terminal.house.endpoint.reply(Call("make_file", {}))
    terminal.house.endpoint.reply("Here it is.")

    _, printed = await terminal.say(Instruction(texts=("Make me a file.",)), as_json=True)

    lines = [json.loads(line) for line in printed.splitlines()]
    [path] = [line["path"] for line in lines if line["event"] == "file"]
    assert path == str(next(terminal.host.files.iterdir()))
    assert [line["name"] for line in lines if line["event"] == "attachment"] == [NAME]


def test_file_of_the_same_name_is_laid_beside_the_first(terminal: Terminal) -> None:
    folder = terminal.host.files

    paths = [laid(folder, "../a/b.zip", content) for content in (b"1", b"2", b"3")]

    assert [path.name for path in paths] == ["b.zip", "b 2.zip", "b 3.zip"]
    assert [path.read_bytes() for path in paths] == [b"1", b"2", b"3"]
    assert {path.parent for path in paths} == {folder}
