"""A house whose series has spreadsheets among its notes, and where they are switched on."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.clock import new_id
from agent_core.tools.spec import Family
from tests.agent_core.sheets import books
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, found_in, open_house


@pytest.fixture(scope="session")
def founded_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return asyncio.run(found_in(tmp_path_factory.mktemp("founded")))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    root = tmp_path / "novel"
    (root / "Tables").mkdir(parents=True)
    (root / "Tables" / "Plan.xlsx").write_bytes(books.plan())
    (root / "Cast.xlsx").write_bytes(books.cast())
    (root / "Words.csv").write_bytes("Chapter;Words\n1;1200\n'=2;-5\n-3%;007\n".encode("utf-8-sig"))
    (root / "Mara.md").write_text("# Mara\n")
    return root


@pytest.fixture
async def house(founded_once: Path, tmp_path: Path, notes: Path, clock: FakeClock) -> AsyncIterator[House]:
    folder = shutil.copytree(founded_once, tmp_path / "house")
    async with (
        ModelEndpoint() as endpoint,
        open_house(folder, endpoint, clock, new_id, vaults=(("novel", notes),)) as opened,
    ):
        await opened.write("attach_notes", name="novel")
        conversation = (await opened.asker()).conversation
        families = (*conversation.families, Family.SHEETS.value)
        await opened.core.askers.conversations.save_conversation(replace(conversation, families=families))
        yield opened
