import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.clock import new_id
from tests.adapters.telegram.hall import Hall, open_hall
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.emulators.telegram import Telegram
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
async def telegram(clock: FakeClock) -> AsyncIterator[Telegram]:
    async with Telegram(clock=clock) as opened:
        yield opened


@pytest.fixture
async def house(folder: Path, endpoint: ModelEndpoint, clock: FakeClock) -> AsyncIterator[House]:
    async with open_house(folder, endpoint, clock, new_id) as opened:
        yield opened


@pytest.fixture
async def closed_hall(house: House, telegram: Telegram) -> AsyncIterator[Hall]:
    """A hall whose bot is not started."""
    async with open_hall(house, telegram) as opened:
        yield opened


@pytest.fixture
async def hall(closed_hall: Hall) -> AsyncIterator[Hall]:
    async with closed_hall.serving():
        yield closed_hall
