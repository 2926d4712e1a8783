"""Everything in this folder runs on the Postgres server that the run was given; its fixtures lead there."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent_core.clock import new_id as unique_id
from agent_core.stores.sql.database import Database
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.series import SqlSeriesStore
from tests.agent_core.lore.conftest import desk, empty_desk
from tests.agent_core.lore.library import Library
from tests.agent_core.lore.story import ten
from tests.agent_core.turn.conftest import endpoint, probe
from tests.agent_core.turn.probe import Probe
from tests.bot.conftest import folder, sample
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, open_house
from tests.postgres_server import PostgresServer, running_server

__all__ = ["desk", "empty_desk", "endpoint", "folder", "probe", "sample"]


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[Database]:
    from agent_core.stores.sql.postgres.database import open_database
    from agent_core.stores.sql.postgres.session import Server

    async with open_database(Server(postgres_url, lock_timeout_s=1.0)) as opened:
        yield opened


@pytest.fixture
async def library(database: Database) -> Library:
    """Ten scenes "1".."10" of one chapter, without texts or entries."""
    opened = Library(SqlLoreStore(database), SqlLoreIndex(database))
    await SqlSeriesStore(database).add_series(opened.series)
    await opened.lay_out(ten())
    return opened


@pytest.fixture
async def house(
    postgres_url: str, tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock, probe: Probe
) -> AsyncIterator[House]:
    async with open_house(
        tmp_path / "house",
        endpoint,
        clock,
        unique_id,
        tools=probe.tools(),
        database_url=SecretStr(postgres_url),
    ) as opened:
        await opened.found()
        yield opened


@pytest.fixture(scope="session")
def _own_server() -> Iterator[PostgresServer]:
    with running_server() as server:
        yield server


@pytest.fixture
def own_server(_own_server: PostgresServer) -> Iterator[PostgresServer]:
    """A server that a test may stop and start as it likes."""
    yield _own_server
    if _own_server.process is None:
        _own_server.start()
