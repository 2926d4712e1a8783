"""Builds what tools use beyond the lore, part by part, from the settings."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from agent_core.clock import Clock
from agent_core.forge.gitea import Gitea
from agent_core.forge.github import GitHub
from agent_core.forge.model import Forge
from agent_core.notify.channels import parse_channels
from agent_core.notify.notifier import Notifier
from agent_core.notify.senders import Senders
from agent_core.notify.web import TELEGRAM_API
from agent_core.outbound.address import PrivateHosts
from agent_core.outbound.client import Outbound, open_outbound
from agent_core.schedule.schedule import Schedule
from agent_core.tools.services import Services
from agent_core.web.searching import Ddgs, Searcher, SearXng
from bot.settings import Settings


@asynccontextmanager
async def open_services(settings: Settings, clock: Clock, schedule: Schedule) -> AsyncIterator[Services]:
    """Give the services; what they hold open is closed on leaving."""
    async with guarded(settings) as outbound:
        yield Services(
            outbound=outbound,
            schedule=schedule,
            searcher=_searcher(settings, outbound),
            forge=connected_forge(settings, outbound, clock),
            notifier=await message_notifier(settings, outbound, clock),
        )


def guarded(settings: Settings) -> AbstractAsyncContextManager[Outbound]:
    """Give the client of all requests that others can steer."""
    return open_outbound(PrivateHosts(settings.private_hosts.split()))


def _searcher(settings: Settings, outbound: Outbound) -> Searcher | None:
    if settings.search_provider == "searxng":
        return SearXng(outbound, settings.searxng_url or "")
    return Ddgs() if settings.search_provider == "ddgs" else None


def connected_forge(settings: Settings, outbound: Outbound, clock: Clock) -> Forge | None:
    """Return the git host of the settings."""
    if settings.forge is None:
        return None
    kind = Gitea if settings.forge == "gitea" else GitHub
    return kind(outbound, settings.forge_url or "", settings.forge_token, clock)


async def message_notifier(settings: Settings, outbound: Outbound, clock: Clock) -> Notifier | None:
    """Return what sends to the channels of the settings."""
    if settings.notify_channels is None:
        return None
    senders = Senders(
        outbound=outbound,
        clock=clock,
        tls=await asyncio.to_thread(ssl.create_default_context),
        private=tuple(settings.private_hosts.split()),
        telegram_token=settings.telegram_token,
        telegram_api=settings.telegram_api_base or TELEGRAM_API,
    )
    return Notifier(parse_channels(settings.notify_channels.get_secret_value()), senders)
