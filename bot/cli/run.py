"""`lorekeeper run`: starts what is set up; with nothing set up the terminal on the sample series."""

import asyncio
import sys

import typer

from agent_core.clock import SystemClock
from agent_core.texts import say
from bot.cli.backup import minute_text
from bot.cli.chat import Wish, talk
from bot.cli.place import Seat
from bot.cli.start import run_to_exit, settings_or_exit
from bot.keeper import keeper_for
from bot.settings import Settings
from bot.wiring import App, build, serve


def run() -> None:
    """Open the notes (the sample series where there are none) and talk at this terminal."""
    settings = settings_or_exit()
    run_to_exit(_serve(settings), settings.language)


async def _serve(settings: Settings) -> int:
    since = minute_text(SystemClock().now(), settings)
    async with serve(settings, since), build(settings) as app:
        try:
            async with asyncio.TaskGroup() as tasks:
                keeping = tasks.create_task(_keep(app))
                code = await _talk(app)
                keeping.cancel()
        except ExceptionGroup as group:  # what went wrong in the conversation, as it was
            raise group.exceptions[0] from None
    return code


async def _keep(app: App) -> None:
    if app.settings.backup_keep:
        await keeper_for(app.settings, app.core.runtime.notices.broke).run()


async def _talk(app: App) -> int:
    from bot.cli.sample import ensure_series  # noqa: PLC0415  only where something is started

    language = app.settings.language
    name = await ensure_series(app)
    if name:
        typer.echo(say(language, "cli.sample", series=name))
    if not sys.stdin.isatty():
        typer.echo(say(language, "cli.no_terminal"))
        return 0
    wish = Wish(texts=(), yes=False, no=False, pick="", seat=Seat(), finished="", as_json=False)
    return await talk(app, wish)
