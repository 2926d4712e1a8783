"""A house whose model is scripted, with the series founded."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.clock import new_id
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, open_house


@pytest.fixture
async def endpoint() -> AsyncIterator[ModelEndpoint]:
    async with ModelEndpoint() as opened:
        yield opened


@pytest.fixture
async def house(tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock) -> AsyncIterator[House]:
    async with open_house(tmp_path, endpoint, clock, new_id) as opened:
        await opened.found()
        yield opened
