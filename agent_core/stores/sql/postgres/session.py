"""A connection to a Postgres server with the thread that works on it; a lost one is made anew."""

import asyncio
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8Dumper

T = TypeVar("T")
Connection: TypeAlias = "psycopg.Connection[Any]"  # Any: rows of several shapes, parsed by the stores

_STATEMENT_S = 60
_LOOKS = 15  # at a connection, before it has been silent for too long
_CONNECTING: Mapping[str, str | int] = {
    "connect_timeout": 5,
    "application_name": "lorekeeper",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


@dataclass(frozen=True, slots=True)
class Server:
    """Where the notes are kept: a URL that may hold a password; what it leaves out, the driver knows.

    A server ends by itself what takes longer than a minute; one that is silent for `silence_s` is gone.
    """

    url: str = field(repr=False)
    lock_timeout_s: float = 5.0
    patience_s: float = 10.0
    silence_s: float = _STATEMENT_S + 15

    def connect(self, **changed: str) -> Connection:
        """Return a new connection; transactions are begun and ended by hand.

        Raises:
            psycopg.Error: the server can't be reached, or refuses.

        """
        given = conninfo_to_dict(self.url)
        added = {name: value for name, value in _CONNECTING.items() if name not in given} | changed
        connection = psycopg.connect(make_conninfo(self.url, **added), autocommit=True, prepare_threshold=2)
        try:
            connection.adapters.register_dumper(int, Int8Dumper)  # one statement for numbers of all sizes
            connection.execute(
                f"SET client_encoding = 'UTF8'; SET lock_timeout = {int(self.lock_timeout_s * 1000)};"
                f" SET statement_timeout = '{_STATEMENT_S}s'; SET standard_conforming_strings = on;"
                " SET idle_in_transaction_session_timeout = '10min'".encode()
            )
        except BaseException:
            connection.close()
            raise
        return connection


class Session:
    """One connection at a time, used in one thread only."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._connection: Connection | None = None
        self._waits_since: float | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="postgres")

    async def run(self, work: Callable[["Session"], T]) -> T:
        """Return what `work` gives, run in the thread after all that came before.

        If the server falls silent, the connection is cut, and `work` fails as by any other loss of it.
        """
        loop = asyncio.get_running_loop()
        watch = _Watch(loop, self)
        try:
            return await loop.run_in_executor(self._thread, work, self)
        finally:
            watch.end()

    async def close(self) -> None:
        """Close the connection when all that was begun has ended."""
        await self.run(Session.leave)
        self._thread.shutdown(wait=False)

    def connection(self) -> Connection:
        """Return the connection, made anew where there is none or it was lost.

        Raises:
            psycopg.Error: the server can't be reached, or refuses.

        """
        if self._connection is None or self._connection.closed:
            self._connection = None
            self._connection = self.server.connect()
        return self._connection

    def execute(
        self, sql: bytes, params: Mapping[str, Any] | None = None
    ) -> Any:  # Any: driver's cursor, values
        """Return the driver's cursor over what the statement gave."""
        connection = self.connection()
        with self.awaited():
            return connection.execute(sql, params)

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Note that an answer of the server is awaited."""
        self._waits_since = time.monotonic()
        try:
            yield
        finally:
            self._waits_since = None

    def is_lost(self) -> bool:
        """Return whether there is no working connection."""
        return self._connection is None or bool(self._connection.closed)

    def roll_back(self) -> None:
        """End the transaction if it is still open."""
        connection = self._connection
        if connection is None or connection.closed:
            return
        if connection.info.transaction_status is not TransactionStatus.IDLE:
            try:
                self.execute(b"ROLLBACK")
            except psycopg.Error:  # the server ends it with the connection
                self.leave()

    def leave(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def cut_if_silent(self) -> None:
        """Cut the connection if an answer has been awaited for too long; called from outside the thread."""
        since, connection = self._waits_since, self._connection
        if since is None or connection is None or time.monotonic() - since < self.server.silence_s:
            return
        with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)


class _Watch:
    """Looks at a session now and then until it is ended."""

    __slots__ = ("_every_s", "_handle", "_loop", "_session")

    def __init__(self, loop: asyncio.AbstractEventLoop, session: Session) -> None:
        self._loop = loop
        self._session = session
        self._every_s = session.server.silence_s / _LOOKS
        self._handle = loop.call_later(self._every_s, self._look)

    def end(self) -> None:
        self._handle.cancel()

    def _look(self) -> None:
        self._session.cut_if_silent()
        self._handle = self._loop.call_later(self._every_s, self._look)
