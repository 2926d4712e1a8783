"""`lorekeeper backup` and `restore`: a checked copy of the notes, and the way back."""

import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from agent_core.clock import SystemClock, from_stamp
from agent_core.errors import StoreFailure
from agent_core.texts import say
from bot.cli.start import or_exit, settings_or_exit
from bot.databases import Holdings, back_up_database, examine_backup, refuse_server, restore_database
from bot.keeper import backup_name
from bot.settings import Settings

Target = Annotated[Path | None, typer.Argument(help="Where to; a file or a folder. Default: backup folder.")]
Source = Annotated[Path, typer.Argument(help="A backup, or any database file of LoreKeeper.")]
Yes = Annotated[bool, typer.Option("--yes", help="Restore without asking.")]


def backup(file: Target = None) -> None:
    """Copy the notes into one file, checked; LoreKeeper may go on running."""
    settings = settings_or_exit()
    name = backup_name(settings.database.stem, "backup", SystemClock().now())
    target = settings.backup_dir / name if file is None else file / name if file.is_dir() else file
    with or_exit(settings.language):
        holdings = back_up_database(settings, target)
    shown = holdings_text(holdings, settings)
    typer.echo(say(settings.language, "keeping.backed_up", holdings=shown, file=str(target)))


def restore(file: Source, yes: Yes = False) -> None:
    """Put a backup in the place of the notes; what was there is kept beside it. Stop LoreKeeper first."""
    settings = settings_or_exit()
    language = settings.language
    with or_exit(language):
        refuse_server(settings)
        found = examine_backup(file)
    _show(file, found, settings)
    if not yes and not sys.stdin.isatty():
        typer.echo(say(language, "keeping.restore_dry"))
        return
    if not yes and not typer.confirm(say(language, "keeping.restore_ask"), default=False):
        typer.echo(say(language, "keeping.restore_declined"))
        return
    now = SystemClock().now()
    with or_exit(language):
        done = restore_database(
            settings, file, since=minute_text(now, settings), label=now.strftime("replaced-%Y%m%dT%H%M%SZ")
        )
    typer.echo(say(language, "keeping.restored", holdings=holdings_text(done.holdings, settings)))
    if done.replaced is not None:
        typer.echo(say(language, "keeping.replaced", file=str(done.replaced)))


def holdings_text(holdings: Holdings, settings: Settings) -> str:
    """Return what a database holds, in words: "2 series, 412 edits, the last of 2026-05-01 09:30"."""
    language = settings.language
    return say(
        language,
        "keeping.holdings",
        series=say(language, "keeping.series", n=holdings.series),
        edits=say(language, "keeping.edits", n=holdings.edits),
        latest=minute_text(from_stamp(holdings.latest), settings) if holdings.latest else "",
    )


def minute_text(instant: datetime, settings: Settings) -> str:
    """Return an instant as this machine's people read it."""
    return instant.astimezone(settings.time_zone).strftime("%Y-%m-%d %H:%M")


def _show(file: Path, found: Holdings, settings: Settings) -> None:
    language, here = settings.language, str(settings.database)
    shown = holdings_text(found, settings)
    typer.echo(say(language, "keeping.restore_found", file=file.name, holdings=shown))
    if settings.database.exists():
        there = _there(settings)
        typer.echo(say(language, "keeping.restore_there", file=here, holdings=there))
    else:
        typer.echo(say(language, "keeping.restore_new", file=here))


def _there(settings: Settings) -> str:
    """Return what stands in the place now, as far as it can still be read."""
    try:
        return holdings_text(examine_backup(settings.database), settings)
    except StoreFailure:
        return say(settings.language, "keeping.damaged")
