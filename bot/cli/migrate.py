"""`lorekeeper migrate`: brings the database up to date."""

import typer

from agent_core.texts import say
from bot.cli.start import or_exit, settings_or_exit
from bot.databases import migrate_database


def migrate() -> None:
    """Bring the notes up to date; what was there is backed up beside them first."""
    settings = settings_or_exit()
    with or_exit(settings.language):
        done = migrate_database(settings)
    if done.backup is None:
        typer.echo(say(settings.language, "cli.migrated", version=done.after))
    else:
        typer.echo(say(settings.language, "cli.migrated_from", old=done.before, version=done.after))
