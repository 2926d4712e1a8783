"""SQLite behind `Database`: one writing connection behind one lock, reading connections beside it."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import aiosqlite

from agent_core.errors import StoreCause, StoreFailure
from agent_core.stores.sql.commits import AfterCommit, to_the_end
from agent_core.stores.sql.connection import connect, store_failure
from agent_core.stores.sql.database import Durability, Tx
from agent_core.stores.sql.locks import opened
from agent_core.stores.sql.migrate import load_migrations, migrate
from agent_core.stores.sql.statements import SqliteTx

T = TypeVar("T")

_READERS = 3


@asynccontextmanager
async def open_database(
    path: Path, *, busy_timeout_s: float = 5.0, after_commit: AfterCommit | None = None
) -> AsyncIterator["SqliteDatabase"]:
    """Give the database in this file, created or migrated first where needed; closed on leaving.

    Raises:
        StoreFailure: if the file can't be opened, is damaged, newer than this program, or to be migrated
            while another process serves it.

    """
    with ExitStack() as held:
        await asyncio.to_thread(lambda: held.enter_context(opened(path)))
        await asyncio.to_thread(lambda: migrate(path, load_migrations(), busy_timeout_s=busy_timeout_s))
        async with SqliteDatabase(path, busy_timeout_s=busy_timeout_s, after_commit=after_commit) as database:
            yield database


class SqliteDatabase:
    """A `Database` over a file that is migrated already.

    `after_commit` is called in the writing thread with the count of commits so far.
    """

    def __init__(
        self, path: Path, *, busy_timeout_s: float = 5.0, after_commit: AfterCommit | None = None
    ) -> None:
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._after_commit = after_commit
        self._commits = 0
        self._durability: Durability | None = None
        self._file: tuple[int, int] | None = None
        self._open = AsyncExitStack()
        self._writer: _Thread | None = None
        self._writing = asyncio.Lock()
        self._idle: list[_Thread] = []
        self._reading = asyncio.Semaphore(_READERS)

    async def __aenter__(self) -> "SqliteDatabase":
        async with AsyncExitStack() as opening:
            try:
                self._writer = await self._opened(opening, query_only=False)
                for _ in range(_READERS):
                    self._idle.append(await self._opened(opening, query_only=True))
                self._file = await asyncio.to_thread(_file_at, self._path)
            except sqlite3.Error as error:
                raise store_failure(error, self._path) from error
            self._open = opening.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        async with self._writing:
            self._writer = None
            self._idle.clear()
            await self._open.aclose()

    async def read(self, work: Callable[[Tx], T]) -> T:
        async with self._reading:
            if not self._idle:
                raise StoreFailure(reason=StoreCause.UNREACHABLE)
            reader = self._idle.pop()
            try:
                # A cancelled read may still run; whoever gets this connection next waits behind it.
                return await reader.run(partial(self._read, work))
            finally:
                if self._writer is not None:
                    self._idle.append(reader)

    async def write(self, work: Callable[[Tx], T], durability: Durability) -> T:
        async with self._writing:
            if self._writer is None:
                raise StoreFailure(reason=StoreCause.UNREACHABLE)
            return await to_the_end(self._writer.run(partial(self._write, work, durability)))

    async def _opened(self, stack: AsyncExitStack, *, query_only: bool) -> "_Thread":
        opener = partial(connect, self._path, busy_timeout_s=self._busy_timeout_s, query_only=query_only)
        thread = _Thread(opener, iter_chunk_size=64)
        await stack.enter_async_context(thread)
        return thread

    def _read(self, work: Callable[[Tx], T], connection: sqlite3.Connection) -> T:
        try:
            connection.execute("BEGIN")
            try:
                return work(SqliteTx(connection))
            finally:
                _roll_back(connection)
        except sqlite3.Error as error:
            raise store_failure(error, self._path) from error

    def _write(self, work: Callable[[Tx], T], durability: Durability, connection: sqlite3.Connection) -> T:
        if _file_at(self._path) != self._file:  # SQLite would write on, where nobody finds it again
            raise StoreFailure(reason=StoreCause.UNREACHABLE)
        try:
            self._use(durability, connection)
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(SqliteTx(connection))
                connection.execute("COMMIT")
            finally:
                _roll_back(connection)
        except sqlite3.Error as error:
            raise store_failure(error, self._path) from error
        self._commits += 1
        if self._after_commit is not None:
            self._after_commit(self._commits)
        return result

    def _use(self, durability: Durability, connection: sqlite3.Connection) -> None:
        if durability is not self._durability:
            connection.execute(f"PRAGMA synchronous = {durability.value}")
            self._durability = durability


class _Thread(aiosqlite.Connection):
    """A connection with its thread, where whole functions run."""

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `work` gives for the connection, run in its thread after all that came before."""
        result: T = await self._execute(work, self._conn)  # type: ignore[no-untyped-call] # not annotated
        return result


def _file_at(path: Path) -> tuple[int, int] | None:
    """Return which file has this path now, None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _roll_back(connection: sqlite3.Connection) -> None:
    """End the transaction if it is still open; SQLite ends it by itself after some errors."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")
