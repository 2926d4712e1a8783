"""What the README and the tutorial show is what happens: their transcripts are run and compared.

Each `$ lorekeeper …` between the transcript marks runs as a process of its own, in order, on one set of notes
that begins as `scripts/run` leaves it. Blank lines don't count; times and dates are normalised.
`LOREKEEPER_WRITE_GOLDEN=1` puts what was said now in the place of what differs.
"""

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.bot.commands import lorekeeper, served

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("README.md", pytest.param("docs/tutorial.md", marks=pytest.mark.slow))
MAX_README_LINES = 40
_BLOCK = re.compile(r"<!-- transcript -->\n```text\n(.*?)```\n<!-- /transcript -->", re.DOTALL)
_NORMAL = (
    (re.compile(r"\d+\.\d s\b"), "0.1 s"),
    (re.compile(r"\d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d"), "1 May 2026, 12:00"),
    (re.compile(r"\d{1,2} [A-Z][a-z]+ \d{4}"), "1 May 2026"),
)
ANN = {"LOGNAME": "ann", "LANG": "C.UTF-8", "COLUMNS": "96"}


@dataclass(frozen=True)
class Exchange:
    """A command of a transcript, and what the document says that it prints."""

    command: str
    shown: str

    @property
    def text(self) -> str:
        """Both as they stand in the document."""
        return f"$ {self.command}\n{self.shown}"

    @property
    def arguments(self) -> list[str]:
        """The words after `lorekeeper`."""
        return shlex.split(self.command)[1:]


@pytest.mark.parametrize("name", DOCUMENTS)
async def test_transcript_shows_what_really_happens(name: str, tmp_path: Path) -> None:
    document = (ROOT / name).read_text("utf-8")
    write, begin = bool(os.environ.get("LOREKEEPER_WRITE_GOLDEN")), 0
    await served(tmp_path, **ANN)
    for exchange in exchanges(document):
        now = await said(tmp_path, *exchange.arguments)
        begin = document.index(exchange.text, begin)
        if write and lines(now) != lines(exchange.shown):
            new = f"$ {exchange.command}\n{normal(now)}\n" + "\n" * exchange.text.endswith("\n\n")
            document = f"{document[:begin]}{new}{document[begin + len(exchange.text) :]}"
            begin += len(new)
        else:
            assert lines(now) == lines(exchange.shown), exchange.command
            begin += len(exchange.text)
    if write:
        (ROOT / name).write_text(document, "utf-8")


def test_readme_transcript_is_short() -> None:
    blocks = _BLOCK.findall((ROOT / "README.md").read_text("utf-8"))
    assert 0 < sum(len(block.splitlines()) for block in blocks) <= MAX_README_LINES


async def said(folder: Path, *arguments: str) -> str:
    """Return what a command printed for Ann, whose machine speaks English."""
    ended = await lorekeeper(folder, *arguments, **ANN)
    return ended.said


def exchanges(document: str) -> list[Exchange]:
    """Return the exchanges of all transcripts in a document, in order."""
    found = []
    for block in _BLOCK.findall(document):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append(Exchange(command, shown))
    return found


def lines(text: str) -> list[str]:
    """Return the lines that count."""
    return [line.rstrip() for line in normal(text).splitlines() if line.strip()]


def normal(text: str) -> str:
    """Return a text in which it is always the same day and everything takes as long."""
    for pattern, same in _NORMAL:
        text = pattern.sub(same, text)
    return text.strip("\n")
