"""How often one person may use one tool: counted in the database, so that a restart forgives nothing."""

from datetime import timedelta

from agent_core.clock import Clock
from agent_core.errors import RateLimited
from agent_core.pipeline.store import PipelineStore

WINDOW = timedelta(minutes=1)


class RateLimit:
    """A fixed window of one minute per person and tool. 0 allows nothing."""

    def __init__(self, store: PipelineStore, clock: Clock, *, per_minute: int) -> None:
        self._store = store
        self._clock = clock
        self._per_minute = per_minute

    async def count(self, person: str, tool: str) -> None:
        """Count one use.

        Raises:
            RateLimited: the window is used up; says after how many seconds it opens again.
        """
        now = self._clock.now()
        start = now.replace(second=0, microsecond=0)
        if await self._store.count_hit(person, tool, window=start) > self._per_minute:
            left = (start + WINDOW - now).total_seconds()
            raise RateLimited(retry_after_s=max(1, round(left)))
