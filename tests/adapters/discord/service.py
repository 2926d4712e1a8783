"""The bot as a process of its own, started as people start it, against an emulated Discord."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.bot.commands import environment
from tests.emulators.discord import Discord

BOUND_S = 30.0


@dataclass
class Service:
    """A running `lorekeeper run`; `lines` is what it printed so far."""

    process: asyncio.subprocess.Process
    lines: list[str] = field(default_factory=list)

    async def line(self, holding: str) -> str:
        """Return the first line that holds this text, waiting for it."""
        async with asyncio.timeout(BOUND_S):
            while not (found := [line for line in self.lines if holding in line]):
                assert self.process.stdout is not None
                read = await self.process.stdout.readline()
                assert read, "the process ended:\n" + "".join(self.lines)
                self.lines.append(read.decode())
        return found[0]

    async def stop(self) -> int:
        """Tell it to stop as a service manager does; return its exit code."""
        assert self.process.stdout is not None
        if self.process.returncode is None:
            self.process.terminate()
        async with asyncio.timeout(BOUND_S):
            rest = await self.process.stdout.read()
            self.lines.append(rest.decode())
            return await self.process.wait()


@asynccontextmanager
async def service(folder: Path, discord: Discord, **variables: str) -> AsyncIterator[Service]:
    """Run the bot until the end of the block; it must have connected before the block begins."""
    settings = {
        "LOREKEEPER_DISCORD_TOKEN": discord.token,
        "LOREKEEPER_DISCORD_API_BASE": discord.api_base,
        "LOREKEEPER_DISCORD_GATEWAY_URL": discord.gateway_url,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot.cli.main",
        "run",
        cwd=folder,
        env=environment(folder, **settings, **variables),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    before = discord.gateway.identified
    running = Service(process)
    try:
        try:
            await discord.until(lambda: discord.gateway.identified > before, within_s=BOUND_S)
        except AssertionError:
            await running.stop()
            raise AssertionError("no bot connects:\n" + "".join(running.lines)) from None
        yield running
        await running.stop()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
