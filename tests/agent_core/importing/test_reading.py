"""What a person names, files and folders, becomes books in order."""

import sys
from pathlib import Path

import pytest
from docx import Document

from agent_core.errors import ImportFailure
from agent_core.importing import reading
from agent_core.importing.manuscript import Manuscript
from agent_core.importing.reading import read_manuscript, read_manuscripts
from tests.agent_core.importing.books import Epub, chapter, shape, warned


def series(name: str, position: int) -> str:
    return (
        f'<meta name="calibre:series" content="{name}"/>'
        f'<meta name="calibre:series_index" content="{position}"/>'
    )


def epub(path: Path, title: str, metadata: str = "") -> Path:
    documents: dict[str, str | bytes] = {"a.xhtml": chapter("1", "Salt", "One.")}
    return Epub(title=title, version="2.0", metadata=metadata, documents=documents).write(path)


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def named(books: list[Manuscript]) -> list[tuple[str, float | None, str]]:
    return [(book.series, book.series_position, book.title) for book in books]


async def test_books_are_sorted_by_series_and_position(tmp_path: Path) -> None:
    paths = [
        epub(tmp_path / "1.epub", "Late", series("The Ford", 10)),
        epub(tmp_path / "2.epub", "Alone"),
        epub(tmp_path / "3.epub", "Early", series("The Ford", 2)),
    ]
    books = await read_manuscripts(paths)
    assert named(books) == [("", None, "Alone"), ("The Ford", 2.0, "Early"), ("The Ford", 10.0, "Late")]


async def test_progress_is_told_book_by_book(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    paths = [epub(tmp_path / "1.epub", "One"), epub(tmp_path / "2.epub", "Two")]
    await read_manuscripts(paths, lambda done, total: told.append((done, total)))
    assert told == [(0, 2), (1, 2), (2, 2)]


async def test_each_kind_of_file_is_known_by_its_suffix(tmp_path: Path) -> None:
    document = Document()
    document.add_paragraph("One.")
    document.save(str(tmp_path / "w.DOCX"))
    tree(tmp_path, {"m.md": "One.", "t.txt": "Chapter 1\n\nOne."})
    for path in (tmp_path / "w.DOCX", tmp_path / "m.md", tmp_path / "t.txt", epub(tmp_path / "e.epub", "E")):
        assert len((await read_manuscript(path)).chapters) == 1


async def test_folder_of_files_is_one_book_with_folders_as_parts(tmp_path: Path) -> None:
    root = tree(
        tmp_path / "the-ford",
        {
            "00-about.md": "---\nseries: River\nposition: 3\ntitle: The Long Ford\n---\n# Prologue\n\nOnce.",
            "02-the-north/2-rope.md": "Two.",
            "02-the-north/10-ash.md": "# Ash\n\nThree.\n\n## The Docks\n\nFour.",
            "01-salt.md": "# Salt\n\nOne.",
            ".obsidian/x.md": "not a chapter",
            "README.md": "not a chapter",
            "cover.png": "not text",
        },
    )
    [book] = await read_manuscripts([root])
    assert named([book]) == [("River", 3.0, "The Long Ford")]
    assert shape(book) == [
        ("", "", "Prologue", 1),
        ("", "1", "Salt", 1),
        ("the north", "2", "rope", 1),
        ("the north", "10", "Ash", 2),
    ]


async def test_folder_of_files_that_name_a_series_is_as_many_books(tmp_path: Path) -> None:
    front = "---\nseries: River\nposition: {}\ntitle: {}\n---\n# Chapter 1\n\nOne."
    root = tree(tmp_path, {"a.md": front.format(2, "Ash"), "b.md": front.format(1, "Salt")})
    assert named(await read_manuscripts([root])) == [("River", 1.0, "Salt"), ("River", 2.0, "Ash")]


async def test_folder_of_folders_is_a_series_of_books(tmp_path: Path) -> None:
    root = tree(tmp_path / "river", {"2-ash/1.md": "Two.", "1-salt/1.md": "One.", "1-salt/2.md": "More."})
    books = await read_manuscripts([root])
    assert named(books) == [("river", 1.0, "salt"), ("river", 2.0, "ash")]
    assert [len(book.chapters) for book in books] == [2, 1]
    assert warned(books[0]) == {"series_from_folder": ("river",)}


async def test_folder_of_folders_called_parts_is_one_book(tmp_path: Path) -> None:
    root = tree(tmp_path / "ford", {"part-1/1.md": "One.", "part-2/1.md": "Two."})
    [book] = await read_manuscripts([root])
    assert [(one.part, one.number) for one in book.chapters] == [("part 1", "1"), ("part 2", "1")]


async def test_every_epub_below_a_folder_is_a_book(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    epub(tmp_path / "more" / "b.epub", "Two", series("Ford", 2))
    epub(tmp_path / "a.epub", "One", series("Ford", 1))
    tree(tmp_path, {"notes.pdf": "x"})
    assert [book.title for book in await read_manuscripts([tmp_path])] == ["One", "Two"]


async def test_chapter_file_without_heading_is_called_by_front_matter_or_file(tmp_path: Path) -> None:
    root = tree(
        tmp_path / "ford",
        {"01-chapter-1.md": "One.", "02_the ford.md": "Two.", "03.md": "---\ntitle: Ash\n---\nThree."},
    )
    book = await read_manuscript(root)
    assert [(one.number, one.title) for one in book.chapters] == [("1", ""), ("", "the ford"), ("", "Ash")]


async def refused(path: Path) -> dict[str, object]:
    with pytest.raises(ImportFailure) as raised:
        await read_manuscripts([path])
    assert str(path.parent) not in str(raised.value)
    return {name: value for name, value in raised.value.facts.items() if value is not None}


async def test_what_cannot_be_read_says_why_by_name_only(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "b.pdf").write_text("x")
    assert await refused(tmp_path / "no.md") == {"file": "no.md", "reason": "not_found"}
    assert await refused(tmp_path / "empty") == {"file": "empty", "reason": "empty"}
    assert (await refused(tmp_path / "b.pdf"))["reason"] == "unsupported"


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems take no such names")
async def test_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    name = b"b\xff.md".decode(errors="surrogateescape")
    (tmp_path / "in" / name).write_text("One.")
    for path in (tmp_path / "in" / name, tmp_path / "in"):
        assert await refused(path) == {"file": "b\ufffd.md", "reason": "name"}


async def test_folder_too_deep_or_too_full_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tree(tmp_path / "deep", {"/".join(["x"] * 14) + "/a.md": "One."})
    assert await refused(deep) == {"file": "deep", "reason": "too_large", "limit": 12}
    monkeypatch.setattr(reading, "MAX_ENTRIES", 3)
    full = tree(tmp_path / "full", {f"{n}.md": "One." for n in range(4)})
    assert await refused(full) == {"file": "full", "reason": "too_large", "limit": 3}


async def test_link_to_a_folder_is_not_followed(tmp_path: Path) -> None:
    root = tree(tmp_path / "ford", {"1.md": "One."})
    (root / "again").symlink_to(root, target_is_directory=True)
    [book] = await read_manuscripts([root])
    assert len(book.chapters) == 1


@pytest.mark.parametrize("title", ["9" * 5000, "2 Fords", "", "Ὀδυσσεύς"])
async def test_any_title_can_be_sorted(tmp_path: Path, title: str) -> None:
    paths = [epub(tmp_path / "1.epub", title), epub(tmp_path / "2.epub", "10 Fords")]
    assert len(await read_manuscripts(paths)) == 2
