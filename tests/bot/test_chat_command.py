"""`lorekeeper chat` as it is typed: who speaks, and what comes in that is no text."""

import re
from pathlib import Path

import pytest

from tests.bot.commands import lorekeeper

NO_TEXT = b"x\xff\xed\xa0\x80".decode(errors="surrogateescape")  # as arguments and input of a shell come in


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


@pytest.mark.slow
async def test_a_title_does_not_steer_the_terminal_that_imports_it(tmp_path: Path) -> None:
    title = "The \x1b[31mRed\x1b]0;evil\x07 \u202eBook"
    (tmp_path / "a.md").write_text(f"---\ntitle: {title}\n---\n# On\x1b[2Je\n\nHello \x1b[5m there.\n")

    for arguments in (("import", "--yes", "a.md"), ("chat", "--say", "/scene read 1"), ("export", "all.zip")):
        ended = await lorekeeper(tmp_path, *arguments)
        assert ended.code == 0
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", ended.said)
