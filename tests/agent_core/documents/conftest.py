"""A house whose series has a notes folder with a picture, and where documents are switched on."""

import asyncio
import shutil
import struct
import zlib
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.clock import new_id
from agent_core.tools.spec import Family
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, found_in, open_house


def png(width: int, height: int) -> bytes:
    """Return an orange picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + b"\xff\x80\x00" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


@pytest.fixture(scope="session")
def founded_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return asyncio.run(found_in(tmp_path_factory.mktemp("founded")))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    root = tmp_path / "novel"
    (root / "Maps").mkdir(parents=True)
    (root / "Maps" / "chart.png").write_bytes(png(40, 20))
    (root / "Maps" / "Vel.md").write_text("---\nkind: place\n---\n# Vel\n\n![[chart.png]]\n\nA harbour.\n")
    (tmp_path / "secret.png").write_bytes(png(10, 10))
    return root


@pytest.fixture
async def house(founded_once: Path, tmp_path: Path, notes: Path, clock: FakeClock) -> AsyncIterator[House]:
    folder = shutil.copytree(founded_once, tmp_path / "house")
    async with (
        ModelEndpoint() as endpoint,
        open_house(folder, endpoint, clock, new_id, vaults=(("novel", notes),)) as opened,
    ):
        await opened.write("attach_notes", name="novel")
        await with_documents(opened)
        yield opened


async def with_documents(house: House, user: str = "ann", place: str = "main") -> None:
    """Switch documents on in a place."""
    conversation = (await house.asker(user, place)).conversation
    families = (*conversation.families, Family.DOCUMENTS.value)
    await house.core.askers.conversations.save_conversation(replace(conversation, families=families))
