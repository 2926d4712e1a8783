"""How tasks and their runs stand in columns."""

from datetime import datetime

from agent_core.clock import from_stamp, to_stamp
from agent_core.schedule.model import Pause, Run, RunStatus, Task, TaskStatus
from agent_core.schedule.rule import rule_to_text, stored_rule
from agent_core.stores.sql.database import SqlRow, SqlValue
from agent_core.stores.sql.json_text import from_text, to_text

TASKS = """
    SELECT s.id, s.number, s.conversation, s.series, s.creator, s.language, s.created, s.rule, s.zone,
        s.label, s.prompt, s.tool, s.arguments, s.status, s.paused_for, s.next_due, s.failures
    FROM schedule s JOIN conversation c ON c.id = s.conversation
"""
RUNS = """
    SELECT r.id, r.task, r.due, r.begins, r.status, r.late, r.missed, r.by_hand, r.holder, r.lease, r.tries,
        r.ended, r.turn, r.batch, r.error
    FROM schedule_run r
"""


def task_from(found: SqlRow) -> Task:
    """Return the task in the columns of `TASKS`."""
    (
        id_, number, conversation, series, creator, language, created, rule, zone, label, prompt, tool,
        arguments, status, paused_for, next_due, failures,
    ) = found  # fmt: skip
    return Task(
        id=id_,
        number=number,
        conversation=conversation,
        series=series,
        creator=creator,
        language=language,
        created=from_stamp(created),
        rule=stored_rule(rule),
        zone=zone,
        label=label,
        prompt=prompt,
        tool=tool,
        arguments=from_text(arguments),
        status=TaskStatus(status),
        paused_for=None if paused_for is None else Pause(paused_for),
        next_due=_instant(next_due),
        failures=failures,
    )


def task_params(task: Task) -> dict[str, SqlValue]:
    """Return the columns of a task, but its number."""
    return {
        "id": task.id,
        "conversation": task.conversation,
        "series": task.series,
        "creator": task.creator,
        "language": task.language,
        "created": to_stamp(task.created),
        "rule": rule_to_text(task.rule),
        "zone": task.zone,
        "label": task.label,
        "prompt": task.prompt,
        "tool": task.tool,
        "arguments": to_text(task.arguments),
        "status": task.status,
        "paused_for": task.paused_for,
        "next_due": _stamp(task.next_due),
        "failures": task.failures,
    }


def run_from(found: SqlRow) -> Run:
    """Return the run in the columns of `RUNS`."""
    (
        id_, task, due, begins, status, late, missed, by_hand, holder, lease, tries, ended, turn, batch,
        error,
    ) = found  # fmt: skip
    return Run(
        id=id_,
        task=task,
        due=from_stamp(due),
        begins=from_stamp(begins),
        status=RunStatus(status),
        late=bool(late),
        missed=missed,
        by_hand=bool(by_hand),
        holder=holder,
        lease=_instant(lease),
        tries=tries,
        ended=_instant(ended),
        turn=turn,
        batch=batch,
        error=error,
    )


def run_params(run: Run) -> dict[str, SqlValue]:
    """Return the columns of a run."""
    return {
        "id": run.id,
        "task": run.task,
        "due": to_stamp(run.due),
        "begins": to_stamp(run.begins),
        "status": run.status,
        "late": int(run.late),
        "missed": run.missed,
        "by_hand": int(run.by_hand),
        "holder": run.holder,
        "lease": _stamp(run.lease),
        "tries": run.tries,
        "ended": _stamp(run.ended),
        "turn": run.turn,
        "batch": run.batch,
        "error": run.error,
    }


def _instant(stamp: str | None) -> datetime | None:
    return None if stamp is None else from_stamp(stamp)


def _stamp(instant: datetime | None) -> str | None:
    return None if instant is None else to_stamp(instant)
