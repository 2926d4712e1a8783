"""In SQL: which notes folders each series has."""

from agent_core.stores.sql.database import Database, Durability, SqlValue
from agent_core.vault.store import Attachment


class SqlVaultStore:
    """A `VaultStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def attached(self, series: str) -> tuple[Attachment, ...]:
        rows = await self._database.read(
            lambda tx: tx.rows(
                "SELECT series, name, writable FROM vault WHERE series = :series ORDER BY name",
                {"series": series},
            )
        )
        return tuple(Attachment(owner, name, bool(writable)) for owner, name, writable in rows)

    async def attach(self, attachment: Attachment) -> None:
        given: dict[str, SqlValue] = {
            "series": attachment.series,
            "name": attachment.vault,
            "writable": int(attachment.writable),
        }
        await self._database.write(
            lambda tx: tx.run(
                "INSERT INTO vault (series, name, writable) VALUES (:series, :name, :writable)"
                " ON CONFLICT (series, name) DO UPDATE SET writable = excluded.writable",
                given,
            ),
            Durability.FULL,
        )

    async def detach(self, series: str, vault: str) -> None:
        await self._database.write(
            lambda tx: tx.run(
                "DELETE FROM vault WHERE series = :series AND name = :name", {"series": series, "name": vault}
            ),
            Durability.FULL,
        )
