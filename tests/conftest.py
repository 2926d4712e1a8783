"""What every test may use: a watched event loop, a still clock, counting ids, a fresh database."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import HealthCheck, settings

from agent_core.clock import NewId
from agent_core.stores.sql.sqlite import SqliteDatabase, open_database
from tests.clock import FakeClock, counting_ids

_SLOW_IO = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)
settings.register_profile("default", max_examples=50, deadline=None, suppress_health_check=_SLOW_IO)
settings.register_profile(
    "ci", max_examples=200, deadline=None, suppress_health_check=_SLOW_IO, derandomize=True
)
settings.register_profile("few", max_examples=8, deadline=None, suppress_health_check=_SLOW_IO)
settings.register_profile("long", max_examples=2000, deadline=None, suppress_health_check=_SLOW_IO)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(scope="session", autouse=True)
def unblocked_loop() -> Iterator[None]:
    """Let every call from our code that blocks an event loop fail; time zones are read before."""
    for name in ("UTC", "Europe/Berlin"):
        ZoneInfo(name)
    with blockbuster_ctx(["agent_core", "adapters", "bot"]):
        yield


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def new_id() -> NewId:
    return counting_ids()


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    async with open_database(tmp_path / "lore.db") as opened:
        yield opened


@pytest.fixture
def postgres_url() -> Iterator[str]:
    from tests.postgres_server import fresh_schema, given_server

    with fresh_schema(given_server()) as url:
        yield url
