"""Plans the lines of a card again: against the canon of now, or with a question answered."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent_core.errors import Failure, LoreKeeperError, StoreFailure
from agent_core.lore.answers import CardLine
from agent_core.pipeline import arguments as argument_text
from agent_core.pipeline.model import BatchCall, CallStatus, Trouble
from agent_core.pipeline.result import error_text
from agent_core.pipeline.timed import timed
from agent_core.tools.spec import Proposal, ToolContext
from agent_core.turn.runtime import Runtime

KIND = "kind"
AT = "at"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Replanned:
    """Lines as they would be now, and those that no longer fit, failed with what is wrong."""

    lines: tuple[BatchCall, ...]
    failed: tuple[BatchCall, ...]


async def replanned(calls: Sequence[BatchCall], context: ToolContext, runtime: Runtime) -> Replanned:
    """Return every line planned again, each seeing those before it that still fit.

    Raises:
        StoreFailure: the canon can't be read.
    """
    lines: list[BatchCall] = []
    failed: list[BatchCall] = []
    for call in calls:
        try:
            lines.append(await planned(call, context, runtime))
        except StoreFailure:
            raise
        except LoreKeeperError as error:
            failed.append(_failed(call, error, runtime))
        except Exception:  # a handler's own fault ends this line, not the decision of all
            logger.exception("planning failed", extra={"tool": call.tool, "call_id": call.id})
            failed.append(_failed(call, Failure(), runtime))
    return Replanned(tuple(lines), tuple(failed))


async def planned(call: BatchCall, context: ToolContext, runtime: Runtime) -> BatchCall:
    """Return one line planned again and staged.

    Raises:
        LoreKeeperError: it does not fit.
    """
    tool = runtime.tools.get(call.tool)
    assert tool.propose is not None  # noqa: S101  only proposals are in a batch
    args = argument_text.validate(tool.name, tool.args, call.arguments)
    proposal = await timed(tool, tool.propose(context, args))
    if context.canon is not None:
        context.canon.stage(proposal.rows)
    return replace(call, arguments=proposal.arguments, card=_still_asking(call, proposal))


def _failed(call: BatchCall, error: LoreKeeperError, runtime: Runtime) -> BatchCall:
    result = error_text(call.tool, error.for_model(), runtime.pipeline.redaction)
    return replace(call, status=CallStatus.FAILED, result=result, trouble=Trouble.of(error))


def _still_asking(call: BatchCall, proposal: Proposal) -> CardLine:
    """Return the new card with the old one's questions, which an answer settles but doesn't take away."""
    chosen = {
        KIND: "retcon" if proposal.arguments.get("retcon") else "record",
        AT: str(proposal.arguments.get("sourceSceneId") or proposal.arguments.get("chapterId") or ""),
    }
    questions = tuple(
        question.model_copy(update={"chosen": chosen[question.name] or question.chosen})
        for question in call.card.questions
    )
    return proposal.card.model_copy(update={"questions": questions or proposal.card.questions})
