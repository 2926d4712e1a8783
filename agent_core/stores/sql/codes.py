"""Single-use codes and guesses in SQL."""

from datetime import datetime

from agent_core.clock import from_stamp, to_stamp
from agent_core.people.model import Code, CodeKind
from agent_core.stores.sql.database import Database, Durability, SqlValue, Tx
from agent_core.stores.sql.pipeline import count_hit

_GUESS = "code"


class SqlCodeStore:
    """A `CodeStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_code(self, code: Code) -> None:
        await self._database.write(lambda tx: _add(tx, code), Durability.FULL)

    async def code(self, code_hash: str, kind: CodeKind, *, now: datetime) -> Code | None:
        return await self._database.read(lambda tx: _find(tx, code_hash, kind, now))

    async def take_code(self, code_hash: str, kind: CodeKind, *, now: datetime) -> Code | None:
        def write(tx: Tx) -> Code | None:
            code = _find(tx, code_hash, kind, now)
            tx.run("DELETE FROM link_code WHERE hash = :hash AND kind = :kind", _key(code_hash, kind))
            return code

        return await self._database.write(write, Durability.FULL)

    async def count_guess(self, guesser: str, *, window: datetime) -> int:
        params: dict[str, SqlValue] = {"person": guesser, "tool": _GUESS, "starts": to_stamp(window)}
        return await self._database.write(lambda tx: count_hit(tx, params), Durability.NORMAL)


def _add(tx: Tx, code: Code) -> None:
    tx.run(
        "DELETE FROM link_code WHERE kind = :kind AND coalesce(person, '') = coalesce(:person, '')",
        {"kind": code.kind, "person": code.person},
    )
    tx.run(
        "INSERT INTO link_code (hash, kind, person, expires) VALUES (:hash, :kind, :person, :expires)",
        {
            "hash": code.hash,
            "kind": code.kind,
            "person": code.person,
            "expires": to_stamp(code.expires),
        },
    )


def _find(tx: Tx, code_hash: str, kind: CodeKind, now: datetime) -> Code | None:
    found = tx.row(
        "SELECT person, expires FROM link_code WHERE hash = :hash AND kind = :kind AND expires > :now",
        {**_key(code_hash, kind), "now": to_stamp(now)},
    )
    if found is None:
        return None
    return Code(hash=code_hash, kind=kind, person=found[0], expires=from_stamp(found[1]))


def _key(code_hash: str, kind: CodeKind) -> dict[str, SqlValue]:
    return {"hash": code_hash, "kind": kind}
