"""The implementations that every contract runs over. A further one is a further parameter here."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from agent_core.clock import SystemClock
from agent_core.conversation.store import ChatStore, ConversationStore
from agent_core.llm.store import ToolCallingStore
from agent_core.lore.store import LoreStore, SeriesStore
from agent_core.people.store import CodeStore, OperatorStore, PeopleStore, UsageStore
from agent_core.pipeline.store import PipelineStore
from agent_core.schedule.store import ScheduleStore
from agent_core.stores.directus.access import version
from agent_core.stores.directus.client import open_client
from agent_core.stores.sql.chat import SqlChatStore
from agent_core.stores.sql.codes import SqlCodeStore
from agent_core.stores.sql.conversation import SqlConversationStore
from agent_core.stores.sql.database import Database
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.operators import SqlOperatorStore
from agent_core.stores.sql.people import SqlPeopleStore
from agent_core.stores.sql.pipeline import SqlPipelineStore
from agent_core.stores.sql.schedule import SqlScheduleStore
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.sqlite import open_database
from agent_core.stores.sql.tool_calling import SqlToolCallingStore
from agent_core.stores.sql.turn import SqlTurnStore
from agent_core.stores.sql.usage import SqlUsageStore
from agent_core.stores.sql.vaults import SqlVaultStore
from agent_core.turn.store import TurnStore
from agent_core.vault.store import VaultStore
from tests.directus.conftest import directus_token, directus_url
from tests.directus.place import BOT, desk_over, empty_directus, laid_out_directus

__all__ = ["directus_token", "directus_url", "empty_directus", "laid_out_directus"]

Opener = Callable[[], AbstractAsyncContextManager[Database]]


@dataclass(frozen=True)
class Stores:
    """All stores of one implementation, over one database."""

    lore: LoreStore
    series: SeriesStore
    people: PeopleStore
    conversations: ConversationStore
    turns: TurnStore
    pipeline: PipelineStore
    codes: CodeStore
    operators: OperatorStore
    usage: UsageStore
    chat: ChatStore
    tool_calling: ToolCallingStore
    vaults: VaultStore
    schedule: ScheduleStore


class Installation:
    """A database, and a Directus where it has an address, that a restart closes and opens again."""

    def __init__(self, opener: Opener, directus: str = "") -> None:
        self._opener = opener
        self._directus = directus
        self._open = AsyncExitStack()

    async def start(self) -> Stores:
        """Return the stores over what was left."""
        await self.stop()
        database = await self._open.enter_async_context(self._opener())
        stores = _sql_stores(database)
        if not self._directus:
            return stores
        clock = SystemClock()
        client = await self._open.enter_async_context(open_client(self._directus, BOT, clock))
        assert (await version(client)).startswith(("11.", "12."))  # a real server, no other store
        desk = desk_over(client, database, clock)
        return replace(stores, lore=desk.lore, series=desk.series)

    async def stop(self) -> None:
        """Close everything."""
        await self._open.aclose()


def _sql_stores(database: Database) -> Stores:
    return Stores(
        lore=SqlLoreStore(database),
        series=SqlSeriesStore(database),
        people=SqlPeopleStore(database),
        conversations=SqlConversationStore(database),
        turns=SqlTurnStore(database),
        pipeline=SqlPipelineStore(database),
        codes=SqlCodeStore(database),
        operators=SqlOperatorStore(database),
        usage=SqlUsageStore(database),
        chat=SqlChatStore(database),
        tool_calling=SqlToolCallingStore(database),
        vaults=SqlVaultStore(database),
        schedule=SqlScheduleStore(database),
    )


IN_DIRECTUS = ("test_lore_store", "test_series_store")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each contract over its implementations; those of the canon over Directus too."""
    if "opener" not in metafunc.fixturenames:
        return
    backends = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
    if metafunc.module.__name__.rpartition(".")[2] in IN_DIRECTUS:
        backends.append(pytest.param("directus", marks=pytest.mark.directus))
    metafunc.parametrize("opener", backends, indirect=True)


@pytest.fixture
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    if request.param != "postgres":
        return partial(open_database, tmp_path / "lore.db")
    from agent_core.stores.sql.postgres import database, session

    return partial(database.open_database, session.Server(request.getfixturevalue("postgres_url")))


@pytest.fixture
async def database(opener: Opener) -> AsyncIterator[Database]:
    async with opener() as opened:
        yield opened


@pytest.fixture
def directus_address(request: pytest.FixtureRequest, opener: Opener) -> str:
    """The address of an empty Directus where that is what is tested; it says itself what it is."""
    if "directus" not in request.node.callspec.id.split("-"):
        return ""
    address: str = request.getfixturevalue("empty_directus")
    return address


@pytest.fixture
async def installation(opener: Opener, directus_address: str) -> AsyncIterator[Installation]:
    installed = Installation(opener, directus_address)
    yield installed
    await installed.stop()


@pytest.fixture
async def stores(installation: Installation) -> Stores:
    return await installation.start()
