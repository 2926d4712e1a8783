"""Brings the notes on a Postgres server to the newest schema: forward only, under the lock of writers."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from time import monotonic, sleep

import psycopg

from agent_core.stores.sql.migrate import Migrated, Migration
from agent_core.stores.sql.postgres.failures import may_pass, store_failure
from agent_core.stores.sql.postgres.locks import WRITER_LOCK, serving
from agent_core.stores.sql.postgres.schema import bring_up, check_rights, check_server, schema_version
from agent_core.stores.sql.postgres.session import Connection, Server

_PAUSE_S = 0.2
_FORGET_MARKS = b"DELETE FROM write_mark WHERE at < now() - interval '7 days'"


def migrate(server: Server, steps: Sequence[Migration], *, served_here: bool = False) -> Migrated:
    """Return what was done to bring the schema to the last of `steps`; create it where there is none.

    Blocks; run it in a thread. A server that starts up is waited for. No copy is made: all steps are one
    transaction. Nothing of what is there is changed while another process serves it; `served_here` says that
    the caller is the one that does.

    Raises:
        StoreFailure: the server can't be reached, refuses or can't keep the notes; "served"; "newer" (with
            `version` and `known`); "damaged" where another program has tables of these names.

    """
    try:
        with closing(_connected(server)) as connection:
            check_server(connection)
            unserved = nullcontext() if served_here else serving(server, "", refusal="served_older")
            done = _bring_up(connection, steps, unserved)
            check_rights(connection)
            return done
    except psycopg.Error as error:
        raise store_failure(error) from error


def _connected(server: Server) -> Connection:
    give_up = monotonic() + server.patience_s
    while True:
        try:
            return server.connect()
        except psycopg.Error as error:
            if not may_pass(error) or monotonic() >= give_up:
                raise
        sleep(_PAUSE_S)


def _bring_up(
    connection: Connection, steps: Sequence[Migration], unserved: AbstractContextManager[None]
) -> Migrated:
    newest = steps[-1].number
    version = schema_version(connection, newest)
    if version == newest:
        return Migrated(version, version)
    connection.execute(f"BEGIN; SET LOCAL statement_timeout = 0; SELECT {WRITER_LOCK}".encode())
    version = schema_version(connection, newest)
    with unserved if 0 < version < newest else nullcontext():
        done = bring_up(connection, steps)
        connection.execute(_FORGET_MARKS)
        connection.execute(b"COMMIT")
    return done
