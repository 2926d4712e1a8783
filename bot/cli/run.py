"""`lorekeeper run`: serves all that is set up; with nothing set up the page, and this terminal."""

import sys

import typer

from agent_core.clock import SystemClock
from agent_core.texts import say
from bot.cli.backup import minute_text
from bot.cli.chat import Wish, talk
from bot.cli.page import serve_page
from bot.cli.place import Seat
from bot.cli.start import run_to_exit, settings_or_exit
from bot.databases import serve
from bot.platforms import platforms_of
from bot.run import run_all
from bot.settings import Settings
from bot.wiring import App, build


def run() -> None:
    """Serve the page and the chat platforms that are set up; talk here if this is a terminal."""
    settings = settings_or_exit()
    run_to_exit(_serve(settings), settings.language)


async def _serve(settings: Settings) -> int:
    since = minute_text(SystemClock().now(), settings)
    async with serve(settings, since), build(settings) as app:
        await _ensure_series(app)
        talks = _talk if sys.stdin.isatty() else None
        return await run_all(app, platforms_of(app), serve_page, talks)


async def _ensure_series(app: App) -> None:
    from bot.cli.sample import ensure_series  # noqa: PLC0415  only where something is started

    name = await ensure_series(app)
    if name:
        typer.echo(say(app.settings.language, "cli.sample", series=name))


async def _talk(app: App) -> int:
    wish = Wish(texts=(), yes=False, no=False, pick="", seat=Seat(), finished="", as_json=False)
    return await talk(app, wish)
