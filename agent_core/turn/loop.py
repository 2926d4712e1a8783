"""The turn: ask the model, answer its calls, ask again, until there is an answer or a decision is due."""

from dataclasses import replace

from agent_core.events import ConfirmationAsked, Done, Emit, Message, Thought
from agent_core.messages import ChatMessage, Finish, ModelReply, Role, ToolSchema
from agent_core.pipeline.model import Batch
from agent_core.texts.catalogue import say
from agent_core.tools.spec import Asker
from agent_core.turn.answer import built_answer, leaked_call, spoken
from agent_core.turn.ask import Asked, ask, unique_ids
from agent_core.turn.calls import answer_calls
from agent_core.turn.charge import charge, is_last
from agent_core.turn.model import Turn, TurnStatus, owed_answer
from agent_core.turn.runtime import Runtime
from agent_core.turn.sources import cited
from agent_core.turn.stream import looks_like_call
from agent_core.turn.talk import GO_ON, NUDGE, TRUNCATED, Talk
from agent_core.turn.trace import trace_of

_MARKS = {Finish.LENGTH: "answer.cut", Finish.FILTER: "answer.filtered"}


async def run_turn(talk: Talk, asker: Asker, runtime: Runtime, emit: Emit) -> Turn:
    """Run the turn to its end or to a confirmation; return it as stored: done or parked.

    Everything is stored before the loop goes on, so that the same call resumes a turn after a crash or a
    decision: calls without a result are answered first.

    Raises:
        BudgetSpent: the person's or the installation's budget leaves no first reply.
        ModelFailure: the model gives no reply; the turn is as far as it got.
        StoreFailure: the turn can't be stored.
    """
    tools = runtime.tools.for_model(asker)
    while True:
        if talk.unanswered():
            answered = await answer_calls(talk, asker, runtime, emit)
            if answered.batch is not None:
                return await _park(talk, answered.batch, runtime, emit)
            await talk.save()
            continue
        last = await is_last(talk, runtime)
        asked = await ask(talk, tools, runtime, emit, last=last)
        charge(talk, asked.reply.usage, runtime)
        if asked.reply.calls and not last:
            await _store_calls(talk, asked, runtime, emit)
            continue
        text = await _settled_text(talk, asked, tools, runtime, last=last)
        if text is not None:
            return await _finish(talk, asked, text, runtime, emit)


async def _store_calls(talk: Talk, asked: Asked, runtime: Runtime, emit: Emit) -> None:
    used = {call.id for step in talk.steps for call in step.message.calls}
    reply = unique_ids(asked.reply, used, runtime)
    thought = spoken(reply)
    if thought:
        await emit(Thought(thought, asked.reply_id))
    _add_reply(talk, reply, runtime)
    await talk.save()


def _add_reply(talk: Talk, reply: ModelReply, runtime: Runtime) -> None:
    cut = TRUNCATED if reply.finish in {Finish.LENGTH, Finish.FILTER} else ""
    message = ChatMessage(
        role=Role.ASSISTANT,
        content=reply.text,
        calls=reply.calls,
        raw=reply.raw,
        provider=runtime.model.name,
    )
    talk.add(message, outcome=cut)


async def _settled_text(
    talk: Talk, asked: Asked, tools: tuple[ToolSchema, ...], runtime: Runtime, *, last: bool
) -> str | None:
    """Return the final text, or None where one more reply is wanted (leaked call, cut, empty)."""
    reply, text, language = asked.reply, spoken(asked.reply), talk.turn.language
    if looks_like_call(text):
        call = leaked_call(text, runtime.tools, runtime.new_id().replace("-", "")[:9])
        if call is not None and tools and not last:
            _add_reply(talk, replace(reply, text="", calls=(call,), raw=None, finish=Finish.STOP), runtime)
            await talk.save()
            return None
        text = ""
    partial, finish = talk.partial(), reply.finish
    if not text and finish is not Finish.FILTER:
        if await _asked_again(talk, NUDGE, last=last):
            return None
        if not partial:
            return built_answer(talk.turn, talk.steps, runtime.pipeline.redaction)
        finish = Finish.LENGTH
    elif finish is Finish.LENGTH and not last and not talk.was_said(GO_ON):
        _add_reply(talk, reply, runtime)
        await _asked_again(talk, GO_ON, last=last)
        return None
    notes = [say(language, _MARKS[finish])] if finish in _MARKS else []
    notes += [say(language, "answer.toolless")] if asked.toolless else []
    return "\n\n".join(filter(None, [partial + text, *notes]))


async def _asked_again(talk: Talk, notice: str, *, last: bool) -> bool:
    """Add a notice for one more reply, once a turn; return whether it was added."""
    if last or talk.was_said(notice):
        return False
    talk.add(ChatMessage(role=Role.USER, content=notice))
    await talk.save()
    return True


async def _park(talk: Talk, batch: Batch, runtime: Runtime, emit: Emit) -> Turn:
    talk.turn = replace(talk.turn, status=TurnStatus.PARKED)
    await talk.save()
    await emit(ConfirmationAsked(batch.id))
    await emit(_done(talk, runtime, batch=batch.id))
    return talk.turn


async def _finish(talk: Talk, asked: Asked, text: str, runtime: Runtime, emit: Emit) -> Turn:
    shown = runtime.pipeline.redaction.own(text)
    talk.turn = replace(talk.turn, status=TurnStatus.DONE, answer=shown)
    talk.add(ChatMessage(role=Role.ASSISTANT, content=text.removeprefix(talk.partial())))
    await talk.store.finish(talk.turn, talk.take_unsaved(), owed_answer(talk.turn))
    sources = cited(talk.steps, shown, entries=talk.turn.deep)
    await emit(Message(asked.reply_id, shown, tuple(sources), talk.as_of, tuple(sources.values())))
    await emit(_done(talk, runtime))
    return talk.turn


def _done(talk: Talk, runtime: Runtime, batch: str | None = None) -> Done:
    turn = talk.turn
    return Done(
        turn_id=turn.id,
        status=turn.status.value,
        trace=trace_of(talk.steps, runtime.pipeline.redaction, turn.language),
        replies=turn.replies,
        calls=turn.calls,
        duration_ms=round((runtime.clock.monotonic() - talk.began) * 1000),
        usage=turn.usage,
        batch_id=batch,
    )
