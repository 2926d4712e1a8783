import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.clock import new_id
from tests.adapters.discord.hall import Hall, open_hall
from tests.clock import FakeClock
from tests.emulators.discord import Discord
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, found_in, open_house


@pytest.fixture(scope="session")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return asyncio.run(found_in(tmp_path_factory.mktemp("founded")))


@pytest.fixture
def folder(founded: Path, tmp_path: Path) -> Path:
    return shutil.copytree(founded, tmp_path / "house")


@pytest.fixture
async def endpoint() -> AsyncIterator[ModelEndpoint]:
    async with ModelEndpoint() as opened:
        yield opened


@pytest.fixture
async def discord(clock: FakeClock) -> AsyncIterator[Discord]:
    async with Discord(clock=clock) as opened:
        yield opened


@pytest.fixture
async def house(folder: Path, endpoint: ModelEndpoint, clock: FakeClock) -> AsyncIterator[House]:
    async with open_house(folder, endpoint, clock, new_id) as opened:
        yield opened


@pytest.fixture
async def hall(house: House, discord: Discord) -> AsyncIterator[Hall]:
    async with open_hall(house, discord) as opened:
        yield opened
