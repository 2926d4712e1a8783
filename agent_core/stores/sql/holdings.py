"""What a database file is and holds: whether it is ours, of which version, and how much stands in it."""

import sqlite3
from dataclasses import dataclass

from agent_core.errors import StoreCause, StoreFailure


@dataclass(frozen=True, slots=True)
class Holdings:
    """What stands in a database: `rows` of the canon in all; `latest` is the instant of the last edit."""

    version: int
    series: int
    edits: int
    rows: int
    latest: str


def schema_version(connection: sqlite3.Connection, newest: int) -> int:
    """Return the version of the schema, 0 for an empty file.

    Raises:
        StoreFailure: reason "damaged" for a database of another program, "newer" (with `version`, `known`).
        sqlite3.Error: it is no database, or damaged.

    """
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "schema_version" not in tables:
        if tables:
            raise StoreFailure(reason=StoreCause.DAMAGED, detail="not a LoreKeeper database")
        return 0
    version: int = connection.execute("SELECT coalesce(max(version), 0) FROM schema_version").fetchone()[0]
    if version > newest:
        raise StoreFailure(reason="newer", version=version, known=newest)
    return version


def read_holdings(connection: sqlite3.Connection) -> Holdings:
    """Return what stands in a database of ours.

    Raises:
        sqlite3.Error: it is damaged.

    """
    (version,) = connection.execute("SELECT max(version) FROM schema_version").fetchone()
    (series,) = connection.execute("SELECT count(*) FROM series").fetchone()
    edits, latest = connection.execute("SELECT count(*), coalesce(max(at), '') FROM change").fetchone()
    (rows,) = connection.execute("SELECT count(*) FROM lore_row").fetchone()
    return Holdings(version=version, series=series, edits=edits, rows=rows, latest=latest)


def check_integrity(connection: sqlite3.Connection) -> None:
    """Return if the whole file is sound.

    Raises:
        StoreFailure: reason "damaged".
        sqlite3.Error: it is too damaged to be checked.

    """
    (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise StoreFailure(reason=StoreCause.DAMAGED, detail=str(verdict))
