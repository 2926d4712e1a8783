"""Two processes at work in one database: whatever both want at once happens once, in one order."""

import asyncio
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.house import found_in

SETTLED = {"approved", "declined", "expired", "superseded"}


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_two_processes_that_do_the_same_at_once_leave_one_history(tmp_path: Path) -> None:
    """A19: numbers without a gap, no line of unknown end, an audit row for each, nothing half settled."""
    folder = await found_in(tmp_path)
    both = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.scenarios.race_child", str(folder), str(seed),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )
        for seed in (1, 2)
    ]  # fmt: skip
    async with asyncio.timeout(250):
        told = [await child.communicate() for child in both]

    assert [child.returncode for child in both] == [0, 0], told
    changes, states, lines, audited = await asyncio.to_thread(_left, folder / "lorekeeper.db")
    assert changes == list(range(1, len(changes) + 1))
    assert len(changes) > 8
    assert {status for status, settled in states if settled} <= SETTLED
    assert {status for status, settled in states if not settled} <= {"open"}
    assert set(lines) <= {"done", "declined", "superseded", "failed", "pending"}
    assert audited == len(lines)


def _left(file: Path) -> tuple[list[int], list[tuple[str, int]], list[str], int]:
    """Return numbers of changes, states of cards and of their lines, and how many of those are audited."""
    with closing(sqlite3.connect(file)) as connection:
        run = connection.execute
        changes = [number for (number,) in run("SELECT number FROM change ORDER BY number")]
        states = run("SELECT status, settled FROM batch").fetchall()
        lines = [status for (status,) in run("SELECT status FROM batch_call")]
        [(audited,)] = run("SELECT count(*) FROM audit WHERE id IN (SELECT id FROM batch_call)")
    return changes, states, lines, audited
