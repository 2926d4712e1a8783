"""Services that take messages, over real sockets, and what sends to them."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pydantic import SecretStr

import tests.emulators.site as emulator
from agent_core.notify.channels import parse_channels
from agent_core.notify.notifier import Notifier
from agent_core.notify.senders import Senders
from agent_core.outbound.address import PrivateHosts
from agent_core.outbound.client import Outbound, open_outbound
from tests.clock import FakeClock
from tests.emulators.webhook import BOT_TOKEN, TOKEN, WebhookEmulator, webhook_emulator

CERTIFICATE = Path(emulator.__file__).with_name("site.pem")
OWN = ("hooks.test", "site.test")


async def loopback(host: str, port: int) -> Sequence[str]:
    """Resolve every name to this machine."""
    return ("127.0.0.1",)


@dataclass
class Desk:
    """Sends to the services; `waits` are the pauses that it would have made between tries."""

    services: WebhookEmulator
    outbound: Outbound
    tls: ssl.SSLContext
    waits: list[float] = field(default_factory=list)

    def notifier(self, channels: str = "", *, deadline_s: float = 5) -> Notifier:
        """Return what sends to these channels, or to one of each kind over HTTP."""
        port = self.services.port
        known = channels or (
            f"team=discord+http://hooks.test:{port}/api/webhooks/17/{TOKEN} "
            f"hook=http://ann:b0b-S3cret-word@hooks.test:{port}/in/take?key=k3y-91ab-77cd "
            "chat=telegram:-1007"
        )
        senders = Senders(
            outbound=self.outbound,
            clock=FakeClock(),
            tls=self.tls,
            private=OWN,
            telegram_token=SecretStr(BOT_TOKEN),
            telegram_api=f"http://hooks.test:{port}/bot",
            deadline_s=deadline_s,
        )
        return Notifier(parse_channels(known), senders, sleep=self._sleep)

    async def send(
        self, channel: str, text: str = "The tide turns.", title: str = "", *, deadline_s: float = 5
    ) -> None:
        """Plan and send a message."""
        notifier = self.notifier(deadline_s=deadline_s)
        await notifier.send(notifier.plan(channel, text, title), "delivery-1")

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


@pytest.fixture
async def services() -> AsyncIterator[WebhookEmulator]:
    async with webhook_emulator() as opened:
        yield opened


@pytest.fixture
async def tls() -> ssl.SSLContext:
    return await asyncio.to_thread(ssl.create_default_context, cafile=str(CERTIFICATE))


@pytest.fixture
async def desk(services: WebhookEmulator, tls: ssl.SSLContext) -> AsyncIterator[Desk]:
    async with open_outbound(PrivateHosts(OWN), resolver=loopback, tls=tls) as outbound:
        yield Desk(services, outbound, tls)
