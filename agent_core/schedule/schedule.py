"""Plans tasks within their limits and turns what is due into runs. It only stores: the ticker runs them."""

import asyncio
import logging
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from agent_core.clock import Clock, NewId
from agent_core.errors import ScheduleRefusal
from agent_core.schedule.model import Pause, Run, Task, TaskStatus
from agent_core.schedule.rule import (
    NoSuchTime,
    Rule,
    Unreadable,
    least_gap,
    next_run,
    next_runs,
    runs_between,
)
from agent_core.schedule.store import ScheduleStore
from agent_core.schedule.words import read_when

LATE_AFTER = timedelta(minutes=2)
"""A run that begins so long after its due time has missed it."""
APART = timedelta(seconds=20)
"""How far apart runs begin that make up for missed ones."""
LOOKED_AT = 200
MOST_MISSED = 300
SHOWN_RUNS = 3

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many tasks a person has, how close their runs are, and how often one may fail in a row.

    `catch_up` says whether a task that missed times runs once for them.
    """

    tasks: int = 20
    apart: timedelta = timedelta(minutes=5)
    failures: int = 5
    catch_up: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The tasks of an installation. `wake` is set when a run has come that nobody knew of."""

    store: ScheduleStore
    clock: Clock
    new_id: NewId
    limits: Limits = field(default_factory=Limits)
    wake: asyncio.Event = field(default_factory=asyncio.Event)

    async def read(self, when: str, zone: ZoneInfo) -> Rule:
        """Return the rule that a text means now.

        Raises:
            ScheduleRefusal: it means no time to come, or one that comes too often.
        """
        now = self.clock.now()
        try:
            rule = read_when(when, now, zone)
        except NoSuchTime as none:
            raise ScheduleRefusal(reason=none.reason, text=none.detail or when) from none
        gap = await asyncio.to_thread(least_gap, rule, zone, now, LOOKED_AT)
        if gap is not None and gap < self.limits.apart:
            minutes = int(self.limits.apart.total_seconds() // 60)
            raise ScheduleRefusal(reason="too_often", minutes=minutes)
        return rule

    def coming(self, rule: Rule, zone: ZoneInfo) -> tuple[datetime, ...]:
        """Return the next three runs of a rule from now on."""
        return next_runs(rule, zone, self.clock.now(), SHOWN_RUNS)

    async def check_room(self, creator: str) -> None:
        """Pass if this person may have one task more.

        Raises:
            ScheduleRefusal: reason "many".
        """
        theirs = await self.store.tasks(conversation="", creator=creator)
        if sum(task.status is not TaskStatus.OVER for task in theirs) >= self.limits.tasks:
            raise ScheduleRefusal(reason="many", most=self.limits.tasks)

    async def add(self, task: Task) -> Task:
        """Store a task, due from now on, and return it with its number.

        Raises:
            ScheduleRefusal: reason "many", or "past" where its one time has come meanwhile.
        """
        due = next_run(task.rule, await zone_of(task.zone), self.clock.now())
        if due is None:
            raise ScheduleRefusal(reason="past", text=task.title)
        added = await self.store.add_task(replace(task, next_due=due), self.limits.tasks)
        if added is None:
            raise ScheduleRefusal(reason="many", most=self.limits.tasks)
        self.wake.set()
        return added

    async def run_now(self, task: Task, run_id: str) -> None:
        """Let a task run as soon as may be, besides its times."""
        now = self.clock.now()
        for moment in range(3):  # one of its own times may be this very one
            due = now + timedelta(microseconds=moment)
            run = Run(id=run_id, task=task.id, due=due, begins=now, by_hand=True)
            if await self.store.enqueue(run):
                break
        self.wake.set()

    async def pause(self, task: Task, reason: Pause) -> None:
        """Let a task rest until somebody resumes it."""
        await self.store.save_task(replace(task, status=TaskStatus.PAUSED, paused_for=reason))

    async def resume(self, task: Task) -> Task:
        """Go on with a paused task at its next time from now on, and return it.

        Raises:
            ScheduleRefusal: reason "over"; no time comes any more.
        """
        due = next_run(task.rule, await zone_of(task.zone), self.clock.now())
        if due is None:
            raise ScheduleRefusal(reason="over", text=str(task.number))
        active = replace(task, status=TaskStatus.ACTIVE, paused_for=None, next_due=due, failures=0)
        await self.store.save_task(active)
        self.wake.set()
        return active

    async def enqueue_due(self, platforms: Collection[str]) -> None:
        """Make a run of each task that is due: one, however many times it has missed."""
        now = self.clock.now()
        late = 0
        for task in await self.store.due_tasks(now, platforms):
            zone = await sound_zone(task)
            run, after = await asyncio.to_thread(self._due, task, zone, now)
            if run.late:
                run = replace(run, begins=now + late * APART)
                late += 1
            if run.late and not self.limits.catch_up:
                await self.store.pass_over(run.due, then=after)
            else:
                await self.store.enqueue(run, then=after)

    def _due(self, task: Task, zone: ZoneInfo | None, now: datetime) -> tuple[Run, Task]:
        """Return the run of a task that is due, and the task as it is then.

        One that can't be read any more (`zone` is None) has a last run, which says so.
        """
        due = task.next_due or now
        if zone is None:
            return Run(id=self.new_id(), task=task.id, due=due, begins=now), replace(task, next_due=None)
        late = now - due > LATE_AFTER
        missed = runs_between(task.rule, zone, due, now, MOST_MISSED) if late else 0
        run = Run(id=self.new_id(), task=task.id, due=due, begins=now, late=late, missed=missed)
        following = next_run(task.rule, zone, max(now, due))
        status = TaskStatus.OVER if following is None else task.status
        return run, replace(task, next_due=following, status=status)


async def sound_zone(task: Task) -> ZoneInfo | None:
    """Return the zone of a task, None where its zone or its rule can't be read any more."""
    try:
        zone = await zone_of(task.zone)
        await asyncio.to_thread(next_run, task.rule, zone, task.created)
    except Exception:  # the border of what is stored: one task that can't be read stops no other
        logger.warning("a task can't be read", extra={"task": task.id}, exc_info=True)
        return None
    return None if isinstance(task.rule, Unreadable) else zone


async def zone_of(name: str) -> ZoneInfo:
    """Return the time zone with this name.

    Raises:
        ScheduleRefusal: reason "zone"; there is none.
    """
    try:
        return await asyncio.to_thread(ZoneInfo, name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ScheduleRefusal(reason="zone", text=name) from error
