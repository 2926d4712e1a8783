"""Opens, migrates, holds and backs up the database that the settings name: a file, or a Postgres server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from agent_core.errors import StoreCause, StoreFailure
from agent_core.stores.sql.backup import Stop, back_up, never
from agent_core.stores.sql.commits import AfterCommit
from agent_core.stores.sql.database import Database
from agent_core.stores.sql.holdings import Holdings as Holdings  # noqa: PLC0414  callers name it
from agent_core.stores.sql.locks import opened, serving
from agent_core.stores.sql.migrate import Migrated, load_migrations, migrate
from agent_core.stores.sql.restore import Restored, examine, restore
from agent_core.stores.sql.sqlite import open_database
from bot.settings import Settings

if TYPE_CHECKING:
    from agent_core.stores.sql.postgres.place import PostgresPlace


@asynccontextmanager
async def open_notes(settings: Settings, after_commit: AfterCommit | None) -> AsyncIterator[Database]:
    """Give the database, created or migrated where needed; closed on leaving.

    Raises:
        StoreFailure: it can't be opened, or is newer than this program.
    """
    await asyncio.to_thread(_make_folder, settings)
    place = await asyncio.to_thread(_postgres, settings)
    opening = (
        open_database(settings.database, after_commit=after_commit)
        if place is None
        else place.open(after_commit)
    )
    async with opening as database:
        yield database


def described_database(settings: Settings) -> str:
    """Return where the database is, for people; blocks.

    Raises:
        StoreFailure: its server can't be reached.
    """
    place = _postgres(settings)
    return str(settings.database) if place is None else place.described()


def migrate_database(settings: Settings) -> Migrated:
    """Bring the database up to date and return from which to which version; blocks.

    Raises:
        StoreFailure: it can't be opened, is newer than this program, can't be backed up, or is served.
    """
    _make_folder(settings)
    place = _postgres(settings)
    if place is not None:
        return place.migrate()
    with opened(settings.database):
        return migrate(settings.database, load_migrations())


@asynccontextmanager
async def serve(settings: Settings, since: str) -> AsyncIterator[None]:
    """Hold the database, brought up to date, as the one process that serves it; `since` is told to others.

    Raises:
        StoreFailure: reason "served"; or as `migrate_database`.
    """
    with ExitStack() as held:

        def take() -> None:
            _make_folder(settings)
            place = _postgres(settings)
            if place is not None:
                held.enter_context(place.serving(since))
                place.migrate(served_here=True)
                return
            held.enter_context(serving(settings.database, since))
            with opened(settings.database):
                migrate(settings.database, load_migrations(), served_here=True)

        await asyncio.to_thread(take)
        yield


def back_up_database(settings: Settings, target: Path, *, stop: Stop = never) -> Holdings:
    """Return what a checked copy of the database holds; blocks, and others may write meanwhile.

    Raises:
        StoreFailure: it can't be read or copied; reason "backup_exists", or "backup_elsewhere" where a server
            keeps it.
    """
    refuse_server(settings)
    return back_up(settings.database, target, stop=stop)


def examine_backup(file: Path) -> Holdings:
    """Return what a database file holds, after checking all of it; blocks.

    Raises:
        StoreFailure: reason "backup_missing", "backup_foreign", "backup_damaged" or "backup_newer".
    """
    return examine(file, load_migrations()[-1].number)


def restore_database(settings: Settings, file: Path, *, since: str, label: str) -> Restored:
    """Put a backup in the place of the database, which is kept beside it under `label`; blocks.

    Raises:
        StoreFailure: as `examine_backup`; the database is in use, or can't be written; "backup_elsewhere".
    """
    refuse_server(settings)
    newest = load_migrations()[-1].number
    return restore(file, settings.database, newest=newest, since=since, label=label)


def refuse_server(settings: Settings) -> None:
    """Return if a file holds the database, which can be copied and replaced.

    Raises:
        StoreFailure: reason "backup_elsewhere".
    """
    if settings.database_url is not None:
        raise StoreFailure(reason="backup_elsewhere")


def _postgres(settings: Settings) -> "PostgresPlace | None":
    """Return where on a server the notes are, None where a file holds them.

    Raises:
        StoreFailure: reason "no_driver".
    """
    if settings.database_url is None:
        return None
    try:
        from agent_core.stores.sql.postgres.place import PostgresPlace  # noqa: PLC0415  from the extra
    except ImportError as error:
        raise StoreFailure(reason="no_driver") from error
    return PostgresPlace.at(settings.database_url.get_secret_value())


def _make_folder(settings: Settings) -> None:
    try:
        settings.database.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreFailure(reason=StoreCause.READ_ONLY) from error
