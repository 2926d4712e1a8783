"""Makes notes as the first schema kept them, of notes of today."""

import sqlite3
from contextlib import closing
from pathlib import Path

from agent_core.stores.sql.migrate import load_migrations, migrate


def as_first_schema(source: Path, target: Path) -> None:
    """Write the rows that the first schema knew into a new file."""
    migrate(target, load_migrations()[:1])
    with closing(sqlite3.connect(target)) as connection:
        connection.execute("ATTACH ? AS now", (str(source),))
        tables = connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            if table == "schema_version" or table.startswith("sqlite_"):
                continue
            names = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
            connection.execute(f"INSERT INTO main.{table} ({names}) SELECT {names} FROM now.{table}")  # noqa: S608  our tables
        connection.commit()
