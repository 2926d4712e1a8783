"""A process that runs scheduled tasks: ended hard at each of its commits in turn, or beside another like it.

    python -m tests.scenarios.schedule_child FOLDER kill     FOLDER/origin holds tasks that are due
    python -m tests.scenarios.schedule_child FOLDER race     ticks in FOLDER at each line of its input

After each kill another process takes over, and what it left is checked; the commits visited are printed.
"""

import asyncio
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path

from agent_core.clock import new_id
from agent_core.events import ignore
from agent_core.llm.base import OnDelta
from agent_core.messages import Json, ModelReply, ModelRequest
from agent_core.tools.catalogue import TOOLS
from bot.run import ticker_of
from bot.wiring import App, build
from tests.clock import NOON, FakeClock
from tests.scenarios.kill_child import ann, settings

DUE = NOON + timedelta(hours=1)
PLANNED: tuple[dict[str, Json], ...] = (
    {"when": "every day 13:00", "prompt": "How is Mara?"},
    {"when": "every day 13:00", "tool": "search_lore", "arguments": {"query": "Mara"}},
    {
        "when": "every day 13:00",
        "tool": "record_lore_state",
        "arguments": {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "1"},
    },
)
OFTEN: tuple[dict[str, Json], ...] = (
    {"when": "every 5 minutes", "prompt": "How is Mara?"},
    {"when": "*/10 * * * *", "tool": "search_lore", "arguments": {"query": "Mara"}},
)
Work = Callable[[App], Awaitable[None]]


class Steady:
    """A model that answers everything alike."""

    name, label = "steady", ""

    async def complete(self, request: ModelRequest, on_delta: OnDelta) -> ModelReply:
        return ModelReply("She is well.")


async def plan(app: App) -> None:
    """Set up one task of each kind."""
    await _planned(app, PLANNED)


async def plan_often(app: App) -> None:
    """Set up tasks that come often."""
    await _planned(app, OFTEN)


async def _planned(app: App, wanted: tuple[dict[str, Json], ...]) -> None:
    asker = await ann(app)
    for arguments in wanted:
        await app.core.propose([("create_scheduled_task", arguments)], asker, complete=True)


async def tick(app: App) -> None:
    """Run what is due, as one after another: so each commit has its place."""
    ticker = ticker_of(app, ())
    await ticker.take_over()
    async with asyncio.TaskGroup() as tasks:
        await ticker.tick(tasks)


async def take_over(app: App) -> None:
    """Do what a process does that starts after a crash, and look twice."""
    await app.core.recover(lambda _: ignore)
    await tick(app)
    await tick(app)


async def tick_through(app: App) -> None:
    """Tick a minute on for each line of standard input, and answer when all that was due has run."""
    ticker, clock = ticker_of(app, ()), app.core.runtime.clock
    assert isinstance(clock, FakeClock)
    while await asyncio.to_thread(sys.stdin.readline):
        clock.advance(minutes=1)
        async with asyncio.TaskGroup() as tasks:
            await ticker.tick(tasks)
        print("ticked", flush=True)  # noqa: T201  the answer


def run(folder: Path, work: Work, kill_at: int | None = None, *, now: FakeClock | None = None) -> None:
    """Do the work in the installation of this folder, killed at a commit."""

    def after_commit(count: int) -> None:
        if count == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    async def started() -> None:
        clock = now or FakeClock(DUE)
        async with build(
            settings(folder), clock=clock, ids=new_id, model=Steady(), tools=TOOLS, after_commit=after_commit
        ) as app:
            await work(app)

    asyncio.run(started())


def is_killed(folder: Path, work: Work, kill_at: int | None) -> bool:
    """Return whether a process of its own was killed at that commit, before the work was done."""
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            run(folder, work, kill_at)
            os._exit(0)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    if status and not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL):
        raise SystemExit(f"the run in {folder} failed")
    return bool(status)


def check(folder: Path) -> None:
    """Pass if each task ran once for its due time, and all that it led to is there once."""
    with closing(sqlite3.connect(folder / "lorekeeper.db")) as connection:
        rows = connection.execute(
            "SELECT s.prompt, s.tool, r.status, count(*) FROM schedule_run r JOIN schedule s ON s.id = r.task"
            " GROUP BY 1, 2, 3 ORDER BY s.number"
        ).fetchall()
        turns = connection.execute("SELECT status, answer <> '' FROM turn WHERE scheduled = 1").fetchall()
        [(cards,)] = connection.execute("SELECT count(*) FROM batch WHERE status = 'open'").fetchall()
        [(owed,)] = connection.execute(
            "SELECT count(*) FROM outbox WHERE turn <> '' AND status = 'pending'"
        ).fetchall()
    expected = [
        ("How is Mara?", "", "done", 1),
        ("", "search_lore", "done", 1),
        ("", "record_lore_state", "waiting", 1),
    ]
    if rows != expected or turns != [("done", 1)] * 2 or (cards, owed) != (1, 2):
        raise SystemExit(f"{folder}: {rows} {turns} {cards} {owed}")


def main(folder: Path) -> None:
    """Visit every commit of the runs."""
    run(folder / "origin", plan, now=FakeClock())
    visited = 0
    while True:
        copy = folder / str(visited + 1)
        shutil.copytree(folder / "origin", copy)
        killed = is_killed(copy, tick, visited + 1)
        if killed and is_killed(copy, take_over, None):
            raise SystemExit("killed by another")
        check(copy)
        if not killed:
            print(visited)  # noqa: T201  the result
            return
        visited += 1


if __name__ == "__main__":
    if sys.argv[2] == "kill":
        main(Path(sys.argv[1]))
    else:
        run(Path(sys.argv[1]), tick_through, now=FakeClock())
