"""A house whose model is scripted, with the series founded, and with tools that a test steers."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.clock import new_id
from tests.agent_core.turn.probe import Probe
from tests.clock import FakeClock
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
def probe() -> Probe:
    return Probe()


@pytest.fixture
async def house(
    folder: Path, endpoint: ModelEndpoint, clock: FakeClock, probe: Probe
) -> AsyncIterator[House]:
    async with open_house(folder, endpoint, clock, new_id, tools=probe.tools()) as opened:
        yield opened
