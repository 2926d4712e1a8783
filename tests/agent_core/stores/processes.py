"""Other processes for tests of the database: what they do is Python given as text."""

import asyncio
import sys
import textwrap
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

BOUND_S = 20


async def run_python(code: str, *arguments: str | Path) -> tuple[int, str]:
    """Return the exit code and the last line that the program printed."""
    async with _started(code, *arguments) as process:
        async with asyncio.timeout(BOUND_S):
            output, _ = await process.communicate()
    lines = output.decode().splitlines() or [""]
    return process.returncode or 0, lines[-1]


@asynccontextmanager
async def waiting_python(code: str, *arguments: str | Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """Give the process once it has printed a line; it ends when its standard input is closed."""
    async with _started(code, *arguments) as process:
        assert process.stdout is not None
        async with asyncio.timeout(BOUND_S):
            assert await process.stdout.readline()
        yield process


@asynccontextmanager
async def _started(code: str, *arguments: str | Path) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        textwrap.dedent(code),
        *map(str, arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
