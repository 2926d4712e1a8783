"""Tasks at set times and their runs, in SQL."""

from collections.abc import Collection
from datetime import datetime

from agent_core.clock import to_stamp
from agent_core.schedule.model import KEPT_RUNS, Run, RunStatus, Task, TaskStatus
from agent_core.stores.sql.database import Database, Durability, SqlValue, Tx, one_of
from agent_core.stores.sql.schedule_rows import RUNS, TASKS, run_from, run_params, task_from, task_params

_NEW_TASK = """
    INSERT INTO schedule (id, number, conversation, series, creator, language, created, rule, zone, label,
        prompt, tool, arguments, status, paused_for, next_due, failures)
    VALUES (:id, (SELECT coalesce(max(number), 0) + 1 FROM schedule), :conversation, :series, :creator,
        :language, :created, :rule, :zone, :label, :prompt, :tool, :arguments, :status, :paused_for,
        :next_due, :failures)
"""
_SAVE = """
    UPDATE schedule SET status = :status, paused_for = :paused_for, next_due = :next_due, failures = :failures
"""
_LEASE = "UPDATE schedule_run SET lease = :lease WHERE status = 'running'"
_SOON = """
    SELECT min(at) FROM (
        SELECT s.next_due AS at, s.conversation FROM schedule s WHERE s.status = 'active'
        UNION ALL SELECT CASE r.status WHEN 'queued' THEN r.begins ELSE r.lease END AS at, s.conversation
        FROM schedule_run r JOIN schedule s ON s.id = r.task WHERE r.status IN ('queued', 'running')
    ) soon JOIN conversation c ON c.id = soon.conversation
"""
_FREE = f"{RUNS} JOIN schedule s ON s.id = r.task JOIN conversation c ON c.id = s.conversation"
_MAY_BEGIN = """
    ((r.status = 'queued' AND r.begins <= :now) OR (r.status = 'running' AND r.lease <= :now))
    AND NOT EXISTS (SELECT 1 FROM schedule_run o
        WHERE o.task = r.task AND o.status = 'running' AND o.lease > :now AND o.id <> r.id)
    ORDER BY r.begins, r.due
"""
_NEW_RUN = """
    INSERT INTO schedule_run (id, task, due, begins, status, late, missed, by_hand, holder, lease, tries,
        ended, turn, batch, error)
    VALUES (:id, :task, :due, :begins, :status, :late, :missed, :by_hand, :holder, :lease, :tries, :ended,
        :turn, :batch, :error)
    ON CONFLICT DO NOTHING
"""


class SqlScheduleStore:
    """A `ScheduleStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_task(self, task: Task, most: int) -> Task | None:
        return await self._database.write(lambda tx: _add(tx, task, most), Durability.FULL)

    async def task(self, task: str) -> Task | None:
        return await self._database.read(lambda tx: _task(tx, task))

    async def tasks(self, *, conversation: str, creator: str) -> tuple[Task, ...]:
        where = "s.conversation = :conversation OR s.creator = :creator"
        return await self._database.read(
            lambda tx: _tasks(
                tx, f"{where} ORDER BY s.number", {"conversation": conversation, "creator": creator}
            )
        )

    async def save_task(self, task: Task) -> None:
        await self._database.write(
            lambda tx: tx.run(f"{_SAVE} WHERE id = :id", task_params(task)),
            Durability.FULL,
        )

    async def delete_task(self, task: str) -> None:
        def write(tx: Tx) -> None:
            tx.run("DELETE FROM schedule_run WHERE task = :task", {"task": task})
            tx.run("DELETE FROM schedule WHERE id = :task", {"task": task})

        await self._database.write(write, Durability.FULL)

    async def due_tasks(self, now: datetime, platforms: Collection[str]) -> tuple[Task, ...]:
        names, params = one_of("platform", sorted(platforms))
        where = f"s.status = 'active' AND s.next_due <= :now AND c.platform IN {names} ORDER BY s.next_due"
        return await self._database.read(lambda tx: _tasks(tx, where, {**params, "now": to_stamp(now)}))

    async def next_due(self, platforms: Collection[str]) -> datetime | None:
        names, params = one_of("platform", sorted(platforms))
        found = await self._database.read(lambda tx: tx.row(f"{_SOON} WHERE c.platform IN {names}", params))
        return datetime.fromisoformat(found[0]) if found and found[0] else None

    async def note_outcome(self, task: str, *, failed: bool, most: int) -> bool:
        return await self._database.write(
            lambda tx: _note_outcome(tx, task, most if failed else 0), Durability.FULL
        )

    async def enqueue(self, run: Run, *, then: Task | None = None) -> bool:
        return await self._database.write(lambda tx: _enqueue(tx, run, then), Durability.FULL)

    async def pass_over(self, due: datetime, *, then: Task) -> None:
        await self._database.write(lambda tx: _move_on(tx, due, then), Durability.FULL)

    async def claim(
        self, now: datetime, holder: str, lease: datetime, platforms: Collection[str]
    ) -> tuple[Run, ...]:
        return await self._database.write(
            lambda tx: _claim(tx, to_stamp(now), holder, to_stamp(lease), platforms), Durability.FULL
        )

    async def renew(self, runs: Collection[str], holder: str, lease: datetime) -> None:
        names, params = one_of("run", sorted(runs))
        given = {**params, "holder": holder, "lease": to_stamp(lease)}
        await self._database.write(
            lambda tx: tx.run(f"{_LEASE} AND holder = :holder AND id IN {names}", given), Durability.NORMAL
        )

    async def release(self, holder: str, now: datetime) -> None:
        given: dict[str, SqlValue] = {"holder": holder, "lease": to_stamp(now)}
        await self._database.write(
            lambda tx: tx.run(f"{_LEASE} AND holder = :holder", given), Durability.NORMAL
        )

    async def end_run(self, run: Run) -> bool:
        sql = (
            "UPDATE schedule_run SET status = :status, ended = :ended, turn = :turn, batch = :batch,"
            " error = :error, lease = NULL WHERE id = :id AND status = 'running' AND holder = :holder"
        )
        return await self._database.write(lambda tx: tx.run(sql, run_params(run)) > 0, Durability.FULL)

    async def runs(self, task: str, limit: int) -> tuple[Run, ...]:
        sql = f"{RUNS} WHERE r.task = :task ORDER BY r.due DESC LIMIT :limit"
        return await self._database.read(
            lambda tx: tuple(map(run_from, tx.rows(sql, {"task": task, "limit": limit})))
        )

    async def holders(self) -> tuple[str, ...]:
        sql = "SELECT DISTINCT holder FROM schedule_run WHERE status = 'running' ORDER BY holder"
        return tuple(holder for (holder,) in await self._database.read(lambda tx: tx.rows(sql)))

    async def count_runs(self, task: str) -> int:
        sql = "SELECT count(*) FROM schedule_run WHERE task = :task"
        found = await self._database.read(lambda tx: tx.row(sql, {"task": task}))
        return int(found[0]) if found else 0


def _add(tx: Tx, task: Task, most: int) -> Task | None:
    known = _task(tx, task.id)
    if known is not None:
        return known
    count = tx.row(
        "SELECT count(*) FROM schedule WHERE creator = :creator AND status <> :over",
        {"creator": task.creator, "over": TaskStatus.OVER},
    )
    if count is not None and count[0] >= most:
        return None
    tx.run(_NEW_TASK, task_params(task))
    return _task(tx, task.id)


def _task(tx: Tx, task: str) -> Task | None:
    found = _tasks(tx, "s.id = :id", {"id": task})
    return found[0] if found else None


def _tasks(tx: Tx, where: str, params: dict[str, SqlValue]) -> tuple[Task, ...]:
    return tuple(map(task_from, tx.rows(f"{TASKS} WHERE {where}", params)))


def _note_outcome(tx: Tx, task: str, most: int) -> bool:
    if not most:
        tx.run("UPDATE schedule SET failures = 0 WHERE id = :id AND failures > 0", {"id": task})
        return False
    tx.run("UPDATE schedule SET failures = failures + 1 WHERE id = :id", {"id": task})
    paused = tx.run(
        "UPDATE schedule SET status = 'paused', paused_for = 'failing'"
        " WHERE id = :id AND status = 'active' AND failures >= :most",
        {"id": task, "most": most},
    )
    return paused > 0


def _enqueue(tx: Tx, run: Run, then: Task | None) -> bool:
    if then is not None and not _move_on(tx, run.due, then):
        return False
    if not tx.run(_NEW_RUN, run_params(run)):
        return False
    tx.run(
        "DELETE FROM schedule_run WHERE task = :task AND ended IS NOT NULL AND id NOT IN"
        " (SELECT id FROM schedule_run WHERE task = :task ORDER BY due DESC LIMIT :kept)",
        {"task": run.task, "kept": KEPT_RUNS},
    )
    return True


def _move_on(tx: Tx, due: datetime, then: Task) -> bool:
    """Store a task as it is after a due time; return whether that was its next one still."""
    where = "WHERE id = :id AND status = 'active' AND next_due = :due"
    return tx.run(f"{_SAVE} {where}", {**task_params(then), "due": to_stamp(due)}) > 0


def _claim(tx: Tx, now: str, holder: str, lease: str, platforms: Collection[str]) -> tuple[Run, ...]:
    names, params = one_of("platform", sorted(platforms))
    free = f"{_FREE} WHERE c.platform IN {names} AND {_MAY_BEGIN}"
    first: dict[str, str] = {}
    for run in map(run_from, tx.rows(free, {**params, "now": now})):
        if run.status is RunStatus.RUNNING or run.task not in first:
            first[run.task] = run.id
    taken: dict[str, SqlValue] = {"holder": holder, "lease": lease}
    for run_id in first.values():
        tx.run(
            "UPDATE schedule_run SET status = 'running', holder = :holder, lease = :lease, tries = tries + 1"
            " WHERE id = :id",
            {**taken, "id": run_id},
        )
    names, params = one_of("id", list(first.values()))
    return tuple(map(run_from, tx.rows(f"{RUNS} WHERE r.id IN {names} ORDER BY r.begins, r.due", params)))
