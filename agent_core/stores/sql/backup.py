"""Copies a database file while it is in use, and checks the copy.

SQLite's own backup call is used: the newest rows may stand in the log beside the file only.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import Literal

from agent_core.errors import StoreCause, StoreFailure
from agent_core.stores.sql.connection import create_private, store_failure
from agent_core.stores.sql.holdings import Holdings, check_integrity, read_holdings
from agent_core.stores.sql.locks import opened

Stop = Callable[[], bool]

_PAGES_AT_ONCE = 1024
_STEPS_BETWEEN_LOOKS = 100_000


def never() -> bool:
    """Return False: nothing stops the copying."""
    return False


def back_up(path: Path, target: Path, *, stop: Stop = never) -> Holdings:
    """Return what the checked copy of `path` at `target` holds; other processes may write meanwhile.

    Blocks; run it in a thread. The copy is one file that only its owner may read, durable when this returns.
    `stop` is asked now and then and ends the copying with a failure.

    Raises:
        StoreFailure: reason "backup_exists" (with `file`) where the target is there already; unreadable,
            damaged or full otherwise. No half-made copy is left.

    """
    if not path.exists():
        raise StoreFailure(reason=StoreCause.UNREACHABLE)
    if target.exists():
        raise StoreFailure(reason="backup_exists", file=target.name)
    unfinished = target.with_name(target.name + ".unfinished")
    try:
        with opened(path), closing(open_existing(path, "rw")) as source:
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            holdings = copy_checked(source, unfinished, stop)
        os.replace(unfinished, target)
        sync(target.parent)
    except (sqlite3.Error, OSError) as error:
        raise store_failure(error, target) from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return holdings


def copy_checked(source: sqlite3.Connection, target: Path, stop: Stop = never) -> Holdings:
    """Return what the copy holds, which was made anew at `target` and compared with its source.

    Raises:
        StoreFailure: reason "damaged".
        sqlite3.Error: the source can't be read or the copy not written.
        OSError: the copy can't be written.

    """
    for left in (target, target.with_name(target.name + "-journal")):
        left.unlink(missing_ok=True)
    create_private(target)
    with closing(sqlite3.connect(target)) as copy:
        source.execute("BEGIN")
        expected = read_holdings(source)
        source.backup(copy, pages=_PAGES_AT_ONCE, progress=lambda *_: _look(stop))
        copy.set_progress_handler(stop, _STEPS_BETWEEN_LOOKS)
        copy.execute("PRAGMA journal_mode = DELETE")
        check_integrity(copy)
        found = read_holdings(copy)
    if found != expected:
        raise StoreFailure(reason=StoreCause.DAMAGED, detail=f"copied {found} of {expected}")
    sync(target)
    return found


def open_existing(path: Path, mode: Literal["ro", "rw"]) -> sqlite3.Connection:
    """Return a connection to read by; transactions are begun by hand.

    With "ro" the file stays as it is, to the byte. With "rw" its log is tidied up by the last who closes it.

    Raises:
        sqlite3.Error: the file is missing or can't be read.

    """
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None)


def free_name(path: Path, label: str) -> Path:
    """Return a name beside `path` that says `label` and is not taken: "lore.label.db", "lore.label-2.db"."""
    names = (path.with_name(f"{path.stem}.{label}{f'-{i}' if i > 1 else ''}{path.suffix}") for i in count(1))
    return next(name for name in names if not name.exists())


def sync(path: Path) -> None:
    """Make a file, or the names in a folder, outlive a loss of power.

    Raises:
        OSError: it can't be opened or the disk refuses.

    """
    if path.is_dir() and os.name == "nt":  # this system can't open a folder
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _look(stop: Stop) -> None:
    if stop():
        raise InterruptedError
