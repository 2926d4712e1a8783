"""Opens SQLite files and translates SQLite's errors into ours."""

import errno
import os
import shutil
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from agent_core.errors import StoreCause, StoreFailure

_CAUSES = {
    sqlite3.SQLITE_BUSY: StoreCause.BUSY,
    sqlite3.SQLITE_LOCKED: StoreCause.BUSY,
    sqlite3.SQLITE_READONLY: StoreCause.READ_ONLY,
    sqlite3.SQLITE_FULL: StoreCause.FULL,
    sqlite3.SQLITE_CORRUPT: StoreCause.DAMAGED,
    sqlite3.SQLITE_NOTADB: StoreCause.DAMAGED,
    sqlite3.SQLITE_CANTOPEN: StoreCause.UNREACHABLE,
    sqlite3.SQLITE_PERM: StoreCause.UNREACHABLE,
    sqlite3.SQLITE_AUTH: StoreCause.UNREACHABLE,
}
_SCARCE_BYTES = 1 << 20


def connect(path: Path, *, busy_timeout_s: float, query_only: bool = False) -> sqlite3.Connection:
    """Return a connection in WAL mode to an existing file; transactions are begun and ended by hand.

    Raises:
        sqlite3.Error: if the file is missing, damaged, or its folder can't be written.

    """
    uri = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(
        uri, uri=True, timeout=busy_timeout_s, isolation_level=None, cached_statements=256
    )
    try:
        _use_wal(connection, time.monotonic() + busy_timeout_s)
        for pragma in ("foreign_keys = ON", "temp_store = MEMORY", "cache_size = -16000"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("PRAGMA journal_size_limit = 67108864")
        if query_only:
            connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def create_private(path: Path) -> None:
    """Create an empty file that only its owner may read, if there is none.

    Raises:
        OSError: if the folder is missing or can't be written.

    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def store_failure(error: sqlite3.Error | OSError, path: Path) -> StoreFailure:
    """Return our error for what the driver or the file system said."""
    return StoreFailure(reason=_cause(error, path))


def _use_wal(connection: sqlite3.Connection, deadline: float) -> None:
    """Switch the file to write-ahead logging; SQLite's own busy timeout does not cover this switch."""
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if _primary(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _cause(error: sqlite3.Error | OSError, path: Path) -> StoreCause:
    if isinstance(error, OSError):
        return _os_cause(error)
    cause = _CAUSES.get(_primary(error), StoreCause.OTHER)
    if _primary(error) == sqlite3.SQLITE_IOERR and _disk_is_full(path):
        return StoreCause.FULL
    if cause is StoreCause.UNREACHABLE and path.exists() and not os.access(path, os.W_OK):
        return StoreCause.READ_ONLY
    return cause


def _os_cause(error: OSError) -> StoreCause:
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return StoreCause.FULL
    return StoreCause.READ_ONLY if error.errno == errno.EROFS else StoreCause.UNREACHABLE


def _primary(error: sqlite3.Error) -> int:
    """Return the primary result code; the driver raises some errors of its own without one."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF


def _disk_is_full(path: Path) -> bool:
    with suppress(OSError):
        return shutil.disk_usage(path.parent).free < _SCARCE_BYTES
    return False
