"""Installations to run the command line in."""

import asyncio
import shutil
from pathlib import Path

import pytest

from bot.cli.start import TERMINATED
from tests.bot.commands import served


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose notes hold the sample series, which is seven edits."""
    folder = tmp_path_factory.mktemp("sample")
    assert asyncio.run(served(folder)).code == TERMINATED
    return folder


@pytest.fixture
def folder(tmp_path: Path, sample: Path) -> Path:
    return Path(shutil.copytree(sample, tmp_path / "mine"))
