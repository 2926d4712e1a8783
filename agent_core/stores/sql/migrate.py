"""Brings a database file to the newest schema: forward only, under a lock, after a checked backup."""

import os
import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.resources import files
from itertools import count
from pathlib import Path

from agent_core.errors import StoreCause, StoreFailure
from agent_core.stores.sql.connection import connect, create_private, store_failure

_FILE = re.compile(r"(?P<number>\d{4})_(?P<name>\w+)\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema; `reason` is the first line of its file."""

    number: int
    name: str
    reason: str
    sql: str


@dataclass(frozen=True, slots=True)
class Migrated:
    """What was done: the versions before and after, and the copy made in between, if any."""

    before: int
    after: int
    backup: Path | None = None


def load_migrations() -> tuple[Migration, ...]:
    """Return the migrations that ship with this program, in order."""
    folder = files("agent_core.stores.sql") / "migrations"
    found = ((_FILE.fullmatch(file.name), file) for file in folder.iterdir())
    steps = [_migration(match, file.read_text("utf-8")) for match, file in found if match]
    return tuple(sorted(steps, key=lambda step: step.number))


def migrate(path: Path, steps: Sequence[Migration], *, busy_timeout_s: float = 5.0) -> Migrated:
    """Return what was done to bring the file to the last of `steps`; create it where it is missing.

    Blocks; run it in a thread. All pending steps are one transaction. Several processes may call this at
    once; one of them does the work. A file with data is copied beside itself first.

    Raises:
        StoreFailure: if the file can't be opened or written, is damaged, is not ours, or is newer than
            this program (reason "newer", with `version` and `known`); it is as it was before.

    """
    try:
        create_private(path)
        with closing(connect(path, busy_timeout_s=busy_timeout_s)) as connection:
            return _bring_up(connection, path, steps)
    except (sqlite3.Error, OSError) as error:
        raise store_failure(error, path) from error


def _migration(match: re.Match[str], text: str) -> Migration:
    reason = text.partition("\n")[0].removeprefix("--").strip()
    return Migration(int(match["number"]), match["name"], reason, text)


def _bring_up(connection: sqlite3.Connection, path: Path, steps: Sequence[Migration]) -> Migrated:
    newest = steps[-1].number
    version = _version(connection, newest)
    if version == newest:
        return Migrated(version, version)
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection, newest)
        backup = _back_up(path, f"before-{version + 1:04d}") if 0 < version < newest else None
        for step in steps:
            if step.number > version:
                _apply(connection, step)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return Migrated(version, newest, backup)


def _version(connection: sqlite3.Connection, newest: int) -> int:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "schema_version" not in tables:
        if tables:
            raise StoreFailure(reason=StoreCause.DAMAGED, detail="not a LoreKeeper database")
        return 0
    version: int = connection.execute("SELECT coalesce(max(version), 0) FROM schema_version").fetchone()[0]
    if version > newest:
        raise StoreFailure(reason="newer", version=version, known=newest)
    return version


def _apply(connection: sqlite3.Connection, step: Migration) -> None:
    for statement in _statements(step.sql):
        connection.execute(statement)
    connection.execute(
        "INSERT INTO schema_version (version, name) VALUES (:version, :name)",
        {"version": step.number, "name": step.name},
    )


def _statements(sql: str) -> Iterable[str]:
    """Return the single statements; a script as a whole would end the transaction it runs in."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _back_up(path: Path, label: str) -> Path:
    """Return a checked copy of what was last committed, made while the caller keeps writers out."""
    target = _free_name(path, label)
    unfinished = target.with_name(target.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    create_private(unfinished)
    try:
        _copy(path, unfinished)
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)
    return target


def _copy(path: Path, target: Path) -> None:
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        (verdict,) = copy.execute("PRAGMA integrity_check").fetchone()
    if verdict != "ok":
        raise StoreFailure(reason=StoreCause.DAMAGED, detail=str(verdict))
    _sync(target)


def _free_name(path: Path, label: str) -> Path:
    names = (path.with_name(f"{path.stem}.{label}{f'-{i}' if i > 1 else ''}{path.suffix}") for i in count(1))
    return next(name for name in names if not name.exists())


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
