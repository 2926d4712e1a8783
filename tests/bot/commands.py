"""Runs the command line as people do: a process of its own, a folder of its own."""

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

BOUND_S = 30


@dataclass(frozen=True)
class Ended:
    """How a command ended; `said` is everything that it printed."""

    code: int
    said: str


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return an environment whose home and notes are in `folder`."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PATH", "COVERAGE"))}
    return {
        **kept,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "HOME": str(folder),
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "LOREKEEPER_DATA_DIR": str(folder / "notes"),
        **more,
    }


async def lorekeeper(folder: Path, *arguments: str, typed: str = "", **variables: str) -> Ended:
    """Return how the command ended, which had `typed` as its standard input."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot.cli.main",
        *arguments,
        cwd=folder,
        env=environment(folder, **variables),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(BOUND_S):
            output, _ = await process.communicate(typed.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Ended(process.returncode or 0, output.decode())
