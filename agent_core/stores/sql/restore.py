"""Puts a backup in the place of a database, and keeps what it replaces."""

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from agent_core.errors import StoreCause, StoreFailure
from agent_core.stores.sql.backup import copy_checked, free_name, open_existing, sync
from agent_core.stores.sql.connection import connect, store_failure
from agent_core.stores.sql.holdings import Holdings, check_integrity, read_holdings, schema_version
from agent_core.stores.sql.locks import alone

_SIDE_FILES = ("-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Restored:
    """What was put in place, and where the database is that stood there before, if any."""

    holdings: Holdings
    replaced: Path | None


def examine(file: Path, newest: int) -> Holdings:
    """Return what a backup holds, after checking all of it.

    Raises:
        StoreFailure: reason "backup_missing", "backup_foreign", "backup_damaged" or "backup_newer", each
            with `file`.

    """
    if not file.is_file():
        raise StoreFailure(reason="backup_missing", file=file.name)
    try:
        with closing(open_existing(file, "ro")) as connection:
            if schema_version(connection, newest) == 0:
                raise StoreFailure(reason="backup_foreign", file=file.name)
            check_integrity(connection)
            return read_holdings(connection)
    except StoreFailure as failure:
        raise _about(failure, file) from failure
    except sqlite3.Error as error:
        foreign = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_NOTADB
        reason = "backup_foreign" if foreign else "backup_damaged"
        raise StoreFailure(reason=reason, file=file.name) from error


def restore(file: Path, path: Path, *, newest: int, since: str, label: str) -> Restored:
    """Return what was restored from the backup `file` to `path`; the file is checked first and after copying.

    Blocks. What stands at `path` is kept beside it under a name with `label`, logs of it are folded into it
    or kept with it. Until the very last step, and if anything fails, the old database stays as it is.

    Raises:
        StoreFailure: as `examine`; "served" or "busy", somebody uses the database; "same_file"; or the
            cause for which it can't be written.

    """
    if path.exists() and file.exists() and os.path.samefile(file, path):
        raise StoreFailure(reason="same_file", file=file.name)
    examine(file, newest)
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with alone(path, since), closing(open_existing(file, "ro")) as source:
            holdings = copy_checked(source, unfinished)
            replaced = _keep_old(path, label)
            os.replace(unfinished, path)
            sync(path.parent)
    except (sqlite3.Error, OSError) as error:
        raise store_failure(error, path) from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return Restored(holdings, replaced)


def _about(failure: StoreFailure, file: Path) -> StoreFailure:
    match failure.facts:
        case {"reason": StoreCause.DAMAGED, "detail": "not a LoreKeeper database"}:
            return StoreFailure(reason="backup_foreign", file=file.name)
        case {"reason": StoreCause.DAMAGED}:
            return StoreFailure(reason="backup_damaged", file=file.name)
        case {"reason": "newer"}:
            return StoreFailure(reason="backup_newer", file=file.name)
    return failure


def _keep_old(path: Path, label: str) -> Path | None:
    """Return the second name under which the old database is kept; no log is left beside the first.

    A log that stayed would be taken for the log of the database that comes in its place.
    """
    there = [suffix for suffix in ("", *_SIDE_FILES) if path.with_name(path.name + suffix).exists()]
    if not there:
        return None
    replaced = free_name(path, label)
    if "" in there and _folded(path):
        there = [""]
    for suffix in reversed(there):
        old, new = path.with_name(path.name + suffix), replaced.with_name(replaced.name + suffix)
        if suffix:
            os.replace(old, new)
        else:
            _give_second_name(old, new)
    return replaced if "" in there else None


def _folded(path: Path) -> bool:
    """Return whether the log beside the file was folded into it; False where the file is too damaged.

    Raises:
        sqlite3.Error: another program has the file open.

    """
    try:
        with closing(connect(path, busy_timeout_s=1.0)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        if store_failure(error, path).facts["reason"] is StoreCause.BUSY:
            raise
        return False
    return not any(path.with_name(path.name + suffix).exists() for suffix in _SIDE_FILES)


def _give_second_name(old: Path, new: Path) -> None:
    """Let the database keep its first name until the new one takes it, so that there is one at any moment."""
    try:
        os.link(old, new)
    except OSError:  # not every file system knows second names
        os.replace(old, new)
