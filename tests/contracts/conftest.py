"""The implementations that every contract runs over. A further one is a further parameter here."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from agent_core.conversation.store import ChatStore, ConversationStore
from agent_core.llm.store import ToolCallingStore
from agent_core.lore.store import LoreStore, SeriesStore
from agent_core.people.store import CodeStore, OperatorStore, PeopleStore, UsageStore
from agent_core.pipeline.store import PipelineStore
from agent_core.schedule.store import ScheduleStore
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
    """A database that can be closed and opened again, as a restart does."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._open = AsyncExitStack()

    async def start(self) -> Stores:
        """Return the stores over the database as it was left."""
        await self.stop()
        return _sql_stores(await self._open.enter_async_context(self._opener()))

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


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    if request.param == "sqlite":
        return partial(open_database, tmp_path / "lore.db")
    from agent_core.stores.sql.postgres import database, session

    return partial(database.open_database, session.Server(request.getfixturevalue("postgres_url")))


@pytest.fixture
async def database(opener: Opener) -> AsyncIterator[Database]:
    async with opener() as opened:
        yield opened


@pytest.fixture
async def installation(opener: Opener) -> AsyncIterator[Installation]:
    installed = Installation(opener)
    yield installed
    await installed.stop()


@pytest.fixture
async def stores(installation: Installation) -> Stores:
    return await installation.start()
