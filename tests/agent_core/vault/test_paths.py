"""The gate for paths, and the folder behind it."""

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.errors import NoteRefusal
from agent_core.vault import paths
from agent_core.vault.folder import Folder

ATTACKS = (
    "../../x", "/abs/other.txt", "a/../../b", "%2e%2e%2fx", "%252e%252e%252fx", "..\\x", "C:\\x", "C:x",
    "//srv/x", "a\0.md", "../vault-secret/x.md", "a//b", "./a", "a/.", "..", "note.md:stream", "CON",
    "nul.md", "com1.txt", "dir/AUX.md", "a.", "a ", " a", "dir /b", ".obsidian/app.json", ".git/config",
    "a/.hidden.md",
    "a\nb.md", "a\u202eb.md", "\ud800.md", "a" * 300, "/".join(["abcdefgh"] * 200), "ＣＯＮ.md", "COM¹",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    root = tmp_path / "vault"
    (root / "dir").mkdir(parents=True)
    (root / "note.md").write_text("inside")
    (tmp_path / "vault-secret").mkdir()
    (tmp_path / "vault-secret" / "x.md").write_text("outside")
    return Folder("notes", root)


@pytest.mark.parametrize("path", ATTACKS)
def test_path_that_could_leave_the_folder_is_refused_before_the_disk(path: str) -> None:
    """A23."""
    with pytest.raises(NoteRefusal) as refusal:
        paths.clean_file(path)
    assert refusal.value.facts["reason"] == "path"


@given(st.text(alphabet=st.sampled_from("./\\%2e5fcC:~ \0ab"), max_size=20))
def test_no_cleaned_path_leaves_the_folder(path: str) -> None:
    """A23."""
    try:
        cleaned = paths.clean(path)
    except NoteRefusal:
        return
    root = Path("/vault")
    assert Path(os.path.normpath(root / cleaned)).is_relative_to(root)
    assert paths.clean(cleaned) == cleaned


def test_trash_is_open_only_where_it_is_meant() -> None:
    assert paths.clean_file(".trash/a.md", hidden=True) == ".trash/a.md"
    for path, hidden in (
        (".trash/a.md", False),
        (".trash/.git/a", True),
        ("a/.trash/b", True),
        (".trash", True),
    ):
        with pytest.raises(NoteRefusal):
            paths.clean_file(path, hidden=hidden)


def test_links_of_the_disk_are_followed_inside_only(folder: Folder, tmp_path: Path) -> None:
    """A24."""
    (folder.root / "out.md").symlink_to(tmp_path / "vault-secret" / "x.md")
    (folder.root / "outdir").symlink_to(tmp_path / "vault-secret")
    (folder.root / "loop.md").symlink_to(folder.root / "loop.md")
    (folder.root / "in.md").symlink_to(folder.root / "note.md")
    (folder.root / ".obsidian").mkdir()
    (folder.root / "config").symlink_to(folder.root / ".obsidian")
    for path, reason in (
        ("out.md", "outside"), ("outdir/x.md", "outside"), ("outdir/new.md", "outside"),
        ("loop.md", "circular"), ("config", "outside"),
    ):  # fmt: skip
        with pytest.raises(NoteRefusal) as refusal:
            folder.find_file(path)
        assert refusal.value.facts["reason"] == reason
    with pytest.raises(NoteRefusal):
        folder.write("outdir/new.md", b"x")
    assert os.listdir(tmp_path / "vault-secret") == ["x.md"]
    assert folder.read(folder.find_file("in.md")) == b"inside"
    assert [seen.path for seen in folder.walk()] == ["note.md"]
    assert [one.path for one in folder.names("")] == ["dir", "in.md", "note.md"]
    with pytest.raises(NoteRefusal, match="link"):
        folder.find_own("in.md")


def test_write_through_an_inner_link_keeps_the_link(folder: Folder) -> None:
    """A24."""
    (folder.root / "in.md").symlink_to(folder.root / "note.md")
    folder.write("in.md", b"new")
    assert (folder.root / "in.md").is_symlink()
    assert (folder.root / "note.md").read_bytes() == b"new"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_name_is_found_in_either_composition(folder: Folder, form: str) -> None:
    """A25."""
    other = "NFD" if form == "NFC" else "NFC"
    stored = unicodedata.normalize(form, "Zoë.md")  # type: ignore[arg-type]  # one of the two
    (folder.root / stored).write_text("one")
    found = folder.find_file(unicodedata.normalize(other, "Zoë.md"))  # type: ignore[arg-type]  # one of the two
    assert found.path == stored
    with pytest.raises(NoteRefusal, match="exists"):
        folder.free(unicodedata.normalize(other, "Zoë.md"))  # type: ignore[arg-type]  # one of the two
    folder.write(unicodedata.normalize(other, "Zoë.md"), b"two")  # type: ignore[arg-type]  # one of the two
    assert [one.path for one in folder.names("") if one.path.startswith("Z")] == [stored]


def test_name_that_differs_by_case_only_is_taken(folder: Folder) -> None:
    """A26."""
    with pytest.raises(NoteRefusal, match="exists"):
        folder.free("Note.md")
    assert folder.free("Note.md", besides="note.md") == "Note.md"
    assert folder.free("DIR/new.md") == "dir/new.md"


def test_unknown_name_is_answered_with_the_nearest(folder: Folder) -> None:
    with pytest.raises(NoteRefusal, match=r"note\.md"):
        folder.find_file("dir/notes.md")


def test_name_that_no_link_can_hold_is_not_made(folder: Folder) -> None:
    for path in ("a|b.md", "a#b.md", "a^b.md", "a[b].md", 'a"b.md', "what?.md"):
        with pytest.raises(NoteRefusal, match="name"):
            folder.free(path)


def test_pipe_with_the_name_of_a_note_is_not_read(folder: Folder) -> None:
    os.mkfifo(folder.root / "pipe.md")
    with pytest.raises(NoteRefusal, match="not_a_file"):
        folder.read(folder.find_file("pipe.md"))
