"""Markdown manuscripts: one file that is a book."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.errors import ImportFailure
from agent_core.importing.front_matter import read_front_matter
from agent_core.importing.manuscript import Manuscript
from agent_core.importing.markdown import MAX_FILE_BYTES, read_markdown
from tests.agent_core.importing.books import shape, texts, warned


def read(tmp_path: Path, text: str | bytes) -> Manuscript:
    path = tmp_path / "the-long_ford.md"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_markdown(path)


def test_front_matter_names_series_position_title_and_language(tmp_path: Path) -> None:
    book = read(
        tmp_path,
        "---\nseries: \"The Ford\"\nposition: 2\ntitle: 'Ash: a Tale'\nlanguage: en-GB\ntags: [a, b]\n---\n"
        "# Chapter 1\nOne.\n",
    )
    assert (book.series, book.series_position, book.title, book.language) == (
        "The Ford",
        2.0,
        "Ash: a Tale",
        "en-GB",
    )
    assert texts(book.chapters[0]) == ["One."]


def test_rule_on_the_first_line_is_no_front_matter(tmp_path: Path) -> None:
    book = read(tmp_path, "---\n\nOne.\n\n---\n\nTwo.\n")
    assert texts(book.chapters[0]) == ["One.", "Two."]


def test_first_level_names_the_book_and_second_the_chapters(tmp_path: Path) -> None:
    book = read(tmp_path, "# The Long Ford\n\n## Salt\n\nOne.\n\n### The Docks\n\nTwo.\n\n## Ash\n\nThree.\n")
    assert book.title == "The Long Ford"
    assert shape(book) == [("", "1", "Salt", 2), ("", "2", "Ash", 1)]
    assert [scene.title for scene in book.chapters[0].scenes] == ["", "The Docks"]


def test_first_level_used_often_are_the_chapters(tmp_path: Path) -> None:
    book = read(tmp_path, "# Chapter 1: Salt\n\nOne.\n\n# Chapter 2: Ash\n\nTwo.\n")
    assert book.title == "the long ford"
    assert shape(book) == [("", "1", "Salt", 1), ("", "2", "Ash", 1)]


def test_book_title_on_the_level_of_the_chapters_is_no_chapter(tmp_path: Path) -> None:
    book = read(tmp_path, "# The Long Ford\n\n# Chapter 1\n\nOne.\n\n# Chapter 2\n\nTwo.\n")
    assert (book.title, len(book.chapters)) == ("The Long Ford", 2)
    assert not book.warnings


def test_parts_stand_above_or_beside_chapters(tmp_path: Path) -> None:
    above = read(tmp_path, "# Ford\n\n## Part One\n\n### Salt\n\nOne.\n\n## Part Two\n\n### Ash\n\nTwo.\n")
    beside = read(tmp_path, "# Part One\n\n# Chapter 1\n\nOne.\n\n# Part Two\n\n# Chapter 1\n\nTwo.\n")
    assert shape(above) == [("Part One", "1", "Salt", 1), ("Part Two", "2", "Ash", 1)]
    assert shape(beside) == [("Part One", "1", "", 1), ("Part Two", "1", "", 1)]


def test_named_parts_above_worded_chapters_are_parts(tmp_path: Path) -> None:
    book = read(
        tmp_path,
        "# Ford\n\n## The North\n\n### Kapitel 1\n\nEins.\n\n## The South\n\n### Kapitel 2\n\nZwei.\n",
    )
    assert [(one.part, one.number) for one in book.chapters] == [("The North", "1"), ("The South", "2")]


@pytest.mark.parametrize(
    "rule", ["---", "***", "* * *", "⁂", "___", "#", r"\* \* \*", "~~~", "—", "    * * *"]
)
def test_rules_and_ornaments_break_scenes(tmp_path: Path, rule: str) -> None:
    book = read(tmp_path, f"# Chapter 1\n\nOne.\n\n{rule}\n\nTwo.\n\n# Chapter 2\n\nThree.\n")
    assert [texts(one) for one in book.chapters] == [["One.", "Two."], ["Three."]]


def test_three_dashes_right_under_a_line_break_the_scene_and_a_full_line_makes_a_heading(
    tmp_path: Path,
) -> None:
    book = read(tmp_path, "Chapter 1\n=========\n\nOne.\n---\nTwo.\n\nThe Docks\n---------\n\nThree.\n")
    assert [(scene.title, scene.text) for scene in book.chapters[0].scenes] == [
        ("", "One."),
        ("", "Two."),
        ("The Docks", "Three."),
    ]


def test_headings_in_code_and_quotes_do_not_count(tmp_path: Path) -> None:
    text = "```\n# not a heading\n---\n```\n\n> # nor this"
    book = read(tmp_path, f"# Chapter 1\n\n{text}\n")
    assert texts(book.chapters[0]) == [text]


def test_text_is_kept_as_written(tmp_path: Path) -> None:
    text = "She  said *no*,\nand **meant** it.  \nTwice.\n\n\n    Indented\n\n1. rope\n* salt\n\n[r]: x"
    assert texts(read(tmp_path, f"# Chapter 1\n\n{text}\n\n\n").chapters[0]) == [text]


def test_file_without_headings_is_one_chapter(tmp_path: Path) -> None:
    assert shape(read(tmp_path, "One.\n\nTwo.\n")) == [("", "1", "", 1)]


def test_chapter_lines_count_where_there_are_no_headings(tmp_path: Path) -> None:
    book = read(
        tmp_path,
        "The Long Ford\n\nChapter One\n\nRain.\n\n**Chapter Two: Ash**\n\nIt burned.\n\nEpilogue\n\nEnd.",
    )
    assert shape(book) == [("", "1", "", 1), ("", "2", "Ash", 1), ("", "", "Epilogue", 1)]
    assert warned(book) == {"matter_dropped": ("The Long Ford",)}


def test_short_text_before_the_first_chapter_is_a_title_page_and_long_text_is_kept(tmp_path: Path) -> None:
    short = read(tmp_path, "# Ford\n\nby Nobody\n\n## Chapter 1\n\nOne.\n")
    long = read(tmp_path, f"# Ford\n\n{'word ' * 201}\n\n## Chapter 1\n\nOne.\n")
    assert warned(short) == {"matter_dropped": ("by Nobody",)}
    assert [(one.number, one.matter) for one in long.chapters] == [("", True), ("1", False)]


def test_afterword_is_dropped_and_named_and_epilogue_kept(tmp_path: Path) -> None:
    book = read(
        tmp_path,
        "# Chapter 1\n\nOne.\n\n# Epilogue\n\nLater.\n\n# Acknowledgements\n\nThanks.\n\n## Also\n\nYou.\n",
    )
    assert shape(book) == [("", "1", "", 1), ("", "", "Epilogue", 1)]
    assert warned(book) == {"matter_dropped": ("Acknowledgements",)}


def test_heading_marks_are_no_part_of_the_title(tmp_path: Path) -> None:
    assert read(tmp_path, "# Chapter 1: *Salt* {#salt}\n\nOne.\n").chapters[0].title == "Salt"


def test_planned_chapter_without_text_is_named(tmp_path: Path) -> None:
    book = read(tmp_path, "# Chapter 1\n\nOne.\n\n# Chapter 2: Later\n\n***\n")
    assert len(book.chapters) == 1
    assert warned(book) == {"chapter_empty": ("Later",)}


@pytest.mark.parametrize(
    ("data", "guessed"),
    [
        ("# Chapter 1\r\n\r\nZoë.\r\n".encode(), False),
        ("# Chapter 1\n\nZoë.\n".encode("utf-8-sig"), False),
        ("# Chapter 1\n\nZoë.\n".encode("utf-16"), False),
        ("# Chapter 1\n\nZoë.\n".encode("cp1252"), True),
        ("# Chapter 1\r\rZoë.\r".encode(), False),
    ],
)
def test_encodings_and_line_ends(tmp_path: Path, data: bytes, guessed: bool) -> None:
    book = read(tmp_path, data)
    assert (book.chapters[0].number, texts(book.chapters[0])) == ("1", ["Zoë."])
    assert ("encoding_guessed" in warned(book)) == guessed


def test_east_asian_and_right_to_left_chapters(tmp_path: Path) -> None:
    book = read(tmp_path, "# 第一章　渡し\n\n川は深い。\n\n# الفصل الثاني\n\nعاد النهر.\n")
    assert [(one.number, one.title, texts(one)) for one in book.chapters] == [
        ("1", "渡し", ["川は深い。"]),
        ("", "الفصل الثاني", ["عاد النهر."]),
    ]


@pytest.mark.parametrize(
    ("data", "facts"),
    [
        (b"", {"reason": "empty"}),
        (b"# Only a title\n", {"reason": "empty"}),
        (b"\x00\x01\x02 binary", {"reason": "damaged"}),
        (b"word " * (8 * 1024 * 1024), {"reason": "too_large", "limit_mb": 8.0}),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path: Path, data: bytes, facts: dict[str, object]) -> None:
    with pytest.raises(ImportFailure) as raised:
        read(tmp_path, data)
    told = {name: value for name, value in raised.value.facts.items() if value is not None}
    assert told == {"file": "the-long_ford.md", **facts}


@pytest.mark.parametrize(
    "unit",
    ["word ", "> ", "- ", "*", "`", "# x\n", "x\n---\n", "[", "<", "    x\n", "|", "\t", "# {" + " " * 50],
)
def test_every_shape_of_text_is_read_before_the_test_times_out(tmp_path: Path, unit: str) -> None:
    size = MAX_FILE_BYTES - 10 if unit == "word " else 60_000
    assert read(tmp_path, "x\n\n" + unit * (size // len(unit)) + "\n\nend").chapters


lines = st.sampled_from(
    [
        "One.",
        "two three",
        "# Chapter 1",
        "# Salt",
        "## Ash",
        "### Deep",
        "***",
        "---",
        "",
        "",
        "> quoted",
        "```",
        "* item",
        "Sea\n===",
    ]
)


@given(st.lists(lines, min_size=1, max_size=25))
def test_no_line_of_text_is_lost(tmp_path_factory: pytest.TempPathFactory, given_lines: list[str]) -> None:
    """Whatever is no heading and no break stands in a scene, in its order."""
    kept = ["Begin.", *given_lines]
    path = tmp_path_factory.getbasetemp() / "lines.md"
    path.write_text("\n\n".join(["# Chapter 1", *kept, "End."]))
    text = "\n".join(scene.text for one in read_markdown(path).chapters for scene in one.scenes)
    for line in ("One.", "two three", "> quoted", "* item"):
        assert text.split("\n").count(line) == given_lines.count(line)


@given(st.text(max_size=200))
def test_any_text_has_front_matter_or_none(text: str) -> None:
    about = read_front_matter(f"---\n{text}\n---\nOne.".split("\n"))
    assert 0 <= about.lines <= text.count("\n") + 3
