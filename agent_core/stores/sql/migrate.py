"""Brings a database file to the newest schema: forward only, under a lock, after a checked backup."""

import os
import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from agent_core.stores.sql.backup import copy_checked, free_name, open_existing
from agent_core.stores.sql.connection import connect, create_private, store_failure
from agent_core.stores.sql.holdings import schema_version
from agent_core.stores.sql.locks import serving
from agent_core.stores.sql.lore_index import index_all
from agent_core.stores.sql.statements import SqliteTx

_BRINGS_SEARCH = "search"
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


def migrate(
    path: Path, steps: Sequence[Migration], *, busy_timeout_s: float = 5.0, served_here: bool = False
) -> Migrated:
    """Return what was done to bring the file to the last of `steps`; create it where it is missing.

    Blocks; run it in a thread. All pending steps are one transaction. Several processes may call this at
    once; one of them does the work. A file with data is copied beside itself first, and nothing of it is
    changed while another process serves it; `served_here` says that the caller is the one that does.

    Raises:
        StoreFailure: if the file can't be opened or written, is damaged, is not ours, is served (reason
            "served_older"), or is newer than this program (reason "newer", with `version` and `known`); it is
            as it was before.

    """
    try:
        create_private(path)
        with closing(connect(path, busy_timeout_s=busy_timeout_s)) as connection:
            unserved = nullcontext() if served_here else serving(path, "", refusal="served_older")
            return _bring_up(connection, path, steps, unserved)
    except (sqlite3.Error, OSError) as error:
        raise store_failure(error, path) from error


def single_statements(sql: str) -> Iterable[str]:
    """Return the single statements; a script as a whole would end the transaction it runs in."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _migration(match: re.Match[str], text: str) -> Migration:
    reason = text.partition("\n")[0].removeprefix("--").strip()
    return Migration(int(match["number"]), match["name"], reason, text)


def _bring_up(
    connection: sqlite3.Connection,
    path: Path,
    steps: Sequence[Migration],
    unserved: AbstractContextManager[None],
) -> Migrated:
    newest = steps[-1].number
    version = schema_version(connection, newest)
    if version == newest:
        return Migrated(version, version)
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = schema_version(connection, newest)
        with unserved if 0 < version < newest else nullcontext():
            backup = _back_up(path, f"before-{version + 1:04d}") if 0 < version < newest else None
            pending = [step for step in steps if step.number > version]
            for step in pending:
                _apply(connection, step)
            if any(step.name == _BRINGS_SEARCH for step in pending):
                index_all(SqliteTx(connection))
            connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return Migrated(version, newest, backup)


def _apply(connection: sqlite3.Connection, step: Migration) -> None:
    for statement in single_statements(step.sql):
        connection.execute(statement)
    connection.execute(
        "INSERT INTO schema_version (version, name) VALUES (:version, :name)",
        {"version": step.number, "name": step.name},
    )


def _back_up(path: Path, label: str) -> Path:
    """Return a checked copy of what was last committed, made while the caller keeps writers out."""
    target = free_name(path, label)
    unfinished = target.with_name(target.name + ".unfinished")
    try:
        with closing(open_existing(path, "rw")) as source:
            copy_checked(source, unfinished)
        os.replace(unfinished, target)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return target
