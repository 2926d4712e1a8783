"""Builds what tools use beyond the lore, part by part, from the settings."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agent_core.outbound.address import PrivateHosts
from agent_core.outbound.client import open_outbound
from agent_core.tools.services import Services
from bot.settings import Settings


@asynccontextmanager
async def open_services(settings: Settings) -> AsyncIterator[Services]:
    """Give the services; what they hold open is closed on leaving."""
    async with open_outbound(PrivateHosts(settings.private_hosts.split())) as outbound:
        yield Services(outbound=outbound)
