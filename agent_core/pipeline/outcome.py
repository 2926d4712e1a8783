"""A requested call and how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent_core.errors import LoreKeeperError
from agent_core.lore.answers import Answer
from agent_core.messages import Json
from agent_core.pipeline.model import AuditOutcome
from agent_core.tools.spec import Proposal, Risk


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """A call as it was asked for; `arguments` is raw text from a model or an object from a command.

    `audit_id` is the id of its audit row, fresh for each request.
    """

    call_id: str
    audit_id: str
    tool: str
    arguments: str | Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a call ended: the text for the model, the typed answer or the proposal, or the error."""

    call: Requested
    content: str
    outcome: AuditOutcome
    answer: Answer | None = None
    proposal: Proposal | None = None
    risk: Risk = Risk.READ
    error: LoreKeeperError | None = None
    duration_ms: int = 0
