"""Runs the statements of one transaction in Postgres: in its style of parameters, with texts it can store."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from agent_core.stores.sql.database import NO_PARAMS, Params, SqlRow, SqlValue
from agent_core.stores.sql.dialect import TERM_VECTORS, TermSearch
from agent_core.stores.sql.postgres.session import Session

_TOKEN = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|::|:(?P<name>[A-Za-z_]\w*)")
_ZERO = "\0"
_MARK = "\uffff"  # stands for no character, and is stored where U+0000 can't be


class PostgresTx:
    """A `Tx` over a session, which began the transaction and ends it."""

    __slots__ = ("_session",)
    term_search: TermSearch = TERM_VECTORS

    def __init__(self, session: Session) -> None:
        self._session = session

    def rows(self, sql: str, params: Params = NO_PARAMS, /) -> list[SqlRow]:
        found = self._session.execute(in_their_style(sql), _stored(params)).fetchall()
        return _given(found)

    def row(self, sql: str, params: Params = NO_PARAMS, /) -> SqlRow | None:
        found = self._session.execute(in_their_style(sql), _stored(params)).fetchone()
        return None if found is None else _given([found])[0]

    def run(self, sql: str, params: Params = NO_PARAMS, /) -> int:
        return int(self._session.execute(in_their_style(sql), _stored(params)).rowcount)

    def run_many(self, sql: str, params: Iterable[Params], /) -> None:
        with self._session.connection().cursor() as cursor, self._session.awaited():
            cursor.executemany(in_their_style(sql), map(_stored, params))


@lru_cache(1024)
def in_their_style(sql: str) -> bytes:
    """Return a statement with its parameters `:name` written as `%(name)s`; literals stay what they are."""
    return _TOKEN.sub(_rewritten, sql.replace("%", "%%")).encode()


def _rewritten(token: re.Match[str]) -> str:
    name = token["name"]
    return f"%({name})s" if name else token[0]


def _stored(params: Params) -> Params:
    """Return the parameters as they can be stored: Postgres takes every character but U+0000."""
    if any(isinstance(value, str) and (_ZERO in value or _MARK in value) for value in params.values()):
        return {name: _without_zero(value) for name, value in params.items()}
    return params


def _without_zero(value: SqlValue) -> SqlValue:
    if not isinstance(value, str):
        return value
    return value.replace(_MARK, f"{_MARK}1").replace(_ZERO, f"{_MARK}0")


def _given(found: list[SqlRow]) -> list[SqlRow]:
    """Return rows with what `_stored` put in the place of characters taken back."""
    if any(type(value) is str and _MARK in value for row in found for value in row):
        return [tuple(map(_with_zero, row)) for row in found]
    return found


def _with_zero(value: Any) -> Any:  # Any: what stands in a column
    if type(value) is not str:
        return value
    return value.replace(f"{_MARK}0", _ZERO).replace(f"{_MARK}1", _MARK)
