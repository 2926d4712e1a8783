"""What tests over a Directus that is laid out use; each test module imports what it needs."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent_core.clock import new_id as unique_id
from tests.agent_core.turn.conftest import endpoint, probe
from tests.agent_core.turn.probe import Probe
from tests.clock import FakeClock
from tests.directus.place import BOT, Desk, empty, empty_directus, laid_out_directus, lay_out, open_desk
from tests.directus_server import TOKEN, DirectusServer
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, open_house

__all__ = ["empty_directus", "endpoint", "laid_out_directus", "probe"]


@pytest.fixture
async def desk(empty_directus: str, tmp_path: Path, clock: FakeClock) -> AsyncIterator[Desk]:
    """The stores of one process over an empty Directus."""
    async with open_desk(empty_directus, tmp_path / "lore.db", clock=clock) as opened:
        yield opened


@pytest.fixture
async def own_place(own_directus: DirectusServer) -> DirectusServer:
    """A laid out Directus without a row, which a test may stop and start as it likes."""
    await lay_out(own_directus.url, TOKEN)
    await asyncio.to_thread(empty, own_directus.url, TOKEN)
    return own_directus


@pytest.fixture
async def house(
    empty_directus: str, tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock, probe: Probe
) -> AsyncIterator[House]:
    """A house whose canon is in Directus, with its series founded there."""
    async with open_house(
        tmp_path / "house",
        endpoint,
        clock,
        unique_id,
        tools=probe.tools(),
        directus_url=empty_directus,
        directus_token=SecretStr(BOT),
    ) as opened:
        await opened.found()
        yield opened
