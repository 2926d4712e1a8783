"""What a serving start finds out before anybody asks."""

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.bot.commands import BOUND_S, at_terminal, lorekeeper
from tests.emulators.model_endpoint import Call, ModelEndpoint


async def test_serving_start_tests_the_model_once_for_good(folder: Path) -> None:
    async with ModelEndpoint() as endpoint:
        model = {"LOREKEEPER_MODEL": "scripted", "LOREKEEPER_MODEL_BASE_URL": endpoint.url}
        endpoint.reply(Call("ping", {"word": "pong"}))
        async with at_terminal(folder, "run", **model), asyncio.timeout(BOUND_S):
            await asyncio.to_thread(_wait_for_test, folder / "notes" / "lorekeeper.db")
        endpoint.reply("Hello.")
        async with at_terminal(folder, "run", **model) as terminal:
            await terminal.until("Ctrl-D")
            await terminal.type("Who is there?")
            await terminal.until("Hello.")

    assert endpoint.requests[0].tools == ["ping"]
    assert len(endpoint.requests) == 2


async def test_short_commands_ask_no_model_for_a_test(folder: Path) -> None:
    async with ModelEndpoint() as endpoint:
        model = {"LOREKEEPER_MODEL": "scripted", "LOREKEEPER_MODEL_BASE_URL": endpoint.url}
        ended = await lorekeeper(folder, "chat", "--say", "/where", **model)

    assert ended.code == 0
    assert endpoint.requests == []


def _wait_for_test(database: Path) -> None:
    """Wait until the outcome of a test is stored."""
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        while not connection.execute("SELECT 1 FROM tool_calling").fetchall():
            os.sched_yield()
