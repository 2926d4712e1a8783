"""Runs the statements of one transaction in SQLite."""

import sqlite3
from collections.abc import Iterable

from agent_core.stores.sql.database import NO_PARAMS, Params, SqlRow
from agent_core.stores.sql.dialect import FULL_TEXT_TABLES, TermSearch


class SqliteTx:
    """A `Tx` over a connection, which began the transaction and ends it."""

    __slots__ = ("_connection",)
    term_search: TermSearch = FULL_TEXT_TABLES

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, params: Params = NO_PARAMS, /) -> list[SqlRow]:
        return self._connection.execute(sql, params).fetchall()

    def row(self, sql: str, params: Params = NO_PARAMS, /) -> SqlRow | None:
        found: SqlRow | None = self._connection.execute(sql, params).fetchone()
        return found

    def run(self, sql: str, params: Params = NO_PARAMS, /) -> int:
        return self._connection.execute(sql, params).rowcount

    def run_many(self, sql: str, params: Iterable[Params], /) -> None:
        self._connection.executemany(sql, params)
