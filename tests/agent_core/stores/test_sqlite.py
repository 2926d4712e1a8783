"""The SQLite database: whole transactions whatever happens to the caller, and plain causes of failure."""

import asyncio
import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from agent_core.errors import StoreCause, StoreFailure
from agent_core.stores.sql.database import Durability, Tx, in_chunks, one_of
from agent_core.stores.sql.operators import SqlOperatorStore
from agent_core.stores.sql.sqlite import SqliteDatabase, open_database
from tests.agent_core.stores.processes import run_python, waiting_python

NOBODY = 65534
HOLD_WRITE_LOCK = """
    import sqlite3, sys
    connection = sqlite3.connect(sys.argv[1], isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    print("locked", flush=True)
    sys.stdin.read()
"""


def add_person(name: str) -> Callable[[Tx], int]:
    """Return the work that stores a person."""
    return lambda tx: tx.run(
        "INSERT INTO person (id, name, operator) VALUES (:name, :name, 0)", {"name": name}
    )


def names(tx: Tx) -> list[str]:
    """Return the names of all persons."""
    return [name for (name,) in tx.rows("SELECT name FROM person ORDER BY name")]


class Gate:
    """Work that stores a person, then waits in the database's thread until it is let go."""

    def __init__(self, name: str) -> None:
        self.entered = asyncio.Event()
        self.let_go = threading.Event()
        self._name = name
        self._loop = asyncio.get_running_loop()

    def __call__(self, tx: Tx) -> None:
        add_person(self._name)(tx)
        self._loop.call_soon_threadsafe(self.entered.set)
        assert self.let_go.wait(5)


async def cause_of_write(database: SqliteDatabase, work: Callable[[Tx], object]) -> object:
    with pytest.raises(StoreFailure) as failure:
        await database.write(work, Durability.FULL)
    assert isinstance(failure.value.__cause__, sqlite3.Error)
    return failure.value.facts["reason"]


async def test_failed_work_leaves_nothing_behind(database: SqliteDatabase) -> None:
    def fail(tx: Tx) -> None:
        add_person("half")(tx)
        raise LookupError("in the middle")

    with pytest.raises(LookupError):
        await database.write(fail, Durability.NORMAL)
    await database.write(add_person("whole"), Durability.NORMAL)

    assert await database.read(names) == ["whole"]


async def test_cancelled_write_is_whole_and_ends_before_its_caller(database: SqliteDatabase) -> None:
    """A67: no transaction stays open, no half write becomes visible."""
    gate = Gate("cancelled")
    writing = asyncio.create_task(database.write(gate, Durability.FULL))
    await gate.entered.wait()

    for _ in range(3):
        writing.cancel()
        await asyncio.sleep(0)
    assert not writing.done()
    assert await database.read(names) == []

    gate.let_go.set()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert await database.read(names) == ["cancelled"]


async def test_next_writer_waits_for_the_cancelled_one(database: SqliteDatabase) -> None:
    """A68: the lock is held until the thread is done, so no rollback slips into another's statements."""

    def fill(tx: Tx) -> None:
        gate(tx)
        tx.run_many(
            "INSERT INTO person (id, name, operator) VALUES (:id, 'many', 0)",
            ({"id": f"p{n}"} for n in range(100_000)),
        )

    def fail(tx: Tx) -> None:
        add_person("other")(tx)
        raise LookupError

    gate = Gate("first")
    filling = asyncio.create_task(database.write(fill, Durability.NORMAL))
    await gate.entered.wait()
    failing = asyncio.create_task(database.write(fail, Durability.NORMAL))
    filling.cancel()
    gate.let_go.set()

    ended = await asyncio.gather(filling, failing, return_exceptions=True)

    assert [type(end) for end in ended] == [asyncio.CancelledError, LookupError]
    assert await database.read(lambda tx: tx.row("SELECT count(*) FROM person")) == (100_001,)


async def test_write_cancelled_in_the_queue_never_runs(database: SqliteDatabase) -> None:
    gate = Gate("first")
    first = asyncio.create_task(database.write(gate, Durability.NORMAL))
    await gate.entered.wait()
    second = asyncio.create_task(database.write(add_person("second"), Durability.NORMAL))
    await asyncio.sleep(0)

    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    gate.let_go.set()
    await first

    assert await database.read(names) == ["first"]


async def test_other_processes_write_on_after_a_cancelled_write(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    """A67: a write whose caller is gone blocks no other writer."""
    gate = Gate("cancelled")
    writing = asyncio.create_task(database.write(gate, Durability.FULL))
    await gate.entered.wait()
    writing.cancel()
    gate.let_go.set()
    await asyncio.wait({writing})

    with closing(sqlite3.connect(tmp_path / "lore.db", timeout=0.1)) as other, other:
        other.execute("INSERT INTO person (id, name, operator) VALUES ('x', 'other', 0)")

    assert await database.read(names) == ["cancelled", "other"]


async def test_reads_go_on_beside_a_write(database: SqliteDatabase) -> None:
    """A70: neither the event loop nor readers wait for a long write."""
    await database.write(add_person("before"), Durability.NORMAL)
    gate = Gate("during")
    writing = asyncio.create_task(database.write(gate, Durability.NORMAL))
    await gate.entered.wait()

    seen = await asyncio.gather(*(database.read(names) for _ in range(10)))
    gate.let_go.set()
    await writing

    assert seen == [["before"]] * 10


async def test_read_is_one_snapshot(database: SqliteDatabase) -> None:
    loop = asyncio.get_running_loop()

    def read_twice(tx: Tx) -> tuple[list[str], list[str]]:
        before = names(tx)
        writing = database.write(add_person("new"), Durability.NORMAL)
        asyncio.run_coroutine_threadsafe(writing, loop).result(5)
        return before, names(tx)

    assert await database.read(read_twice) == ([], [])
    assert await database.read(names) == ["new"]


async def test_cancelled_read_leaves_its_connection_usable(database: SqliteDatabase) -> None:
    let_go = threading.Event()
    reads = [asyncio.create_task(database.read(lambda tx: (let_go.wait(5), names(tx)))) for _ in range(3)]
    await asyncio.sleep(0)
    for read in reads:
        read.cancel()
    await asyncio.wait(reads)
    let_go.set()

    assert await asyncio.gather(*(database.read(names) for _ in range(6))) == [[]] * 6


async def test_readers_cannot_write(database: SqliteDatabase) -> None:
    with pytest.raises(StoreFailure) as failure:
        await database.read(add_person("x"))

    assert failure.value.facts["reason"] is StoreCause.READ_ONLY


@pytest.mark.parametrize(("durability", "level"), [(Durability.FULL, 2), (Durability.NORMAL, 1)])
async def test_durability_is_set_for_each_write(
    database: SqliteDatabase, durability: Durability, level: int
) -> None:
    for other in (Durability.NORMAL, Durability.FULL):
        await database.write(lambda tx: None, other)

    assert await database.write(lambda tx: tx.row("PRAGMA synchronous"), durability) == (level,)


async def test_foreign_keys_hold(database: SqliteDatabase) -> None:
    identity = "INSERT INTO identity (platform, user_id, person) VALUES ('http', '1', 'nobody')"

    assert await cause_of_write(database, lambda tx: tx.run(identity)) is StoreCause.OTHER


async def test_database_locked_by_another_process_is_busy(tmp_path: Path) -> None:
    path = tmp_path / "lore.db"
    async with open_database(path, busy_timeout_s=0.05) as database:
        async with waiting_python(HOLD_WRITE_LOCK, path):
            assert await cause_of_write(database, add_person("x")) is StoreCause.BUSY
            assert await database.read(names) == []

        await database.write(add_person("x"), Durability.FULL)


async def test_place_of_an_operator_that_is_known_waits_for_no_writer(tmp_path: Path) -> None:
    path = tmp_path / "lore.db"
    async with open_database(path, busy_timeout_s=0.05) as database:
        await database.write(add_person("ann"), Durability.FULL)
        operators = SqlOperatorStore(database)
        await operators.note_place("ann", "terminal", "main")

        async with waiting_python(HOLD_WRITE_LOCK, path):
            await operators.note_place("ann", "terminal", "main")
            with pytest.raises(StoreFailure):
                await operators.note_place("ann", "terminal", "elsewhere")


async def test_full_disk_is_said_and_loses_nothing(database: SqliteDatabase) -> None:
    await database.write(add_person("before"), Durability.FULL)
    await database.write(lambda tx: tx.run("PRAGMA max_page_count = 1"), Durability.NORMAL)

    assert await cause_of_write(database, add_person("x" * 100_000)) is StoreCause.FULL

    await database.write(lambda tx: tx.run("PRAGMA max_page_count = 1000000"), Durability.NORMAL)
    await database.write(add_person("later"), Durability.FULL)
    assert await database.read(names) == ["before", "later"]


async def test_read_only_file_can_be_read(own_folder: Path) -> None:
    path = own_folder / "lore.db"
    with unprivileged():
        async with open_database(path) as database:
            await database.write(add_person("before"), Durability.FULL)
        os.chmod(path, 0o400)

        async with open_database(path) as database:
            assert await cause_of_write(database, add_person("x")) is StoreCause.READ_ONLY
            assert await database.read(names) == ["before"]


async def test_file_in_a_read_only_folder_is_read_only(own_folder: Path) -> None:
    path = own_folder / "lore.db"
    with unprivileged():
        async with open_database(path):
            pass
        os.chmod(path, 0o400)
        os.chmod(own_folder, 0o500)

        assert await cause_of_opening(path) is StoreCause.READ_ONLY


async def test_missing_folder_is_unreachable(tmp_path: Path) -> None:
    assert await cause_of_opening(tmp_path / "nowhere" / "lore.db") is StoreCause.UNREACHABLE


async def test_new_file_in_a_read_only_folder_is_unreachable(own_folder: Path) -> None:
    with unprivileged():
        os.chmod(own_folder, 0o500)

        assert await cause_of_opening(own_folder / "lore.db") is StoreCause.UNREACHABLE


@pytest.mark.parametrize(
    "content", [b"these are notes, not a database" * 200, b"SQLite format 3\0" + b"\1" * 99]
)
async def test_file_that_is_no_database_is_damaged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "lore.db"
    path.write_bytes(content)

    assert await cause_of_opening(path) is StoreCause.DAMAGED
    assert path.read_bytes() == content


async def test_damage_met_while_running_is_said(tmp_path: Path) -> None:
    path = tmp_path / "lore.db"
    async with open_database(path) as database:
        await database.write(add_person("x" * 200_000), Durability.FULL)
    with path.open("r+b") as file:
        file.seek(-10 * 4096, os.SEEK_END)
        file.write(b"\xff" * 10 * 4096)

    async with open_database(path) as database:
        with pytest.raises(StoreFailure) as failure:
            await database.read(names)

    assert failure.value.facts["reason"] is StoreCause.DAMAGED


async def test_closed_database_says_so_and_leaves_no_thread(tmp_path: Path) -> None:
    before = {*threading.enumerate()}
    async with open_database(tmp_path / "lore.db") as database:
        await database.write(add_person("x"), Durability.FULL)
        threads = [t for t in threading.enumerate() if t not in before and "asyncio" not in t.name]

    for thread in threads:
        thread.join(5)
    assert [thread.is_alive() for thread in threads] == [False] * 4
    assert sorted(os.listdir(tmp_path)) == ["lore.db", "lore.db.open"]
    with pytest.raises(StoreFailure):
        await database.read(names)
    with pytest.raises(StoreFailure):
        await database.write(add_person("y"), Durability.FULL)


async def test_closing_waits_for_the_running_write(tmp_path: Path) -> None:
    async with open_database(tmp_path / "lore.db") as database:
        gate = Gate("late")
        writing = asyncio.create_task(database.write(gate, Durability.FULL))
        await gate.entered.wait()
        gate.let_go.set()
    await writing

    async with open_database(tmp_path / "lore.db") as database:
        assert await database.read(names) == ["late"]


async def test_process_ends_when_a_task_fails_with_the_database_open(tmp_path: Path) -> None:
    """A70: no connection keeps the interpreter alive."""
    code = """
        import asyncio, sys
        from pathlib import Path
        from agent_core.stores.sql.sqlite import open_database

        async def main():
            async with open_database(Path(sys.argv[1])) as database:
                asyncio.get_running_loop().call_soon(asyncio.current_task().cancel)
                await database.read(lambda tx: tx.rows("SELECT 1"))
                await asyncio.Event().wait()

        try:
            asyncio.run(main())
        except asyncio.CancelledError:
            print("cancelled")
    """

    assert await run_python(code, tmp_path / "lore.db") == (0, "cancelled")


@pytest.mark.parametrize("last", [1, 2, 3])
async def test_process_ended_hard_after_a_commit_keeps_exactly_what_was_committed(
    tmp_path: Path, last: int
) -> None:
    code = """
        import asyncio, os, sys
        from pathlib import Path
        from agent_core.stores.sql.database import Durability
        from agent_core.stores.sql.sqlite import open_database

        def end(commits):
            if commits == int(sys.argv[2]):
                os._exit(9)

        async def main():
            async with open_database(Path(sys.argv[1]), after_commit=end) as database:
                for name in "abc":
                    sql = "INSERT INTO person (id, name, operator) VALUES (:name, :name, 0)"
                    await database.write(lambda tx: tx.run(sql, {"name": name}), Durability.NORMAL)

        asyncio.run(main())
    """
    path = tmp_path / "lore.db"

    code_of_exit, _ = await run_python(code, path, str(last))

    assert code_of_exit == 9
    async with open_database(path) as database:
        assert await database.read(names) == [*"abc"[:last]]


def test_list_for_in_is_filled_up_to_a_power_of_two() -> None:
    assert one_of("n", []) == ("(NULL)", {})
    assert one_of("n", ["a"]) == ("(:n0)", {"n0": "a"})
    assert one_of("n", ["a", "b", "c"]) == (
        "(:n0, :n1, :n2, :n3)",
        {"n0": "a", "n1": "b", "n2": "c", "n3": "c"},
    )


def test_chunks_hold_each_value_once() -> None:
    assert [*in_chunks(["b", "a", "b", "c"], 2)] == [["a", "b"], ["c"]]
    assert [*in_chunks([])] == []


async def cause_of_opening(path: Path) -> object:
    with pytest.raises(StoreFailure) as failure:
        async with open_database(path):
            pass
    return failure.value.facts["reason"]


@pytest.fixture
def own_folder() -> Iterator[Path]:
    """A folder of the user that `unprivileged` code runs as."""
    with tempfile.TemporaryDirectory() as name:
        if os.geteuid() == 0:
            os.chown(name, NOBODY, NOBODY)
        yield Path(name)
        os.chmod(name, 0o700)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Run as a user whom file permissions bind, even where the tests run as root."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("happens", ["removed", "moved", "replaced", "folder moved"])
async def test_write_is_refused_once_its_file_is_no_longer_there(tmp_path: Path, happens: str) -> None:
    """SQLite itself would go on writing into a file that nobody finds any more, and say that it is saved."""
    path = tmp_path / "notes" / "test.db"
    path.parent.mkdir()
    async with open_database(path) as database:
        await database.write(lambda tx: tx.run("CREATE TABLE note (id INTEGER)"), Durability.FULL)
        match happens:
            case "removed":
                path.unlink()
            case "moved":
                path.rename(tmp_path / "elsewhere.db")
            case "replaced":
                shutil.copy(path, tmp_path / "copy.db")
                (tmp_path / "copy.db").rename(path)
            case "folder moved":
                path.parent.rename(tmp_path / "other")

        with pytest.raises(StoreFailure) as failure:
            await database.write(lambda tx: tx.run("INSERT INTO note VALUES (1)"), Durability.FULL)

        assert failure.value.facts == {"reason": StoreCause.UNREACHABLE}


async def test_writing_goes_on_when_the_file_is_back(tmp_path: Path) -> None:
    path, away = tmp_path / "test.db", tmp_path / "away.db"
    async with open_database(path) as database:
        await database.write(lambda tx: tx.run("CREATE TABLE note (id INTEGER)"), Durability.FULL)
        path.rename(away)
        with pytest.raises(StoreFailure):
            await database.write(lambda tx: tx.run("INSERT INTO note VALUES (1)"), Durability.FULL)
        away.rename(path)

        await database.write(lambda tx: tx.run("INSERT INTO note VALUES (2)"), Durability.FULL)

        assert await database.read(lambda tx: tx.rows("SELECT id FROM note")) == [(2,)]
