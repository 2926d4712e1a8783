"""`lorekeeper run`: starts what is set up; with nothing set up the terminal on the sample series."""

import sys

import typer

from agent_core.texts import say
from bot.cli.chat import Wish, talk
from bot.cli.place import Seat
from bot.cli.start import with_app
from bot.wiring import App


def run() -> None:
    """Open the notes (the sample series where there are none) and talk at this terminal."""
    with_app(_run)


async def _run(app: App) -> int:
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
