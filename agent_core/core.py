"""The front door: people's messages, decisions and commands come in here, whatever the surface."""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from agent_core.conversation.store import ChatStore
from agent_core.errors import BatchClosed, LoreKeeperError, NeedsYes, StoreFailure
from agent_core.events import ConfirmationAsked, Emit, ignore
from agent_core.llm.surrogates import mend, mend_json
from agent_core.lore.answers import Answer
from agent_core.messages import Json
from agent_core.pipeline.confirmations import Decision, risk_of
from agent_core.pipeline.model import Batch, BatchStatus
from agent_core.pipeline.outcome import Outcome, Requested
from agent_core.pipeline.peek import Peek
from agent_core.pipeline.permissions import bound_to_text
from agent_core.pipeline.result import clean_batch
from agent_core.tools.spec import Asker, Origin, Risk, ToolContext
from agent_core.turn.askers import Askers
from agent_core.turn.calls import make_batch, proposed_rows
from agent_core.turn.cards import Cards
from agent_core.turn.decide import Decisions, is_due
from agent_core.turn.model import Incoming, Owed, Turn, TurnStatus
from agent_core.turn.order import TurnOrder
from agent_core.turn.plain_words import plain_answer
from agent_core.turn.recovery import EmitFor, Recovery
from agent_core.turn.runner import TurnRunner
from agent_core.turn.runtime import Runtime
from agent_core.turn.sink import Sink

PEEK_S = 1.5
ENTITY = "entityId"
MAX_NAME_CHARS = 200
NOTHING: Mapping[str, Json] = MappingProxyType({})

Call = tuple[str, Mapping[str, Json]]


@dataclass(slots=True, kw_only=True)
class Core:
    """Everything a surface can ask for. Each verb is safe to call again after a crash."""

    askers: Askers
    runtime: Runtime
    decisions: Decisions
    order: TurnOrder
    chat: ChatStore
    runner: TurnRunner = field(init=False)
    cards: Cards = field(init=False)
    live: Counter[str] = field(init=False, default_factory=Counter)
    recovery: Recovery = field(init=False)
    peeks: Peek = field(init=False)

    def __post_init__(self) -> None:
        self.runner = TurnRunner(askers=self.askers, runtime=self.runtime, decisions=self.decisions)
        self.cards = Cards(
            askers=self.askers,
            runtime=self.runtime,
            decisions=self.decisions,
            order=self.order,
            runner=self.runner,
        )
        self.recovery = Recovery(
            live=self.live.keys(),
            askers=self.askers,
            runtime=self.runtime,
            cards=self.cards,
            order=self.order,
            runner=self.runner,
        )
        pipeline = self.runtime.pipeline
        self.peeks = Peek(tools=pipeline.tools, redaction=pipeline.redaction, clock=pipeline.clock)

    async def handle(
        self,
        incoming: Incoming,
        asker: Asker,
        emit: Emit,
        *,
        deep: bool = False,
        mode: str = "general",
        max_replies: int | None = None,
    ) -> Turn | None:
        """Answer a message; return the turn as it ended or was parked, None for a repeated delivery.

        `max_replies` of the model, and one last without calls, are the turn's, resumed or not; None: as all.
        In a private place a plain yes or no to the one open card of this person decides it instead; a card
        that words can't decide is asked for again. Any other message of the person closes their open cards
        here, unless it is scheduled: it is the new instruction.

        Raises:
            StoreFailure: the message is not stored; delivering it again is safe.
            LoreKeeperError: what `decide` says of the card that a yes or no meant.
        """
        emit, incoming = self._sink(emit), replace(incoming, text=mend(incoming.text))
        decides = asker.conversation.private and incoming.original
        approve = plain_answer(incoming.text) if decides else None
        cards = () if approve is None else await self.cards.own(asker, emit)
        turn = self._new_turn(incoming, asker, deep=deep, mode=mode, max_replies=max_replies)
        with self._at_work_on(turn.id):
            if not await self._received(incoming, None if cards else turn):
                return None
            if cards:
                return await self._answer_cards(cards, approve is True, asker, emit)
            if not incoming.scheduled:
                await self.cards.supersede(await self.cards.own(asker, emit), emit)
            return await self._answer(turn, asker, emit)

    async def decide(self, batch_id: str, decision: Decision, asker: Asker, emit: Emit) -> Batch:
        """Decide a card, run what was approved, go on with its turn; return the batch as it is now.

        If a later edit touched the same details nothing runs: the batch returned is a fresh, open one
        (another id), and its card is asked for.

        Raises:
            NotYourBatch, BatchClosed: nothing has changed.
            StoreFailure: the decision stands, nothing was written; deciding again tries again.
        """
        emit = self._sink(emit)
        batch = await self._batch(batch_id)
        asker = await self.cards.decider(batch, asker)
        with self._at_work_on(batch.id, batch.turn):
            try:
                taken = await self.decisions.take(batch, decision, asker)
            except BatchClosed:
                if is_due(batch, self.runtime.clock.now()):
                    await self.cards.close(batch, BatchStatus.EXPIRED, emit)
                raise
            return self._shown(await self.cards.carry_out(taken, asker, emit))

    async def answer_question(
        self, batch_id: str, ordinal: int, name: str, value: str, asker: Asker
    ) -> Batch:
        """Answer a question on a card; return the revised open batch.

        Raises:
            NotYourBatch, BatchClosed: nothing has changed.
            LoreKeeperError: the answer does not fit the canon; the card stays as it is.
        """
        batch = await self._batch(batch_id)
        asker = await self.cards.decider(batch, asker)
        return self._shown(await self.decisions.answered(batch, ordinal, name, value, asker))

    async def select(self, batch_id: str, ordinals: Collection[int], asker: Asker) -> Batch:
        """Choose the lines of an open card that a plain yes will save; return the batch.

        Raises:
            NotYourBatch, BatchClosed: nothing has changed.
        """
        batch = await self._batch(batch_id)
        asker = await self.cards.decider(batch, asker)
        return self._shown(await self.decisions.selected(batch, ordinals, asker))

    async def lookup(self, tool: str, arguments: Mapping[str, Json], asker: Asker) -> Answer:
        """Return what a READ tool answers, through the same pipeline as a model's call.

        Raises:
            NeedsYes: by its arguments it is to be proposed.
            LoreKeeperError: refused or failed.
        """
        context = await self._command_context(asker, arguments)
        outcome = await self.runtime.pipeline.call(self._requested(tool, arguments), context)
        if outcome.answer is None:
            raise outcome.error or NeedsYes()
        return outcome.answer

    async def peek(self, tool: str, arguments: Mapping[str, Json], asker: Asker) -> Answer | None:
        """Return what a READ tool answers to somebody still typing; None if refused, failed or not at once.

        It leaves no audit row, and has a limit of its own.
        """
        if not self.peeks.allows(asker.person.id):
            return None
        try:
            async with asyncio.timeout(PEEK_S):
                return await self.peeks.look(tool, arguments, await self._command_context(asker, arguments))
        except (TimeoutError, LoreKeeperError):
            return None

    async def fuller(self, asker: Asker) -> Asker | None:
        """Return the asker as they may see in private, None where that is no more than this place shows.

        What is looked up as this asker is for their eyes only.
        """
        return await self.askers.fuller(asker)

    async def propose(
        self, calls: Sequence[Call], asker: Asker, *, complete: bool, batch_id: str = ""
    ) -> Batch:
        """Return a batch over typed WRITE commands: done at once, or open with a card to decide.

        A `batch_id` made from the command's delivery lets a repeated delivery find the batch of the first.

        It is done at once if the command is `complete`, overwrites nothing, leaves no question and is not
        dangerous, or if it only concerns the person themselves.

        Raises:
            LoreKeeperError: a call was refused; nothing has changed.
        """
        known = await self.batch(batch_id) if batch_id else None
        if known is not None:
            return known
        context = await self._command_context(asker)
        outcomes = []
        for tool, arguments in calls:
            outcome = await self.runtime.pipeline.call(self._requested(tool, arguments), context)
            if outcome.proposal is None:
                raise outcome.error or LoreKeeperError()
            outcomes.append(outcome)
        batch = make_batch(outcomes, asker, context.canon, self.runtime, turn=None, batch_id=batch_id)
        own = all(outcome.proposal is not None and outcome.proposal.unasked for outcome in outcomes)
        at_once = own or (complete and _is_plain(outcomes, batch))
        if not at_once:
            await self.runtime.pipeline.cards.check(asker.person.id)
        await self.runtime.batches.add_batch(batch, proposed_rows(batch, asker, self.runtime.pipeline.audit))
        if not at_once:
            return self._shown(batch)
        with self._at_work_on(batch.id):
            taken = await self.decisions.take(batch, Decision(approve=True), asker, own=own)
            return self._shown(await self.cards.carry_out(taken, asker, ignore))

    async def batch(self, batch_id: str) -> Batch | None:
        """Return a batch with its lines as they are now."""
        batch = await self.runtime.batches.batch(batch_id)
        return None if batch is None else self._shown(batch)

    async def open_batches(self, conversation: str) -> tuple[Batch, ...]:
        """Return the cards that wait in a conversation, oldest first; those that are due are closed."""
        await self.cards.expire(conversation)
        return tuple(map(self._shown, await self.runtime.batches.open_batches(conversation=conversation)))

    async def amend(self, conversation: str, message: str, text: str | None) -> None:
        """Put an edited text (None: deleted) in place of a message: no later turn reads the old one.

        A turn that still works on a deleted message is cancelled, and one that waits waits no longer.
        """
        started = await self.chat.amend(conversation, message, None if text is None else mend(text))
        if started is None or text is not None:
            return
        self.runner.cancel(conversation, started)
        turn = await self.runtime.turns.turn(started)
        if turn is not None and turn.status is TurnStatus.PARKED:
            await self.runner.close_cards(turn, BatchStatus.SUPERSEDED, ignore)

    async def cancel(self, conversation: str) -> bool:
        """Cancel the running turn of a conversation; return whether there was one. Cards stay as they are."""
        return self.runner.cancel(conversation)

    async def start_afresh(self, asker: Asker, emit: Emit) -> None:
        """Forget the history for later turns; cancel what runs and close this person's cards."""
        emit = self._sink(emit)
        self.runner.cancel(asker.conversation.id)
        await self.cards.supersede(await self.cards.own(asker, emit), emit)
        await self.runtime.turns.clear_history(asker.conversation.id, self.runtime.clock.now())

    async def expire(self, conversation: str | None = None) -> tuple[Batch, ...]:
        """Close the cards whose time is over; return them."""
        return tuple(map(self._shown, await self.cards.expire(conversation)))

    async def recover(self, emit_for: EmitFor, conversation: str | None = None) -> None:
        """Finish what a crash left open: decided batches, then turns. `emit_for` takes a conversation id.

        Conversations are recovered beside each other. What another process is at work on is waited for and
        left to it. What can't be finished is logged.
        """
        await self.recovery.recover(lambda place: self._sink(emit_for(place)), conversation)

    async def owed(self, conversation: str | None = None) -> tuple[Owed, ...]:
        """Return the answers that this place (None: any) is owed and has not got, oldest first.

        An answer is owed, under the id of its turn, from the moment it is stored until `delivered`.
        """
        stored = await self.runtime.turns.undelivered(conversation)
        return (*stored, *self.runtime.notices.owed(conversation))

    async def delivered(self, owed: str) -> None:
        """Note that an owed answer has arrived."""
        if not self.runtime.notices.delivered(owed):
            await self.runtime.turns.delivered(owed)

    @contextmanager
    def _at_work_on(self, *ids: str | None) -> Iterator[None]:
        """Keep turns and batches from being recovered while this process is at work on them itself."""
        known = [one for one in ids if one is not None]
        self.live.update(known)
        try:
            yield
        finally:
            self.live -= Counter(known)

    async def _received(self, incoming: Incoming, turn: Turn | None) -> bool:
        try:
            return await self.runtime.turns.receive(incoming, turn)
        except StoreFailure as failure:
            await self.runtime.notices.broke(failure)
            raise

    def _sink(self, emit: Emit) -> Emit:
        return emit if isinstance(emit, Sink) else Sink(emit, self.runtime.pipeline.redaction)

    def _shown(self, batch: Batch) -> Batch:
        return clean_batch(batch, self.runtime.pipeline.redaction)

    def _new_turn(
        self, incoming: Incoming, asker: Asker, *, deep: bool, mode: str, max_replies: int | None = None
    ) -> Turn:
        return Turn(
            id=incoming.update if incoming.scheduled else self.runtime.new_id(),
            conversation=asker.conversation.id,
            requester=asker.person.id,
            started=self.runtime.clock.now(),
            status=TurnStatus.QUEUED,
            bound=bound_to_text(asker.bound),
            language=asker.language,
            text=incoming.text,
            deep=deep,
            mode=mode,
            context=mend(incoming.context),
            max_replies=max_replies,
            scheduled=incoming.scheduled,
            original=incoming.original,
        )

    async def _answer(self, turn: Turn, asker: Asker, emit: Emit) -> Turn:
        """Run a new turn when its time has come."""
        async with self.order.held(turn.conversation) as has_waited:
            stored = await self.runtime.turns.turn(turn.id)
            if stored is not None and stored.status is not TurnStatus.QUEUED:
                return stored  # another process recovered it meanwhile
            if has_waited:  # rights, bound and position may have changed
                asker = await self.askers.again(turn.requester, turn.conversation, turn.language) or asker
            return await self.runner.begin(turn, asker, emit)

    async def _answer_cards(
        self,
        cards: Sequence[Batch],
        approve: bool,
        asker: Asker,
        emit: Emit,
    ) -> Turn | None:
        """Decide the one card that a plain yes or no means; ask for cards again that it can't decide."""
        if len(cards) == 1 and risk_of(cards[0]) is not Risk.DANGEROUS:
            await self.decide(cards[0].id, Decision(approve=approve), asker, emit)
        else:
            for card in cards:
                await emit(ConfirmationAsked(card.id))
        waiting = cards[-1].turn
        return await self.runtime.turns.turn(waiting) if waiting else None

    async def _batch(self, batch_id: str) -> Batch:
        batch = await self.runtime.batches.batch(batch_id)
        if batch is None:
            raise BatchClosed(reason="missing")
        return batch

    async def _command_context(self, asker: Asker, given: Mapping[str, Json] = NOTHING) -> ToolContext:
        entity = given.get(ENTITY)
        is_plain = isinstance(entity, str) and entity.isprintable() and len(entity) <= MAX_NAME_CHARS
        about = (str(entity).strip(),) if is_plain else ()
        return await self.askers.context(asker, Origin.COMMAND, self.runtime.budget.result_chars, about)

    def _requested(self, tool: str, arguments: Mapping[str, Json]) -> Requested:
        fresh = self.runtime.new_id()
        whole = {mend(name): mend_json(value) for name, value in arguments.items()}
        return Requested(call_id=fresh, audit_id=fresh, tool=tool, arguments=whole)


def _is_plain(outcomes: Sequence[Outcome], batch: Batch) -> bool:
    return risk_of(batch) is Risk.WRITE and not any(
        outcome.proposal is None or outcome.proposal.overwrites or outcome.proposal.card.questions
        for outcome in outcomes
    )
