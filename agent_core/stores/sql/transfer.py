"""Whole series read and written in SQL, each in one transaction."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from agent_core.clock import from_stamp
from agent_core.exporting.store import GivenChange, KnownPerson, Ledger, Snapshot, WrittenChange, WrittenRow
from agent_core.lore.model import Change, Series
from agent_core.people.model import Identity, Membership, Progress, SeriesRole
from agent_core.stores.sql.changes import FullChange, put_changes, read_head
from agent_core.stores.sql.database import Database, Durability, Params, SqlRow, Tx, in_chunks, one_of
from agent_core.stores.sql.rows import node_from, node_text, read_row
from agent_core.stores.sql.series import add_series, all_series

T = TypeVar("T")

_ROWS_AT_ONCE = 2000
_TERMINAL = Identity("terminal", "local")

_CONCERNED = """
    SELECT owner FROM series WHERE id = :series
    UNION SELECT person FROM membership WHERE series = :series
    UNION SELECT person FROM progress WHERE series = :series
    UNION SELECT proposed_by FROM change WHERE series = :series
    UNION SELECT approved_by FROM change WHERE series = :series
"""


class SqlTransferStore:
    """A `TransferStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, work: Callable[[Snapshot], T]) -> T:
        return await self._database.read(lambda tx: work(_SqlSnapshot(tx)))

    async def write(self, work: Callable[[Ledger], T]) -> T:
        return await self._database.write(lambda tx: work(_SqlLedger(tx)), Durability.FULL)


class _SqlSnapshot:
    """A `Snapshot` over one transaction."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx

    def series(self) -> Sequence[Series]:
        return all_series(self._tx)

    def edits(self, series: str) -> int:
        return read_head(self._tx, series).number

    def changes(self, series: str, up_to: int) -> Iterator[WrittenChange]:
        first, size = 1, 1
        while first <= up_to:
            run = list(self._run(series, first, min(first + size - 1, up_to)))
            yield from run
            first += size
            size = max(1, min(2 * size, size * _ROWS_AT_ONCE // (1 + sum(len(one.rows) for one in run))))

    def nodes(self, series: str) -> Iterator[str]:
        found = self._tx.rows(
            "SELECT id, kind, parent, rank, title, number, part, mode, place_relation, place_node, deleted"
            " FROM node WHERE series = :series ORDER BY id",
            {"series": series},
        )
        return (node_text(node_from(row)) for row in found)

    def people(self, series: Collection[str]) -> Sequence[KnownPerson]:
        wanted = {person for one in series for (person,) in self._tx.rows(_CONCERNED, {"series": one})}
        wanted |= {became for _, _, became in self._persons(wanted) if became}
        accounts: dict[str, list[Identity]] = {}
        for person, platform, user in self._accounts(wanted):
            accounts.setdefault(person, []).append(Identity(platform, user))
        return [
            KnownPerson(id=id_, name=name, united_with=became, identities=tuple(accounts.get(id_, ())))
            for id_, name, became in sorted(self._persons(wanted))
        ]

    def members(self, series: str) -> Sequence[Membership]:
        found = self._tx.rows(
            "SELECT person, role, may_destroy FROM membership WHERE series = :series ORDER BY person",
            {"series": series},
        )
        return [
            Membership(person=person, series=series, role=SeriesRole(role), may_destroy=bool(may_destroy))
            for person, role, may_destroy in found
        ]

    def progress(self, series: str) -> Sequence[Progress]:
        found = self._tx.rows(
            "SELECT person, finished, ceiling FROM progress WHERE series = :series ORDER BY person",
            {"series": series},
        )
        return [
            Progress(person=person, series=series, finished=finished, ceiling=ceiling)
            for person, finished, ceiling in found
        ]

    def _run(self, series: str, first: int, last: int) -> Iterator[WrittenChange]:
        place: Params = {"series": series, "first": first, "last": last}
        rows: dict[int, list[WrittenRow]] = {}
        for number, kind, subject, body in self._tx.rows(
            "SELECT change, kind, subject, body FROM lore_row WHERE series = :series"
            " AND change BETWEEN :first AND :last ORDER BY change, ord",
            place,
        ):
            rows.setdefault(number, []).append(WrittenRow(kind, subject, body))
        keys: dict[int, list[str]] = {}
        for number, path in self._tx.rows(
            "SELECT change, path FROM touched WHERE series = :series"
            " AND change BETWEEN :first AND :last ORDER BY change, path",
            place,
        ):
            keys.setdefault(number, []).append(path)
        for token, number, at, proposed_by, approved_by, source, summary in self._tx.rows(
            "SELECT token, number, at, proposed_by, approved_by, source, summary FROM change"
            " WHERE series = :series AND number BETWEEN :first AND :last ORDER BY number",
            place,
        ):
            change = Change(
                series=series,
                number=number,
                at=from_stamp(at),
                proposed_by=proposed_by,
                approved_by=approved_by,
                source=source,
                summary=summary,
            )
            yield WrittenChange(change, token, tuple(keys.get(number, ())), tuple(rows.get(number, ())))

    def _persons(self, ids: Iterable[str]) -> list[SqlRow]:
        found: list[SqlRow] = []
        for chunk in in_chunks(ids):
            listed, params = one_of("id", chunk)
            found += self._tx.rows(f"SELECT id, name, united_with FROM person WHERE id IN {listed}", params)  # noqa: S608 - our own list of names
        return found

    def _accounts(self, ids: Iterable[str]) -> list[SqlRow]:
        found: list[SqlRow] = []
        for chunk in in_chunks(ids):
            listed, params = one_of("id", chunk)
            found += self._tx.rows(
                f"SELECT person, platform, user_id FROM identity WHERE person IN {listed}"  # noqa: S608 - our own list of names
                " ORDER BY platform, user_id",
                params,
            )
        return found


class _SqlLedger(_SqlSnapshot):
    """A `Ledger` over one writing transaction."""

    def add_series(self, series: Series) -> None:
        add_series(self._tx, series)

    def append(self, series: str, changes: Iterable[GivenChange]) -> None:
        head = read_head(self._tx, series)
        latest = next((one.change.at for one in self._run(series, head.number, head.number)), None)
        for run in _runs(changes):
            for number, given in enumerate(run, head.number + 1):
                if given.change.number != number or (latest is not None and given.change.at < latest):
                    raise ValueError(f"change {given.change.number} is out of order")
                latest = given.change.at
            head = put_changes(self._tx, head, [_full(given) for given in run])

    def add_people(self, people: Iterable[KnownPerson]) -> Mapping[str, str]:
        people = list(people)
        standing = {person.id: self._standing(person) for person in people}
        for person in people:
            became = person.united_with and standing.get(person.united_with, person.united_with)
            if became:
                standing[person.id] = became
        for person in sorted(people, key=lambda one: standing[one.id] != one.id):
            self._add_person(person, standing[person.id])
        return standing

    def add_member(self, membership: Membership) -> None:
        self._tx.run(
            "INSERT INTO membership (person, series, role, may_destroy)"
            " VALUES (:person, :series, :role, :may_destroy) ON CONFLICT (person, series) DO NOTHING",
            {
                "person": membership.person,
                "series": membership.series,
                "role": membership.role,
                "may_destroy": int(membership.may_destroy),
            },
        )

    def add_progress(self, progress: Progress) -> None:
        self._tx.run(
            "INSERT INTO progress (person, series, finished, ceiling)"
            " VALUES (:person, :series, :finished, :ceiling) ON CONFLICT (person, series) DO NOTHING",
            {
                "person": progress.person,
                "series": progress.series,
                "finished": progress.finished,
                "ceiling": progress.ceiling,
            },
        )

    def _standing(self, person: KnownPerson) -> str:
        """Return who this person is here: themselves, whom they became, or who has one of their accounts."""
        known = self._tx.row("SELECT coalesce(united_with, id) FROM person WHERE id = :id", {"id": person.id})
        if known is not None:
            return str(known[0])
        for account in person.identities:
            holder = self._tx.row(
                "SELECT person FROM identity WHERE platform = :platform AND user_id = :user",
                {"platform": account.platform, "user": account.user},
            )
            if holder is not None:
                return str(holder[0])
        return person.id

    def _is_here(self, person: str) -> bool:
        return self._tx.row("SELECT id FROM person WHERE id = :id", {"id": person}) is not None

    def _add_person(self, person: KnownPerson, became: str) -> None:
        if self._is_here(person.id):
            return
        if became != person.id and not self._is_here(became):
            raise ValueError("a person became a part of somebody who is missing")
        self._tx.run(
            "INSERT INTO person (id, name, operator, united_with) VALUES (:id, :name, :operator, :became)",
            {
                "id": person.id,
                "name": person.name,
                "operator": int(became == person.id and _TERMINAL in person.identities),
                "became": None if became == person.id else became,
            },
        )
        self._tx.run_many(
            "INSERT INTO identity (platform, user_id, person) VALUES (:platform, :user, :person)"
            " ON CONFLICT (platform, user_id) DO NOTHING",
            (
                {"platform": account.platform, "user": account.user, "person": became}
                for account in person.identities
            ),
        )


def _runs(changes: Iterable[GivenChange]) -> Iterator[list[GivenChange]]:
    """Yield the changes in runs that together hold some thousand rows."""
    run: list[GivenChange] = []
    size = 0
    for change in changes:
        run.append(change)
        size += 1 + len(change.rows)
        if size >= _ROWS_AT_ONCE:
            yield run
            run, size = [], 0
    if run:
        yield run


def _full(given: GivenChange) -> FullChange:
    rows = tuple(read_row(row.kind, row.subject, row.body) for row in given.rows)
    return FullChange(given.change, given.token, rows, given.keys)
