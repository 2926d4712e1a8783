"""The clock of scheduled tasks: makes runs of what is due, claims them, and lets them be carried out."""

import asyncio
import logging
from collections.abc import Awaitable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from agent_core.errors import StoreFailure
from agent_core.schedule.model import Run
from agent_core.schedule.schedule import Schedule
from agent_core.turn.holder import is_gone
from bot.scheduled import ScheduledRuns

LEASE = timedelta(minutes=2)
"""How long a claim holds; it is renewed while the run is under way."""
LONGEST_WAIT_S = 20.0
"""Other processes plan tasks without waking this one, and clocks are set."""
BLOCKED_S = 5.0
"""What may begin and has not waits for another run of its task."""
AFTER_FAILURE_S = 30.0
AT_ONCE = 4

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Ticker:
    """Runs the tasks of the places on `platforms`. `holder` names this process as the turn order does."""

    schedule: Schedule
    runs: ScheduledRuns
    holder: str
    platforms: Collection[str]
    under_way: set[str] = field(default_factory=set)
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def run(self) -> None:
        """Tick until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            await _tried(self.take_over())
            while True:
                self.schedule.wake.clear()
                wait_s = await _tried(self.tick(tasks))
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait_s):
                        await self.schedule.wake.wait()

    async def take_over(self) -> float:
        """Free what processes of this machine hold that have ended, so that nobody waits for their leases."""
        store = self.schedule.store
        for holder in await store.holders():
            if is_gone(holder, self.holder):
                await store.release(holder, self.schedule.clock.now())
        return 0.0

    async def tick(self, tasks: asyncio.TaskGroup) -> float:
        """Start what is due in tasks of its own; return the seconds until it is worth looking again.

        Raises:
            StoreFailure: nothing is lost; the next tick may find the store well again.
        """
        store, clock = self.schedule.store, self.schedule.clock
        if self.under_way:
            await store.renew(self.under_way, self.holder, clock.now() + LEASE)
        soon = await store.next_due(self.platforms)
        if soon is not None and soon <= clock.now():
            await self.schedule.enqueue_due(self.platforms)
            lease = clock.now() + LEASE
            for run in await store.claim(clock.now(), self.holder, lease, self.platforms):
                self.under_way.add(run.id)
                tasks.create_task(self._carry_out(run))
            soon = await store.next_due(self.platforms)
        wait_s = LONGEST_WAIT_S if soon is None else (soon - clock.now()).total_seconds()
        return BLOCKED_S if wait_s <= 0 else min(wait_s, LONGEST_WAIT_S)

    async def _carry_out(self, run: Run) -> None:
        try:
            async with self._slots:
                await self.runs.carry_out(run)
        except StoreFailure:
            logger.exception("a scheduled run waits for the store", extra={"run": run.id})
        except Exception:  # the border of background work: one run that goes wrong stops no other
            logger.exception("a scheduled run went wrong", extra={"run": run.id})
            await _tried(self.runs.broke(run))
        finally:
            self.under_way.discard(run.id)
            self.schedule.wake.set()


async def _tried(work: Awaitable[float]) -> float:
    """Return how long to wait after the work; it is tried again after a failure."""
    try:
        return await work
    except Exception:  # the border of background work: tasks are planned again when the store is well
        logger.exception("scheduled tasks not looked after")
        return AFTER_FAILURE_S
