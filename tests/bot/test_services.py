"""What the settings name for one service may be reached by that service, and by nothing else."""

import asyncio
import json

import pytest

from agent_core.clock import new_id
from agent_core.errors import OutboundRefusal
from agent_core.outbound.client import Outbound
from bot.services import connected_forge, guarded, message_notifier, web_searcher
from bot.settings import settings_from
from tests.clock import FakeClock
from tests.emulators.forge import TOKEN, forge_emulator
from tests.emulators.mailbox import mailbox
from tests.emulators.site import open_site
from tests.emulators.webhook import webhook_emulator


async def refuses(outbound: Outbound, address: str) -> bool:
    """Return whether an address that somebody names is refused for being private."""
    with pytest.raises(OutboundRefusal) as caught:
        await outbound.request("GET", address)
    return caught.value.facts["reason"] == "address"


@pytest.mark.parametrize("kind", ["gitea", "github"])
async def test_the_git_host_is_open_to_its_tools_alone(kind: str) -> None:
    async with forge_emulator() as host:
        address = f"http://127.0.0.1:{host.port}"
        settings = await asyncio.to_thread(
            settings_from, {"forge": kind, "forge_url": address, "forge_token": TOKEN}
        )
        async with guarded(settings) as outbound:
            forge = connected_forge(settings, outbound, FakeClock())
            assert forge is not None
            assert (await forge.repos("", "", 1)).items
            asked = len(host.requests)
            assert await refuses(outbound, address)
    assert len(host.requests) == asked


async def test_the_search_server_is_open_to_searches_alone() -> None:
    async with open_site() as site:
        hit = {"url": "https://salt.test/", "title": "Salt"}
        site.page("/search", json.dumps({"results": [hit]}), "application/json")
        address = f"http://localhost:{site.port}"
        settings = await asyncio.to_thread(
            settings_from, {"search_provider": "searxng", "searxng_url": address}
        )
        async with guarded(settings) as outbound:
            searcher = web_searcher(settings, outbound)
            assert searcher is not None
            assert [one.title for one in (await searcher.search("salt", 5)).items] == ["Salt"]
            assert await refuses(outbound, address)
    assert site.asked() == ["/search?q=salt&format=json"]


async def test_webhooks_and_mail_servers_are_open_to_messages_alone() -> None:
    async with webhook_emulator() as services, mailbox() as box:
        hook = f"http://127.0.0.1:{services.port}"
        channels = (
            f"hook={hook}/in/take mail=smtp://localhost:{box.port}?from=a@a.org&to=b@a.org&tls=off"
            f" other=apprise:json://localhost:{services.port}/in/take me=telegram:-1007"
        )
        settings = await asyncio.to_thread(settings_from, {
            "notify_channels": channels, "telegram_token": "1:x", "telegram_api_base": f"{hook}/bot",
        })  # fmt: skip
        async with guarded(settings) as outbound:
            notifier = await message_notifier(settings, outbound, FakeClock())
            assert notifier is not None
            for channel in ("hook", "mail", "other"):
                await notifier.send(notifier.plan(channel, "The tide turns."), new_id())
            assert await refuses(outbound, hook)
    assert [taken.text for taken in services.taken] == ["The tide turns."] * 2
    assert len(box.mails) == 1


async def test_the_list_of_private_hosts_is_for_pages_alone() -> None:
    async with forge_emulator() as host, open_site() as site:
        site.page("/", "a page", "text/plain")
        own = {"forge": "gitea", "forge_url": f"http://127.0.0.1:{host.port}"}
        settings = await asyncio.to_thread(settings_from, {**own, "private_hosts": f"127.0.0.1:{site.port}"})
        async with guarded(settings) as outbound:
            page = f"http://127.0.0.1:{site.port}/"
            assert (await outbound.request("GET", page)).body == b"a page"
            serving = outbound.serving([f"127.0.0.1:{host.port}"])
            assert await refuses(serving, page)
            assert await refuses(outbound, f"http://127.0.0.1:{host.port}/")
