"""What Postgres says when it can't do its work, in our words: the cause, and whether it may pass."""

import re

import psycopg

from agent_core.errors import StoreCause, StoreFailure

_CAUSES = {
    "55P03": StoreCause.BUSY,  # lock_not_available
    "57014": StoreCause.BUSY,  # query_canceled: it took too long
    "40001": StoreCause.BUSY,
    "40P01": StoreCause.BUSY,
    "53300": StoreCause.BUSY,  # too_many_connections
    "25006": StoreCause.READ_ONLY,
    "42501": StoreCause.READ_ONLY,  # insufficient_privilege
    "53100": StoreCause.FULL,
    "58030": StoreCause.DAMAGED,  # io_error
    "XX001": StoreCause.DAMAGED,
    "XX002": StoreCause.DAMAGED,
    "42P01": StoreCause.DAMAGED,  # a table is missing
    "42P07": StoreCause.DAMAGED,  # a table of another program has the name of one of ours
    "42703": StoreCause.DAMAGED,  # a column is missing
    "57P01": StoreCause.UNREACHABLE,
    "57P02": StoreCause.UNREACHABLE,
    "57P03": StoreCause.UNREACHABLE,
}
_PASSING = {"40001", "40P01", "57P01", "57P02", "57P03", "53300"}

# While it connects, the driver gives no codes, only the sentence of the server.
_LOGIN = re.compile(r"password|pg_hba|authentication|role \".*\" does not exist|not permitted to log in")
_NO_DATABASE = re.compile(r"database \".*\" does not exist")
_FULL_HOUSE = re.compile(r"too many (clients|connections)|connection slots")


def store_failure(error: psycopg.Error) -> StoreFailure:
    """Return our error for what the driver said."""
    return StoreFailure(reason=_cause(error))


def may_pass(error: psycopg.Error) -> bool:
    """Return whether the same may work in a moment: the server restarts, or others were in the way."""
    if error.sqlstate is not None:
        return error.sqlstate in _PASSING or error.sqlstate.startswith("08")
    return _is_of_connection(error) and _cause(error) in {StoreCause.UNREACHABLE, StoreCause.BUSY}


def _cause(error: psycopg.Error) -> str:
    if error.sqlstate is not None:
        lost = error.sqlstate.startswith("08")
        return StoreCause.UNREACHABLE if lost else _CAUSES.get(error.sqlstate, StoreCause.OTHER)
    if isinstance(error, psycopg.ProgrammingError):  # the driver can't read the address
        return StoreCause.UNREACHABLE
    if not _is_of_connection(error):
        return StoreCause.OTHER
    said = str(error)
    if _NO_DATABASE.search(said):
        return "no_database"
    if _LOGIN.search(said):
        return "refused_login"
    return StoreCause.BUSY if _FULL_HOUSE.search(said) else StoreCause.UNREACHABLE


def _is_of_connection(error: psycopg.Error) -> bool:
    return isinstance(error, psycopg.OperationalError)
