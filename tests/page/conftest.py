"""The sample series served, and Chromium where there is one to walk through the page."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.emulators.model_endpoint import ModelEndpoint
from tests.page.browser import Chromium, chromium_running
from tests.page.site import Site, opened, write_sample


@pytest.fixture(scope="session")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sampled")
    asyncio.run(write_sample(folder))
    return folder


@pytest.fixture
def notes(sampled: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sampled, tmp_path / "notes")


@pytest.fixture
async def site(notes: Path) -> AsyncIterator[Site]:
    """The sample series; the offline responder answers."""
    async with opened(notes) as site:
        yield site


@pytest.fixture
async def endpoint() -> AsyncIterator[ModelEndpoint]:
    async with ModelEndpoint() as endpoint:
        yield endpoint


@pytest.fixture
async def chromium() -> AsyncIterator[Chromium]:
    async with chromium_running() as running:
        yield running
