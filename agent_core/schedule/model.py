"""A task at set times, and its runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from agent_core.messages import Json
from agent_core.schedule.rule import Rule

KEPT_RUNS = 50
"""How many runs of a task are kept; older ones are forgotten."""


class TaskStatus(StrEnum):
    """A task is active, paused until somebody resumes it, or over: its last time has come."""

    ACTIVE = "active"
    PAUSED = "paused"
    OVER = "over"


class Pause(StrEnum):
    """Why a task is paused: by a person, its creator has left, it failed again and again, its place is gone.

    `MOVED` says that its place is about another series by now, `CLOSED` that no operator lets its creator in
    there any more, `BROKEN` that its time or its zone can't be read any more.
    """

    ASKED = "asked"
    LEFT = "left"
    FAILING = "failing"
    GONE = "gone"
    MOVED = "moved"
    CLOSED = "closed"
    BROKEN = "broken"


class RunStatus(StrEnum):
    """A run waits for its turn, is under way, waits for a decision about its card, or is over."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"


OVER = frozenset({RunStatus.DONE, RunStatus.FAILED, RunStatus.SKIPPED, RunStatus.UNKNOWN, RunStatus.WAITING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is done at set times, where, and with whose rights.

    `number` is how people call it, `label` what they said that it does, if they did. Either `prompt` is set,
    which a model answers, or `tool` with its `arguments`. `next_due` is None while nothing is due any more;
    `failures` are those in a row.
    """

    id: str
    conversation: str
    creator: str
    language: str
    created: datetime
    rule: Rule
    zone: str
    series: str | None = None
    number: int = 0
    label: str = ""
    prompt: str = ""
    tool: str = ""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    status: TaskStatus = TaskStatus.ACTIVE
    paused_for: Pause | None = None
    next_due: datetime | None = None
    failures: int = 0

    @property
    def title(self) -> str:
        """What it does, in one line."""
        return " ".join((self.label or self.prompt or self.tool).split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a task: at most one for each due time.

    `begins` is when it may start at the earliest; `late` says that it missed its time, together with
    `missed` others that are left out. `by_hand` marks one that a person asked for. Until `lease` nobody but
    its `holder` works on it. `turn` or `batch` is what it led to.
    """

    id: str
    task: str
    due: datetime
    begins: datetime
    status: RunStatus = RunStatus.QUEUED
    late: bool = False
    missed: int = 0
    by_hand: bool = False
    holder: str = ""
    lease: datetime | None = None
    tries: int = 0
    ended: datetime | None = None
    turn: str | None = None
    batch: str | None = None
    error: str = ""
