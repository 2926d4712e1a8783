"""`lorekeeper chat` as it is typed: who speaks, and what comes in that is no text."""

from pathlib import Path

import pytest

from tests.bot.commands import lorekeeper

NO_TEXT = b"x\xff\xed\xa0\x80".decode(errors="surrogateescape")  # as arguments and input of a shell come in


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A folder whose notes hold the sample series."""
    await lorekeeper(tmp_path, "run")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--say", f"who is {NO_TEXT}?"), 0),
        (("--say", f"/lore {NO_TEXT}"), 0),
        (("--say", f"/record Edda Marrick hat={NO_TEXT} @1.1"), 0),
        (("--as", f"{NO_TEXT}@b1:1", "--say", "/book contents"), 0),
        (("--series", NO_TEXT, "--say", "/book contents"), 1),
        (("--say", "/search \x1b[31m"), 0),
    ],
)
async def test_bytes_that_are_no_text_stop_nothing(
    folder: Path, arguments: tuple[str, ...], code: int
) -> None:
    ended = await lorekeeper(folder, "chat", *arguments)

    assert ended.code == code
    assert "Traceback" not in ended.said
    assert "\x1b" not in ended.said


async def test_lines_with_bytes_that_are_no_text_are_read(folder: Path) -> None:
    typed = b"/lore Edda\0 Marrick\nwho is \xed\xa0\x80\xff?\n/lore Edda Marrick\n"

    ended = await lorekeeper(folder, "chat", typed=typed)

    assert ended.code == 0
    assert "Edda Marrick\nThe Causeway Bells" in ended.said
    assert "Traceback" not in ended.said


async def test_reader_may_have_read_nothing(folder: Path) -> None:
    ended = await lorekeeper(folder, "chat", "--as", "reader@start", "--say", "/lore Edda Marrick")

    assert ended.code == 0
    assert "Edda" not in ended.said.replace("“Edda Marrick”", "").replace("Search: Edda Marrick", "")


async def test_reader_needs_a_name(folder: Path) -> None:
    ended = await lorekeeper(folder, "chat", "--as", "@b1:1", "--say", "/lore Edda Marrick")

    assert (ended.code, ended.said) == (2, "--as wants a name before the @, such as reader@b1:2.\n")
