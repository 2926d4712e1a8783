"""The command line with standard streams that are closed, full, or read by nobody any more."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.bot.commands import BOUND_S, environment


async def shell(folder: Path, script: str, **variables: str) -> tuple[int, str]:
    """Run a script in which `"$@"` is the command line; return its exit code and what it wrote to stderr."""
    process = await asyncio.create_subprocess_exec(
        *("sh", "-c", script, "sh", sys.executable, "-m", "bot.cli.main"),
        cwd=folder,
        env=environment(folder, **variables),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(BOUND_S):
            _, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, said.decode()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
async def test_closed_streams_end_no_command(tmp_path: Path, closed: str) -> None:
    assert await shell(tmp_path, f'"$@" chat --say /help {closed}') == (0, "")
    assert (tmp_path / "notes/lorekeeper.db").read_bytes().startswith(b"SQLite format 3")


async def test_log_lines_that_nobody_reads_hold_nothing_up(tmp_path: Path) -> None:
    script = '{ "$@" chat --say /help 2>&1; echo $? >ended; } | true; cat ended >&2'
    code, ended = await shell(tmp_path, script, LOREKEEPER_LOG_LEVEL="debug")
    assert (code, ended) in {(0, "0\n"), (0, "1\n")}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this machine has no file that is always full")
async def test_output_that_can_not_be_written_is_explained(tmp_path: Path) -> None:
    code, said = await shell(tmp_path, '"$@" chat --say /help >/dev/full')
    assert code != 0
    assert "LoreKeeper had to stop." in said
