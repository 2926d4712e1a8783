"""What taking series out and bringing them in needs of a store: one moment to read, one step to write."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from agent_core.lore.model import Change, Series
from agent_core.messages import Json
from agent_core.people.model import Identity, Membership, Progress

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPerson:
    """A person with their accounts. `united_with` is whom they became a part of."""

    id: str
    name: str
    united_with: str | None = None
    identities: tuple[Identity, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenRow:
    """A row of the canon: its kind, what it is about, and its other members as JSON text."""

    kind: str
    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class WrittenChange:
    """A change as it stands in the log, with the token that made it and its conflict keys, sorted."""

    change: Change
    token: str
    keys: tuple[str, ...]
    rows: tuple[WrittenRow, ...]


@dataclass(frozen=True, slots=True)
class GivenRow:
    """A row of the canon that comes from outside; nothing of it has been looked at."""

    kind: str
    subject: str
    body: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class GivenChange:
    """A change that comes from outside."""

    change: Change
    token: str
    keys: tuple[str, ...]
    rows: tuple[GivenRow, ...]


class Snapshot(Protocol):
    """Everything that belongs to series, at one moment. Nothing is held in memory beyond what is yielded."""

    def series(self) -> Sequence[Series]:
        """Return every series, oldest first."""
        ...

    def edits(self, series: str) -> int:
        """Return the number of the newest change, 0 where there is none."""
        ...

    def changes(self, series: str, up_to: int) -> Iterator[WrittenChange]:
        """Yield the changes with numbers up to `up_to`, oldest first."""
        ...

    def nodes(self, series: str) -> Iterator[str]:
        """Yield the nodes of the outline as it is, as JSON texts, by id."""
        ...

    def people(self, series: Collection[str]) -> Sequence[KnownPerson]:
        """Return who leads, belongs to, reads or has edited these series, and whom they became, by id."""
        ...

    def members(self, series: str) -> Sequence[Membership]:
        """Return the roles in a series, by person."""
        ...

    def progress(self, series: str) -> Sequence[Progress]:
        """Return the reading progress in a series, by person."""
        ...


class Ledger(Snapshot, Protocol):
    """A snapshot that can be added to."""

    def add_series(self, series: Series) -> None:
        """Store a new series.

        Raises:
            DuplicateEntity: its owner has another series of the same name.

        """
        ...

    def append(self, series: str, changes: Iterable[GivenChange]) -> None:
        """Put changes on the log, exactly as they are; their numbers go on from the newest one.

        Raises:
            ValueError: a row is none that can be stored, or a number or instant is out of order.

        """
        ...

    def add_people(self, people: Iterable[KnownPerson]) -> Mapping[str, str]:
        """Store those who are not known yet; return for each of all their ids who they are here.

        Whoever has the account of somebody who is here becomes a part of them. Nobody becomes an operator but
        who sits at the terminal. Those who are known stay as they are.

        Raises:
            ValueError: one became a part of somebody who is missing.

        """
        ...

    def add_member(self, membership: Membership) -> None:
        """Give a person a role in a series, unless they have one."""
        ...

    def add_progress(self, progress: Progress) -> None:
        """Give a person a reading progress in a series, unless they have one."""
        ...


class TransferStore(Protocol):
    """Runs whole exports and imports, off the event loop."""

    async def read(self, work: Callable[[Snapshot], T]) -> T:
        """Return what `work` makes of one consistent moment; others may write meanwhile.

        Raises:
            StoreFailure: with the cause the driver gave.

        """
        ...

    async def write(self, work: Callable[[Ledger], T]) -> T:
        """Return what `work` gives after all that it added is stored for good, or nothing if it raises.

        Raises:
            StoreFailure: with the cause the driver gave; nothing was written.

        """
        ...
