"""Lets scheduled tasks run in tests: one tick of the clock at a time, each to its end."""

import asyncio

from adapters.chat.desk import Desk
from adapters.chat.scheduled import RoomOutlet
from agent_core.schedule.model import Run, Task
from bot.run import ticker_of
from bot.ticker import Ticker
from bot.wiring import App

PLATFORMS = ("paper", "discord", "telegram")


def opened(desk: Desk) -> None:
    """Let runs be shown in the rooms of a desk, as they are while it is kept."""
    exchange = desk.exchange
    exchange.outlets[exchange.rooms.platform] = RoomOutlet(exchange)


async def tick(app: App, ticker: Ticker | None = None) -> float:
    """Let all that is due run to its end; return the seconds until the next look."""
    ticker = ticker or ticker_of(app, PLATFORMS)
    async with asyncio.TaskGroup() as tasks:
        return await ticker.tick(tasks)


async def tasks_of(app: App, conversation: str) -> tuple[Task, ...]:
    """Return the tasks of a conversation as they are stored."""
    return await app.schedule.store.tasks(conversation=conversation, creator="")


async def runs_of(app: App, task: Task) -> tuple[Run, ...]:
    """Return the runs of a task as they are stored, oldest first."""
    return (await app.schedule.store.runs(task.id, 100))[::-1]
