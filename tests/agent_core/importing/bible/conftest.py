"""A house with an empty series, which bibles are brought into."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.clock import new_id
from tests.agent_core.importing.bible.vault import write_vault
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, open_house


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return write_vault(tmp_path / "tide")


@pytest.fixture
async def house(tmp_path: Path, vault: Path, clock: FakeClock) -> AsyncIterator[House]:
    async with (
        ModelEndpoint() as endpoint,
        open_house(tmp_path / "house", endpoint, clock, new_id, vaults=(("tide", vault),)) as opened,
    ):
        await opened.write("link_thread", series="The Tide Clock")
        yield opened
