"""How many proposals of one person may wait at once."""

from dataclasses import dataclass

from agent_core.clock import Clock
from agent_core.errors import NotPermitted
from agent_core.pipeline.store import PipelineStore

MOST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCards:
    """A cap on open cards per person, over all places."""

    store: PipelineStore
    clock: Clock
    most: int = MOST

    async def check(self, person: str) -> None:
        """Pass if one more card may be opened; those whose time is over don't count.

        Raises:
            NotPermitted: reason "cards"; says how many are open.
        """
        now = self.clock.now()
        batches = await self.store.open_batches(requester=person)
        n = sum(batch.expires > now for batch in batches)
        if n >= self.most:
            raise NotPermitted(reason="cards", n=n)
