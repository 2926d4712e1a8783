"""Postgres behind `Database`: one writer at a time in all processes, readers beside it.

Writers stand in one queue as with SQLite, here behind an advisory lock, so that what is read before a write
still holds when it is written. A commit leaves a mark, by which a connection that was lost in the middle of
it can be told from one that was lost before.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from itertools import count
from types import TracebackType
from typing import TypeVar
from uuid import uuid4

import psycopg

from agent_core.errors import StoreCause, StoreFailure
from agent_core.stores.sql.commits import AfterCommit, to_the_end
from agent_core.stores.sql.database import Durability, Tx
from agent_core.stores.sql.migrate import load_migrations
from agent_core.stores.sql.postgres.failures import may_pass, store_failure
from agent_core.stores.sql.postgres.locks import WRITER_LOCK
from agent_core.stores.sql.postgres.migrate import migrate
from agent_core.stores.sql.postgres.session import Server, Session
from agent_core.stores.sql.postgres.statements import PostgresTx

T = TypeVar("T")

_READERS = 3
_PAUSE_S = 0.2
_BEGIN_READ = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_SYNCED = {Durability.FULL: "on", Durability.NORMAL: "off"}


@asynccontextmanager
async def open_database(
    server: Server, *, after_commit: AfterCommit | None = None
) -> AsyncIterator["PostgresDatabase"]:
    """Give the database on this server, its schema created or migrated first where needed; closed on leaving.

    Raises:
        StoreFailure: if the server can't be reached, refuses, or can't keep the notes; or if the schema is
            newer than this program, or to be migrated while another process serves it.

    """
    await asyncio.to_thread(lambda: migrate(server, load_migrations()))
    async with PostgresDatabase(server, after_commit=after_commit) as database:
        yield database


class PostgresDatabase:
    """A `Database` over a schema that is migrated already.

    `after_commit` is called in the writing thread with the count of commits so far. Work may run more than
    once: what was lost with the connection, or stood in the way of others, is done again.
    """

    def __init__(self, server: Server, *, after_commit: AfterCommit | None = None) -> None:
        self._server = server
        self._after_commit = after_commit
        self._commits = 0
        self._holder = uuid4().hex
        self._numbers = count(1)
        self._is_reachable = True
        self._writer: Session | None = None
        self._writing = asyncio.Lock()
        self._idle: list[Session] = []
        self._reading = asyncio.Semaphore(_READERS)
        self._open = AsyncExitStack()

    async def __aenter__(self) -> "PostgresDatabase":
        self._writer = self._opened()
        self._idle = [self._opened() for _ in range(_READERS)]
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
                # A cancelled read may still run; whoever gets this session next waits behind it.
                return await reader.run(partial(self._tried, partial(_read, work)))
            finally:
                if self._writer is not None:
                    self._idle.append(reader)

    async def write(self, work: Callable[[Tx], T], durability: Durability) -> T:
        async with self._writing:
            if self._writer is None:
                raise StoreFailure(reason=StoreCause.UNREACHABLE)
            once = partial(self._write, work, durability)
            return await to_the_end(self._writer.run(partial(self._tried, once)))

    def _opened(self) -> Session:
        session = Session(self._server)
        self._open.push_async_callback(session.close)
        return session

    def _tried(self, once: Callable[[Session], T], session: Session) -> T:
        """Return what `once` gives, which is tried again for a while if it fails by what may pass.

        Only the first caller to whom a server is lost waits for it; then each tries once.
        """
        give_up = time.monotonic() + (self._server.patience_s if self._is_reachable else 0)
        while True:
            try:
                result = once(session)
            except psycopg.Error as error:
                if not may_pass(error) or time.monotonic() >= give_up:
                    self._is_reachable = not session.is_lost()
                    raise store_failure(error) from error
            else:
                self._is_reachable = True
                return result
            time.sleep(_PAUSE_S)

    def _write(self, work: Callable[[Tx], T], durability: Durability, session: Session) -> T:
        mark = next(self._numbers)
        try:
            session.execute(self._begin(durability, mark))
            result = work(PostgresTx(session))
            self._commit(session, mark)
        finally:
            session.roll_back()
        self._commits += 1
        if self._after_commit is not None:
            self._after_commit(self._commits)
        return result

    def _begin(self, durability: Durability, mark: int) -> bytes:
        return (
            "BEGIN ISOLATION LEVEL READ COMMITTED;"  # noqa: S608 - words of ours
            f" SET LOCAL synchronous_commit = {_SYNCED[durability]}; SELECT {WRITER_LOCK};"
            f" INSERT INTO write_mark (holder, number) VALUES ('{self._holder}', {mark})"
            " ON CONFLICT (holder) DO UPDATE SET number = excluded.number, at = now()"
        ).encode()

    def _commit(self, session: Session, mark: int) -> None:
        try:
            session.execute(b"COMMIT")
        except psycopg.Error:
            if not session.is_lost() or not self._took_place(session, mark):
                raise

    def _took_place(self, session: Session, mark: int) -> bool:
        """Return whether the commit was made whose answer was lost.

        The lock is waited for first: the server may not have ended the lost connection's work yet.

        Raises:
            StoreFailure: reason "unknown", the server did not come back in time.

        """
        give_up = time.monotonic() + self._server.patience_s
        while True:
            try:
                session.execute(f"BEGIN; SELECT {WRITER_LOCK}".encode())
                found = session.execute(
                    f"SELECT number FROM write_mark WHERE holder = '{self._holder}'".encode()  # noqa: S608 - our id
                ).fetchone()
            except psycopg.Error as error:
                if time.monotonic() >= give_up:
                    self._is_reachable = False
                    raise StoreFailure(reason="unknown") from error
            else:
                return found is not None and found[0] == mark
            finally:
                session.roll_back()
            time.sleep(_PAUSE_S)


def _read(work: Callable[[Tx], T], session: Session) -> T:
    try:
        session.execute(_BEGIN_READ)
        return work(PostgresTx(session))
    finally:
        session.roll_back()
