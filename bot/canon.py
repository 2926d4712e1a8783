"""Chooses by settings where the canon is: in the database, or in Directus with a copy in the database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent_core.clock import Clock, NewId
from agent_core.exporting.store import TransferStore
from agent_core.lore.store import LoreIndex, LoreStore, SeriesStore
from agent_core.stores.sql.database import Database
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.transfer import SqlTransferStore
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.canon_in_directus import InDirectus


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonStores:
    """The stores of the canon; `directus` where that keeps it."""

    lore: LoreStore
    index: LoreIndex
    series: SeriesStore
    transfer: TransferStore
    directus: "InDirectus | None" = None


@asynccontextmanager
async def open_canon(
    settings: Settings, database: Database, clock: Clock, ids: NewId
) -> AsyncIterator[CanonStores]:
    """Give the stores of the canon; Directus is not asked for anything yet.

    Raises:
        StoreFailure: Directus is set up without a token.
    """
    lore, index = SqlLoreStore(database), SqlLoreIndex(database)
    own, transfer = SqlSeriesStore(database), SqlTransferStore(database)
    if settings.directus_url is None:
        yield CanonStores(lore=lore, index=index, series=own, transfer=transfer)
        return
    from bot.canon_in_directus import open_there  # noqa: PLC0415  slow to load, and only needed there

    async with open_there(settings, database, clock, ids) as there:
        yield there
