"""Runs turns in their conversation's order and sees each to its end: answered, parked, or explained."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from agent_core.errors import BudgetSpent, Fact, ModelFailure, StoreFailure
from agent_core.events import ConfirmationClosed, Done, Emit, Failed, Message
from agent_core.messages import ChatMessage, Role
from agent_core.pipeline.model import BatchStatus
from agent_core.pipeline.permissions import bound_from_text, bound_to_text, within
from agent_core.pipeline.result import status_text
from agent_core.pipeline.telemetry import Kind, Observation
from agent_core.texts.catalogue import say
from agent_core.tools.spec import Asker
from agent_core.turn.askers import Askers
from agent_core.turn.decide import Decisions
from agent_core.turn.loop import run_turn
from agent_core.turn.model import OVER, Step, Turn, TurnStatus, owed_answer
from agent_core.turn.opening import open_talk
from agent_core.turn.runtime import Runtime

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class TurnRunner:
    """Runs turns whose order the caller holds, so that each conversation has one that can be cancelled."""

    askers: Askers
    runtime: Runtime
    decisions: Decisions
    _running: dict[str, asyncio.Task[Turn]] = field(default_factory=dict)

    async def begin(self, turn: Turn, asker: Asker, emit: Emit) -> Turn:
        """Run a turn from its question, under the bound of now; return it as it ended or was parked."""
        return await self._run(replace(turn, bound=bound_to_text(asker.bound)), asker, emit)

    async def go_on(self, turn: Turn, emit: Emit) -> Turn:
        """Run a turn on from where it stands, as its requester; return it as it ended or was parked.

        It sees no more than it did before. A requester who may see less by now gets no answer out of it.
        """
        asker = await self.askers.again(turn.requester, turn.conversation, turn.language)
        if asker is None:
            return turn
        canon = await self.askers.canon(asker.conversation)
        if canon is not None and not within(turn.bound, asker.bound, canon.outline):
            return await self._end(turn, TurnStatus.CANCELLED, "answer.cancelled", emit)
        return await self._run(turn, replace(asker, bound=bound_from_text(turn.bound)), emit)

    def cancel(self, conversation: str, turn: str | None = None) -> bool:
        """Cancel the running turn of a conversation (only if it is `turn`); return whether there was one."""
        work = self._running.get(conversation)
        return work is not None and turn in {None, work.get_name()} and work.cancel()

    async def close_cards(self, turn: Turn, status: BatchStatus, emit: Emit) -> None:
        """Close the open cards of a turn, which nobody is to decide any more."""
        for batch in await self.runtime.batches.open_batches(conversation=turn.conversation):
            if batch.turn == turn.id and await self.decisions.close(batch, status):
                await emit(ConfirmationClosed(batch.id, status.value))

    async def _run(self, turn: Turn, asker: Asker, emit: Emit) -> Turn:
        """Run a turn in a task of its own, so that cancelling it is not cancelling the caller."""
        try:
            async with asyncio.TaskGroup() as group:
                work = group.create_task(self._observed(turn, asker, emit), name=turn.id)
                self._running[turn.conversation] = work
        finally:
            self._running.pop(turn.conversation, None)
        if work.cancelled():
            return await asyncio.shield(self._stopped(turn, emit))
        return work.result()

    async def _observed(self, turn: Turn, asker: Asker, emit: Emit) -> Turn:
        seen = Observation(kind=Kind.TURN, id=turn.conversation)
        with self.runtime.telemetry(seen):
            ended = await self._work(turn, asker, emit)
            seen.outcome = ended.status.value
        return ended

    async def _work(self, turn: Turn, asker: Asker, emit: Emit) -> Turn:
        turn = replace(turn, status=TurnStatus.RUNNING)
        try:
            talk = await open_talk(turn, asker, self.askers, self.runtime)
            ended = await run_turn(talk, asker, self.runtime, emit)
            await self.runtime.notices.works()
            return ended
        except BudgetSpent as spent:
            return await self._end(turn, TurnStatus.FAILED, spent.text_key, emit, **spent.facts)
        except (ModelFailure, StoreFailure) as failure:
            await self.runtime.notices.broke(failure)
            logger.warning("turn failed", extra={"turn": turn.id, "cause": failure.for_model()})
            return await self._end(turn, TurnStatus.FAILED, failure.text_key, emit, **_whole(failure.facts))
        except Exception:  # the border of a turn: nothing gets past it unexplained
            logger.exception("turn failed", extra={"turn": turn.id})
            return await self._end(turn, TurnStatus.FAILED, "error.internal", emit)

    async def _stopped(self, turn: Turn, emit: Emit) -> Turn:
        """End a cancelled turn, unless its answer was stored before the cancellation arrived."""
        stored = await self.runtime.turns.turn(turn.id)
        if stored is None or stored.status not in OVER:
            return await self._end(turn, TurnStatus.CANCELLED, "answer.cancelled", emit)
        await emit(Message("", stored.answer))
        await emit(_done(stored))
        return stored

    async def _end(self, turn: Turn, status: TurnStatus, text_key: str, emit: Emit, **facts: Fact) -> Turn:
        """Store and tell an end without an answer of the model. Where the store fails it is told at least."""
        text = say(turn.language, text_key, **facts)
        try:
            await self.close_cards(turn, BatchStatus.DECLINED, emit)
            stored = await self.runtime.turns.turn(turn.id) or turn
            ended = replace(stored, status=status, answer=text)
            await self.runtime.turns.finish(
                ended, await self._closing_steps(turn, status), owed_answer(ended)
            )
        except StoreFailure:
            logger.exception("end of a turn not stored", extra={"turn": turn.id})
            ended = replace(turn, status=status, answer=text)
        await emit(Failed(text))
        await emit(_done(ended))
        return ended

    async def _closing_steps(self, turn: Turn, status: TurnStatus) -> Sequence[Step]:
        """Return a result for each call that has none."""
        steps = await self.runtime.turns.steps([turn.id])
        answered = {step.message.call_id for step in steps if step.message.role is Role.TOOL}
        open_calls = [call for step in steps for call in step.message.calls if call.id not in answered]
        return [
            Step(
                turn=turn.id,
                seq=len(steps) + place,
                message=ChatMessage(
                    role=Role.TOOL, content=status_text(call.name, status.value), call_id=call.id
                ),
                outcome=status.value,
            )
            for place, call in enumerate(open_calls)
        ]


def _whole(facts: Mapping[str, Fact]) -> dict[str, Fact]:
    """Return the facts of an error as people read them: no fractions of seconds."""
    return {name: round(fact) if isinstance(fact, float) else fact for name, fact in facts.items()}


def _done(turn: Turn) -> Done:
    return Done(turn.id, turn.status.value, replies=turn.replies, calls=turn.calls, usage=turn.usage)
