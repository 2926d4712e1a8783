"""Where tasks and their runs last. Each verb is one transaction."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from agent_core.schedule.model import Run, Task


class ScheduleStore(Protocol):
    """Tasks, and runs that no two processes start."""

    async def add_task(self, task: Task, most: int) -> Task | None:
        """Store a task and return it with its number; None where its creator has `most` tasks already.

        The same id again changes nothing. Tasks that are over don't count.
        """
        ...

    async def task(self, task: str) -> Task | None:
        """Return the task with this id, or None."""
        ...

    async def tasks(self, *, conversation: str, creator: str) -> tuple[Task, ...]:
        """Return the tasks of a conversation and those of a person anywhere, by number."""
        ...

    async def save_task(self, task: Task) -> None:
        """Store status, reason, next due time and failures of a task; one that was deleted stays so."""
        ...

    async def delete_task(self, task: str) -> None:
        """Delete a task with its runs."""
        ...

    async def due_tasks(self, now: datetime, platforms: Collection[str]) -> tuple[Task, ...]:
        """Return the active tasks in places of these platforms that are due, the longest due first."""
        ...

    async def next_due(self, platforms: Collection[str]) -> datetime | None:
        """Return when something is to happen next: a task is due, a run may begin, a lease ends."""
        ...

    async def note_outcome(self, task: str, *, failed: bool, most: int) -> bool:
        """Count a run that failed, or begin anew where it did not; return whether it was one too many.

        At `most` failures in a row the task is paused.
        """
        ...

    async def enqueue(self, run: Run, *, then: Task | None = None) -> bool:
        """Store a run of a task unless one has its due time; return whether it was stored.

        With `then`, the task as it is afterwards, it is stored only if the task is still due at `run.due`.
        Of a task's runs that are over the newest stay.
        """
        ...

    async def pass_over(self, due: datetime, *, then: Task) -> None:
        """Store a task as it is after `due`, without a run; only if it is active and due then still."""
        ...

    async def claim(
        self, now: datetime, holder: str, lease: datetime, platforms: Collection[str]
    ) -> tuple[Run, ...]:
        """Give the runs that may begin, or whose holder let its lease end, to this holder until `lease`.

        No two of one task are under way at once.
        """
        ...

    async def renew(self, runs: Collection[str], holder: str, lease: datetime) -> None:
        """Prolong the lease of runs that this holder works on."""
        ...

    async def release(self, holder: str, now: datetime) -> None:
        """End the lease of all runs of a holder that is gone."""
        ...

    async def end_run(self, run: Run) -> bool:
        """Store how a run of this holder ended; False where another one has taken it over."""
        ...

    async def runs(self, task: str, limit: int) -> tuple[Run, ...]:
        """Return the newest runs of a task, newest first."""
        ...

    async def holders(self) -> tuple[str, ...]:
        """Return who has runs under way."""
        ...

    async def count_runs(self, task: str) -> int:
        """Return how many runs of a task are kept."""
        ...
