"""`lorekeeper pair`: prints the code that makes somebody the operator of a chat platform."""

import typer

from agent_core.people.codes import LIFETIME
from agent_core.texts import say
from bot.cli.start import with_app
from bot.wiring import App


def pair() -> None:
    """Print a single-use code; who sends it to the bot with /start is its operator there."""
    with_app(_pair)


async def _pair(app: App) -> int:
    language = app.settings.language
    code = await app.pairing.new_code()
    typer.echo(say(language, "pairing.code", command=f"/start {code}"))
    typer.echo(say(language, "pairing.minutes", n=LIFETIME.seconds // 60))
    return 0
