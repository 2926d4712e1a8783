"""Answers the calls of one reply: READ at once and together, writes as one batch, each id exactly once."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from agent_core.conversation.files import KeptFile
from agent_core.errors import BudgetSpent, StoreFailure
from agent_core.events import Attachment, Emit, ToolFinished, ToolStarted
from agent_core.lore.canon import Canon
from agent_core.messages import ChatMessage, Role, ToolCall
from agent_core.pipeline.arguments import shown
from agent_core.pipeline.audit import Audit
from agent_core.pipeline.confirmations import digest_of
from agent_core.pipeline.model import AuditOutcome, AuditRow, Batch, BatchCall
from agent_core.pipeline.outcome import Outcome, Requested
from agent_core.pipeline.permissions import bound_to_text
from agent_core.pipeline.result import error_text, status_text
from agent_core.tools.spec import Asker, Attach, Heard, Origin, Risk, ToolContext
from agent_core.turn.hosts import known_hosts
from agent_core.turn.model import Turn
from agent_core.turn.runtime import Runtime
from agent_core.turn.talk import Talk
from agent_core.turn.trace import argument_summary, error_summary, result_summary

REPEATED = "this call has given the same result twice; use that result or ask something else"
EARLIER = 20
TRUNCATED = "your reply was cut off, so none of its calls ran; send less at once"


@dataclass(frozen=True, slots=True)
class Answered:
    """The results of a reply's calls, and the batch that now waits, if any."""

    outcomes: tuple[Outcome, ...]
    batch: Batch | None


async def answer_calls(talk: Talk, asker: Asker, runtime: Runtime, emit: Emit) -> Answered:
    """Run or propose the unanswered calls of the turn and add their results as steps (not yet stored)."""
    calls = talk.unanswered()
    refused = {call.id: reason for call in calls if (reason := _not_run(talk, call))}
    allowed = [call for call in calls if call.id not in refused]
    left = runtime.budget.calls_left(talk.turn)
    runnable, over = allowed[:left], allowed[left:]
    chars = runtime.budget.chars_each(talk.turn, len(runnable))
    context = await runtime.open_context(asker, Origin.MODEL, chars)
    context = replace(context, heard=_heard_in(talk.turn, context.heard, runtime))
    made: list[KeptFile] = []
    context = replace(
        context,
        attach=_collecting(context.attach, made),
        known_hosts=partial(known_hosts, talk, runtime),
    )
    outcomes = await _run(runnable, context, runtime, emit)
    for file in made:
        await emit(attachment(file))
    outcomes |= {call.id: _notice(call, refused[call.id]) for call in calls if call.id in refused}
    outcomes |= {call.id: _budget(call, runtime) for call in over}
    ordered = tuple(outcomes[call.id] for call in calls)
    await _note_unrun(ordered, asker, runtime, emit)
    batch = await _propose(talk, asker, context, ordered, runtime)
    for outcome in ordered:
        _add_result(talk, outcome)
    talk.spend(calls=len(runnable), result_chars=sum(len(outcome.content) for outcome in ordered))
    return Answered(ordered, batch)


def attachment(file: KeptFile) -> Attachment:
    """Return the event that tells of a file."""
    return Attachment(file.id, file.name, file.media_type, file.size)


def _collecting(attach: Attach, made: list[KeptFile]) -> Attach:
    async def collected(name: str, media_type: str, content: bytes) -> KeptFile:
        made.append(await attach(name, media_type, content))
        return made[-1]

    return collected


def _heard_in(turn: Turn, heard: Heard, runtime: Runtime) -> Heard:
    """Return `heard` as the turn means it, whatever the person has said since it began."""

    async def exactly(message: str) -> str:
        if message == "this":
            return turn.text
        if message == "last":
            earlier = await runtime.turns.recent_turns(turn.conversation, before=turn.id, limit=EARLIER)
            own = [one.text for one in earlier if one.requester == turn.requester]
            if own:
                return own[-1]
        return await heard(message)

    return exactly


def _not_run(talk: Talk, call: ToolCall) -> str:
    if talk.is_truncated():
        return TRUNCATED
    return REPEATED if talk.repeats(call) else ""


async def _run(
    calls: Sequence[ToolCall], context: ToolContext, runtime: Runtime, emit: Emit
) -> dict[str, Outcome]:
    """Look-ups run in parallel; writes are planned one after another, each seeing those before it."""
    outcomes: dict[str, Outcome] = {}

    async def one(call: ToolCall) -> None:
        await emit(_started(call, runtime))
        requested = Requested(
            call_id=call.id, audit_id=runtime.new_id(), tool=call.name, arguments=call.arguments
        )
        outcome = await runtime.pipeline.call(requested, context)
        outcomes[call.id] = outcome
        await emit(_finished(call, outcome, context.asker.language, runtime))

    try:
        async with asyncio.TaskGroup() as group:
            for call in calls:
                if runtime.tools.may_read(call.name):
                    group.create_task(one(call))
    except* StoreFailure as failures:
        raise failures.exceptions[0] from None
    for call in calls:
        if not runtime.tools.may_read(call.name):
            await one(call)
    return outcomes


def _started(call: ToolCall, runtime: Runtime) -> ToolStarted:
    given = runtime.pipeline.redaction.own(call.arguments)
    return ToolStarted(call.id, call.name, argument_summary(given))


def _finished(call: ToolCall, outcome: Outcome, language: str, runtime: Runtime) -> ToolFinished:
    state = "pending" if outcome.proposal else outcome.outcome.value
    if outcome.error is not None:
        summary = error_summary(outcome.error, runtime.pipeline.redaction, language)
    else:
        summary = result_summary(outcome.content, language)
    return ToolFinished(call.id, call.name, state, summary, outcome.duration_ms)


def _notice(call: ToolCall, detail: str) -> Outcome:
    return Outcome(
        call=Requested(call_id=call.id, audit_id="", tool=call.name, arguments=call.arguments),
        content=status_text(call.name, "not run", detail),
        outcome=AuditOutcome.SKIPPED,
    )


def _budget(call: ToolCall, runtime: Runtime) -> Outcome:
    error = BudgetSpent(reason="calls")
    content = error_text(call.name, error.for_model(), runtime.pipeline.redaction)
    return replace(_notice(call, ""), content=content, error=error)


async def _note_unrun(outcomes: Sequence[Outcome], asker: Asker, runtime: Runtime, emit: Emit) -> None:
    """Audit the calls that were not run, and show them."""
    skipped = [outcome for outcome in outcomes if outcome.outcome is AuditOutcome.SKIPPED]
    if skipped:
        rows = [_row(runtime.pipeline.audit, asker, outcome) for outcome in skipped]
        await runtime.batches.audit(rows, durable=False)
    for outcome in skipped:
        call = ToolCall(outcome.call.call_id, outcome.call.tool, str(outcome.call.arguments))
        await emit(_started(call, runtime))
        await emit(_finished(call, outcome, asker.language, runtime))


def _add_result(talk: Talk, outcome: Outcome) -> None:
    pending = outcome.proposal is not None
    content = status_text(outcome.call.tool, "awaiting confirmation") if pending else outcome.content
    talk.add(
        ChatMessage(role=Role.TOOL, content=content, call_id=outcome.call.call_id),
        pending=pending,
        outcome="pending" if pending else outcome.outcome.value,
        duration_ms=outcome.duration_ms,
    )


def _row(audit: Audit, asker: Asker, outcome: Outcome) -> AuditRow:
    call = outcome.call
    return audit.row(
        asker,
        call_id=call.call_id,
        tool=call.tool,
        arguments=shown(call.arguments, audit.redaction),
        outcome=outcome.outcome,
    )


async def _propose(
    talk: Talk, asker: Asker, context: ToolContext, outcomes: Sequence[Outcome], runtime: Runtime
) -> Batch | None:
    proposed = [outcome for outcome in outcomes if outcome.proposal is not None]
    if not proposed:
        return None
    batch = make_batch(proposed, asker, context.canon, runtime, turn=talk.turn.id)
    await runtime.batches.add_batch(batch, proposed_rows(batch, asker, runtime.pipeline.audit))
    return batch


def make_batch(
    proposed: Sequence[Outcome],
    asker: Asker,
    canon: Canon | None,
    runtime: Runtime,
    *,
    turn: str | None,
    batch_id: str = "",
) -> Batch:
    """Return an open batch over proposals, one line each, in their order."""
    now = runtime.clock.now()
    calls = tuple(
        line_of(outcome, ordinal, runtime.new_id()) for ordinal, outcome in enumerate(proposed, start=1)
    )
    return Batch(
        id=batch_id or runtime.new_id(),
        conversation=asker.conversation.id,
        requester=asker.person.id,
        series=canon.series.id if canon else None,
        turn=turn,
        since=canon.head if canon else 0,
        language=asker.language,
        bound=bound_to_text(asker.bound),
        created=now,
        expires=runtime.lifetime.end(now, private=asker.conversation.private),
        digest=digest_of(calls),
        calls=calls,
    )


def line_of(outcome: Outcome, ordinal: int, new_id: str) -> BatchCall:
    """Return one line of a batch from a proposal."""
    assert outcome.proposal is not None  # noqa: S101  callers pass proposals only
    return BatchCall(
        id=new_id,
        ordinal=ordinal,
        call_id=outcome.call.call_id,
        tool=outcome.call.tool,
        risk=outcome.risk if outcome.risk is not Risk.READ else Risk.WRITE,
        arguments=outcome.proposal.arguments,
        card=outcome.proposal.card,
    )


def proposed_rows(batch: Batch, asker: Asker, audit: Audit) -> list[AuditRow]:
    """Return the audit rows of a batch's lines; a line's row keeps its id to the end."""
    return [
        replace(
            audit.row(
                asker,
                call_id=call.call_id or call.id,
                tool=call.tool,
                arguments=call.arguments,
                outcome=AuditOutcome.PROPOSED,
            ),
            id=call.id,
        )
        for call in batch.calls
    ]
