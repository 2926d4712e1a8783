"""The canon in Directus, with its copy in the database: loaded only where the settings name one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from agent_core.clock import Clock, NewId
from agent_core.lore.model import Series
from agent_core.lore.store import SeriesStore
from agent_core.stores.directus.access import Finding, check
from agent_core.stores.directus.access import version as version_of
from agent_core.stores.directus.client import DirectusClient, open_client
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure
from agent_core.stores.directus.lore import DirectusLoreStore
from agent_core.stores.directus.pushing import Pushed, Pushing
from agent_core.stores.directus.series import DirectusSeriesStore
from agent_core.stores.directus.transfer import DirectusTransferStore
from agent_core.stores.sql.database import Database
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.transfer import SqlTransferStore
from bot.canon import CanonStores
from bot.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class InDirectus:
    """What is there besides where Directus keeps the canon. `own` are the series of our own tables."""

    client: DirectusClient
    lore: DirectusLoreStore
    series: DirectusSeriesStore
    pushing: Pushing
    own: SeriesStore

    async def version(self) -> str:
        """Return what Directus says it is."""
        return await version_of(self.client)

    async def check(self) -> tuple[Finding, ...]:
        """Return what our account there lacks or has too much of."""
        return await check(self.client)

    async def push(self, name: str = "") -> tuple[Pushed, ...]:
        """Return what was brought there of our own series, of all or of those with this name."""
        chosen = await (self.own.series_by_name(name) if name else self.own.all_series())
        return tuple([await self._push(one) for one in chosen])

    async def _push(self, series: Series) -> Pushed:
        pushed = await self.pushing.push(series)
        await self.lore.unfit(series.id)  # shows all of it
        return pushed


@asynccontextmanager
async def open_there(
    settings: Settings, database: Database, clock: Clock, ids: NewId
) -> AsyncIterator[CanonStores]:
    """Give the stores of a canon in Directus, which is not asked for anything yet.

    Raises:
        StoreFailure: it is set up without an address or a token.
    """
    if settings.directus_url is None or settings.directus_token is None:
        raise DirectusFailure(reason=DirectusCause.TOKEN)
    lore, index = SqlLoreStore(database), SqlLoreIndex(database)
    own, transfer = SqlSeriesStore(database), SqlTransferStore(database)
    token = settings.directus_token.get_secret_value()
    async with open_client(settings.directus_url, token, clock) as client:
        there = DirectusLoreStore(client, database, lore, index, clock, ids)
        series = DirectusSeriesStore(client, database)
        pushing = Pushing(client, database, lore, series)
        yield CanonStores(
            lore=there,
            index=index,
            series=series,
            transfer=DirectusTransferStore(transfer, there, series, pushing),
            directus=InDirectus(client=client, lore=there, series=series, pushing=pushing, own=own),
        )
