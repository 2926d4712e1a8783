"""The file `.env`: what is written is what is read, and nothing else is touched."""

import io
import os
import stat
from pathlib import Path

import pytest
from dotenv import dotenv_values
from hypothesis import given
from hypothesis import strategies as st

from bot.env_file import env_text, write_env
from bot.settings import SettingsError

_values = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
_tricky = st.sampled_from(
    ["a b", "#x", " x ", "it's", 'say "hi"', "back\\slash\\", "\\'", "a=b", "$HOME", "ключ"]
)
OLD = """# my settings
OTHER='two
lines'

export LOREKEEPER_MODEL=old  # the small one
LOREKEEPER_TRACE=full
"""


@given(_values | _tricky)
def test_what_is_written_is_what_is_read(value: str) -> None:
    try:
        text = env_text("", {"LOREKEEPER_X": value})
    except SettingsError:
        assert "${" in value or "\r" in value or value == ""
        return
    assert dotenv_values(stream=io.StringIO(text)) == {"LOREKEEPER_X": value}


def test_other_lines_stay_as_they_are() -> None:
    text = env_text(OLD, {"LOREKEEPER_MODEL": "new", "LOREKEEPER_MODEL_API_KEY": "k e y"})

    assert text == (
        "# my settings\nOTHER='two\nlines'\nLOREKEEPER_TRACE=full\n"
        "LOREKEEPER_MODEL=new\nLOREKEEPER_MODEL_API_KEY='k e y'\n"
    )


def test_variable_without_a_value_loses_its_line() -> None:
    assert "LOREKEEPER_TRACE" not in env_text(OLD, {"LOREKEEPER_TRACE": None})
    assert env_text("", {"LOREKEEPER_TRACE": None}) == ""


def test_value_that_would_be_read_as_something_else_is_refused() -> None:
    with pytest.raises(SettingsError) as refused:
        env_text("", {"LOREKEEPER_MODEL_API_KEY": "a${HOME}b"})

    assert refused.value.problems == (
        "LOREKEEPER_MODEL_API_KEY has a value that can't be written into a file.",
    )


def test_file_is_private_and_replaced_in_one_step(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("OLD=1\n")
    path.chmod(0o644)

    write_env(path, "NEW=1\n")

    assert path.read_text() == "NEW=1\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == [".env"]


def test_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("OLD=1\n")
    (tmp_path / ".env").symlink_to(tmp_path / "real")

    write_env(tmp_path / ".env", "NEW=1\n")

    assert (tmp_path / ".env").is_symlink()
    assert (tmp_path / "real").read_text() == "NEW=1\n"


def test_folder_that_is_missing_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write_env(tmp_path / "missing" / ".env", "NEW=1\n")

    assert os.listdir(tmp_path) == []
