"""Tokens in SQL."""

from agent_core.clock import from_stamp, to_stamp
from agent_core.people.tokens import Token
from agent_core.stores.sql.database import Database, Durability, SqlRow

_TOKENS = "SELECT id, person, name, hash, created, revoked FROM token"


class SqlTokenStore:
    """A `TokenStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_token(self, token: Token) -> None:
        await self._database.write(
            lambda tx: tx.run(
                "INSERT INTO token (id, person, name, hash, created, revoked)"
                " VALUES (:id, :person, :name, :hash, :created, :revoked)",
                {
                    "id": token.id,
                    "person": token.person,
                    "name": token.name,
                    "hash": token.hash,
                    "created": to_stamp(token.created),
                    "revoked": int(token.revoked),
                },
            ),
            Durability.FULL,
        )

    async def token(self, token: str) -> Token | None:
        found = await self._database.read(lambda tx: tx.row(f"{_TOKENS} WHERE id = :id", {"id": token}))
        return _token(found) if found else None

    async def tokens(self) -> tuple[Token, ...]:
        found = await self._database.read(lambda tx: tx.rows(f"{_TOKENS} ORDER BY created, id"))
        return tuple(map(_token, found))

    async def revoke_token(self, token: str) -> bool:
        changed = await self._database.write(
            lambda tx: tx.run("UPDATE token SET revoked = 1 WHERE id = :id AND revoked = 0", {"id": token}),
            Durability.FULL,
        )
        return changed > 0


def _token(found: SqlRow) -> Token:
    id_, person, name, hash_, created, revoked = found
    return Token(
        id=id_, person=person, name=name, hash=hash_, created=from_stamp(created), revoked=bool(revoked)
    )
