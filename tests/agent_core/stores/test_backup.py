"""Backups: made while others write, checked, and never taken for one when they are none."""

import asyncio
import signal
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.errors import StoreCause, StoreFailure
from agent_core.lore.model import Series
from agent_core.stores.sql.backup import back_up
from agent_core.stores.sql.holdings import Holdings
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.migrate import load_migrations, migrate
from agent_core.stores.sql.restore import examine, restore
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.sqlite import open_database
from tests.agent_core.stores.processes import run_python
from tests.agent_core.stores.test_migrate import select
from tests.clock import NOON
from tests.contracts.lore_rows import draft, fact

NEWEST = len(load_migrations())
SINCE = "today"


def put(path: Path, *names: str, checkpoint: bool = True) -> sqlite3.Connection:
    """Make the database where it is missing, add persons, and return the connection that did it."""
    migrate(path, load_migrations())
    connection = sqlite3.connect(path)
    if not checkpoint:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.executemany(
        "INSERT INTO person (id, name, operator) VALUES (?, ?, 0)", [(name, name) for name in names]
    )
    connection.commit()
    return connection


def names(path: Path) -> list[tuple[object, ...]]:
    return select(path, "SELECT name FROM person ORDER BY id")


def reason(failure: pytest.ExceptionInfo[StoreFailure]) -> object:
    return failure.value.facts["reason"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lore.db"


@pytest.fixture
def open_beside(path: Path) -> Iterator[Path]:
    """A database with a person whose row lies in the log beside the file only."""
    with closing(put(path, "Mara", checkpoint=False)):
        yield path


def test_backup_holds_the_newest_rows_that_lie_in_the_log_only(open_beside: Path) -> None:
    """A69: the copy of the main file alone would not even have the tables."""
    target = open_beside.with_name("copy.db")

    holdings = back_up(open_beside, target)

    assert holdings == Holdings(version=NEWEST, series=0, edits=0, rows=0, latest="")
    assert names(target) == [("Mara",)]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert select(target, "PRAGMA journal_mode") == [("delete",)]


async def test_backup_counts_what_it_holds(path: Path) -> None:
    async with open_database(path) as database:
        await SqlSeriesStore(database).add_series(Series(id="oz", name="Oz", owner="ann"))
        await SqlLoreStore(database).append(draft(fact("mara"), fact("tom", "f2")), "t1", NOON)
        holdings = await asyncio.to_thread(back_up, path, path.with_name("copy.db"))

    assert holdings == Holdings(
        version=NEWEST, series=1, edits=1, rows=2, latest="2026-05-01T12:00:00.000000Z"
    )


async def test_backup_is_one_moment_while_another_process_writes(path: Path) -> None:
    await asyncio.to_thread(lambda: put(path).close())
    code = """
        import sqlite3, sys
        connection = sqlite3.connect(sys.argv[1], timeout=10)
        for number in range(400):
            with connection:
                for kind in "ab":
                    connection.execute(
                        "INSERT INTO person (id, name, operator) VALUES (?, ?, 0)",
                        (f"{kind}{number:04}", "x" * 5000),
                    )
        print("written")
    """
    copies = [path.with_name(f"copy-{number}.db") for number in range(4)]

    async def copy_all() -> None:
        for copy in copies:
            await asyncio.to_thread(back_up, path, copy)

    ended, _ = await asyncio.gather(run_python(code, path), copy_all())

    assert ended == (0, "written")
    for copy in copies:
        [(first, second)] = select(copy, "SELECT sum(id < 'b'), sum(id > 'b') FROM person") or [(0, 0)]
        assert first == second


def test_backup_leaves_no_log_beside_the_database(path: Path) -> None:
    put(path, "Mara").close()

    back_up(path, path.with_name("copy.db"))

    assert side_files(path) == []


def test_stopped_backup_leaves_nothing(open_beside: Path) -> None:
    target = open_beside.parent / "backups" / "copy.db"

    with pytest.raises(StoreFailure):
        back_up(open_beside, target, stop=lambda: True)

    assert list(target.parent.iterdir()) == []


def test_file_that_is_there_is_never_overwritten(open_beside: Path) -> None:
    target = open_beside.with_name("novel.txt")
    target.write_text("my novel")

    with pytest.raises(StoreFailure) as failure:
        back_up(open_beside, target)

    assert reason(failure) == "backup_exists"
    assert target.read_text() == "my novel"


def test_damaged_database_is_not_backed_up_as_if_it_were_sound(path: Path) -> None:
    with closing(put(path, *(f"{number}" + "x" * 500 for number in range(500)))):
        pass
    ruin(path)

    with pytest.raises(StoreFailure) as failure:
        back_up(path, path.with_name("copy.db"))

    assert reason(failure) is StoreCause.DAMAGED
    assert not path.with_name("copy.db").exists()


def test_missing_database_is_not_backed_up(path: Path) -> None:
    with pytest.raises(StoreFailure) as failure:
        back_up(path, path.with_name("copy.db"))

    assert reason(failure) is StoreCause.UNREACHABLE
    assert list(path.parent.iterdir()) == []


def test_restored_database_is_the_backup_and_the_old_one_is_kept(path: Path) -> None:
    """A69: the log of the old database lies beside the file; its rows are kept, and don't come back."""
    backup = path.with_name("copy.db")
    with closing(put(path, "Mara")):
        back_up(path, backup)
    leave_log(path, "Tom")

    done = restore(backup, path, newest=NEWEST, since=SINCE, label="replaced")

    assert names(path) == [("Mara",)]
    assert done.replaced == path.with_name("lore.replaced.db")
    assert names(path.with_name("lore.replaced.db")) == [("Mara",), ("Tom",)]
    assert side_files(path) == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_backup_is_restored_at_another_place(path: Path, tmp_path: Path) -> None:
    backup = tmp_path / "stick" / "copy.db"
    with closing(put(path, "Mara")):
        back_up(path, backup)
    elsewhere = tmp_path / "new machine" / "data" / "notes.db"

    done = restore(backup, elsewhere, newest=NEWEST, since=SINCE, label="replaced")

    assert done.replaced is None
    assert migrate(elsewhere, load_migrations()).before == NEWEST
    assert names(elsewhere) == [("Mara",)]


def test_backup_of_an_older_version_is_restored_and_brought_up_to_date(path: Path) -> None:
    old = path.with_name("old.db")
    migrate(old, load_migrations()[:1])

    restore(old, path, newest=NEWEST, since=SINCE, label="replaced")

    assert migrate(path, load_migrations()).before == 1


def test_database_too_damaged_to_open_is_replaced_and_kept_with_its_log(path: Path) -> None:
    backup = path.with_name("copy.db")
    with closing(put(path, "Mara")):
        back_up(path, backup)
    leave_log(path, "Tom")
    log = path.with_name("lore.db-wal").read_bytes()
    path.write_bytes(b"\xff" * 8192)

    done = restore(backup, path, newest=NEWEST, since=SINCE, label="replaced")

    assert done.replaced is not None
    assert done.replaced.read_bytes() == b"\xff" * 8192
    assert done.replaced.with_name("lore.replaced.db-wal").read_bytes() == log
    assert names(path) == [("Mara",)]


def test_log_without_its_database_is_not_taken_for_the_log_of_the_restored_one(path: Path) -> None:
    backup = path.with_name("copy.db")
    with closing(put(path, "Mara")):
        back_up(path, backup)
    leave_log(path, "Tom")
    path.unlink()

    restore(backup, path, newest=NEWEST, since=SINCE, label="replaced")

    assert names(path) == [("Mara",)]


@pytest.mark.parametrize("beside", ["lore.db-wal", "lore.db-shm"])
def test_backup_is_unharmed_by_what_lies_beside_it(path: Path, beside: str) -> None:
    backup = path.with_name("copy.db")
    with closing(put(path, "Mara")):
        back_up(path, backup)
    before = backup.read_bytes()
    path.with_name(beside).write_bytes(b"not what it should be")

    restore(backup, path, newest=NEWEST, since=SINCE, label="replaced")

    assert names(path) == [("Mara",)]
    assert backup.read_bytes() == before


def _text(path: Path) -> None:
    path.write_text("Dear diary, this is no database at all. " * 100)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (id TEXT)")


def _newer(path: Path) -> None:
    with closing(put(path)) as connection, connection:
        connection.execute("INSERT INTO schema_version VALUES (?, 'later')", (NEWEST + 1,))


def _damaged(path: Path) -> None:
    with closing(put(path, *(f"{number}" + "x" * 500 for number in range(500)))):
        pass
    ruin(path)


def _cut_off(path: Path) -> None:
    with closing(put(path, *(f"{number}" + "x" * 500 for number in range(500)))):
        pass
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (_text, "backup_foreign"),
        (_empty, "backup_foreign"),
        (_foreign, "backup_foreign"),
        (_newer, "backup_newer"),
        (_damaged, "backup_damaged"),
        (_cut_off, "backup_damaged"),
        (lambda path: path.mkdir(), "backup_missing"),
        (lambda path: None, "backup_missing"),
    ],
)
def test_what_is_no_sound_backup_of_ours_replaces_nothing(path: Path, make, expected: str) -> None:  # type: ignore[no-untyped-def] # one of the makers above
    with closing(put(path, "Mara")):
        pass
    file = path.with_name("given.db")
    make(file)

    with pytest.raises(StoreFailure) as failure:
        restore(file, path, newest=NEWEST, since=SINCE, label="replaced")

    assert (reason(failure), failure.value.facts["file"]) == (expected, "given.db")
    assert names(path) == [("Mara",)]
    assert list(path.parent.glob("lore.replaced*")) == []
    assert list(path.parent.glob("*.unfinished")) == []


def test_database_is_not_restored_from_itself(path: Path) -> None:
    with closing(put(path, "Mara")):
        pass

    with pytest.raises(StoreFailure) as failure:
        restore(path, path, newest=NEWEST, since=SINCE, label="replaced")

    assert reason(failure) == "same_file"
    assert names(path) == [("Mara",)]


def test_database_that_another_program_has_open_is_not_replaced(open_beside: Path) -> None:
    backup = open_beside.with_name("copy.db")
    back_up(open_beside, backup)

    with pytest.raises(StoreFailure) as failure:
        restore(backup, open_beside, newest=NEWEST, since=SINCE, label="replaced")

    assert reason(failure) is StoreCause.BUSY
    assert names(open_beside) == [("Mara",)]
    assert list(open_beside.parent.glob("lore.replaced*")) == []


async def test_database_that_a_short_command_has_open_is_not_replaced(path: Path) -> None:
    backup = path.with_name("copy.db")
    async with open_database(path):
        await asyncio.to_thread(back_up, path, backup)
        with pytest.raises(StoreFailure) as failure:
            await asyncio.to_thread(restore, backup, path, newest=NEWEST, since=SINCE, label="replaced")

    assert reason(failure) is StoreCause.BUSY


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("whole")
    with closing(put(folder / "lore.db", *(f"{number}" + "x" * 50 for number in range(200)))):
        back_up(folder / "lore.db", folder / "copy.db")
    return (folder / "copy.db").read_bytes()


@given(cut=st.integers(0, 200_000))
def test_no_part_of_a_backup_passes_for_the_whole(tmp_path: Path, whole: bytes, cut: int) -> None:
    (tmp_path / "part.db").write_bytes(whole[: cut % len(whole)])

    with pytest.raises(StoreFailure):
        examine(tmp_path / "part.db", NEWEST)


def ruin(path: Path) -> None:
    """Overwrite pages in the middle, as a dying disk does."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size - 8 * 4096)
        file.write(b"\xff" * 4 * 4096)


def leave_log(path: Path, name: str) -> None:
    """Add a person and leave log and index beside the file, as a killed process does."""
    with closing(put(path, name, checkpoint=False)):
        kept = {suffix: path.with_name(path.name + suffix).read_bytes() for suffix in ("-wal", "-shm")}
        main = path.read_bytes()
    path.write_bytes(main)
    for suffix, content in kept.items():
        path.with_name(path.name + suffix).write_bytes(content)


def side_files(path: Path) -> list[str]:
    return [file.name for file in path.parent.iterdir() if file.name.startswith(f"{path.name}-")]


@pytest.mark.parametrize("step", range(1, 5))
@pytest.mark.parametrize("damaged", [False, True])
async def test_killed_restore_leaves_the_old_database_or_the_new_one(
    path: Path, step: int, *, damaged: bool
) -> None:
    backup = path.with_name("copy.db")
    await asyncio.to_thread(_old_and_new, path, backup, damaged=damaged)
    code = """
        import os, signal, sys
        from pathlib import Path
        from agent_core.stores.sql import restore
        left = int(sys.argv[3])
        def dying(real):
            def step(*names):
                global left
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                real(*names)
            return step
        os.link, os.replace, os.fsync = dying(os.link), dying(os.replace), dying(os.fsync)
        restore.restore(Path(sys.argv[1]), Path(sys.argv[2]), newest=99, since="", label="replaced")
    """

    ended, _ = await run_python(code, backup, path, str(step))

    assert ended in {-signal.SIGKILL, 0}
    kept = {file.name for file in await asyncio.to_thread(lambda: list(path.parent.iterdir()))}
    assert "lore.db" in kept
    restored = await asyncio.to_thread(_restored_again, backup, path)
    assert restored == [("Mara",)]


def _old_and_new(path: Path, backup: Path, *, damaged: bool) -> None:
    with closing(put(path, "Mara")):
        back_up(path, backup)
    leave_log(path, "Tom")
    if damaged:
        path.write_bytes(b"\xff" * 8192)


def _restored_again(backup: Path, path: Path) -> list[tuple[object, ...]]:
    """What a killed restore left is no obstacle for the next, and what it replaced still has its rows."""
    restore(backup, path, newest=NEWEST, since=SINCE, label="replaced")
    return names(path)
