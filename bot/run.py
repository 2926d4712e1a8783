"""Everything that a serving process runs beside each other, until the first of its talks ends."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from agent_core.errors import LoreKeeperError
from agent_core.people.codes import LIFETIME
from agent_core.texts import say
from bot.keeper import keeper_for
from bot.scheduled import ScheduledRuns
from bot.ticker import Ticker
from bot.wiring import App

if TYPE_CHECKING:
    from adapters.http.hook import Hook

Work = Callable[[], Coroutine[object, object, None]]
Page = Callable[[App, asyncio.Event, "Sequence[Hook]"], Coroutine[object, object, None]]
Talk = Callable[[App], Awaitable[int]]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Platform:
    """A chat platform that is set up. `serve` runs until cancelled, `hook` is where it calls us."""

    name: str
    serve: Work
    hook: "Hook | None" = None


async def run_all(app: App, platforms: tuple[Platform, ...], page: Page, talk: Talk | None) -> int:
    """Serve the page, the chat platforms, scheduled tasks and nightly backups; return the exit code.

    It ends with the talk at the terminal, without one only when it is cancelled. What fails for good ends
    the process with its sentence; a platform that can't be reached is its adapter's to wait for.
    """
    try:
        async with asyncio.TaskGroup() as tasks:
            ready = asyncio.Event()
            hooks = [platform.hook for platform in platforms if platform.hook is not None]
            running = [
                tasks.create_task(_keep(app)),
                tasks.create_task(app.tool_calling.prove()),
                tasks.create_task(page(app, ready, hooks)),
                tasks.create_task(ticker_of(app, (platform.name for platform in platforms)).run()),
                *(tasks.create_task(platform.serve()) for platform in platforms),
            ]
            await _tell_pairing(app, platforms)
            await ready.wait()
            code = await talk(app) if talk is not None else await _forever()
            for task in running:
                task.cancel()
    except ExceptionGroup as group:  # what went wrong, as it was
        raise group.exceptions[0] from None
    return code


def ticker_of(app: App, platforms: Iterable[str]) -> Ticker:
    """Return the clock of the scheduled tasks in places of these platforms, the page and the terminal."""
    runs = ScheduledRuns(app.core, app.schedule, app.outlets)
    served = frozenset({*platforms, "http", "terminal"})
    return Ticker(schedule=app.schedule, runs=runs, holder=app.core.order.holder, platforms=served)


async def _keep(app: App) -> None:
    if app.settings.backup_keep and app.settings.database_url is None:
        await keeper_for(app.settings, app.core.runtime.notices.broke).run()


async def _tell_pairing(app: App, platforms: tuple[Platform, ...]) -> None:
    """Print the code that opens platforms which nobody has opened yet."""
    closed = [platform.name for platform in platforms if not await app.pairing.is_paired(platform.name)]
    if not closed:
        return
    language = app.settings.language
    try:
        code = await app.pairing.new_code()
    except LoreKeeperError:
        logger.exception("no pairing code")
        return
    typer.echo(say(language, "pairing.fresh", platforms=tuple(name.capitalize() for name in closed)))
    typer.echo(say(language, "pairing.code", command=f"/start {code}"))
    typer.echo(say(language, "pairing.minutes", n=LIFETIME.seconds // 60))


async def _forever() -> int:
    await asyncio.Event().wait()
    return 0
