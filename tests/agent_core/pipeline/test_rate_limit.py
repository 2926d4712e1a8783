"""A window of one minute per person and tool; 0 allows nothing."""

import asyncio

import pytest

from agent_core.errors import RateLimited
from agent_core.pipeline.rate_limit import RateLimit
from agent_core.stores.sql.pipeline import SqlPipelineStore
from agent_core.stores.sql.sqlite import SqliteDatabase
from tests.clock import FakeClock


async def test_calls_beyond_the_limit_wait_for_the_next_minute(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    limit = RateLimit(SqlPipelineStore(database), clock, per_minute=2)
    clock.advance(seconds=20)
    await limit.count("ann", "search_lore")
    await limit.count("ann", "search_lore")

    with pytest.raises(RateLimited) as refused:
        await limit.count("ann", "search_lore")

    assert refused.value.facts["retry_after_s"] == 40
    await limit.count("ben", "search_lore")
    await limit.count("ann", "undo")
    clock.advance(seconds=39.8)
    with pytest.raises(RateLimited) as refused:
        await limit.count("ann", "search_lore")
    assert refused.value.facts["retry_after_s"] == 1
    clock.advance(seconds=0.2)
    await limit.count("ann", "search_lore")


async def test_zero_allows_nothing(database: SqliteDatabase, clock: FakeClock) -> None:
    limit = RateLimit(SqlPipelineStore(database), clock, per_minute=0)

    with pytest.raises(RateLimited):
        await limit.count("ann", "search_lore")


async def test_calls_at_once_do_not_slip_through_together(database: SqliteDatabase, clock: FakeClock) -> None:
    limit = RateLimit(SqlPipelineStore(database), clock, per_minute=5)

    ends = await asyncio.gather(*(limit.count("ann", "t") for _ in range(12)), return_exceptions=True)

    assert sum(end is None for end in ends) == 5


async def test_restart_forgives_nothing(database: SqliteDatabase, clock: FakeClock) -> None:
    await RateLimit(SqlPipelineStore(database), clock, per_minute=1).count("ann", "t")

    with pytest.raises(RateLimited):
        await RateLimit(SqlPipelineStore(database), clock, per_minute=1).count("ann", "t")
