"""Turns batches, turns and events into what is sent, each as its reader may see it."""

from collections.abc import Mapping, Sequence

from adapters.cards import outcome_card, proposal_card, tool_text
from adapters.http.channel import Happening, stored_happening
from adapters.http.host import Caller, Host
from adapters.http.problems import Problem
from adapters.http.shapes import BatchOut, CallOut, FileOut, Reply, StepOut, ToolDone, TurnOut
from adapters.http.sight import may_see_made_under, seen_batch
from adapters.http.stream import Shown
from agent_core.events import (
    Attachment,
    ConfirmationAsked,
    Event,
    Failed,
    Message,
    Thought,
    ToolFinished,
    ToolStarted,
)
from agent_core.messages import Json
from agent_core.pipeline.model import Batch, BatchCall, BatchStatus
from agent_core.texts import say
from agent_core.tools.spec import Asker
from agent_core.turn.model import Turn
from agent_core.turn.trace import trace_of

_CONFIRMATION = "confirmation"


async def batch_out(host: Host, batch: Batch, asker: Asker) -> BatchOut:
    """Return a batch as the asker reads it."""
    view = await host.view(asker, batch)
    decider = await host.core.askers.people.person(batch.decided_by) if batch.decided_by else None
    is_open = batch.status is BatchStatus.OPEN
    by = decider.name if decider else ""
    card = proposal_card(batch, view) if is_open else outcome_card(batch, view, by=by)
    return BatchOut(
        batch_id=batch.id,
        status=batch.status.value,
        settled=batch.settled,
        edit=batch.edit,
        digest=batch.digest,
        expires=batch.expires.isoformat(),
        conversation_id=batch.conversation,
        series_id=batch.series,
        turn_id=batch.turn,
        calls=tuple(_call(call, asker.language) for call in batch.calls),
        card=card,
    )


async def turn_out(host: Host, turn: Turn, asker: Asker) -> TurnOut:
    """Return a turn with its steps and cards."""
    redaction = host.core.runtime.pipeline.redaction
    steps = trace_of(await host.core.runtime.turns.steps([turn.id]), redaction, asker.language)
    return TurnOut(
        id=turn.id,
        conversation_id=turn.conversation,
        question=redaction.own(turn.text),
        answer=redaction.own(turn.answer),
        status=turn.status.value,
        started=turn.started.isoformat(),
        deep_research=turn.deep,
        mode=turn.mode,
        replies=turn.replies,
        calls=turn.calls,
        steps=tuple(
            StepOut(
                kind=step.kind,
                tool=step.label,
                label=tool_text(step.label, asker.language) if step.kind == "tool" else "",
                detail=step.detail,
                outcome=step.outcome,
                duration_ms=step.duration_ms,
            )
            for step in steps
        ),
        batches=await _batches(host, turn, asker),
    )


async def reply_out(host: Host, told: Sequence[Event], turn: Turn | None, asker: Asker) -> Reply:
    """Return what the events of one piece of work come to."""
    ends = [event for event in told if isinstance(event, Message | Failed)]
    texts = [event.markdown if isinstance(event, Message) else event.text for event in ends]
    asked = [event.batch_id for event in told if isinstance(event, ConfirmationAsked)]
    pending = await host.core.batch(asked[-1]) if asked else None
    is_open = pending is not None and pending.status is BatchStatus.OPEN
    return Reply(
        reply=texts[-1] if texts else "",
        tool_calls_executed=tuple(_tools(told)),
        thought_process=tuple(event.text for event in told if isinstance(event, Thought)),
        pending=await batch_out(host, pending, asker) if pending is not None and is_open else None,
        attachments=tuple(
            FileOut(file_id=one.file_id, name=one.name, media_type=one.media_type, size=one.size)
            for one in told
            if isinstance(one, Attachment)
        ),
        conversation_id=asker.conversation.id,
        turn_id=turn.id if turn else None,
        status=turn.status.value if turn else "done",
    )


def shower(host: Host, caller: Caller, asker: Asker) -> Shown:
    """Return what gives the data of an event as the caller may see it, None for one that they may not."""
    seen: dict[str, bool] = {}

    async def show(happening: Happening) -> Mapping[str, Json] | None:
        turn = happening.turn
        if turn and turn not in seen:
            seen[turn] = await _is_seen(host, turn, asker)
        if turn and not seen[turn]:
            return None
        data = {**happening.body, "turnId": turn, "messageId": happening.message}
        if happening.name == "tool":
            data["label"] = tool_text(str(data["tool"]), caller.language)
        return await _with_card(host, caller, data) if happening.name == _CONFIRMATION else data

    return show


async def _with_card(host: Host, caller: Caller, data: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """Return a confirmation with its batch as it is now."""
    try:
        batch, asker = await seen_batch(host, caller, str(data["batchId"]))
    except Problem:
        return None
    shown = await batch_out(host, batch, asker)
    return {**data, **shown.model_dump(mode="json", by_alias=True, exclude={"turn_id"})}


async def _is_seen(host: Host, turn_id: str, asker: Asker) -> bool:
    turn = await host.core.runtime.turns.turn(turn_id)
    return turn is not None and await may_see_made_under(host, asker, turn.bound)


async def _batches(host: Host, turn: Turn, asker: Asker) -> tuple[BatchOut, ...]:
    events = await host.app.events.events_of(turn.id)
    happenings = [stored_happening(stored) for stored in events if stored.name == _CONFIRMATION]
    caller = Caller(person=asker.person, language=asker.language)
    shown: dict[str, BatchOut] = {}
    for happening in happenings:
        try:
            batch, there = await seen_batch(host, caller, str(happening.body["batchId"]))
        except Problem:
            continue
        shown[batch.id] = await batch_out(host, batch, there)
    return tuple(shown.values())


def _tools(told: Sequence[Event]) -> list[ToolDone]:
    given = {event.call_id: event.summary for event in told if isinstance(event, ToolStarted)}
    return [
        ToolDone(
            name=event.tool,
            call_id=event.call_id,
            arguments=given.get(event.call_id, ""),
            outcome=event.outcome,
            result=event.summary,
            duration_ms=event.duration_ms,
        )
        for event in told
        if isinstance(event, ToolFinished)
    ]


def _call(call: BatchCall, language: str) -> CallOut:
    return CallOut(
        call_id=call.id,
        line=call.ordinal,
        tool=call.tool,
        risk=call.risk.value,
        status=call.status.value,
        selected=call.selected,
        arguments=call.arguments,
        trouble=say(language, call.trouble.key, **call.trouble.facts) if call.trouble else "",
    )
