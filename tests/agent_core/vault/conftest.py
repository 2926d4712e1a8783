"""A house whose series has a small notes folder of its own."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.clock import new_id
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, found_in, open_house

NOTES = {
    "Characters/Mara.md": (
        "---\ntype: character\ntags:\n  - crew/heron\naliases: [The Gull]\n---\n# Mara\n\n"
        "Pilot of the [[Heron]]. Born in [[Places/Vel|Vel]].\n\n## Secrets\nShe forged the chart.\n\n##"
        " Ties\n[[Tom]]\n"
    ),
    "Characters/Tom.md": "# Tom\n\nA smith from [Vel](../Places/Vel.md). #crew/heron\n",
    "Places/Vel.md": "# Vel\n\nA harbour of salt and rope. #harbour\n",
    "Heron.md": "# Heron\n\nA ship. `[[Mara]]` is code. See [[Mara#Secrets]] and ![[chart.png]].\n",
    "Drafts/Storm.md": (
        "# Storm\n\nThe wind tore the sail from the mast and the crew of the Heron sang against the dark"
        " water all night.\n"
    ),
    "Drafts/Storm copy.md": (
        "---\nstatus: old\n---\n# Storm\n\n"
        "The wind tore the sail from the mast and the crew of the Heron sang against the dark water all"
        " night.\n"
        "\nOnly here.\n"
    ),
    "Index.md": "[[Storm copy]] [[Storm]]\n",
}


@pytest.fixture(scope="session")
def founded_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return asyncio.run(found_in(tmp_path_factory.mktemp("founded")))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    root = tmp_path / "novel"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    (root / "chart.png").write_bytes(b"\x89PNG")
    (root / ".obsidian").mkdir()
    (root / ".obsidian" / "app.json").write_text("{}")
    return root


@pytest.fixture
async def house(founded_once: Path, tmp_path: Path, notes: Path, clock: FakeClock) -> AsyncIterator[House]:
    folder = shutil.copytree(founded_once, tmp_path / "house")
    async with (
        ModelEndpoint() as endpoint,
        open_house(folder, endpoint, clock, new_id, vaults=(("novel", notes),)) as opened,
    ):
        await opened.write("attach_notes", name="novel")
        yield opened
