"""Batches, audit and rate windows in SQL."""

from collections.abc import Callable, Sequence
from datetime import datetime

from agent_core.clock import to_stamp
from agent_core.pipeline.model import AuditRow, Batch, BatchCall, BatchStatus, CallStatus
from agent_core.stores.sql.database import Database, Durability, SqlValue, Tx
from agent_core.stores.sql.pipeline_rows import add_batch, add_calls, read_batches, save_audit, state_params


class SqlPipelineStore:
    """A `PipelineStore` over one database. `audited` is called whenever the audit has grown."""

    def __init__(self, database: Database, audited: Callable[[], None] = lambda: None) -> None:
        self._database = database
        self._audited = audited

    async def audit(self, rows: Sequence[AuditRow], *, durable: bool) -> None:
        durability = Durability.FULL if durable else Durability.NORMAL
        await self._database.write(lambda tx: save_audit(tx, rows), durability)
        self._audited()

    async def count_hit(self, person: str, tool: str, *, window: datetime) -> int:
        params: dict[str, SqlValue] = {"person": person, "tool": tool, "starts": to_stamp(window)}
        return await self._database.write(lambda tx: count_hit(tx, params), Durability.NORMAL)

    async def add_batch(self, batch: Batch, audit: Sequence[AuditRow]) -> None:
        def write(tx: Tx) -> None:
            add_batch(tx, batch)
            save_audit(tx, audit)

        await self._database.write(write, Durability.FULL)
        self._audited()

    async def batch(self, batch: str) -> Batch | None:
        found = await self._database.read(lambda tx: read_batches(tx, "id = :id", {"id": batch}))
        return found[0] if found else None

    async def open_batches(
        self, *, conversation: str | None = None, requester: str | None = None
    ) -> tuple[Batch, ...]:
        where, params = "settled = 0 AND status = 'open'", dict[str, SqlValue]()
        if conversation is not None:
            where += " AND conversation = :conversation"
            params["conversation"] = conversation
        if requester is not None:
            where += " AND requester = :requester"
            params["requester"] = requester
        return await self._database.read(lambda tx: read_batches(tx, where, params))

    async def unsettled(self) -> tuple[Batch, ...]:
        return await self._database.read(lambda tx: read_batches(tx, "settled = 0 AND status <> 'open'", {}))

    async def revise(self, batch: Batch, *, was: str) -> bool:
        return await self._database.write(lambda tx: _revise(tx, batch, was), Durability.FULL)

    async def decide(
        self,
        batch: str,
        status: BatchStatus,
        *,
        digest: str,
        by: str | None,
        at: datetime,
        chosen: frozenset[int],
    ) -> bool:
        decision: dict[str, SqlValue] = {
            "id": batch, "status": status, "digest": digest, "by": by, "at": to_stamp(at),
        }  # fmt: skip
        return await self._database.write(lambda tx: _decide(tx, decision, status, chosen), Durability.FULL)

    async def update_calls(
        self,
        batch: str,
        calls: Sequence[BatchCall],
        audit: Sequence[AuditRow],
        *,
        settled: bool,
        edit: int | None,
    ) -> None:
        def write(tx: Tx) -> None:
            tx.run_many(
                "UPDATE batch_call SET status = :status, result = :result, trouble = :trouble"
                " WHERE id = :id AND batch = :batch",
                (state_params(batch, call) for call in calls),
            )
            save_audit(tx, audit)
            tx.run(
                "UPDATE batch SET settled = :settled, edit = coalesce(:edit, edit) WHERE id = :id",
                {"id": batch, "settled": int(settled), "edit": edit},
            )

        await self._database.write(write, Durability.FULL)
        self._audited()


def count_hit(tx: Tx, params: dict[str, SqlValue]) -> int:
    """Count one use by `person` of `tool` in the window that `starts` then; return the uses in it so far."""
    tx.run("DELETE FROM rate_window WHERE person = :person AND tool = :tool AND starts < :starts", params)
    tx.run(
        "INSERT INTO rate_window (person, tool, starts, hits) VALUES (:person, :tool, :starts, 1)"
        " ON CONFLICT (person, tool, starts) DO UPDATE SET hits = rate_window.hits + 1",
        params,
    )
    found = tx.row(
        "SELECT hits FROM rate_window WHERE person = :person AND tool = :tool AND starts = :starts", params
    )
    return int(found[0]) if found else 0


def _revise(tx: Tx, batch: Batch, was: str) -> bool:
    changed = tx.run(
        "UPDATE batch SET since = :since, expires = :expires, digest = :digest, surface_ref = :surface_ref"
        " WHERE id = :id AND status = 'open' AND digest = :was",
        {
            "id": batch.id,
            "was": was,
            "since": batch.since,
            "expires": to_stamp(batch.expires),
            "digest": batch.digest,
            "surface_ref": batch.surface_ref,
        },
    )
    if not changed:
        return False
    tx.run("DELETE FROM batch_call WHERE batch = :id", {"id": batch.id})
    add_calls(tx, batch)
    return True


def _decide(tx: Tx, decision: dict[str, SqlValue], status: BatchStatus, chosen: frozenset[int]) -> bool:
    changed = tx.run(
        "UPDATE batch SET status = :status, decided_by = :by, decided_at = :at"
        " WHERE id = :id AND status = 'open' AND digest = :digest",
        decision,
    )
    if not changed:
        return False
    ordinals = tx.rows("SELECT ordinal FROM batch_call WHERE batch = :id", {"id": decision["id"]})
    tx.run_many(
        "UPDATE batch_call SET status = :status WHERE batch = :id AND ordinal = :ordinal",
        (
            {"id": decision["id"], "ordinal": ordinal, "status": _decided(status, chosen=ordinal in chosen)}
            for (ordinal,) in ordinals
        ),
    )
    return True


def _decided(status: BatchStatus, *, chosen: bool) -> CallStatus:
    if status is BatchStatus.APPROVED:
        return CallStatus.APPROVED if chosen else CallStatus.DECLINED
    return CallStatus(status.value)
