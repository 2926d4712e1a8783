"""Runs what was approved: the lines of the canon as one change, then the others one by one."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent_core.clock import Clock
from agent_core.errors import Conflict, Failure, LoreKeeperError, StoreFailure, ToolTimeout
from agent_core.lore.model import Change, ChangeDraft
from agent_core.lore.store import LoreStore
from agent_core.messages import parse_json
from agent_core.pipeline import arguments as argument_text
from agent_core.pipeline.audit import Audit
from agent_core.pipeline.model import AuditOutcome, AuditRow, Batch, BatchCall, CallStatus, Trouble
from agent_core.pipeline.redaction import Redaction
from agent_core.pipeline.result import error_text, result_text, status_text
from agent_core.pipeline.store import PipelineStore
from agent_core.pipeline.timed import timed
from agent_core.tools.basis import BASIS
from agent_core.tools.registry import Registry
from agent_core.tools.spec import Proposal, ToolContext

logger = logging.getLogger(__name__)

Planned = tuple[BatchCall, Proposal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """Runs the lines of an approved batch. Each call's state is stored before and after its effect."""

    tools: Registry
    store: PipelineStore
    lore: LoreStore
    audit: Audit
    clock: Clock

    async def apply(self, batch: Batch, context: ToolContext) -> Batch:
        """Return the batch with every approved line ended. Calling it again after a crash repeats no effect.

        Raises:
            Conflict: a later edit touched what a line touches, what its card was made of has changed, or it
                no longer fits; nothing was written.
            StoreFailure: the store can't write now; the approval stands and can be tried again.
        """
        batch = await self._take_up(batch, context)
        approved = [call for call in batch.calls if call.status is CallStatus.APPROVED]
        try:
            planned = [(call, await self._plan(call, context)) for call in approved]
        except StoreFailure:
            raise
        except Exception as error:  # it fitted when it was proposed; planning anew says what is wrong by now
            raise Conflict from error
        in_canon = [item for item in planned if item[1].effect is None]
        batch = await self._change(batch, in_canon, context)
        for call, proposal in planned:
            if proposal.effect is not None:
                batch = await self._effect(batch, call, proposal, context)
        return batch

    async def _take_up(self, batch: Batch, context: ToolContext) -> Batch:
        """Settle what a crash left running: a change is found by its token, an outside effect is unknown."""
        running = [call for call in batch.calls if call.status is CallStatus.RUNNING]
        if not running:
            return batch
        change = await self.lore.find(batch.series, batch.id) if batch.series else None
        settled: list[BatchCall] = []
        for call in running:
            if not self._writes_canon(call):
                settled.append(_unknown(call, "interrupted; it may or may not have happened"))
            elif change is not None:
                settled.append(_done(call, change))
            else:
                settled.append(replace(call, status=CallStatus.APPROVED))
        edit = change.number if change else batch.edit
        rows = [self._row(batch, call, context) for call in settled if call.status is not CallStatus.APPROVED]
        return await self._store(replace(batch, edit=edit), settled, rows)

    def _writes_canon(self, call: BatchCall) -> bool:
        return self.tools.get(call.tool).in_canon

    async def _plan(self, call: BatchCall, context: ToolContext) -> Proposal:
        tool = self.tools.get(call.tool)
        assert tool.propose is not None  # noqa: S101  only proposals are ever in a batch
        args = argument_text.validate(tool.name, tool.args, call.arguments)
        proposal = await timed(tool, tool.propose(context, args))
        if proposal.arguments.get(BASIS) != call.arguments.get(BASIS):
            raise Conflict  # what was agreed to is no longer what would happen
        if context.canon is not None:
            context.canon.stage(proposal.rows)
        return proposal

    async def _change(self, batch: Batch, planned: Sequence[Planned], context: ToolContext) -> Batch:
        if not planned or batch.series is None:
            return batch
        running = [replace(call, status=CallStatus.RUNNING) for call, _ in planned]
        batch = await self._store(batch, running, [self._row(batch, call, context) for call in running])
        began = self.clock.monotonic()
        try:
            change = await self.lore.append(self._draft(batch, planned), batch.id, self.clock.now())
        except (Conflict, StoreFailure):
            await self._store(batch, [replace(call, status=CallStatus.APPROVED) for call in running], ())
            raise
        done = [_done(call, change) for call in running]
        rows = [self._row(batch, call, context, began) for call in done]
        return await self._store(replace(batch, edit=change.number), done, rows)

    def _draft(self, batch: Batch, planned: Sequence[Planned]) -> ChangeDraft:
        assert batch.series is not None  # noqa: S101  checked by the caller
        return ChangeDraft(
            series=batch.series,
            rows=tuple(row for _, proposal in planned for row in proposal.rows),
            since=batch.since,
            keys=frozenset().union(*(proposal.keys for _, proposal in planned)),
            proposed_by=batch.requester,
            approved_by=batch.decided_by or batch.requester,
            source=batch.conversation,
            summary="; ".join(call.tool for call, _ in planned)[:200],
        )

    async def _effect(self, batch: Batch, call: BatchCall, proposal: Proposal, context: ToolContext) -> Batch:
        assert proposal.effect is not None  # noqa: S101  checked by the caller
        if any(other.status in {CallStatus.FAILED, CallStatus.UNKNOWN} for other in batch.calls):
            skipped = replace(
                call,
                status=CallStatus.SKIPPED,
                result=status_text(call.tool, "skipped", "an earlier line failed"),
            )
            return await self._store(batch, [skipped], [self._row(batch, skipped, context)])
        running = replace(call, status=CallStatus.RUNNING)
        batch = await self._store(batch, [running], [self._row(batch, running, context)])
        began = self.clock.monotonic()
        try:
            content = await timed(self.tools.get(call.tool), proposal.effect())
            ended = replace(running, status=CallStatus.DONE, result=self._result(call, content, context))
        except ToolTimeout:
            ended = _unknown(running, "no answer in time; it may or may not have happened")
        except LoreKeeperError as error:
            ended = self._failed(running, error)
        except Exception:  # the effect's own fault ends this line, not the process
            logger.exception("effect failed", extra={"tool": call.tool, "batch": batch.id})
            ended = self._failed(running, Failure())
        return await self._store(batch, [ended], [self._row(batch, ended, context, began)])

    def _result(self, call: BatchCall, content: str, context: ToolContext) -> str:
        """Return what an effect says; a look-up that was asked for first comes as any other does."""
        if not self.tools.get(call.tool).untrusted:
            return content
        data, redaction = parse_json(content), self.audit.redaction
        return result_text(call.tool, data, redaction, untrusted=True, max_chars=context.max_chars)

    def _failed(self, call: BatchCall, error: LoreKeeperError) -> BatchCall:
        content = error_text(call.tool, error.for_model(), self.audit.redaction)
        return replace(call, status=CallStatus.FAILED, result=content, trouble=Trouble.of(error))

    def _row(
        self, batch: Batch, call: BatchCall, context: ToolContext, began: float | None = None
    ) -> AuditRow:
        row = self.audit.row(
            context.asker, call_id=call.id, tool=call.tool, arguments=call.arguments, outcome=_outcome(call)
        )
        return replace(
            row,
            id=call.id,
            requester=batch.requester,
            approver=batch.decided_by,
            error=row_error(call, self.audit.redaction),
            duration_ms=0 if began is None else round((self.clock.monotonic() - began) * 1000),
        )

    async def _store(self, batch: Batch, calls: Sequence[BatchCall], audit: Sequence[AuditRow]) -> Batch:
        await self.store.update_calls(batch.id, calls, audit, settled=False, edit=batch.edit)
        new = {call.ordinal: call for call in calls}
        return replace(batch, calls=tuple(new.get(call.ordinal, call) for call in batch.calls))


def row_error(call: BatchCall, redaction: Redaction) -> str:
    """Return what the audit says of a failed line; "" for any other."""
    return redaction.outside(call.result) if call.status is CallStatus.FAILED else ""


def _done(call: BatchCall, change: Change) -> BatchCall:
    return replace(
        call, status=CallStatus.DONE, result=status_text(call.tool, "done", f"edit no. {change.number}")
    )


def _unknown(call: BatchCall, why: str) -> BatchCall:
    return replace(call, status=CallStatus.UNKNOWN, result=status_text(call.tool, "unknown", why))


def _outcome(call: BatchCall) -> AuditOutcome:
    return AuditOutcome.STARTED if call.status is CallStatus.RUNNING else AuditOutcome(call.status.value)
