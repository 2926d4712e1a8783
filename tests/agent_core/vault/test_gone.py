"""A notes folder that a series has and that is not there any more."""

import asyncio
import shutil
from pathlib import Path

import pytest

from agent_core.clock import new_id
from agent_core.errors import NoteRefusal
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import open_house

SEARCH = "search_fulltext"


async def test_folder_that_was_moved_away_is_told_from_none(
    founded_once: Path, tmp_path: Path, notes: Path, clock: FakeClock
) -> None:
    folder, vaults = shutil.copytree(founded_once, tmp_path / "house"), (("novel", notes),)
    async with ModelEndpoint() as endpoint:
        async with open_house(folder, endpoint, clock, new_id, vaults=vaults) as house:
            await house.write("attach_notes", name="novel")
        await asyncio.to_thread(notes.rename, tmp_path / "elsewhere")
        async with open_house(folder, endpoint, clock, new_id, vaults=vaults) as house:
            for name in ("", "novel"):
                with pytest.raises(NoteRefusal) as refusal:
                    await house.core.lookup(SEARCH, {"query": "Mara", "vault": name}, await house.asker())
                assert refusal.value.facts == {"reason": "vault_gone", "path": "novel"}
            await house.write("attach_notes", name="novel", access="none")
            with pytest.raises(NoteRefusal) as refusal:
                await house.core.lookup(SEARCH, {"query": "Mara"}, await house.asker())
            assert refusal.value.facts["reason"] == "no_vault"
