"""At a terminal, logs go to a file beside the notes."""

import asyncio
import os
import stat
import sys
from pathlib import Path

import pytest

from tests.bot.commands import BOUND_S, environment

pty = pytest.importorskip("pty")


async def test_only_the_owner_may_read_the_log_of_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = (sys.executable, "-m", "bot.cli.main", "doctor")
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=theirs,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=theirs,
    )
    async with asyncio.timeout(BOUND_S):
        assert await process.wait() == 0
    os.close(ours)
    os.close(theirs)
    assert stat.S_IMODE((tmp_path / "notes" / "lorekeeper.log").stat().st_mode) == 0o600
