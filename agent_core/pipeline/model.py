"""Batches of proposed calls, and audit rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from agent_core.errors import Fact, LoreKeeperError
from agent_core.lore.answers import CardLine
from agent_core.messages import Json
from agent_core.tools.spec import Risk


class BatchStatus(StrEnum):
    """A batch is decided once."""

    OPEN = "open"
    APPROVED = "approved"
    DECLINED = "declined"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"


class CallStatus(StrEnum):
    """Stored before and after each effect; `running` after a restart becomes `unknown` unless proven."""

    PENDING = "pending"
    APPROVED = "approved"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    DECLINED = "declined"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    SKIPPED = "skipped"


SETTLED = frozenset(
    set(CallStatus) - {CallStatus.PENDING, CallStatus.APPROVED, CallStatus.RUNNING}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a line failed, for people: the key of a sentence and the facts that fill it."""

    key: str
    facts: Mapping[str, Fact] = field(default_factory=dict)

    @classmethod
    def of(cls, error: LoreKeeperError) -> "Trouble":
        """Return what people are told of an error."""
        return cls(error.text_key, error.facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchCall:
    """One line of a batch. `id` is ours and unique; `call_id` is the model's, "" for a typed command.

    `arguments` are the validated ones with every default, "here" and id resolved; exactly they run.
    `result` is what the model hears of its end, `trouble` what people hear where it failed.
    """

    id: str
    ordinal: int
    call_id: str
    tool: str
    risk: Risk
    arguments: Mapping[str, Json]
    card: CardLine
    status: CallStatus = CallStatus.PENDING
    selected: bool = True
    result: str = ""
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A proposal and its decision. `turn` is None for a typed command, `since` the edit it was made against.

    `digest` covers the arguments of all lines; a decision names the digest it saw.
    """

    id: str
    conversation: str
    requester: str
    series: str | None
    turn: str | None
    since: int
    language: str
    bound: str
    created: datetime
    expires: datetime
    digest: str
    calls: tuple[BatchCall, ...]
    status: BatchStatus = BatchStatus.OPEN
    decided_by: str | None = None
    decided_at: datetime | None = None
    settled: bool = False
    edit: int | None = None
    surface_ref: str = ""


class AuditOutcome(StrEnum):
    """How a requested call ended."""

    STARTED = "started"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"
    PROPOSED = "proposed"
    DECLINED = "declined"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One requested call. `arguments` are redacted already."""

    id: str
    at: datetime
    call_id: str
    conversation: str
    requester: str
    tool: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    approver: str | None = None
    outcome: AuditOutcome = AuditOutcome.STARTED
    error: str = ""
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class AuditState:
    """A row as it stood when it got the number `seq`; a later state of it has a higher one."""

    seq: int
    row: AuditRow


@dataclass(frozen=True, slots=True)
class JournalMark:
    """Up to which state the journal holds the audit, and how many bytes its file had then."""

    seq: int = 0
    size: int = 0
