"""Files that people send lie apart, are found by their person alone, and do not pile up."""

import os
import time
from io import BytesIO
from pathlib import Path

import pytest

from agent_core.errors import ImportFailure
from agent_core.importing.uploads import KEPT_S, MAX_EACH, Uploads


class Broken(BytesIO):
    """A file that breaks off."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise OSError("gone")


def folders(tmp_path: Path) -> set[str]:
    return {path.name for path in (tmp_path / "ann").iterdir()}


async def kept(uploads: Uploads, upload: str = "u1", *names: str) -> list[Path]:
    return await uploads.keep("ann", upload, [(name, BytesIO(name.encode())) for name in names or ("a.md",)])


async def test_files_are_found_by_their_person_and_upload(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    stored = await kept(uploads, "u1", "b.md", "a.md")

    assert await uploads.paths("ann", "u1") == sorted(stored)
    assert {path.read_text() for path in stored} == {"a.md", "b.md"}


@pytest.mark.parametrize(
    ("person", "upload"), [("bea", "u1"), ("ann", "u2"), ("..", "ann"), ("ann", "../ann/u1"), ("ann", "")]
)
async def test_nobody_finds_what_is_not_theirs(tmp_path: Path, person: str, upload: str) -> None:
    uploads = Uploads(tmp_path)
    await kept(uploads)

    with pytest.raises(ImportFailure) as raised:
        await uploads.paths(person, upload)
    assert raised.value.facts["reason"] == "gone"


async def test_names_lead_nowhere_and_keep_their_endings(tmp_path: Path) -> None:
    stored = await kept(Uploads(tmp_path), "u1", "../../evil.md", "evil.md", "C:\\books\\x|y.docx", "")

    assert [path.parent for path in stored] == [tmp_path / "ann" / "u1"] * 4
    assert [path.name for path in stored] == ["evil.md", "evil 2.md", "x_y.docx", "file 4"]


async def test_upload_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        await Uploads(tmp_path).keep("ann", "u1", [("a.md", BytesIO(b"a")), ("b.md", Broken())])

    assert folders(tmp_path) == set()


async def test_dropped_and_old_uploads_are_gone(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    await kept(uploads, "u1")
    [old] = await kept(uploads, "u2")
    long_ago = time.time() - KEPT_S - 60
    os.utime(old.parent, (long_ago, long_ago))

    await uploads.drop("ann", "u1")
    await kept(uploads, "u3")

    assert folders(tmp_path) == {"u3"}


async def test_oldest_uploads_of_a_person_make_room_for_new_ones(tmp_path: Path) -> None:
    uploads, now = Uploads(tmp_path), time.time()
    for number in range(MAX_EACH + 2):
        [file] = await kept(uploads, f"u{number}")
        os.utime(file.parent, (now - 3600 + number, now - 3600 + number))

    assert folders(tmp_path) == {f"u{number}" for number in range(2, MAX_EACH + 2)}
