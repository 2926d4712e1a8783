"""A git host over a real socket, and what reads it."""

from collections.abc import AsyncIterator, Sequence

import pytest
from pydantic import SecretStr

from agent_core.forge.gitea import Gitea
from agent_core.forge.github import GitHub
from agent_core.forge.model import Forge
from agent_core.outbound.address import PrivateHosts
from agent_core.outbound.client import Outbound, open_outbound
from tests.clock import FakeClock
from tests.emulators.forge import TOKEN, ForgeEmulator, forge_emulator

KINDS: dict[str, type[Gitea] | type[GitHub]] = {"gitea": Gitea, "github": GitHub}


async def loopback(host: str, port: int) -> Sequence[str]:
    """Resolve every name to this machine."""
    return ("127.0.0.1",)


@pytest.fixture
async def host() -> AsyncIterator[ForgeEmulator]:
    async with forge_emulator() as opened:
        yield opened


@pytest.fixture
async def outbound() -> AsyncIterator[Outbound]:
    async with open_outbound(PrivateHosts(["git.test"]), resolver=loopback) as opened:
        yield opened


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=KINDS)
def forge(request: pytest.FixtureRequest, host: ForgeEmulator, outbound: Outbound, clock: FakeClock) -> Forge:
    """The host, read by each of its two interfaces."""
    return opened(str(request.param), host, outbound, clock)


def opened(
    kind: str, host: ForgeEmulator, outbound: Outbound, clock: FakeClock, token: str | None = TOKEN
) -> Forge:
    """Return the host as this kind, with a token or none."""
    return KINDS[kind](outbound, host.site, SecretStr(token) if token else None, clock)
