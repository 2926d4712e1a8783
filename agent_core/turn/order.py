"""One turn at a time in a conversation, others in parallel, across processes by a lease that expires."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from datetime import timedelta

from agent_core.clock import Clock
from agent_core.errors import StoreFailure
from agent_core.turn.holder import is_gone
from agent_core.turn.store import TurnStore

LEASE = timedelta(seconds=10)
RENEW_S = 3.0
POLL_S = 0.1

logger = logging.getLogger(__name__)


class TurnOrder:
    """Hands out a conversation's turn order. Within this process it is first come, first served.

    `holder` names this process as `host:pid:run`, so that others of this machine see when it is gone.
    """

    def __init__(self, store: TurnStore, clock: Clock, *, holder: str) -> None:
        self._store = store
        self._clock = clock
        self.holder = holder
        self._locks: dict[str, asyncio.Lock] = {}
        self._waiting: dict[str, int] = {}

    @contextlib.asynccontextmanager
    async def held(self, conversation: str) -> AsyncIterator[bool]:
        """Hold the order of a conversation; gives whether it had to be waited for."""
        async with self._local(conversation) as was_busy:
            has_waited = await self._take(conversation) or was_busy
            # Not a TaskGroup: it would wrap what the caller raises. The task ends with this block.
            renewing = asyncio.create_task(self._renew(conversation))
            try:
                yield has_waited
            finally:
                renewing.cancel()
                await asyncio.shield(self._give_back(conversation, renewing))

    @contextlib.asynccontextmanager
    async def _local(self, conversation: str) -> AsyncIterator[bool]:
        lock = self._locks.setdefault(conversation, asyncio.Lock())
        has_to_wait = lock.locked()
        self._waiting[conversation] = self._waiting.get(conversation, 0) + 1
        try:
            async with lock:
                yield has_to_wait
        finally:
            self._waiting[conversation] -= 1
            if not self._waiting[conversation]:
                del self._waiting[conversation], self._locks[conversation]

    async def _take(self, conversation: str) -> bool:
        """Take the lease; return whether another process had it."""
        has_waited = False
        while not await self._lease(conversation):
            has_waited = True
            holder = await self._store.order_holder(conversation)
            if holder is not None and is_gone(holder, self.holder):
                await self._store.free_order(conversation, holder)
            else:
                await asyncio.sleep(POLL_S)
        return has_waited

    async def _lease(self, conversation: str) -> bool:
        now = self._clock.now()
        return await self._store.take_order(conversation, self.holder, now=now, until=now + LEASE)

    async def _renew(self, conversation: str) -> None:
        while True:
            await asyncio.sleep(RENEW_S)
            try:
                if not await self._lease(conversation):
                    logger.warning("turn order lost", extra={"conversation": conversation})
            except StoreFailure:
                logger.warning("turn order not renewed", extra={"conversation": conversation})

    async def _give_back(self, conversation: str, renewing: asyncio.Task[None]) -> None:
        await asyncio.wait({renewing})  # a renewal under way must not follow the return
        try:
            await self._store.free_order(conversation, self.holder)
        except StoreFailure:  # this process takes it again at once, others when the lease is over
            logger.warning("turn order not given back", extra={"conversation": conversation})
