"""How turns and steps stand in columns."""

from collections.abc import Iterable

from agent_core.clock import from_stamp, to_stamp
from agent_core.messages import ChatMessage, Role, ToolCall, Usage
from agent_core.stores.sql.database import SqlRow, SqlValue, Tx
from agent_core.stores.sql.json_text import from_text, to_text
from agent_core.stores.sql.usage import from_nano, to_nano
from agent_core.turn.model import Step, Turn, TurnStatus

TURNS = """
    SELECT id, conversation, requester, started, status, bound, language, question, deep, mode, replies,
        calls, result_chars, prompt_tokens, completion_tokens, metered, cost_nano, answer, context,
        max_replies, scheduled, original
    FROM turn
"""
STEPS = """
    SELECT turn, seq, role, content, calls, call_id, raw, provider, pending, duration_ms, outcome
    FROM turn_step
"""


def save_turn(tx: Tx, turn: Turn) -> None:
    """Store the turn, or its new state where it is there already; its question may have been edited since."""
    tx.run(
        "INSERT INTO turn (id, conversation, requester, started, status, bound, language, question, deep,"
        " mode, replies, calls, result_chars, prompt_tokens, completion_tokens, metered, cost_nano, answer,"
        " context, max_replies, scheduled, original)"
        " VALUES (:id, :conversation, :requester, :started, :status, :bound, :language, :question, :deep,"
        " :mode, :replies, :calls, :result_chars, :prompt_tokens, :completion_tokens, :metered, :cost_nano,"
        " :answer, :context, :max_replies, :scheduled, :original)"
        " ON CONFLICT (id) DO UPDATE SET status = excluded.status, bound = excluded.bound,"
        " language = excluded.language, deep = excluded.deep,"
        " mode = excluded.mode, replies = excluded.replies, calls = excluded.calls,"
        " result_chars = excluded.result_chars, prompt_tokens = excluded.prompt_tokens,"
        " completion_tokens = excluded.completion_tokens, metered = excluded.metered,"
        " cost_nano = excluded.cost_nano, answer = excluded.answer",
        _turn_params(turn),
    )


def save_steps(tx: Tx, steps: Iterable[Step]) -> None:
    """Append the steps; one that is there already, from a save whose caller was cancelled, is put anew."""
    tx.run_many(
        "INSERT INTO turn_step (turn, seq, role, content, calls, call_id, raw, provider, pending,"
        " duration_ms, outcome) VALUES (:turn, :seq, :role, :content, :calls, :call_id, :raw, :provider,"
        " :pending, :duration_ms, :outcome)"
        " ON CONFLICT (turn, seq) DO UPDATE SET role = excluded.role, content = excluded.content,"
        " calls = excluded.calls, call_id = excluded.call_id, raw = excluded.raw,"
        " provider = excluded.provider, pending = excluded.pending, duration_ms = excluded.duration_ms,"
        " outcome = excluded.outcome",
        map(_step_params, steps),
    )


def turn_from(found: SqlRow) -> Turn:
    """Return the turn in the columns of `TURNS`."""
    (
        id_, conversation, requester, started, status, bound, language, question, deep, mode, replies,
        calls, result_chars, prompt_tokens, completion_tokens, metered, cost_nano, answer, context,
        max_replies, scheduled, original,
    ) = found  # fmt: skip
    return Turn(
        id=id_,
        conversation=conversation,
        requester=requester,
        started=from_stamp(started),
        status=TurnStatus(status),
        bound=bound,
        language=language,
        text=question,
        deep=bool(deep),
        mode=mode,
        replies=replies,
        calls=calls,
        result_chars=result_chars,
        usage=Usage(prompt_tokens, completion_tokens),
        metered=metered,
        cost=from_nano(cost_nano),
        answer=answer,
        context=context,
        max_replies=max_replies,
        scheduled=bool(scheduled),
        original=bool(original),
    )


def step_from(found: SqlRow) -> Step:
    """Return the step in the columns of `STEPS`."""
    turn, seq, role, content, calls, call_id, raw, provider, pending, duration_ms, outcome = found
    message = ChatMessage(
        role=Role(role),
        content=content,
        calls=tuple(ToolCall(*call) for call in from_text(calls)),
        call_id=call_id,
        raw=None if raw is None else from_text(raw),
        provider=provider,
    )
    return Step(
        turn=turn,
        seq=seq,
        message=message,
        pending=bool(pending),
        duration_ms=duration_ms,
        outcome=outcome,
    )


def _turn_params(turn: Turn) -> dict[str, SqlValue]:
    return {
        "id": turn.id,
        "conversation": turn.conversation,
        "requester": turn.requester,
        "started": to_stamp(turn.started),
        "status": turn.status,
        "bound": turn.bound,
        "language": turn.language,
        "question": turn.text,
        "deep": int(turn.deep),
        "mode": turn.mode,
        "replies": turn.replies,
        "calls": turn.calls,
        "result_chars": turn.result_chars,
        "prompt_tokens": turn.usage.prompt_tokens,
        "completion_tokens": turn.usage.completion_tokens,
        "metered": turn.metered,
        "cost_nano": to_nano(turn.cost),
        "answer": turn.answer,
        "context": turn.context,
        "max_replies": turn.max_replies,
        "scheduled": int(turn.scheduled),
        "original": int(turn.original),
    }


def _step_params(step: Step) -> dict[str, SqlValue]:
    message = step.message
    return {
        "turn": step.turn,
        "seq": step.seq,
        "role": message.role,
        "content": message.content,
        "calls": to_text([[call.id, call.name, call.arguments] for call in message.calls]),
        "call_id": message.call_id,
        "raw": None if message.raw is None else to_text(message.raw),
        "provider": message.provider,
        "pending": int(step.pending),
        "duration_ms": step.duration_ms,
        "outcome": step.outcome,
    }
