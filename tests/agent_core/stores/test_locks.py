"""One process serves a database; short ones work beside it; what replaces or migrates it needs it stopped."""

import asyncio
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from agent_core.errors import StoreCause, StoreFailure
from agent_core.stores.sql.backup import back_up
from agent_core.stores.sql.locks import alone, opened, serving
from agent_core.stores.sql.migrate import load_migrations, migrate
from agent_core.stores.sql.restore import restore
from agent_core.stores.sql.sqlite import open_database
from tests.agent_core.stores.processes import BOUND_S, run_python, waiting_python
from tests.agent_core.stores.test_migrate import select, version

NEWEST = len(load_migrations())
SERVE = """
    import sys
    from pathlib import Path
    from agent_core.stores.sql.locks import serving
    with serving(Path(sys.argv[1]), "2026-05-01 09:30"):
        print("serving", flush=True)
        sys.stdin.read()
"""
SERVE_WITHOUT_ROOM = """
    import resource, sys
    from pathlib import Path
    from agent_core.errors import StoreFailure
    from agent_core.stores.sql.locks import serving
    room = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, room[1]))
    try:
        with serving(Path(sys.argv[1]), "2026-05-01 09:30"):
            print("serving")
    except StoreFailure as failure:
        print(failure.facts["reason"])
    resource.setrlimit(resource.RLIMIT_FSIZE, room)  # what measures this process writes when it ends
"""


def serve_once(path: Path) -> None:
    with serving(path, "later"):
        pass


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lore.db"


async def test_second_server_is_told_who_serves_and_since_when(path: Path) -> None:
    async with waiting_python(SERVE, path) as process:
        with pytest.raises(StoreFailure) as failure:
            await asyncio.to_thread(serve_once, path)

    assert failure.value.facts == {"reason": "served", "pid": process.pid, "since": "2026-05-01 09:30"}
    await asyncio.to_thread(serve_once, path)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files there")
async def test_server_that_can_not_describe_itself_says_that_the_disk_is_full(path: Path) -> None:
    assert await run_python(SERVE_WITHOUT_ROOM, path) == (0, "full")
    await asyncio.to_thread(serve_once, path)


async def test_killed_server_frees_the_database(path: Path) -> None:
    async with waiting_python(SERVE, path) as process:
        process.kill()
        async with asyncio.timeout(BOUND_S):
            await process.wait()
        await asyncio.to_thread(serve_once, path)


def test_database_is_free_again_after_an_error_of_its_server(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), serving(path, "now"):
        raise ZeroDivisionError
    with serving(path, "later"):
        pass


async def test_short_commands_read_and_write_beside_the_server(path: Path) -> None:
    async with waiting_python(SERVE, path), open_database(path), open_database(path) as database:
        assert await database.read(lambda tx: tx.rows("SELECT id FROM person")) == []


async def test_database_is_backed_up_beside_the_server(path: Path) -> None:
    async with open_database(path), waiting_python(SERVE, path):
        holdings = await asyncio.to_thread(back_up, path, path.with_name("copy.db"))

    assert holdings.version == NEWEST


async def test_database_is_not_restored_while_it_is_served(path: Path) -> None:
    backup = path.with_name("copy.db")
    async with open_database(path):
        await asyncio.to_thread(back_up, path, backup)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO person (id, name, operator) VALUES ('p1', 'Mara', 0)")

    async with waiting_python(SERVE, path):
        with pytest.raises(StoreFailure) as failure:
            await asyncio.to_thread(restore, backup, path, newest=NEWEST, since="now", label="replaced")

    assert failure.value.facts["reason"] == "served"
    assert select(path, "SELECT name FROM person") == [("Mara",)]


async def test_database_is_not_migrated_while_another_process_serves_it(path: Path) -> None:
    steps = await asyncio.to_thread(load_migrations)
    await asyncio.to_thread(migrate, path, steps[:1])

    async with waiting_python(SERVE, path):
        with pytest.raises(StoreFailure) as failure:
            await asyncio.to_thread(migrate, path, steps)

    assert failure.value.facts["reason"] == "served_older"
    assert version(path) == [(1, "base")]
    assert [file.name for file in path.parent.iterdir() if "before" in file.name] == []
    assert (await asyncio.to_thread(migrate, path, steps)).after == NEWEST


def test_server_migrates_its_own_database(path: Path) -> None:
    migrate(path, load_migrations()[:1])

    with serving(path, "now"):
        done = migrate(path, load_migrations(), served_here=True)

    assert (done.before, done.after) == (1, NEWEST)


async def test_up_to_date_database_may_be_migrated_beside_the_server(path: Path) -> None:
    steps = await asyncio.to_thread(load_migrations)
    await asyncio.to_thread(migrate, path, steps)

    async with waiting_python(SERVE, path):
        assert (await asyncio.to_thread(migrate, path, steps)).after == NEWEST


def test_nobody_opens_a_database_that_is_being_replaced(path: Path) -> None:
    with alone(path, "now"):
        with pytest.raises(StoreFailure) as failure, opened(path):
            pass
        with pytest.raises(StoreFailure) as served, serving(path, "now"):
            pass

    assert failure.value.facts["reason"] is StoreCause.BUSY
    assert served.value.facts["pid"] == os.getpid()


def test_lock_files_are_private_and_hold_nothing_afterwards(path: Path) -> None:
    with serving(path, "now"), opened(path):
        pass

    assert [file.stat().st_mode & 0o777 for file in sorted(path.parent.iterdir())] == [0o600, 0o600]
    assert [file.read_bytes() for file in path.parent.iterdir()] == [b"", b""]


def test_lock_in_a_folder_that_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreFailure) as failure, serving(tmp_path / "missing" / "lore.db", "now"):
        pass

    assert failure.value.facts["reason"] is StoreCause.UNREACHABLE


def test_server_that_says_nothing_of_itself_still_counts(path: Path) -> None:
    with serving(path, "now"):
        path.with_name("lore.db.serving").write_bytes(b"\xff half a line")
        with pytest.raises(StoreFailure) as failure, serving(path, "later"):
            pass

    assert failure.value.facts == {"reason": "served", "pid": 0, "since": ""}
