"""Operators in SQL: what they let in, where they are told things, what they were told."""

from datetime import datetime

from agent_core.clock import to_stamp
from agent_core.people.model import Admission, Door
from agent_core.stores.sql.database import Database, Durability, SqlValue, Tx


class SqlOperatorStore:
    """An `OperatorStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def make_operator(self, person: str) -> None:
        await self._run("UPDATE person SET operator = 1 WHERE id = :person", {"person": person})

    async def has_operator(self, platform: str) -> bool:
        found = await self._database.read(
            lambda tx: tx.row(
                "SELECT 1 FROM identity JOIN person ON person.id = identity.person"
                " WHERE identity.platform = :platform AND person.operator = 1 LIMIT 1",
                {"platform": platform},
            )
        )
        return found is not None

    async def admissions(self, platform: str | None = None) -> tuple[Admission, ...]:
        found = await self._database.read(
            lambda tx: tx.rows(
                "SELECT platform, door, key FROM admission"
                " WHERE platform = coalesce(:platform, platform) ORDER BY platform, door, key",
                {"platform": platform},
            )
        )
        return tuple(Admission(its_platform, Door(door), key) for its_platform, door, key in found)

    async def set_admission(self, admission: Admission, *, admitted: bool) -> None:
        if admitted:
            sql = "INSERT INTO admission (platform, door, key) VALUES (:platform, :door, :key)"
            sql += " ON CONFLICT (platform, door, key) DO NOTHING"
        else:
            sql = "DELETE FROM admission WHERE platform = :platform AND door = :door AND key = :key"
        await self._run(sql, {"platform": admission.platform, "door": admission.door, "key": admission.key})

    async def note_place(self, person: str, platform: str, conversation: str) -> None:
        place: dict[str, SqlValue] = {"person": person, "platform": platform, "conversation": conversation}
        known = "SELECT 1 FROM operator_place WHERE person = :person AND platform = :platform"
        known += " AND conversation = :conversation"
        if await self._database.read(lambda tx: tx.row(known, place)):
            return  # noted at each start, which is to wait for no other writer
        await self._run(
            "INSERT INTO operator_place (person, platform, conversation)"
            " VALUES (:person, :platform, :conversation) ON CONFLICT (person, platform) DO UPDATE"
            " SET conversation = excluded.conversation",
            place,
        )

    async def operator_places(self) -> tuple[str, ...]:
        found = await self._database.read(
            lambda tx: tx.rows(
                "SELECT DISTINCT conversation FROM operator_place JOIN person"
                " ON person.id = operator_place.person WHERE person.operator = 1 ORDER BY conversation"
            )
        )
        return tuple(conversation for (conversation,) in found)

    async def open_notice(self, kind: str, at: datetime) -> bool:
        new = await self._run(
            "INSERT INTO notice (kind, since) VALUES (:kind, :since) ON CONFLICT (kind) DO NOTHING",
            {"kind": kind, "since": to_stamp(at)},
        )
        return new > 0

    async def close_notices(self) -> bool:
        if await self._database.read(lambda tx: tx.row("SELECT 1 FROM notice LIMIT 1")) is None:
            return False
        return await self._run("DELETE FROM notice", {}) > 0

    async def _run(self, sql: str, params: dict[str, SqlValue]) -> int:
        def write(tx: Tx) -> int:
            return tx.run(sql, params)

        return await self._database.write(write, Durability.FULL)
