"""The graph of notes asked for by a typed command, without a model: its picture comes into the room."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.desks import desk_for
from tests.adapters.chat.conftest import _join
from tests.adapters.chat.paper import Paper, PaperRooms
from tests.clock import FakeClock, counting_ids
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import BOOK, SERIES, open_house

NOTES = {
    "People/Mara.md": "[[Vel]] [[Tom]]\n",
    "People/Tom.md": "[[Vel]] [[Nobody]]\n",
    "Places/Vel.md": "A harbour.\n",
    "Loose.md": "Nothing.\n",
}


@pytest.fixture
async def drawn(tmp_path: Path, canon: Path, endpoint: ModelEndpoint) -> AsyncIterator[Paper]:
    """Room 7 is linked to a series with a notes folder; Ann leads it, Bea reads."""
    root = tmp_path / "vault"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    folder = Path(shutil.copytree(canon, tmp_path / "notes"))
    ids = counting_ids("chat")
    async with open_house(folder, endpoint, FakeClock(), ids, vaults=(("novel", root),)) as house:
        rooms = PaperRooms()
        paper = Paper(house, rooms, desk_for(house.app, rooms))
        code = await house.app.pairing.new_code()
        await paper.say("ann", f"/start {code}", "@ann")
        for place in ("chat 7", "person ann", "person bea", "person ben", "person sam"):
            await paper.say("ann", f"/access open {place}", "@ann")
        await _join(paper)
        await paper.say("ann", f"/book link {SERIES} / {BOOK}")
        await house.write("attach_notes", name="novel")
        yield paper


async def test_picture_of_the_graph_comes_with_what_it_shows(drawn: Paper) -> None:
    room = await drawn.say("ann", "/notes graph")

    assert [(one.name, one.media_type) for one in room.files] == [
        ("novel.png", "image/png"), ("novel.svg", "image/svg+xml"),
    ]  # fmt: skip
    assert room.files[0].content.startswith(b"\x89PNG")
    assert "4 notes, 3 links" in room.texts[-1]
    assert "Most linked: Mara (2), Tom (2), Vel (2)" in room.texts[-1]
    assert "One link leads to no note: Nobody" in room.texts[-1]


async def test_note_in_the_middle_is_named_as_people_name_it(drawn: Paper) -> None:
    room = await drawn.say("ann", "/notes graph mara")
    assert "3 notes, 3 links around Mara" in room.texts[-1]
    assert room.files[0].name == "Mara.png"
    room = await drawn.say("ann", "/notes graph Nobody")
    assert "There is no Nobody" in room.texts[-1]


async def test_readers_get_no_picture(drawn: Paper) -> None:
    room = await drawn.say("bea", "/notes graph")
    assert room.files == []
