"""A Directus laid out for the canon, and stores over it with an account that has no right too many."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from agent_core.clock import Clock, NewId, SystemClock, new_id
from agent_core.lore.store import LoreIndex
from agent_core.stores.directus import access, schema
from agent_core.stores.directus.client import DEADLINE_S, DirectusClient, open_client
from agent_core.stores.directus.layout import ALL
from agent_core.stores.directus.lore import DirectusLoreStore
from agent_core.stores.directus.series import DirectusSeriesStore
from agent_core.stores.sql.database import Database
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.sqlite import open_database

BOT = "static-token-of-the-bot-in-tests"


@dataclass(frozen=True)
class Desk:
    """The stores of one process over Directus and a database of its own."""

    client: DirectusClient
    database: Database
    lore: DirectusLoreStore
    series: DirectusSeriesStore
    index: LoreIndex


async def lay_out(url: str, admin_token: str) -> None:
    """Make what `lorekeeper directus init --apply` makes."""
    async with open_client(url, admin_token, SystemClock()) as admin:
        plan = schema.plan(await schema.survey(admin))
        assert not plan.obstacles
        await schema.apply(admin, plan.steps)
        assert schema.plan(await schema.survey(admin)) == schema.Plan((), ())
        await access.grant(admin, BOT)


def empty(url: str, admin_token: str) -> None:
    """Take all rows away."""
    headers = {"Authorization": f"Bearer {admin_token}"}
    with httpx.Client(base_url=url, headers=headers, timeout=30) as admin:
        for collection in ("lore_states", *(one.name for one in reversed(ALL))):
            gone = admin.request("DELETE", f"/items/{collection}", json={"query": {"limit": -1}})
            assert gone.status_code == 204, gone.text


@pytest.fixture(scope="session")
def laid_out_directus(directus_url: str, directus_token: str) -> str:
    """The address of the shared server, laid out for the canon."""
    asyncio.run(lay_out(directus_url, directus_token))
    return directus_url


@pytest.fixture
def empty_directus(laid_out_directus: str, directus_token: str) -> str:
    """The address of the shared server, without a row in it: these tests don't run beside each other."""
    empty(laid_out_directus, directus_token)
    return laid_out_directus


@asynccontextmanager
async def open_desk(
    url: str,
    file: Path,
    *,
    clock: Clock | None = None,
    ids: NewId = new_id,
    deadline_s: float = DEADLINE_S,
    token: str = BOT,
) -> AsyncIterator[Desk]:
    """Give what one process has open: the same file again is a restart, another one is another process."""
    clock = clock or SystemClock()
    async with (
        open_database(file) as database,
        open_client(url, token, clock, deadline_s=deadline_s) as client,
    ):
        yield desk_over(client, database, clock, ids)


def desk_over(client: DirectusClient, database: Database, clock: Clock, ids: NewId = new_id) -> Desk:
    """Return the stores over a client and a database."""
    index = SqlLoreIndex(database)
    lore = DirectusLoreStore(client, database, SqlLoreStore(database), index, clock, ids)
    return Desk(client, database, lore, DirectusSeriesStore(client, database), index)
