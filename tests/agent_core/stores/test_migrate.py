"""Migrations: forward only, once, all or nothing, with a checked copy of what was there."""

import asyncio
import os
import signal
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from agent_core.errors import StoreCause, StoreFailure
from agent_core.stores.sql.migrate import Migrated, Migration, load_migrations, migrate
from agent_core.stores.sql.sqlite import open_database
from tests.agent_core.stores.processes import run_python

SHIPPED = load_migrations()
NEWEST = len(SHIPPED)
BASE = SHIPPED[:1]
MORE = Migration(
    2,
    "more",
    "a second table",
    "CREATE TABLE more (id TEXT);\n-- with a row\nINSERT INTO more VALUES ('a;b');\n",
)
BROKEN = Migration(
    3, "broken", "fails in the middle", "CREATE TABLE half (id TEXT);\nINSERT INTO nowhere VALUES (1);\n"
)


def select(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def tables(path: Path) -> set[object]:
    return {name for (name,) in select(path, "SELECT name FROM sqlite_master WHERE type = 'table'")}


def version(path: Path) -> list[tuple[object, ...]]:
    return select(path, "SELECT version, name FROM schema_version ORDER BY version")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lore.db"


@pytest.fixture
def filled(path: Path) -> Iterator[Path]:
    """A database of the first schema whose newest row lies in the log beside the file (A69)."""
    migrate(path, BASE)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO person (id, name, operator) VALUES ('p1', 'Mara', 1)")
        connection.commit()
        yield path


def test_shipped_migrations_are_numbered_and_give_a_reason() -> None:
    assert [step.number for step in SHIPPED] == list(range(1, NEWEST + 1))
    assert all(step.sql.startswith(f"-- {step.reason}\n") and step.reason for step in SHIPPED)


def test_new_file_gets_the_newest_schema_and_is_private(path: Path) -> None:
    assert migrate(path, SHIPPED) == Migrated(0, NEWEST)

    assert version(path) == [(step.number, step.name) for step in SHIPPED]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert select(path, "PRAGMA journal_mode") == [("wal",)]


def test_current_file_is_left_alone(path: Path) -> None:
    migrate(path, SHIPPED)
    before = path.read_bytes()

    assert migrate(path, SHIPPED) == Migrated(NEWEST, NEWEST)

    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["lore.db"]


def test_data_is_copied_before_it_is_migrated(filled: Path) -> None:
    """A69: the copy holds what was committed last, also where it is in the log only."""
    done = migrate(filled, [*BASE, MORE])

    backup = filled.with_name("lore.before-0002.db")
    assert done == Migrated(1, 2, backup)
    assert select(filled, "SELECT id FROM more") == [("a;b",)]
    assert select(filled, "SELECT name FROM person") == [("Mara",)]
    assert "more" not in tables(backup)
    assert select(backup, "SELECT name FROM person") == [("Mara",)]
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600


def test_earlier_backup_is_never_replaced(filled: Path) -> None:
    filled.with_name("lore.before-0002.db").write_text("an earlier one")

    done = migrate(filled, [*BASE, MORE])

    assert done.backup == filled.with_name("lore.before-0002-2.db")
    assert filled.with_name("lore.before-0002.db").read_text() == "an earlier one"


def test_backup_can_be_used_in_place_of_the_database(filled: Path) -> None:
    backup = migrate(filled, [*BASE, MORE]).backup
    assert backup is not None

    assert migrate(backup, [*BASE, MORE]).before == 1
    assert select(backup, "SELECT name FROM person") == [("Mara",)]


def test_failing_migration_changes_nothing(filled: Path) -> None:
    with pytest.raises(StoreFailure):
        migrate(filled, [*BASE, MORE, BROKEN])

    assert version(filled) == [(1, "base")]
    assert not {"more", "half"} & tables(filled)
    assert select(filled, "SELECT name FROM person") == [("Mara",)]


def test_newer_database_is_refused(filled: Path) -> None:
    migrate(filled, [*BASE, MORE])

    with pytest.raises(StoreFailure) as failure:
        migrate(filled, BASE)

    assert failure.value.facts == {"reason": "newer", "version": 2, "known": 1}
    assert version(filled) == [(1, "base"), (2, "more")]


def test_database_of_another_program_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (id TEXT)")

    with pytest.raises(StoreFailure):
        migrate(path, SHIPPED)

    assert tables(path) == {"bookmarks"}


def test_damaged_database_is_not_migrated(path: Path) -> None:
    migrate(path, BASE)
    with closing(sqlite3.connect(path)) as connection:
        sql = "INSERT INTO person (id, name, operator) VALUES (?, ?, 0)"
        connection.executemany(sql, [(f"p{n}", "x" * 500) for n in range(500)])
        connection.commit()
    with path.open("r+b") as file:
        file.seek(path.stat().st_size - 8 * 4096)
        file.write(b"\xff" * 4 * 4096)

    with pytest.raises(StoreFailure) as failure:
        migrate(path, [*BASE, MORE])

    assert failure.value.facts["reason"] is StoreCause.DAMAGED
    assert [file.name for file in path.parent.iterdir() if "before" in file.name] == []
    assert version(path) == [(1, "base")]


async def test_processes_that_start_at_once_migrate_once(path: Path) -> None:
    code = """
        import sys
        from pathlib import Path
        from agent_core.stores.sql.migrate import load_migrations, migrate
        done = migrate(Path(sys.argv[1]), load_migrations(), busy_timeout_s=15)
        print(done.before, done.after)
    """

    ended = await asyncio.gather(*(run_python(code, path) for _ in range(4)))

    assert sorted(ended) == sorted([(0, f"0 {NEWEST}"), *[(0, f"{NEWEST} {NEWEST}")] * 3])
    assert len(version(path)) == NEWEST


async def test_openers_in_one_process_migrate_once(path: Path) -> None:
    async def count_tables() -> int:
        async with open_database(path) as database:
            return len(await database.read(lambda tx: tx.rows("SELECT version FROM schema_version")))

    assert await asyncio.gather(*(count_tables() for _ in range(6))) == [NEWEST] * 6


class DyingSteps(Sequence[Migration]):
    """Migrations that end the process hard when the last of them is due."""

    def __init__(self, *steps: Migration) -> None:
        self._steps = steps

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, index):  # type: ignore[no-untyped-def] # the overloads would hide the point
        return self._steps[index]

    def __iter__(self) -> Iterator[Migration]:
        yield from self._steps[:-1]
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("before", [0, 1])
async def test_process_killed_in_the_middle_leaves_the_old_schema(path: Path, before: int) -> None:
    if before:
        await asyncio.to_thread(migrate, path, BASE)
    code = """
        import sys
        from pathlib import Path
        from agent_core.stores.sql.migrate import migrate
        from tests.agent_core.stores.test_migrate import BASE, BROKEN, MORE, DyingSteps
        migrate(Path(sys.argv[1]), DyingSteps(*BASE, MORE, BROKEN))
    """

    ended, _ = await run_python(code, path)

    assert ended == -signal.SIGKILL
    assert "more" not in tables(path)
    assert (await asyncio.to_thread(migrate, path, [*BASE, MORE])).before == before
    assert select(path, "PRAGMA integrity_check") == [("ok",)]
