"""Runs the command line as people do: a process of its own, a folder of its own."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

BOUND_S = 30
STDIN = 0


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
        "LOREKEEPER_HTTP_PORT": "0",
        **more,
    }


async def lorekeeper(folder: Path, *arguments: str, typed: str | bytes = "", **variables: str) -> Ended:
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
            output, _ = await process.communicate(typed.encode() if isinstance(typed, str) else typed)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Ended(process.returncode or 0, output.decode())


async def served(folder: Path, **variables: str) -> Ended:
    """Return how a `run` without a terminal ended that was told to stop once it served its page."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot.cli.main",
        "run",
        cwd=folder,
        env=environment(folder, **variables),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    said = b""
    try:
        async with asyncio.timeout(BOUND_S):
            while b"http://" not in said and (line := await process.stdout.readline()):
                said += line
            if process.returncode is None and b"http://" in said:
                process.terminate()
            said += await process.stdout.read()
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Ended(process.returncode or 0, said.decode())


@dataclass
class Terminal:
    """A command that waits at a pseudo terminal. `unread` is what came after the last mark."""

    process: asyncio.subprocess.Process
    handle: int
    unread: bytes = b""

    async def until(self, mark: str) -> str:
        """Return what the command prints up to and with `mark`."""
        try:
            async with asyncio.timeout(BOUND_S):
                return await asyncio.to_thread(self._read, mark)
        except TimeoutError:
            raise AssertionError(f"waited for {mark!r} in vain:\n{self.unread.decode()}") from None

    async def reads(self) -> None:
        """Wait until the command is inside its read: a signal just before it is heard late."""
        state = Path(f"/proc/{self.process.pid}/syscall")
        async with asyncio.timeout(BOUND_S):
            await asyncio.to_thread(_wait_for_read, state)

    async def type(self, text: str) -> None:
        """Type a line."""
        await asyncio.to_thread(os.write, self.handle, f"{text}\r".encode())

    async def ended(self) -> int:
        """Return the exit code."""
        async with asyncio.timeout(BOUND_S):
            return await self.process.wait()

    def _read(self, mark: str) -> str:
        while mark.encode() not in self.unread:
            try:
                piece = os.read(self.handle, 1024)
            except OSError:  # what a closed terminal gives
                piece = b""
            if not piece:
                raise AssertionError(f"ended without {mark!r}:\n{self.unread.decode()}")
            self.unread += piece
        before, _, self.unread = self.unread.partition(mark.encode())
        return before.decode() + mark


def _wait_for_read(state: Path) -> None:
    while state.exists() and state.read_text().split()[1:2] != [f"{STDIN:#x}"]:  # only Linux tells
        os.sched_yield()


@asynccontextmanager
async def at_terminal(folder: Path, *arguments: str, **variables: str) -> AsyncIterator[Terminal]:
    """Give a command that runs at a terminal; it is ended on leaving."""
    ours, theirs = os.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot.cli.main",
        *arguments,
        cwd=folder,
        env=environment(folder, TERM="dumb", COLUMNS="200", **variables),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        os.close(ours)
