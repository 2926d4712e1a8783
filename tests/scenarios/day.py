"""A day with LoreKeeper as people type it: runs commands, keeps what they show, and compares it with a page.

The page holds the story by hand; between `<!-- shown: NAME -->` and `<!-- end -->` stands what was shown.
"""

import asyncio
import os
import re
import shlex
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from tests.bot.commands import BOUND_S, Ended, environment, lorekeeper

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "a-day.md"
REWRITE = "REWRITE_A_DAY"
DREAM = " ".join(["She walks on salt, and it sings."] * 300)

_SHOWN = re.compile(r"(<!-- shown: (?P<name>[\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
)  # fmt: skip
_SAME = (
    (re.compile(rf"\d{{1,2}} (?:{_MONTHS}) \d{{4}}, \d\d:\d\d"), "1 May 2026, 09:30"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?"), "2026-05-01 09:30"),
    (re.compile(r"\d{8}T\d{6}Z"), "20260501T093000Z"),
    (re.compile(r"\d+\.\d s\b"), "0.1 s"),
    (re.compile(r"to version \d+"), "to version 5"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
)


@dataclass
class Day:
    """The installation in `folder`, with settings as `variables`; `shown` is what the page tells, by name."""

    folder: Path
    variables: dict[str, str]
    shown: dict[str, str] = field(default_factory=dict)

    async def types(self, *arguments: str, scene: str = "", code: int = 0, at: Path | None = None) -> str:
        """Return what a command shows, which the page tells in its `scene` if it has one."""
        ended = await lorekeeper(at or self.folder, *arguments, **self.variables)
        return self._saw(ended, arguments, scene, code)

    async def says(self, text: str, *more: str, who: str = "", scene: str = "", code: int = 0) -> str:
        """Return what somebody sees who says something in the terminal; the lead, if nobody is named."""
        seat = ("--as", who) if who else ()
        return await self.types("chat", *seat, "--say", text, *more, scene=scene, code=code)

    async def says_on_full_disk(self, text: str, *, who: str, scene: str) -> str:
        """Return what somebody sees whose notes can't grow by one page."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.scenarios.full_disk_child", who, text,
            cwd=self.folder, env=environment(self.folder, **self.variables),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        async with asyncio.timeout(BOUND_S):
            output, _ = await process.communicate()
        ended = Ended(process.returncode or 0, output.decode())
        return self._saw(ended, ("chat", "--as", who, "--say", text, "--yes"), scene, 1)

    def tells(self, scene: str, text: str) -> None:
        """Let the page show a text, without its blank lines, in one of its scenes."""
        before = f"{self.shown[scene]}\n\n" if scene in self.shown else ""
        self.shown[scene] = before + re.sub(r"\n{2,}", "\n", text)

    def _saw(self, ended: Ended, arguments: tuple[str, ...], scene: str, code: int) -> str:
        said = same_every_day(ended.said, self.folder)
        assert ended.code == code, said
        if scene:
            line = _command_line(arguments).replace(DREAM, "$(cat dream.txt)")
            self.tells(scene, f"$ {line}\n{said}")
        return said


def same_every_day(text: str, folder: Path) -> str:
    """Return what was shown with dates, durations and folders as they are in the story."""
    text = text.replace(f"{folder}/", "").replace(str(folder.parent), "")
    for pattern, instead in _SAME:
        text = pattern.sub(instead, text)
    return text.strip("\n")


def page_with(shown: dict[str, str], page: str) -> str:
    """Return the page with what was shown put into it.

    Raises:
        AssertionError: the scenes of the page and of the day are not the same ones.
    """
    assert [found["name"] for found in _SHOWN.finditer(page)] == list(shown)
    return _SHOWN.sub(
        lambda found: f"{found[1]}{textwrap.indent(shown[found['name']], '    ')}\n{found[3]}", page
    )


def check_page(shown: dict[str, str]) -> None:
    """Compare the page with what was shown, or write it anew where the environment asks for that."""
    there = PAGE.read_text(encoding="utf-8")
    fresh = page_with(shown, there)
    if os.environ.get(REWRITE):
        PAGE.write_text(fresh, encoding="utf-8")
    else:
        assert there == fresh, f"{PAGE.name} tells another day; {REWRITE}=1 writes it anew"


def _command_line(arguments: tuple[str, ...]) -> str:
    return " ".join(["lorekeeper", *(_quoted(argument) for argument in arguments)])


def _quoted(argument: str) -> str:
    plain = shlex.quote(argument) == argument
    return argument if plain else shlex.quote(argument) if '"' in argument else f'"{argument}"'
