"""A desk with a small book on it, over the real store."""

import pytest

from agent_core.clock import NewId
from agent_core.lore.model import Series
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.sqlite import SqliteDatabase
from tests.agent_core.lore.desk import Desk, book
from tests.clock import FakeClock

HERON = book(
    "The Heron",
    {
        "1": ["Mara Venn came home. Her eyes were blue.", "Tom sat by the kiln. Blue smoke rose."],
        "2": ["Mara rode to Vel. Her blue eyes were tired.", "The monk said nothing."],
        "3": ["Years before, the Heron burned.", "Mara Venn saw the sea."],
    },
)


@pytest.fixture
async def empty_desk(database: SqliteDatabase, new_id: NewId, clock: FakeClock) -> Desk:
    series = Series(id="series", name="Vel", owner="ann")
    await SqlSeriesStore(database).add_series(series)
    return Desk(SqlLoreStore(database), SqlLoreIndex(database), series, new_id, clock)


@pytest.fixture
async def desk(empty_desk: Desk) -> Desk:
    """A book of three chapters with two scenes each: 1.1 to 3.2. It is edit no. 1."""
    await empty_desk.write(HERON)
    return empty_desk
