"""Finishes what a crash left open: decided cards, then turns; each conversation on its own."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field

from agent_core.events import Emit
from agent_core.pipeline.model import Batch, BatchStatus
from agent_core.turn.askers import Askers
from agent_core.turn.cards import Cards
from agent_core.turn.model import Turn, TurnStatus
from agent_core.turn.order import TurnOrder
from agent_core.turn.runner import TurnRunner
from agent_core.turn.runtime import Runtime

AT_ONCE = 8

logger = logging.getLogger(__name__)

EmitFor = Callable[[str], Emit]


@dataclass(slots=True)
class _Open:
    """What a conversation has left open, each in its order."""

    batches: list[Batch] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """Recovers conversations beside each other, so that one that is stuck keeps no other waiting.

    `live` are the turns and batches that this process is at work on itself: those are not left open.
    """

    live: Set[str]
    askers: Askers
    runtime: Runtime
    cards: Cards
    order: TurnOrder
    runner: TurnRunner

    async def recover(self, emit_for: EmitFor, conversation: str | None = None) -> None:
        """Finish what is open, everywhere or in one conversation; what can't be finished is logged."""
        slots = asyncio.Semaphore(AT_ONCE)

        async def one(place: str, left: _Open) -> None:
            async with slots:
                await self._recover(left, emit_for(place))

        async with asyncio.TaskGroup() as group:
            for place, left in (await self._left_open()).items():
                if conversation in {None, place}:
                    group.create_task(one(place, left))

    async def _left_open(self) -> dict[str, _Open]:
        found: dict[str, _Open] = {}
        for batch in await self.runtime.batches.unsettled():
            if batch.id not in self.live:
                found.setdefault(batch.conversation, _Open()).batches.append(batch)
        for turn in await self.runtime.turns.unfinished():
            if turn.id not in self.live:
                found.setdefault(turn.conversation, _Open()).turns.append(turn)
        return found

    async def _recover(self, left: _Open, emit: Emit) -> None:
        for batch in left.batches:
            with _logged("batch not recovered", batch=batch.id):
                await self._recover_batch(batch, emit)
        for turn in left.turns:
            with _logged("turn not recovered", turn=turn.id):
                await self._recover_turn(turn, emit)

    async def _recover_batch(self, batch: Batch, emit: Emit) -> None:
        decider = batch.decided_by or batch.requester
        asker = await self.askers.again(decider, batch.conversation, batch.language)
        if asker is not None:
            await self.cards.carry_out(batch, await self.cards.decider(batch, asker), emit)

    async def _recover_turn(self, turn: Turn, emit: Emit) -> None:
        async with self.order.held(turn.conversation):
            stored = await self.runtime.turns.turn(turn.id)
            if stored is not None and stored.status is TurnStatus.RUNNING:
                await self.runner.close_cards(stored, BatchStatus.SUPERSEDED, emit)
                await self.runner.go_on(stored, emit)
            elif stored is not None and stored.status is TurnStatus.QUEUED:
                await self._begin_late(stored, emit)

    async def _begin_late(self, turn: Turn, emit: Emit) -> None:
        """Run a turn whose message was received before a crash, closing the cards that it came after."""
        asker = await self.askers.again(turn.requester, turn.conversation, turn.language)
        if asker is not None:
            if not turn.scheduled:
                older = [card for card in await self.cards.own(asker, emit) if card.created < turn.started]
                await self.cards.supersede(older, emit)
            await self.runner.begin(turn, asker, emit)


@contextlib.contextmanager
def _logged(message: str, **facts: str) -> Iterator[None]:
    try:
        yield
    except Exception:  # the border of background work: one thing that can't be finished stops no other
        logger.exception(message, extra=facts)
