"""The front door: people's messages, decisions and commands come in here, whatever the surface."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agent_core.errors import BatchClosed, Conflict, LoreKeeperError, ModelFailure, StoreFailure
from agent_core.events import ConfirmationAsked, ConfirmationClosed, Done, Emit, Failed, ignore
from agent_core.lore.answers import Answer
from agent_core.messages import ChatMessage, Json, Role
from agent_core.pipeline.confirmations import Decision, risk_of
from agent_core.pipeline.model import Batch, BatchStatus
from agent_core.pipeline.outcome import Outcome, Requested
from agent_core.pipeline.permissions import bound_to_text
from agent_core.pipeline.result import status_text
from agent_core.texts.catalogue import say
from agent_core.tools.spec import Asker, Origin, Risk
from agent_core.turn.askers import Askers
from agent_core.turn.calls import make_batch, proposed_rows
from agent_core.turn.decide import Decisions, is_due
from agent_core.turn.loop import run_turn
from agent_core.turn.model import OVER, Incoming, Owed, Step, Turn, TurnStatus
from agent_core.turn.opening import open_talk
from agent_core.turn.order import TurnOrder
from agent_core.turn.plain_words import plain_answer
from agent_core.turn.runtime import Runtime

logger = logging.getLogger(__name__)

Call = tuple[str, Mapping[str, Json]]
EmitFor = Callable[[str], Emit]


@dataclass(slots=True, kw_only=True)
class Core:
    """Everything a surface can ask for. Each verb is safe to call again after a crash."""

    askers: Askers
    runtime: Runtime
    decisions: Decisions
    order: TurnOrder
    _running: dict[str, asyncio.Task[object]] = field(default_factory=dict)
    _cancelled: set[str] = field(default_factory=set)

    async def handle(
        self, incoming: Incoming, asker: Asker, emit: Emit, *, deep: bool = False, mode: str = "general"
    ) -> Turn | None:
        """Answer a message; return the turn as it ended or was parked, None for a repeated delivery.

        A plain yes or no that answers the one open card of this person decides it instead. Any other
        message of the person closes their open cards here: it is the new instruction.
        """
        card = await self._card_meant(incoming, asker)
        turn = self._new_turn(incoming, asker, deep=deep, mode=mode)
        if not await self.runtime.turns.receive(incoming, None if card else turn):
            return None
        if card is not None:
            await self.decide(card.id, Decision(approve=bool(plain_answer(incoming.text))), asker, emit)
            return await self.runtime.turns.turn(card.turn) if card.turn else None
        await self._supersede(asker, emit)
        return await self._in_order(turn, asker, emit)

    async def decide(self, batch_id: str, decision: Decision, asker: Asker, emit: Emit) -> Batch:
        """Decide a card, run what was approved, go on with its turn; return the batch as it is now.

        If a later edit touched the same details nothing runs: the batch returned is a fresh, open one
        (another id), and its card is asked for.

        Raises:
            NotYourBatch, BatchClosed: nothing has changed.
            StoreFailure: the decision stands, nothing was written; deciding again tries again.
        """
        batch = await self._batch(batch_id)
        try:
            batch = await self.decisions.take(batch, decision, asker)
            settled = await self._settled(batch, asker)
        except BatchClosed as closed:
            if closed.facts.get("reason") == BatchStatus.EXPIRED.value:
                await self.decisions.close(batch, BatchStatus.EXPIRED)
            raise
        except Conflict:
            return await self._refresh(batch, asker, emit)
        await self._resume(settled, emit)
        return settled

    async def answer_question(
        self, batch_id: str, ordinal: int, name: str, value: str, asker: Asker
    ) -> Batch:
        """Answer a question on a card; return the revised open batch."""
        return await self.decisions.answered(await self._batch(batch_id), ordinal, name, value, asker)

    async def lookup(self, tool: str, arguments: Mapping[str, Json], asker: Asker) -> Answer:
        """Return what a READ tool answers, through the same pipeline as a model's call.

        Raises:
            LoreKeeperError: refused or failed.
        """
        outcome = await self._call(tool, arguments, asker)
        if outcome.answer is None:
            raise outcome.error or LoreKeeperError()
        clean = self.runtime.pipeline.redaction.own_json(
            outcome.answer.model_dump(mode="json", by_alias=True)
        )
        return type(outcome.answer).model_validate(clean)

    async def propose(self, calls: Sequence[Call], asker: Asker, *, complete: bool) -> Batch:
        """Return a batch over typed WRITE commands: done at once, or open with a card to decide.

        It is done at once if the command is `complete`, overwrites nothing, leaves no question and is not
        dangerous, or if it only concerns the person themselves.

        Raises:
            LoreKeeperError: a call was refused; nothing has changed.
        """
        context = await self.askers.context(asker, Origin.COMMAND, self.runtime.budget.result_chars)
        outcomes = []
        for tool, arguments in calls:
            outcome = await self.runtime.pipeline.call(self._requested(tool, arguments), context)
            if outcome.proposal is None:
                raise outcome.error or LoreKeeperError()
            outcomes.append(outcome)
        batch = make_batch(outcomes, asker, context.canon, self.runtime, turn=None)
        await self.runtime.batches.add_batch(batch, proposed_rows(batch, asker, self.runtime.pipeline.audit))
        own = all(outcome.proposal is not None and outcome.proposal.unasked for outcome in outcomes)
        if not own and not (complete and _is_plain(outcomes, batch)):
            return batch
        try:
            taken = await self.decisions.take(batch, Decision(approve=True), asker, own=own)
            return await self._settled(taken, asker)
        except Conflict:
            return await self._refresh(batch, asker, ignore)

    async def batch(self, batch_id: str) -> Batch | None:
        """Return a batch with its lines as they are now."""
        return await self.runtime.batches.batch(batch_id)

    async def open_batches(self, conversation: str) -> tuple[Batch, ...]:
        """Return the cards that wait in a conversation, oldest first; those that are due are closed."""
        await self.expire(conversation)
        return await self.runtime.batches.open_batches(conversation=conversation)

    async def cancel(self, conversation: str) -> bool:
        """Cancel the running turn of a conversation; return whether there was one."""
        task = self._running.get(conversation)
        if task is None or task.done():
            return False
        self._cancelled.add(conversation)
        task.cancel()
        return True

    async def start_afresh(self, asker: Asker, emit: Emit) -> None:
        """Forget the history for later turns; cancel what runs and close this person's cards."""
        await self.cancel(asker.conversation.id)
        await self._supersede(asker, emit)
        await self.runtime.turns.clear_history(asker.conversation.id, self.runtime.clock.now())

    async def expire(self, conversation: str | None = None) -> tuple[Batch, ...]:
        """Close the cards whose time is over; return them."""
        now = self.runtime.clock.now()
        due = [
            batch
            for batch in await self.runtime.batches.open_batches(conversation=conversation)
            if is_due(batch, now)
        ]
        closed = [await self._closed(batch, BatchStatus.EXPIRED) for batch in due]
        return tuple(batch for batch in closed if batch)

    async def recover(self, emit_for: EmitFor, conversation: str | None = None) -> None:
        """Finish what a crash left open: approved batches, then turns. `emit_for` takes a conversation id."""
        for batch in await self.runtime.batches.unsettled():
            if conversation in {None, batch.conversation}:
                await self._recover_batch(batch, emit_for(batch.conversation))
        for turn in await self.runtime.turns.unfinished():
            if conversation in {None, turn.conversation}:
                await self._recover_turn(turn, emit_for(turn.conversation))

    async def owed(self, conversation: str) -> tuple[Owed, ...]:
        """Return the answers that this place is owed and has not got, oldest first."""
        return await self.runtime.turns.undelivered(conversation)

    async def delivered(self, owed: str) -> None:
        """Note that an owed answer has arrived."""
        await self.runtime.turns.delivered(owed)

    def _new_turn(self, incoming: Incoming, asker: Asker, *, deep: bool, mode: str) -> Turn:
        return Turn(
            id=self.runtime.new_id(),
            conversation=asker.conversation.id,
            requester=asker.person.id,
            started=self.runtime.clock.now(),
            status=TurnStatus.QUEUED,
            bound=bound_to_text(asker.bound),
            language=asker.language,
            text=incoming.text,
            deep=deep,
            mode=mode,
        )

    async def _card_meant(self, incoming: Incoming, asker: Asker) -> Batch | None:
        """Return the card that a plain yes or no means: their only open one, never a dangerous one."""
        if plain_answer(incoming.text) is None or not asker.conversation.private:
            return None
        mine = await self.runtime.batches.open_batches(
            conversation=asker.conversation.id, requester=asker.person.id
        )
        return mine[0] if len(mine) == 1 and risk_of(mine[0]) is not Risk.DANGEROUS else None

    async def _in_order(self, turn: Turn, asker: Asker, emit: Emit) -> Turn:
        async with self.order.held(turn.conversation, turn):
            return await self._run(turn, asker, emit)

    async def _run(self, turn: Turn, asker: Asker, emit: Emit) -> Turn:
        """Run a turn in its order; whatever happens, the person is told and the turn's state is stored."""
        turn = replace(turn, status=TurnStatus.RUNNING)
        self._running[turn.conversation] = _this_task()
        try:
            await self.runtime.turns.save(turn)
            talk = await open_talk(turn, asker, self.askers, self.runtime)
            return await run_turn(talk, asker, self.runtime, emit)
        except asyncio.CancelledError:
            if turn.conversation not in self._cancelled:
                raise
            self._cancelled.discard(turn.conversation)
            return await asyncio.shield(self._end(turn, TurnStatus.CANCELLED, "answer.cancelled", emit))
        except ModelFailure as failure:
            logger.warning("model failed", extra={"turn": turn.id, "cause": failure.cause.value})
            return await self._end(turn, TurnStatus.FAILED, failure.text_key, emit)
        except StoreFailure as failure:
            logger.error("store failed during a turn", extra={"turn": turn.id})
            await emit(Failed(say(turn.language, failure.text_key)))
            return turn
        except Exception:  # the border of a turn: nothing gets past it unexplained
            logger.exception("turn failed", extra={"turn": turn.id})
            return await self._end(turn, TurnStatus.FAILED, "error.internal", emit)
        finally:
            self._running.pop(turn.conversation, None)

    async def _end(self, turn: Turn, status: TurnStatus, text_key: str, emit: Emit) -> Turn:
        stored = await self.runtime.turns.turn(turn.id) or turn
        text = say(turn.language, text_key)
        ended = replace(stored, status=status, answer=text)
        owed = Owed(id=turn.id, conversation=turn.conversation, turn=turn.id, text=text)
        await self.runtime.turns.finish(ended, await self._closing_steps(turn), owed)
        await emit(Failed(text))
        await emit(Done(turn.id, status.value, replies=ended.replies, calls=ended.calls))
        return ended

    async def _closing_steps(self, turn: Turn) -> Sequence[Step]:
        steps = await self.runtime.turns.steps([turn.id])
        answered = {step.message.call_id for step in steps if step.message.role is Role.TOOL}
        open_calls = [call for step in steps for call in step.message.calls if call.id not in answered]
        return [
            Step(
                turn=turn.id,
                seq=len(steps) + place,
                message=ChatMessage(
                    role=Role.TOOL, content=status_text(call.name, "cancelled"), call_id=call.id
                ),
                outcome="cancelled",
            )
            for place, call in enumerate(open_calls)
        ]

    async def _settled(self, batch: Batch, asker: Asker) -> Batch:
        async with self.order.held(batch.conversation):
            return await self.decisions.settle(batch, asker)

    async def _resume(self, batch: Batch, emit: Emit) -> None:
        """Go on with the turn that waited for this batch, as its requester."""
        turn = await self.runtime.turns.turn(batch.turn) if batch.turn else None
        if turn is None or turn.status is not TurnStatus.PARKED:
            return
        asker = await self.askers.again(turn.requester, turn.conversation, turn.language)
        if asker is not None:
            await self._in_order(turn, asker, emit)

    async def _refresh(self, batch: Batch, asker: Asker, emit: Emit) -> Batch:
        fresh = await self.decisions.refreshed(batch, asker)
        await emit(ConfirmationClosed(batch.id, BatchStatus.SUPERSEDED.value))
        if fresh is None:
            await self._resume(batch, emit)
            raise BatchClosed(reason=BatchStatus.SUPERSEDED.value)
        await emit(ConfirmationAsked(fresh.id))
        return fresh

    async def _supersede(self, asker: Asker, emit: Emit) -> None:
        mine = await self.runtime.batches.open_batches(
            conversation=asker.conversation.id, requester=asker.person.id
        )
        for batch in mine:
            if await self._closed(batch, BatchStatus.SUPERSEDED):
                await emit(ConfirmationClosed(batch.id, BatchStatus.SUPERSEDED.value))

    async def _closed(self, batch: Batch, status: BatchStatus) -> Batch | None:
        closed = await self.decisions.close(batch, status)
        turn = await self.runtime.turns.turn(batch.turn) if closed and batch.turn else None
        if turn is not None and turn.status is TurnStatus.PARKED:
            await self.runtime.turns.save(replace(turn, status=TurnStatus.DONE))
        return closed

    async def _recover_batch(self, batch: Batch, emit: Emit) -> None:
        asker = await self.askers.again(
            batch.decided_by or batch.requester, batch.conversation, batch.language
        )
        if asker is None:
            return
        with contextlib.suppress(StoreFailure, BatchClosed):
            try:
                settled = await self._settled(batch, asker)
            except Conflict:
                await self._refresh(batch, asker, emit)
                return
            await self._resume(settled, emit)

    async def _recover_turn(self, turn: Turn, emit: Emit) -> None:
        asker = await self.askers.again(turn.requester, turn.conversation, turn.language)
        if asker is None:
            return
        async with self.order.held(turn.conversation, turn):
            stored = await self.runtime.turns.turn(turn.id)
            if stored is None or stored.status in OVER or stored.status is TurnStatus.PARKED:
                return
            for batch in await self.runtime.batches.open_batches(conversation=turn.conversation):
                if batch.turn == turn.id:
                    await self.decisions.close(batch, BatchStatus.SUPERSEDED)
            await self._run(stored, asker, emit)

    async def _batch(self, batch_id: str) -> Batch:
        batch = await self.runtime.batches.batch(batch_id)
        if batch is None:
            raise BatchClosed(reason="missing")
        return batch

    async def _call(self, tool: str, arguments: Mapping[str, Json], asker: Asker) -> Outcome:
        context = await self.askers.context(asker, Origin.COMMAND, self.runtime.budget.result_chars)
        return await self.runtime.pipeline.call(self._requested(tool, arguments), context)

    def _requested(self, tool: str, arguments: Mapping[str, Json]) -> Requested:
        fresh = self.runtime.new_id()
        return Requested(call_id=fresh, audit_id=fresh, tool=tool, arguments=arguments)


def _is_plain(outcomes: Sequence[Outcome], batch: Batch) -> bool:
    return risk_of(batch) is Risk.WRITE and not any(
        outcome.proposal is None or outcome.proposal.overwrites or outcome.proposal.card.questions
        for outcome in outcomes
    )


def _this_task() -> asyncio.Task[object]:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101  coroutines of the core always run in a task
    return task
