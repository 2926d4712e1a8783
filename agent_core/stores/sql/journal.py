"""The audit as its journal reads it, in SQL."""

from agent_core.clock import from_stamp
from agent_core.pipeline.model import AuditOutcome, AuditRow, AuditState, JournalMark
from agent_core.stores.sql.database import Database, Durability, SqlRow, SqlValue, Tx
from agent_core.stores.sql.json_text import from_text

_STATES = (
    "SELECT seq, id, at, call_id, conversation, requester, approver, tool, arguments, outcome, duration_ms,"
    " error FROM audit"
)


class SqlJournalStore:
    """A `JournalStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def states(self, *, after: int, limit: int) -> tuple[AuditState, ...]:
        params: dict[str, SqlValue] = {"after": after, "limit": limit}
        found = await self._database.read(
            lambda tx: tx.rows(f"{_STATES} WHERE seq > :after ORDER BY seq LIMIT :limit", params)
        )
        return tuple(map(_state_from, found))

    async def newest_states(self, limit: int) -> tuple[AuditState, ...]:
        found = await self._database.read(
            lambda tx: tx.rows(f"{_STATES} ORDER BY seq DESC LIMIT :limit", {"limit": limit})
        )
        return tuple(map(_state_from, reversed(found)))

    async def mark(self) -> JournalMark:
        return await self._database.read(_mark)

    async def set_mark(self, mark: JournalMark) -> None:
        params: dict[str, SqlValue] = {"seq": mark.seq, "size": mark.size}
        await self._database.write(
            lambda tx: tx.run("UPDATE journal SET seq = :seq, size = :size", params), Durability.NORMAL
        )


def _mark(tx: Tx) -> JournalMark:
    found = tx.row("SELECT seq, size FROM journal")
    return JournalMark(*found) if found else JournalMark()


def _state_from(found: SqlRow) -> AuditState:
    (
        seq, id_, at, call_id, conversation, requester, approver, tool, arguments, outcome, duration_ms,
        error,
    ) = found  # fmt: skip
    row = AuditRow(
        id=id_,
        at=from_stamp(at),
        call_id=call_id,
        conversation=conversation,
        requester=requester,
        approver=approver,
        tool=tool,
        arguments=from_text(arguments),
        outcome=AuditOutcome(outcome),
        duration_ms=duration_ms,
        error=error,
    )
    return AuditState(seq, row)
