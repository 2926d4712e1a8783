"""What happens to cards between a person and the turn that waits: closed, decided, carried out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent_core.errors import Conflict
from agent_core.events import ConfirmationAsked, ConfirmationClosed, Emit
from agent_core.pipeline.model import Batch, BatchStatus
from agent_core.tools.spec import Asker
from agent_core.turn.askers import Askers
from agent_core.turn.calls import attachment
from agent_core.turn.decide import Decisions, is_due
from agent_core.turn.model import TurnStatus
from agent_core.turn.order import TurnOrder
from agent_core.turn.runner import TurnRunner
from agent_core.turn.runtime import Runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class Cards:
    """Closes and carries out batches, and tells surfaces of what nobody touched."""

    askers: Askers
    runtime: Runtime
    decisions: Decisions
    order: TurnOrder
    runner: TurnRunner

    async def own(self, asker: Asker, emit: Emit) -> tuple[Batch, ...]:
        """Return the open cards of this person here; those that are due in this place are closed."""
        place = asker.conversation.id
        found = await self.runtime.batches.open_batches(conversation=place)
        now = self.runtime.clock.now()
        for batch in found:
            if is_due(batch, now):
                await self.close(batch, BatchStatus.EXPIRED, emit)
        mine = asker.person.id
        return tuple(batch for batch in found if batch.requester == mine and not is_due(batch, now))

    async def expire(self, conversation: str | None) -> tuple[Batch, ...]:
        """Close the cards whose time is over; return them."""
        now = self.runtime.clock.now()
        found = await self.runtime.batches.open_batches(conversation=conversation)
        due = [batch for batch in found if is_due(batch, now)]
        closed = [await self.decisions.close(batch, BatchStatus.EXPIRED) for batch in due]
        return tuple(batch for batch in closed if batch)

    async def supersede(self, cards: Sequence[Batch], emit: Emit) -> None:
        """Close cards that a new instruction replaces."""
        for batch in cards:
            await self.close(batch, BatchStatus.SUPERSEDED, emit)

    async def close(self, batch: Batch, status: BatchStatus, emit: Emit) -> None:
        """Close a card, unless it was decided meanwhile, and tell."""
        if await self.decisions.close(batch, status):
            await emit(ConfirmationClosed(batch.id, status.value))

    async def decider(self, batch: Batch, asker: Asker) -> Asker:
        """Return the asker as they stand in the batch's place and series.

        A requester may decide their own card from elsewhere: it may have been shown to them privately.
        """
        if asker.conversation.id != batch.conversation and asker.person.id == batch.requester:
            asker = await self.askers.again(asker.person.id, batch.conversation, asker.language) or asker
        place = asker.conversation
        if place.id == batch.conversation and batch.series not in {None, place.series}:
            then = replace(place, series=batch.series, book=None, chapter=None, position=None)
            asker = await self.askers.asker(asker.person, then, asker.language)
        return asker

    async def carry_out(self, batch: Batch, asker: Asker, emit: Emit) -> Batch:
        """Run a decided batch in its conversation's order, then go on with the turn that waited for it.

        After a conflict that is a fresh, open batch, whose card is asked for.

        Raises:
            StoreFailure: the decision stands, and can be carried out again.
        """
        async with self.order.held(batch.conversation):
            try:
                settled = await self.decisions.settle(batch, asker)
            except Conflict:
                settled = await self.decisions.refreshed(batch, asker)
                if settled.id != batch.id:
                    await emit(ConfirmationClosed(batch.id, BatchStatus.SUPERSEDED.value))
                    await emit(ConfirmationAsked(settled.id))
                    return settled
            for file in await self.askers.files.store.due_files(batch.conversation):
                await emit(attachment(file))
            turn = await self.runtime.turns.turn(batch.turn) if batch.turn else None
            if turn is not None and turn.status is TurnStatus.RUNNING:
                await self.runner.go_on(turn, emit)
        return settled
