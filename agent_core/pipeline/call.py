"""The one way every tool call goes: validate, rate limit, permission, risk, run or propose, redact, audit."""

import asyncio
import logging
from dataclasses import dataclass, replace

from agent_core.clock import Clock
from agent_core.errors import LoreKeeperError, NotPermitted, Refusal, StoreFailure
from agent_core.pipeline import arguments as argument_text
from agent_core.pipeline.audit import Audit
from agent_core.pipeline.model import AuditOutcome
from agent_core.pipeline.open_cards import OpenCards
from agent_core.pipeline.outcome import Outcome, Requested
from agent_core.pipeline.permissions import check_tool
from agent_core.pipeline.rate_limit import RateLimit
from agent_core.pipeline.redaction import Redaction, holds_mask
from agent_core.pipeline.result import clean_answer, error_text, result_text
from agent_core.pipeline.store import PipelineStore
from agent_core.pipeline.timed import timed
from agent_core.tools.registry import Registry
from agent_core.tools.spec import AnyTool, Args, Origin, Risk, ToolContext

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Checks and runs calls. Holds no state of its own."""

    tools: Registry
    store: PipelineStore
    limits: RateLimit
    cards: OpenCards
    redaction: Redaction
    audit: Audit
    clock: Clock

    async def call(self, call: Requested, context: ToolContext) -> Outcome:
        """Return how the call ended; a WRITE or DANGEROUS call ends as a proposal that has changed nothing.

        Never raises for what a tool did; cancellation passes through after its audit row is written.

        Raises:
            StoreFailure: the audit row cannot be written.
        """
        started = self.clock.monotonic()
        try:
            outcome = await self._checked(call, context)
        except asyncio.CancelledError:
            await asyncio.shield(self._note_cancelled(call, context))
            raise
        except LoreKeeperError as error:
            refused = AuditOutcome.REFUSED if isinstance(error, Refusal) else AuditOutcome.FAILED
            outcome = self._error(call, error, refused)
        except Exception:  # a handler's own fault must not end the turn: the model hears of it and goes on
            logger.exception("tool failed", extra={"tool": call.tool, "call_id": call.call_id})
            outcome = self._error(call, LoreKeeperError(), AuditOutcome.FAILED)
        outcome = replace(outcome, duration_ms=round((self.clock.monotonic() - started) * 1000))
        if outcome.proposal is None:  # a proposal's row is stored together with its batch
            error_line = outcome.error.for_model() if outcome.error else ""
            await self._write_audit(call, context, outcome.outcome, error_line, outcome.duration_ms)
        return outcome

    async def _checked(self, call: Requested, context: ToolContext) -> Outcome:
        tool = self._tool(call, context)
        args = self._validated(tool, call)
        await self.limits.count(context.asker.person.id, tool.name)
        risk = await self._risk(tool, args, context)
        check_tool(tool, risk, context.asker)
        if tool.read is not None and risk is Risk.READ:
            return await self._read(call, tool, args, context)
        if holds_mask(args.model_dump(mode="json")):
            raise NotPermitted(reason="masked")
        return await self._propose(call, tool, args, risk, context)

    def _tool(self, call: Requested, context: ToolContext) -> AnyTool:
        if context.origin is Origin.MODEL:  # what it has read may name tools that it was never shown
            return self.tools.shown(call.tool, context.asker)
        return self.tools.get(call.tool)

    async def _risk(self, tool: AnyTool, args: Args, context: ToolContext) -> Risk:
        if tool.weigh is not None:
            risk: Risk = await timed(tool, tool.weigh(context, args))
            return risk
        return tool.escalate(args, context.origin) if tool.escalate else tool.risk

    def _validated(self, tool: AnyTool, call: Requested) -> Args:
        given = call.arguments
        parsed = argument_text.parse(tool.name, given, self.redaction) if isinstance(given, str) else given
        args: type[Args] = tool.args
        return argument_text.validate(tool.name, args, parsed)

    async def _read(self, call: Requested, tool: AnyTool, args: Args, context: ToolContext) -> Outcome:
        assert tool.read is not None  # noqa: S101  a READ tool has it, see Tool
        answer = await timed(tool, tool.read(context, args))
        if context.origin is Origin.COMMAND:  # a person reads the answer, nobody the text
            clean = clean_answer(answer, self.redaction, untrusted=tool.untrusted)
            return Outcome(call=call, content="", outcome=AuditOutcome.DONE, answer=clean)
        content = result_text(
            tool.name,
            answer.model_dump(mode="json", by_alias=True, exclude_defaults=True),
            self.redaction,
            untrusted=tool.untrusted,
            max_chars=context.max_chars,
        )
        return Outcome(call=call, content=content, outcome=AuditOutcome.DONE, answer=answer)

    async def _propose(
        self, call: Requested, tool: AnyTool, args: Args, risk: Risk, context: ToolContext
    ) -> Outcome:
        assert tool.propose is not None  # noqa: S101  a WRITE tool has it, see Tool
        proposal = await timed(tool, tool.propose(context, args))
        if context.origin is Origin.MODEL:  # a command may be done at once: its card is counted if it stays
            await self.cards.check(context.asker.person.id)
        if context.canon is not None:
            context.canon.stage(proposal.rows)
        return Outcome(call=call, content="", outcome=AuditOutcome.PROPOSED, proposal=proposal, risk=risk)

    def _error(self, call: Requested, error: LoreKeeperError, outcome: AuditOutcome) -> Outcome:
        content = error_text(call.tool, error.for_model(), self.redaction)
        return Outcome(call=call, content=content, outcome=outcome, error=error)

    async def _note_cancelled(self, call: Requested, context: ToolContext) -> None:
        try:
            await self._write_audit(call, context, AuditOutcome.CANCELLED, "", 0)
        except StoreFailure:  # must not take the place of the cancellation
            logger.exception("cancelled call not audited", extra={"call_id": call.call_id})

    async def _write_audit(
        self, call: Requested, context: ToolContext, outcome: AuditOutcome, error: str, duration_ms: int
    ) -> None:
        shown = argument_text.shown(call.arguments, self.redaction)
        row = replace(
            self.audit.row(
                context.asker, call_id=call.call_id, tool=call.tool, arguments=shown, outcome=outcome
            ),
            id=call.audit_id,
            error=self.redaction.outside(error),
            duration_ms=duration_ms,
        )
        await self.store.audit((row,), durable=False)
