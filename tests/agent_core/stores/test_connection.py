"""How causes of failure are told apart where SQLite's code alone does not say enough."""

import errno
import sqlite3
from pathlib import Path

import pytest

from agent_core.errors import StoreCause
from agent_core.stores.sql.connection import store_failure


def sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("as the driver says it")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (OSError(errno.ENOSPC, "no space"), StoreCause.FULL),
        (OSError(errno.EDQUOT, "quota"), StoreCause.FULL),
        (OSError(errno.EROFS, "read-only"), StoreCause.READ_ONLY),
        (OSError(errno.EACCES, "forbidden"), StoreCause.UNREACHABLE),
        (sqlite_error(sqlite3.SQLITE_BUSY_SNAPSHOT), StoreCause.BUSY),
        (sqlite_error(sqlite3.SQLITE_READONLY_DIRECTORY), StoreCause.READ_ONLY),
        (sqlite_error(sqlite3.SQLITE_CORRUPT_VTAB), StoreCause.DAMAGED),
        (sqlite_error(sqlite3.SQLITE_IOERR_WRITE), StoreCause.OTHER),
        (sqlite3.ProgrammingError("no code at all"), StoreCause.OTHER),
    ],
)
def test_cause_is_told_from_the_code(
    tmp_path: Path, error: sqlite3.Error | OSError, cause: StoreCause
) -> None:
    assert store_failure(error, tmp_path / "lore.db").facts == {"reason": cause}
