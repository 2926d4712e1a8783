"""In SQL: which models were seen to call tools."""

from datetime import datetime

from agent_core.clock import to_stamp
from agent_core.stores.sql.database import Database, Durability, SqlValue


class SqlToolCallingStore:
    """A `ToolCallingStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def calls_tools(self, endpoint: str, model: str) -> bool | None:
        found = await self._database.read(
            lambda tx: tx.row(
                "SELECT calls FROM tool_calling WHERE endpoint = :endpoint AND model = :model",
                {"endpoint": endpoint, "model": model},
            )
        )
        return None if found is None else bool(found[0])

    async def note_calls_tools(self, endpoint: str, model: str, at: datetime, *, calls: bool) -> None:
        test: dict[str, SqlValue] = {
            "endpoint": endpoint,
            "model": model,
            "calls": int(calls),
            "at": to_stamp(at),
        }
        await self._database.write(
            lambda tx: tx.run(
                "INSERT INTO tool_calling (endpoint, model, calls, at)"
                " VALUES (:endpoint, :model, :calls, :at)"
                " ON CONFLICT (endpoint, model) DO UPDATE SET calls = excluded.calls, at = excluded.at",
                test,
            ),
            Durability.NORMAL,
        )
