"""Who writes and who serves a schema: advisory locks, which the server frees when their holder is gone."""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg

from agent_core.errors import StoreFailure
from agent_core.stores.sql.postgres.failures import store_failure
from agent_core.stores.sql.postgres.session import Connection, Server

logger = logging.getLogger(__name__)

_SCHEMA = "hashtext(current_schema())"
_SERVING = 0x4C4B02
WRITER_LOCK = f"pg_advisory_xact_lock({0x4C4B01}, {_SCHEMA})"
"""What a writer selects at the start of its transaction; its end frees the lock."""

_LAST_S = 10.0
_TAKE = f"SELECT pg_try_advisory_lock({_SERVING}, {_SCHEMA})".encode()
_WHO = f"""
    SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND classid = {_SERVING} AND objsubid = 2
        AND objid = CAST(CAST({_SCHEMA} AS BIGINT) & 4294967295 AS OID)
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
""".encode()  # noqa: S608 - numbers of ours


@contextmanager
def serving(server: Server, since: str, *, look_s: float = 10.0, refusal: str = "served") -> Iterator[None]:
    """Hold the schema as the one process that serves it; `since` is a text for people.

    A lock that was lost with its connection is taken again, at the next of the looks every `look_s`.

    Raises:
        StoreFailure: reason `refusal`, with `pid` and `since` of the process that does; or as on connecting.

    """
    try:
        connection = _taken(server, since, refusal)
    except psycopg.Error as error:
        raise store_failure(error) from error
    ended = threading.Event()
    keeper = threading.Thread(target=_keep, args=(server, since, connection, look_s, ended), daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join(_LAST_S)


def _taken(server: Server, since: str, refusal: str = "served") -> Connection:
    """Return a connection that holds the lock, under a name that says who it is."""
    connection = server.connect(application_name=f"lorekeeper/{os.getpid()}/{since}")
    try:
        taken = connection.execute(_TAKE).fetchone()
        if taken and taken[0]:
            return connection
        found = connection.execute(_WHO).fetchone()
        _, pid, its_since = str(found[0] if found else "//").split("/", 2)
        raise StoreFailure(reason=refusal, pid=int(pid or 0), since=its_since)
    except BaseException:
        connection.close()
        raise


def _keep(server: Server, since: str, connection: Connection, look_s: float, ended: threading.Event) -> None:
    """Look after the lock until `ended`, then close the connection that holds it."""
    was_lost = False
    while not ended.wait(look_s):
        try:
            if connection.closed:
                connection = _taken(server, since)
                was_lost = False
            connection.execute(b"SELECT 1")
        except StoreFailure:
            if not was_lost:
                logger.error("another process serves the notes now")
            was_lost = True
        except psycopg.Error:
            with suppress(psycopg.Error):
                connection.close()
    connection.close()
