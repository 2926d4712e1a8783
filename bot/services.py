"""Builds what tools use beyond the lore, part by part, from the settings."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agent_core.tools.services import Services
from bot.settings import Settings


@asynccontextmanager
async def open_services(settings: Settings) -> AsyncIterator[Services]:
    """Give the services; what they hold open is closed on leaving."""
    yield Services()
