"""What the SQL stores need of a database: whole transactions, each one hop off the event loop.

A use case is a plain function over `Tx`. It runs to its end in a thread, so that nothing that happens to
the asking task (cancellation, a timeout) can leave a transaction open or publish half of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol, TypeAlias, TypeVar

from agent_core.stores.sql.dialect import TermSearch

SqlValue: TypeAlias = str | int | float | bytes | None
Params: TypeAlias = Mapping[str, SqlValue]
SqlRow: TypeAlias = tuple[Any, ...]  # Any: what a driver gives; the stores parse each row where it is read

NO_PARAMS: Params = {}

T = TypeVar("T")


class Durability(StrEnum):
    """What a commit outlives: both a killed process, FULL also a loss of power."""

    FULL = "full"
    NORMAL = "normal"


class Tx(Protocol):
    """A running transaction. Statements are portable SQL with named parameters (`:name`)."""

    @property
    def term_search(self) -> TermSearch:
        """How this database searches by terms."""
        ...

    def rows(self, sql: str, params: Params = NO_PARAMS, /) -> list[SqlRow]:
        """Return all rows that the query gives."""
        ...

    def row(self, sql: str, params: Params = NO_PARAMS, /) -> SqlRow | None:
        """Return the first row that the query gives, or None."""
        ...

    def run(self, sql: str, params: Params = NO_PARAMS, /) -> int:
        """Return how many rows the statement changed."""
        ...

    def run_many(self, sql: str, params: Iterable[Params], /) -> None:
        """Run the statement once for each set of parameters."""
        ...


class Database(Protocol):
    """Runs transactions; writes stand in one queue, reads go beside them."""

    async def read(self, work: Callable[[Tx], T]) -> T:
        """Return what `work` makes of one consistent snapshot.

        Raises:
            StoreFailure: with the cause the driver gave.

        """
        ...

    async def write(self, work: Callable[[Tx], T], durability: Durability) -> T:
        """Return what `work` gives after its transaction was committed; roll back if it raises.

        A cancelled caller gets its `CancelledError` only after the commit or the rollback.

        Raises:
            StoreFailure: with the cause the driver gave; nothing was written.

        """
        ...


def one_of(name: str, values: Sequence[str]) -> tuple[str, dict[str, SqlValue]]:
    """Return `(:name0, :name1, ...)` and its parameters, to stand after IN.

    The list is filled up to a power of two by repeating a value, so that few distinct statements arise.
    """
    if not values:
        return "(NULL)", {}
    size = 1 << (len(values) - 1).bit_length()
    filled = [*values, *[values[-1]] * (size - len(values))]
    names = [f"{name}{i}" for i in range(size)]
    return f"({', '.join(':' + n for n in names)})", dict(zip(names, filled, strict=True))


def in_chunks(values: Iterable[str], size: int = 512) -> Iterable[Sequence[str]]:
    """Return the distinct values, sorted, in runs short enough for `one_of`."""
    distinct = sorted(set(values))
    return (distinct[i : i + size] for i in range(0, len(distinct), size))
