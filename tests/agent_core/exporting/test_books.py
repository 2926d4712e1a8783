"""Books taken out as DOCX, EPUB and Markdown come back with the same chapters and scenes."""

import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from agent_core.documents.model import Made
from agent_core.exporting.book_epub import epub_of
from agent_core.exporting.book_markdown import markdown_of
from agent_core.exporting.book_word import word_of
from agent_core.importing.docx import read_docx
from agent_core.importing.epub import read_epub
from agent_core.importing.manuscript import Manuscript, ManuscriptChapter, ManuscriptScene
from agent_core.importing.markdown import read_markdown

AT = datetime(2026, 11, 30, tzinfo=UTC)
FORMATS = ("docx", "epub", "markdown")

BOOK = Manuscript(
    series="The Salt Roads",
    series_position=2.0,
    title="The Heron & <Co>",
    language="de",
    chapters=(
        ManuscriptChapter("", "Prolog", "", (ManuscriptScene("", "Before.\n\n*All* of it."),)),
        ManuscriptChapter(
            "1",
            "Die Furt",
            "Teil I: Nord",
            (
                ManuscriptScene(
                    "",
                    "Roses are red,\nviolets are **blue**.\n\n- Bonjour & <adieu>, 2 * 3 [sic](x) <a@b>.",
                ),
                ManuscriptScene("", "1984. It was cold."),
                ManuscriptScene("Night", "안나는 걷는다. שלום. 安娜。"),
            ),
        ),
        ManuscriptChapter("2", "1984", "Teil I: Nord", (ManuscriptScene("Morning", "Late."),)),
        ManuscriptChapter("", "Teil II: Süd", "Teil II: Süd", (ManuscriptScene("", "A motto."),)),
        ManuscriptChapter("3", "", "Teil II: Süd", (ManuscriptScene("Dusk", "Last."),)),
    ),
)


def made(manuscript: Manuscript, form: str) -> Made:
    match form:
        case "docx":
            return word_of(manuscript, "Ann Author", AT)
        case "epub":
            return epub_of(manuscript, "Ann Author", AT)
    return markdown_of(manuscript, "Ann Author")


def back(content: bytes, form: str, folder: Path) -> Manuscript:
    file = folder / f"book.{form}"
    file.write_bytes(content)
    reader = {"docx": read_docx, "epub": read_epub, "markdown": read_markdown}[form]
    read = reader(file)
    return replace(read, chapters=tuple(replace(one, matter=False) for one in read.chapters))


@pytest.mark.parametrize("form", FORMATS)
def test_book_comes_back_as_it_was(form: str, tmp_path: Path) -> None:
    read = back(made(BOOK, form).content, form, tmp_path)
    assert read.chapters == BOOK.chapters
    assert (read.title, read.language) == (BOOK.title, BOOK.language)
    if form != "docx":
        assert (read.series, read.series_position) == (BOOK.series, BOOK.series_position)


# What importers give: no spaces at the ends of lines or doubled, no ornaments, marks closed, nothing escaped.
WORD = st.text(
    alphabet=st.sampled_from("abcXYZäéñßжשع中한0123456789.,;:!?'\"()&<>-–—…«»/|$^~+=%@"),
    min_size=1,
    max_size=8,
).map(lambda word: f"w{word}w")
PLAIN = st.lists(WORD, min_size=1, max_size=6).map(" ".join)
RUN = st.tuples(st.sampled_from(["", "*", "**", "***"]), PLAIN).map(lambda run: f"{run[0]}{run[1]}{run[0]}")
LINE = st.lists(RUN, min_size=1, max_size=3).map(" and ".join)
PARAGRAPH = st.lists(LINE, min_size=1, max_size=3).map("\n".join)
TEXT = st.lists(PARAGRAPH, min_size=1, max_size=4).map("\n\n".join)
TITLE = st.lists(
    st.sampled_from(["River", "Salt", "1984", "Über", "Night & Day", "The <End>", "海"]),
    min_size=1,
    max_size=3,
).map(" ".join)


@st.composite
def manuscripts(draw: st.DrawFn) -> Manuscript:
    parts = draw(st.sampled_from([[""], ["Part One", "Part Two: South"], ["", "Part 1: Low", "Part 2"]]))
    chapters, number = [], 0
    for part in parts:
        for _ in range(draw(st.integers(1, 3))):
            number += 1
            title = draw(st.one_of(st.just(""), TITLE))
            first = ManuscriptScene(draw(st.one_of(st.just(""), TITLE)), draw(TEXT))
            rest = [
                ManuscriptScene(draw(st.one_of(st.just(""), TITLE)), draw(TEXT))
                for _ in range(draw(st.integers(0, 2)))
            ]
            chapters.append(ManuscriptChapter(str(number), title, part, (first, *rest)))
    return Manuscript(
        series="", series_position=None, title="The Book", language="en", chapters=tuple(chapters)
    )


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=25)
@given(manuscript=manuscripts())
def test_every_book_comes_back_as_it_was(form: str, manuscript: Manuscript, tmp_path: Path) -> None:
    assert back(made(manuscript, form).content, form, tmp_path).chapters == manuscript.chapters


def test_epub_is_made_as_the_format_asks() -> None:
    content = epub_of(BOOK, "Ann Author", AT).content
    with zipfile.ZipFile(BytesIO(content)) as archive:
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        assert archive.read("mimetype") == b"application/epub+zip"
        for name in archive.namelist():
            if name.endswith((".xhtml", ".opf", ".xml")):
                etree.fromstring(archive.read(name))
    assert content == epub_of(BOOK, "Ann Author", AT).content


@pytest.mark.parametrize("form", FORMATS)
def test_control_characters_cost_no_book(form: str, tmp_path: Path) -> None:
    """A40."""
    scene = ManuscriptScene("Ni\x0bght", "a\x0cb\x1b\ufffe")
    hurt = replace(BOOK, chapters=(ManuscriptChapter("1", "T\x01itle", "", (scene,)),))
    read = back(made(hurt, form).content, form, tmp_path)
    assert read.chapters[0].number == "1"
    if form != "markdown":
        assert read.chapters[0].scenes[0].text == "ab"
