"""What happens to a batch: decided, answered, refreshed after a conflict, closed without running."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from uuid import UUID, uuid5

from agent_core.errors import BatchClosed
from agent_core.lore import record
from agent_core.pipeline.confirmations import (
    Decision,
    check_decider,
    check_open,
    chosen_of,
    closed_status,
    with_calls,
)
from agent_core.pipeline.execute import Execution, row_error
from agent_core.pipeline.model import (
    SETTLED,
    AuditOutcome,
    AuditRow,
    Batch,
    BatchCall,
    BatchStatus,
    CallStatus,
)
from agent_core.pipeline.result import status_text
from agent_core.tools.spec import Asker, Origin, ToolContext
from agent_core.turn.askers import Askers, as_writer
from agent_core.turn.calls import proposed_rows
from agent_core.turn.model import TurnStatus
from agent_core.turn.replan import planned, replanned
from agent_core.turn.runtime import Runtime

_FRESH = UUID("6e1f1c5a-93c4-4f6b-8a52-b1f4e6c6d0a7")  # makes the id of a fresh batch out of the old one's


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Takes a batch from open to settled. The caller holds the conversation's order for `settle`."""

    runtime: Runtime
    askers: Askers
    execution: Execution

    async def take(self, batch: Batch, decision: Decision, asker: Asker, *, own: bool = False) -> Batch:
        """Store the decision by compare-and-set; return the batch as decided.

        `own` passes for a person's write about themselves, which needs no role.

        Raises:
            NotYourBatch: the person may not decide it.
            BatchClosed: decided, expired, superseded or changed meanwhile.
        """
        now = self.runtime.clock.now()
        if not own:
            check_decider(batch, asker)
        if not batch.settled and batch.status is _status(approve=decision.approve):
            return batch  # decided so already, and interrupted since
        check_open(batch, decision.digest, now)
        chosen = chosen_of(batch, decision)
        status = BatchStatus.APPROVED if chosen else BatchStatus.DECLINED
        stored = await self.runtime.batches.decide(
            batch.id, status, digest=batch.digest, by=asker.person.id, at=now, chosen=chosen
        )
        if not stored:
            current = await self.runtime.batches.batch(batch.id)
            changed = current is None or current.status is BatchStatus.OPEN
            raise BatchClosed(reason="changed" if changed or current is None else current.status.value)
        return await self._reload(batch.id)

    async def settle(self, batch: Batch, asker: Asker) -> Batch:
        """Run what was approved and store every line's result; return the settled batch.

        The turn that waited for it is running again if it is to go on, and over if not.

        Raises:
            Conflict: a later edit touched what it touches; nothing was written, `refreshed` makes a new card.
            StoreFailure: the store can't write now; the approval stands.
        """
        batch = await self._reload(batch.id)
        if batch.settled:
            return batch
        if batch.status is BatchStatus.APPROVED:
            batch = await self.execution.apply(batch, await self._context(batch, asker))
            await self._forget_other_series(batch)
        return await self._settled(batch, asker)

    async def close(self, batch: Batch, status: BatchStatus) -> Batch | None:
        """Close an open batch without running it (expired, superseded); None if it was no longer open."""
        now = self.runtime.clock.now()
        stored = await self.runtime.batches.decide(
            batch.id, status, digest=batch.digest, by=None, at=now, chosen=frozenset()
        )
        if not stored:
            return None
        asker = await self.askers.again(batch.requester, batch.conversation, batch.language)
        batch = await self._reload(batch.id)
        return await self._settled(batch, asker) if asker else batch

    async def refreshed(self, batch: Batch, asker: Asker) -> Batch:
        """Return a fresh open batch of the lines that were to run, against the canon of now.

        Lines that no longer fit have failed. The old batch is settled, and returned if no line is left: what
        the fresh one takes over counts as superseded.
        """
        waiting = [call for call in batch.calls if call.status not in SETTLED]
        context = await self._context(batch, asker)
        now = await replanned(waiting, context, self.runtime)
        fresh_id = str(uuid5(_FRESH, batch.id))
        fresh = await self.runtime.batches.batch(fresh_id)  # there already if a crash came in between
        if fresh is None and now.lines:
            fresh = self._copy(batch, now.lines, context, asker, fresh_id)
            rows = proposed_rows(fresh, asker, self.runtime.pipeline.audit)
            await self.runtime.batches.add_batch(fresh, rows)
        taken_over = {line.call_id for line in fresh.calls} if fresh else set()
        ends = {call.ordinal: call for call in now.failed} | {
            call.ordinal: replace(call, status=CallStatus.SUPERSEDED)
            for call in waiting
            if call.call_id in taken_over
        }
        old = await self._settled(batch, asker, ends, taken_over)
        return fresh or old

    async def answered(self, batch: Batch, ordinal: int, name: str, value: str, asker: Asker) -> Batch:
        """Return the open batch with a question of one line answered and all lines planned again.

        Raises:
            NotYourBatch: the person may not decide it.
            BatchClosed: it is no longer open, or another answer came first.
            LoreKeeperError: the answer does not fit the canon; the batch is unchanged.
        """
        check_decider(batch, asker)
        check_open(batch, None, self.runtime.clock.now())
        _check_question(batch, ordinal, name)
        calls = [
            replace(call, arguments=record.answered(call.arguments, name, value))
            if call.ordinal == ordinal
            else call
            for call in batch.calls
        ]
        context = await self._context(batch, asker)
        lines = [await planned(call, context, self.runtime) for call in calls]
        revised = replace(with_calls(batch, lines), since=_head(context))
        if not await self.runtime.batches.revise(revised, was=batch.digest):
            raise BatchClosed(reason="changed")
        return revised

    async def selected(self, batch: Batch, ordinals: Collection[int], asker: Asker) -> Batch:
        """Return the open batch with these of its lines chosen.

        Raises:
            NotYourBatch, BatchClosed: as for a decision.
        """
        check_decider(batch, asker)
        check_open(batch, None, self.runtime.clock.now())
        lines = tuple(replace(call, selected=call.ordinal in ordinals) for call in batch.calls)
        revised = with_calls(batch, lines)
        if not await self.runtime.batches.revise(revised, was=batch.digest):
            raise BatchClosed(reason="changed")
        return revised

    async def _forget_other_series(self, batch: Batch) -> None:
        """Start afresh where a link has brought a place to another series: nothing crosses series."""
        may_be_linked = {CallStatus.DONE, CallStatus.UNKNOWN}
        if any(call.tool == "link_thread" and call.status in may_be_linked for call in batch.calls):
            place = await self.askers.conversations.conversation(batch.conversation)
            if place is not None and place.series != batch.series:
                await self.runtime.turns.clear_history(place.id, self.runtime.clock.now())

    async def _context(self, batch: Batch, asker: Asker) -> ToolContext:
        """Return the context to plan in: the requester's own edits and messages, the decider's rights."""
        writer = as_writer(asker)
        if batch.requester != asker.person.id:
            requester = await self.askers.people.person(batch.requester)
            writer = replace(writer, person=requester or asker.person)
        return await self.askers.context(writer, Origin.COMMAND, self.runtime.budget.result_chars)

    def _copy(
        self, batch: Batch, lines: Sequence[BatchCall], context: ToolContext, asker: Asker, fresh_id: str
    ) -> Batch:
        now = self.runtime.clock.now()
        fresh = replace(
            batch,
            id=fresh_id,
            since=_head(context),
            created=now,
            expires=self.runtime.lifetime.end(now, private=asker.conversation.private),
            status=BatchStatus.OPEN,
            decided_by=None,
            decided_at=None,
            settled=False,
            surface_ref="",
        )
        pending = [
            replace(line, id=self.runtime.new_id(), status=CallStatus.PENDING, result="", selected=True)
            for line in lines
        ]
        return with_calls(fresh, pending)

    async def _settled(
        self,
        batch: Batch,
        asker: Asker,
        ends: Mapping[int, BatchCall] = MappingProxyType({}),
        taken_over: Collection[str] = (),
    ) -> Batch:
        """Give each line that will not run its end, and the turn its results; settled is what comes last.

        `ends` are those of some lines by ordinal. With lines that a fresh batch has taken over, the turn
        goes on waiting.
        """
        calls = tuple(self._ended(batch, ends.get(call.ordinal, call)) for call in batch.calls)
        ended = replace(batch, calls=calls)
        if batch.turn is not None:
            for call in ended.calls:
                if call.call_id not in taken_over:
                    await self.runtime.turns.replace_result(
                        batch.turn, call.call_id, call.result, call.status.value
                    )
            if not taken_over:
                await self._wake(batch.turn, batch.status)
        new = [call for call, old in zip(ended.calls, batch.calls, strict=True) if call != old]
        rows = [self._audit_row(ended, call, asker) for call in new]
        await self.runtime.batches.update_calls(batch.id, new, rows, settled=True, edit=batch.edit)
        return replace(ended, settled=True)

    async def _wake(self, turn_id: str, status: BatchStatus) -> None:
        """Let the turn that waited run again after a decision; end it if nobody decided."""
        turn = await self.runtime.turns.turn(turn_id)
        if turn is not None and turn.status is TurnStatus.PARKED:
            goes_on = status in {BatchStatus.APPROVED, BatchStatus.DECLINED}
            woken = replace(turn, status=TurnStatus.RUNNING if goes_on else TurnStatus.DONE)
            await self.runtime.turns.save(woken)

    def _ended(self, batch: Batch, call: BatchCall) -> BatchCall:
        status = call.status
        if status not in SETTLED:
            status = (
                CallStatus.DECLINED if batch.status is BatchStatus.APPROVED else closed_status(batch.status)
            )
        result = call.result or status_text(call.tool, status.value, "nothing was written")
        return replace(call, status=status, result=result)

    def _audit_row(self, batch: Batch, call: BatchCall, asker: Asker) -> AuditRow:
        row = self.runtime.pipeline.audit.row(
            asker,
            call_id=call.call_id or call.id,
            tool=call.tool,
            arguments=call.arguments,
            outcome=AuditOutcome(call.status.value),
        )
        return replace(
            row,
            id=call.id,
            requester=batch.requester,
            approver=batch.decided_by,
            error=row_error(call, self.runtime.pipeline.redaction),
        )

    async def _reload(self, batch: str) -> Batch:
        found = await self.runtime.batches.batch(batch)
        if found is None:
            raise BatchClosed(reason="missing")
        return found


def is_due(batch: Batch, now: datetime) -> bool:
    """Return whether an open batch has outlived its time."""
    return batch.status is BatchStatus.OPEN and now >= batch.expires


def _status(*, approve: bool) -> BatchStatus:
    return BatchStatus.APPROVED if approve else BatchStatus.DECLINED


def _head(context: ToolContext) -> int:
    return context.canon.head if context.canon else 0


def _check_question(batch: Batch, ordinal: int, name: str) -> None:
    """Pass if the card asks this on this line.

    Raises:
        BatchClosed: it does not, or no longer does.
    """
    asked = {
        question.name for call in batch.calls if call.ordinal == ordinal for question in call.card.questions
    }
    if name not in asked:
        raise BatchClosed(reason="changed")
