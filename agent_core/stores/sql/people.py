"""Persons, roles and reading progress in SQL."""

from agent_core.errors import NotPermitted
from agent_core.people.model import Identity, Membership, Person, Progress, Rights, SeriesRole
from agent_core.stores.sql.database import Database, Durability, Params, SqlRow, Tx
from agent_core.stores.sql.united import unite

_MEMBERSHIPS = "SELECT person, series, role, may_destroy FROM membership WHERE series = :series"


class SqlPeopleStore:
    """A `PeopleStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def person_for(self, identity: Identity, name: str, *, new_id: str, operator: bool) -> Person:
        known = await self._database.read(lambda tx: _person_of(tx, identity))
        if known is not None:
            return known
        new = Person(id=new_id, name=name, operator=operator)
        return await self._database.write(lambda tx: _add(tx, identity, new), Durability.FULL)

    async def person_known_as(self, identity: Identity) -> Person | None:
        return await self._database.read(lambda tx: _person_of(tx, identity))

    async def identities(self, person: str) -> tuple[Identity, ...]:
        found = await self._database.read(
            lambda tx: tx.rows(
                "SELECT platform, user_id FROM identity WHERE person = :person ORDER BY platform, user_id",
                {"person": person},
            )
        )
        return tuple(Identity(platform, user) for platform, user in found)

    async def person(self, person: str) -> Person | None:
        def read(tx: Tx) -> Person | None:
            found = tx.row(
                "SELECT now.id, now.name, now.operator FROM person"
                " JOIN person AS now ON now.id = coalesce(person.united_with, person.id)"
                " WHERE person.id = :id",
                {"id": person},
            )
            return _person(found) if found else None

        return await self._database.read(read)

    async def membership(self, person: str, series: str) -> Membership | None:
        def read(tx: Tx) -> Membership | None:
            found = tx.row(f"{_MEMBERSHIPS} AND person = :person", {"series": series, "person": person})
            return _membership(found) if found else None

        return await self._database.read(read)

    async def members(self, series: str) -> tuple[Membership, ...]:
        def read(tx: Tx) -> tuple[Membership, ...]:
            leads_first = "ORDER BY CASE role WHEN 'owner' THEN 0 ELSE 1 END, person"
            return tuple(map(_membership, tx.rows(f"{_MEMBERSHIPS} {leads_first}", {"series": series})))

        return await self._database.read(read)

    async def set_membership(self, membership: Membership) -> None:
        await self._database.write(lambda tx: _set_membership(tx, membership), Durability.FULL)

    async def progress(self, person: str, series: str) -> Progress | None:
        def read(tx: Tx) -> Progress | None:
            found = tx.row(
                "SELECT finished, ceiling FROM progress WHERE person = :person AND series = :series",
                {"person": person, "series": series},
            )
            return (
                Progress(person=person, series=series, finished=found[0], ceiling=found[1]) if found else None
            )

        return await self._database.read(read)

    async def set_progress(self, progress: Progress) -> None:
        await self._database.write(lambda tx: _set_progress(tx, progress), Durability.FULL)

    async def rights(self, person: str) -> Rights:
        return await self._database.read(lambda tx: _rights(tx, person))

    async def known_as(self, person: str) -> frozenset[str]:
        found = await self._database.read(
            lambda tx: tx.rows("SELECT id FROM person WHERE united_with = :person", {"person": person})
        )
        return frozenset({person, *(id_ for (id_,) in found)})

    async def unite(self, gone: str, kept: str, rights: Rights) -> None:
        def write(tx: Tx) -> None:
            unite(tx, gone, kept)
            for membership in rights.memberships:
                _set_membership(tx, membership)
            for progress in rights.progress:
                _set_progress(tx, progress)

        await self._database.write(write, Durability.FULL)


def _person_of(tx: Tx, identity: Identity) -> Person | None:
    found = tx.row(
        "SELECT person.id, person.name, person.operator FROM identity"
        " JOIN person ON person.id = identity.person"
        " WHERE identity.platform = :platform AND identity.user_id = :user_id",
        {"platform": identity.platform, "user_id": identity.user},
    )
    return _person(found) if found else None


def _add(tx: Tx, identity: Identity, new: Person) -> Person:
    known = _person_of(tx, identity)
    if known is not None:
        return known
    tx.run(
        "INSERT INTO person (id, name, operator) VALUES (:id, :name, :operator)",
        {"id": new.id, "name": new.name, "operator": int(new.operator)},
    )
    tx.run(
        "INSERT INTO identity (platform, user_id, person) VALUES (:platform, :user_id, :person)",
        {"platform": identity.platform, "user_id": identity.user, "person": new.id},
    )
    return new


def _set_membership(tx: Tx, membership: Membership) -> None:
    place = {"person": membership.person, "series": membership.series}
    if membership.role is not SeriesRole.OWNER:
        _refuse_last_lead(tx, place)
    if membership.role is SeriesRole.NONE:
        tx.run("DELETE FROM membership WHERE person = :person AND series = :series", place)
        return
    tx.run(
        "INSERT INTO membership (person, series, role, may_destroy)"
        " VALUES (:person, :series, :role, :may_destroy)"
        " ON CONFLICT (person, series) DO UPDATE"
        " SET role = excluded.role, may_destroy = excluded.may_destroy",
        {**place, "role": membership.role, "may_destroy": int(membership.may_destroy)},
    )


def _refuse_last_lead(tx: Tx, place: Params) -> None:
    """Pass unless this person alone leads the series.

    Raises:
        NotPermitted: reason "last_lead".
    """
    leads = tx.rows("SELECT person FROM membership WHERE series = :series AND role = 'owner'", place)
    if leads == [(place["person"],)]:
        raise NotPermitted(reason="last_lead")


def _set_progress(tx: Tx, progress: Progress) -> None:
    tx.run(
        "INSERT INTO progress (person, series, finished, ceiling)"
        " VALUES (:person, :series, :finished, :ceiling)"
        " ON CONFLICT (person, series) DO UPDATE"
        " SET finished = excluded.finished, ceiling = excluded.ceiling",
        {
            "person": progress.person,
            "series": progress.series,
            "finished": progress.finished,
            "ceiling": progress.ceiling,
        },
    )


def _rights(tx: Tx, person: str) -> Rights:
    who = {"person": person}
    memberships = tx.rows(
        "SELECT person, series, role, may_destroy FROM membership WHERE person = :person ORDER BY series", who
    )
    progress = tx.rows(
        "SELECT series, finished, ceiling FROM progress WHERE person = :person ORDER BY series", who
    )
    return Rights(
        memberships=tuple(map(_membership, memberships)),
        progress=tuple(
            Progress(person=person, series=series, finished=finished, ceiling=ceiling)
            for series, finished, ceiling in progress
        ),
    )


def _person(found: SqlRow) -> Person:
    id_, name, operator = found
    return Person(id=id_, name=name, operator=bool(operator))


def _membership(found: SqlRow) -> Membership:
    person, series, role, may_destroy = found
    return Membership(person=person, series=series, role=SeriesRole(role), may_destroy=bool(may_destroy))
