"""Builds what tools use beyond the lore, part by part, from the settings."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from urllib.parse import parse_qs, urlsplit

from agent_core.clock import Clock
from agent_core.errors import OutboundRefusal
from agent_core.forge.gitea import Gitea
from agent_core.forge.github import GitHub
from agent_core.forge.model import Forge
from agent_core.notify.channels import parse_channels
from agent_core.notify.model import Carried, Channel, Discord, Mail, Telegram, Webhook
from agent_core.notify.notifier import Notifier
from agent_core.notify.senders import Senders
from agent_core.notify.web import TELEGRAM_API
from agent_core.outbound.address import PrivateHosts
from agent_core.outbound.client import Outbound, open_outbound
from agent_core.outbound.target import target
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
            searcher=web_searcher(settings, outbound),
            forge=connected_forge(settings, outbound, clock),
            notifier=await message_notifier(settings, outbound, clock),
        )


def guarded(settings: Settings) -> AbstractAsyncContextManager[Outbound]:
    """Give the client of what people and models name: it alone goes by the list of private hosts.

    What the settings name for a service is allowed for that service, and for nobody else.
    """
    return open_outbound(PrivateHosts(settings.private_hosts.split()))


def web_searcher(settings: Settings, outbound: Outbound) -> Searcher | None:
    """Return who searches the web by the settings."""
    if settings.search_provider == "searxng":
        address = settings.searxng_url or ""
        return SearXng(outbound.serving(_places([address])), address)
    return Ddgs() if settings.search_provider == "ddgs" else None


def connected_forge(settings: Settings, outbound: Outbound, clock: Clock) -> Forge | None:
    """Return the git host of the settings."""
    if settings.forge is None:
        return None
    kind = Gitea if settings.forge == "gitea" else GitHub
    address = settings.forge_url or ""
    return kind(outbound.serving(_places([address])), address, settings.forge_token, clock)


async def message_notifier(settings: Settings, outbound: Outbound, clock: Clock) -> Notifier | None:
    """Return what sends to the channels of the settings."""
    if settings.notify_channels is None:
        return None
    channels = parse_channels(settings.notify_channels.get_secret_value())
    telegram = settings.telegram_api_base or TELEGRAM_API
    places = tuple(place for channel in channels for place in _channel_places(channel, telegram))
    senders = Senders(
        outbound=outbound.serving(places),
        clock=clock,
        tls=await asyncio.to_thread(ssl.create_default_context),
        private=places,
        telegram_token=settings.telegram_token,
        telegram_api=telegram,
    )
    return Notifier(channels, senders)


def _places(addresses: Iterable[str]) -> Iterator[str]:
    """Yield host and port of addresses; what no request may go to needs no leave."""
    for address in addresses:
        with suppress(OutboundRefusal):
            to = target(address)
            yield f"{to.host}:{to.port}"


def _channel_places(channel: Channel, telegram: str) -> Iterator[str]:
    match channel.target:
        case Discord(url=url) | Webhook(url=url):
            yield from _places([url])
        case Telegram():
            yield from _places([telegram])
        case Mail(host=host, port=port):
            yield f"{host}:{port}"
        case Carried(url=url):
            yield from _carried_places(url)


def _carried_places(url: str) -> Iterator[str]:
    """Yield the hosts in an address of apprise. A key may stand in their place: it is never looked up."""
    with suppress(ValueError):
        parts = urlsplit(url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
        if parts.port:
            yield f"{host}:{parts.port}"
        elif "." in host or ":" in host or host == "localhost":
            yield host
        yield from parse_qs(parts.query).get("smtp", ())  # of mail
