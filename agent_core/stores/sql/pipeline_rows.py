"""How batches, their calls and audit rows stand in columns."""

from collections.abc import Iterable, Sequence

from agent_core.clock import from_stamp, to_stamp
from agent_core.lore.answers import CardLine
from agent_core.pipeline.model import AuditRow, Batch, BatchCall, BatchStatus, CallStatus, Trouble
from agent_core.stores.sql.database import SqlRow, SqlValue, Tx, in_chunks, one_of
from agent_core.stores.sql.json_text import from_text, to_text
from agent_core.tools.spec import Risk

BATCHES = """
    SELECT id, conversation, requester, series, turn, since, language, bound, created, expires, digest,
        status, decided_by, decided_at, settled, edit, surface_ref
    FROM batch
"""
_CALLS = """
    SELECT batch, id, ordinal, call_id, tool, risk, arguments, card, status, selected, result, trouble
    FROM batch_call
"""


def read_batches(tx: Tx, where: str, params: dict[str, SqlValue]) -> tuple[Batch, ...]:
    """Return the batches that meet the condition, with their calls, oldest first."""
    found = tx.rows(f"{BATCHES} WHERE {where} ORDER BY ord", params)
    calls: dict[str, list[BatchCall]] = {row[0]: [] for row in found}
    for chunk in in_chunks(calls):
        names, call_params = one_of("batch", chunk)
        for batch, *columns in tx.rows(f"{_CALLS} WHERE batch IN {names} ORDER BY ordinal", call_params):
            calls[batch].append(_call_from(tuple(columns)))
    return tuple(_batch_from(row, calls[row[0]]) for row in found)


def add_batch(tx: Tx, batch: Batch) -> None:
    """Store a new batch with its calls."""
    tx.run(
        "INSERT INTO batch (id, conversation, requester, series, turn, since, language, bound, created,"
        " expires, digest, status, decided_by, decided_at, settled, edit, surface_ref)"
        " VALUES (:id, :conversation,"
        " coalesce((SELECT united_with FROM person WHERE id = :requester), :requester),"
        " :series, :turn, :since, :language, :bound, :created, :expires, :digest, :status, :decided_by,"
        " :decided_at, :settled, :edit, :surface_ref)",
        _batch_params(batch),
    )
    add_calls(tx, batch)


def add_calls(tx: Tx, batch: Batch) -> None:
    """Store the calls of a batch that has none."""
    tx.run_many(
        "INSERT INTO batch_call (batch, id, ordinal, call_id, tool, risk, arguments, card, status, selected,"
        " result, trouble) VALUES (:batch, :id, :ordinal, :call_id, :tool, :risk, :arguments, :card, :status,"
        " :selected, :result, :trouble)",
        (_call_params(batch.id, call) for call in batch.calls),
    )


def save_audit(tx: Tx, rows: Iterable[AuditRow]) -> None:
    """Insert the rows; one whose id is there gets its end: outcome, approver, error, duration.

    Its arguments too: a question answered on the card may have changed what ran. Each time it gets the
    next `seq`, under which the journal finds it.
    """
    tx.run_many(
        "INSERT INTO audit (id, at, call_id, conversation, requester, approver, tool, arguments, outcome,"
        " duration_ms, error, seq) VALUES (:id, :at, :call_id, :conversation, :requester, :approver, :tool,"
        " :arguments, :outcome, :duration_ms, :error, (SELECT coalesce(max(seq), 0) + 1 FROM audit))"
        " ON CONFLICT (id) DO UPDATE SET approver = excluded.approver, arguments = excluded.arguments,"
        " outcome = excluded.outcome, duration_ms = excluded.duration_ms, error = excluded.error,"
        " seq = excluded.seq",
        map(_audit_params, rows),
    )


def _batch_from(found: SqlRow, calls: Sequence[BatchCall]) -> Batch:
    (
        id_, conversation, requester, series, turn, since, language, bound, created, expires, digest,
        status, decided_by, decided_at, settled, edit, surface_ref,
    ) = found  # fmt: skip
    return Batch(
        id=id_,
        conversation=conversation,
        requester=requester,
        series=series,
        turn=turn,
        since=since,
        language=language,
        bound=bound,
        created=from_stamp(created),
        expires=from_stamp(expires),
        digest=digest,
        calls=tuple(calls),
        status=BatchStatus(status),
        decided_by=decided_by,
        decided_at=from_stamp(decided_at) if decided_at else None,
        settled=bool(settled),
        edit=edit,
        surface_ref=surface_ref,
    )


def _call_from(found: SqlRow) -> BatchCall:
    id_, ordinal, call_id, tool, risk, arguments, card, status, selected, result, trouble = found
    return BatchCall(
        id=id_,
        ordinal=ordinal,
        call_id=call_id,
        tool=tool,
        risk=Risk(risk),
        arguments=from_text(arguments),
        card=CardLine.model_validate_json(card),
        status=CallStatus(status),
        selected=bool(selected),
        result=result,
        trouble=_trouble_from(trouble),
    )


def _batch_params(batch: Batch) -> dict[str, SqlValue]:
    return {
        "id": batch.id,
        "conversation": batch.conversation,
        "requester": batch.requester,
        "series": batch.series,
        "turn": batch.turn,
        "since": batch.since,
        "language": batch.language,
        "bound": batch.bound,
        "created": to_stamp(batch.created),
        "expires": to_stamp(batch.expires),
        "digest": batch.digest,
        "status": batch.status,
        "decided_by": batch.decided_by,
        "decided_at": to_stamp(batch.decided_at) if batch.decided_at else None,
        "settled": int(batch.settled),
        "edit": batch.edit,
        "surface_ref": batch.surface_ref,
    }


def state_params(batch: str, call: BatchCall) -> dict[str, SqlValue]:
    """Return what changes of a call: its status and how it ended."""
    return {
        "batch": batch,
        "id": call.id,
        "status": call.status,
        "result": call.result,
        "trouble": _trouble_text(call.trouble),
    }


def _call_params(batch: str, call: BatchCall) -> dict[str, SqlValue]:
    return {
        **state_params(batch, call),
        "ordinal": call.ordinal,
        "call_id": call.call_id,
        "tool": call.tool,
        "risk": call.risk,
        "arguments": to_text(call.arguments),
        "card": call.card.model_dump_json(exclude_defaults=True),
        "selected": int(call.selected),
    }


def _trouble_text(trouble: Trouble | None) -> str:
    return to_text({"key": trouble.key, "facts": trouble.facts}) if trouble else ""


def _trouble_from(text: str) -> Trouble | None:
    if not text:
        return None
    stored = from_text(text)
    facts = {name: tuple(fact) if isinstance(fact, list) else fact for name, fact in stored["facts"].items()}
    return Trouble(stored["key"], facts)


def _audit_params(row: AuditRow) -> dict[str, SqlValue]:
    return {
        "id": row.id,
        "at": to_stamp(row.at),
        "call_id": row.call_id,
        "conversation": row.conversation,
        "requester": row.requester,
        "approver": row.approver,
        "tool": row.tool,
        "arguments": to_text(row.arguments),
        "outcome": row.outcome,
        "duration_ms": row.duration_ms,
        "error": row.error,
    }
