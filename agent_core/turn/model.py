"""Turns and their steps: what a crash resumes from."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from agent_core.messages import ChatMessage, Usage


class TurnStatus(StrEnum):
    """A turn waits, runs, is parked behind a confirmation, or is over."""

    QUEUED = "queued"
    RUNNING = "running"
    PARKED = "parked"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


DELETED = "(deleted by its author)"
"""Stands in the place of a message that its author took away."""

OVER = frozenset({TurnStatus.DONE, TurnStatus.CANCELLED, TurnStatus.FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One question and all that follows from it.

    `bound` is the stored form of the reader bound under which it runs ("author", "nothing", a node id);
    `replies` and `calls` are what its budget has spent; `metered` are the replies of a model that costs
    something, `cost` is what they cost. `context` is what was said before the question, for the model: what
    it answers or quotes, and what others said meanwhile. `max_replies` limits this turn further. `scheduled`
    is one that nobody asked for just now: it closes no card. `original` is False where the question is not
    what the requester said just so (see `Incoming`): it vouches for nothing.
    """

    id: str
    conversation: str
    requester: str
    started: datetime
    status: TurnStatus
    bound: str
    language: str
    text: str
    deep: bool = False
    mode: str = "general"
    replies: int = 0
    calls: int = 0
    result_chars: int = 0
    usage: Usage = field(default_factory=Usage)
    metered: int = 0
    cost: Decimal = Decimal(0)
    answer: str = ""
    context: str = ""
    max_replies: int | None = None
    scheduled: bool = False
    original: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One message of a turn's model history. `pending` marks a result that waits for a decision."""

    turn: str
    seq: int
    message: ChatMessage
    pending: bool = False
    duration_ms: int = 0
    outcome: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A message as a surface hands it in. `update` is the delivery's id, unique per platform.

    `original` is False for what the person did not say just so (forwarded, transcribed): it decides nothing.
    `scheduled` is what they did not say now at all: it closes no card either, and `update` names its turn.
    """

    platform: str
    update: str
    message: str
    person: str
    conversation: str
    text: str
    at: datetime
    context: str = ""
    original: bool = True
    scheduled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """A final text that a place is owed. `repeat` says that it may have been delivered before."""

    id: str
    conversation: str
    turn: str
    text: str
    repeat: bool = False


def owed_answer(turn: Turn) -> Owed:
    """Return the answer of a turn as its place is owed it.

    It is shown as soon as it is stored, so whoever finds it undelivered later may be repeating it.
    """
    return Owed(id=turn.id, conversation=turn.conversation, turn=turn.id, text=turn.answer, repeat=True)
