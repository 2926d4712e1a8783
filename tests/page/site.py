"""A whole installation served over a real socket, with the sample series in it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from adapters.http.server import serve_http
from agent_core.llm.base import ChatModel
from bot.cli.sample import ensure_series
from bot.databases import migrate_database
from bot.settings import Settings
from bot.wiring import App, build

BOUND_S = 10


@dataclass(frozen=True)
class Site:
    """The page at an address."""

    app: App
    address: str


@asynccontextmanager
async def opened(
    folder: Path, model: ChatModel | None = None, *, private_hosts: str = ""
) -> AsyncIterator[Site]:
    """Serve the notes in a folder; without a model the offline responder answers."""
    settings = Settings(
        data_dir=folder,
        http_port=0,
        language="en",
        user_name="ann",
        time_zone=ZoneInfo("UTC"),
        private_hosts=private_hosts,
    )
    async with build(settings, model=model) as app:
        started: asyncio.Queue[str] = asyncio.Queue()
        serving = asyncio.ensure_future(serve_http(app, started.put_nowait))
        try:
            async with asyncio.timeout(BOUND_S):
                address = await started.get()
            yield Site(app, address)
        finally:
            serving.cancel()
            await asyncio.wait({serving})


async def write_sample(folder: Path) -> None:
    """Write the sample series into a new folder."""
    settings = Settings(data_dir=folder, language="en", user_name="ann", time_zone=ZoneInfo("UTC"))
    await asyncio.to_thread(migrate_database, settings)
    async with build(settings) as app:
        await ensure_series(app)
