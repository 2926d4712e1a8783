"""Serves the page and the API beside whatever else runs."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from agent_core.errors import LoreKeeperError
from agent_core.texts import say
from bot.wiring import App

if TYPE_CHECKING:
    from adapters.http.hook import Hook


async def serve_page(app: App, ready: asyncio.Event, hooks: "Sequence[Hook]" = ()) -> None:
    """Serve until cancelled; `ready` is set when the address, or why there is none, has been printed."""
    from adapters.http.server import serve_http  # noqa: PLC0415  slow, and only needed here

    language = app.settings.language

    def started(address: str) -> None:
        typer.echo(say(language, "http.started", address=address))
        ready.set()

    def moved(wanted: int, taken: int) -> None:
        typer.echo(say(language, "http.moved", wanted=wanted, taken=taken))

    try:
        await serve_http(app, started, moved, hooks)
    except LoreKeeperError as error:
        typer.echo(say(language, error.text_key, **error.facts), err=True)
        ready.set()
