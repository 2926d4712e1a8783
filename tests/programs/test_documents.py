"""Documents opened by other programs: their text is what was given, in every script there are fonts for."""

import csv
import re
import zlib
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from openpyxl import load_workbook

from agent_core.documents.delimited import make_csv
from agent_core.documents.draft import draft
from agent_core.documents.images import image_of
from agent_core.documents.model import Document, Image
from agent_core.documents.rows import Given, sheet_of
from agent_core.documents.word import make_docx
from agent_core.documents.workbook import make_xlsx
from agent_core.exporting.book_epub import epub_of
from agent_core.exporting.book_word import word_of
from agent_core.importing.manuscript import ManuscriptChapter, ManuscriptScene
from tests.agent_core.documents.conftest import png
from tests.agent_core.exporting.test_books import BOOK
from tests.programs.running import Programs

pytest.importorskip("justmytype_intl_cjk", reason="the fonts of the extra documents")

AT = datetime(2026, 11, 30, tzinfo=UTC)
SCRIPTS = {
    "Latin": "Ann walks along the sea, naïve façade, Łódź.",
    "Greek": "Η Άννα περπατά στη θάλασσα.",
    "Cyrillic": "Анна идёт по берегу моря.",
    "Hebrew": "אנה הולכת לאורך הים.",
    "Arabic": "تمشي آنا على شاطئ البحر.",
    "Chinese": "安娜沿着海边走，盐路很长。",
    "Japanese": "アンナは海辺を歩く。",
    "Korean": "안나는 바닷가를 걷는다.",
    "Thai": "แอนนาเดินเลียบชายทะเล",
    "Devanagari": "आना समुद्र के किनारे चलती है",
}
ROWS = [(str(number), f"Name {number}", str(number * 7)) for number in range(1, 81)]
TEXT = "\n\n".join(
    [
        "# Scripts",
        *SCRIPTS.values(),
        "Told[^a].",
        "![chart](chart.png)",
        "# Table",
        "\n".join(["| No | Name | Sum |", "|---|---|--:|", *(f"| {' | '.join(row)} |" for row in ROWS)]),
        "[^a]: The *note* below.",
    ]
)
_DIRECTION_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The settings of LibreOffice, which takes long to make them."""
    return tmp_path_factory.mktemp("office")


@pytest.fixture
def programs(tmp_path: Path, office: Path) -> Programs:
    return Programs(tmp_path, office)


def document() -> Document:
    return draft(
        TEXT,
        title="Salz & Straßen",
        author="Ann",
        language="en",
        contents=True,
        page_numbers=True,
        paper="a4",
    )


def chart(_: str) -> Image | None:
    return image_of(png(200, 100))


def bare(text: str) -> str:
    """Return a text without what each program sets in its own way: spaces, line ends, marks of direction."""
    return "".join(_DIRECTION_MARKS.sub("", text).split())


def test_pdf_holds_every_script_the_table_the_note_and_the_picture(programs: Programs) -> None:
    from agent_core.documents.pdf import make_pdf

    made = make_pdf(document(), chart, AT)
    file = programs.file("out.pdf", made.content)
    text = bare(programs.said("pdftotext", "-layout", file, "-"))
    info = programs.said("pdfinfo", file)
    fonts = programs.said("pdffonts", file).splitlines()[2:]

    assert made.without_font == ()
    # Poppler gives Arabic as its shapes stand on the page, and the Indic marks in the order of the page.
    for script in SCRIPTS.keys() - {"Arabic", "Devanagari", "Hebrew"}:
        assert bare(SCRIPTS[script]) in text, script
    assert sorted(bare(SCRIPTS["Hebrew"])) == sorted([*letters(text, "\u0590", "\u05ff"), "."])
    for row in ROWS:
        assert bare("".join(row)) in text
    assert "Thenotebelow." in text
    assert f"Pages:{made.facts['pages']}" in bare(info)
    assert "Title:Salz&Straßen" in bare(info)
    assert all(re.search(r"\byes +(?:yes|no) +yes\b", font) for font in fonts)
    assert "image" in programs.said("pdfimages", "-list", file)


def letters(text: str, first: str, last: str) -> list[str]:
    """Return the characters of a range, as often as they stand there."""
    return [char for char in text if first <= char <= last]


def test_pages_of_a_pdf_can_be_drawn_and_are_not_blank(programs: Programs) -> None:
    from agent_core.documents.pdf import make_pdf

    file = programs.file("out.pdf", make_pdf(document(), chart, AT).content)
    programs.said("pdftoppm", "-r", "40", "-gray", file, "page")
    pages = sorted(programs.folder.glob("page*.pgm"))
    assert len(pages) > 2
    assert all(len(zlib.compress(page.read_bytes())) > 500 for page in pages)


def test_docx_opens_with_its_text(programs: Programs) -> None:
    file = programs.file("out.docx", make_docx(document(), chart, AT).content)
    text = programs.converted(file, "txt:Text (encoded):UTF8", "txt").decode("utf-8-sig")

    for script, sentence in SCRIPTS.items():
        assert sentence in text, script
    for row in ROWS:
        assert row[1] in text
    pages = programs.file("pages.pdf", programs.converted(file, "pdf", "pdf"))
    assert "The note below." in programs.said("pdftotext", pages, "-")


def test_manuscript_opens_with_all_its_scenes(programs: Programs) -> None:
    file = programs.file("book.docx", word_of(BOOK, "Ann", AT).content)
    text = programs.converted(file, "txt:Text (encoded):UTF8", "txt").decode("utf-8-sig")

    for chapter in BOOK.chapters:
        for scene in chapter.scenes:
            assert bare(scene.text).replace("*", "") in bare(text).replace("*", "")


def test_workbook_opens_with_texts_as_texts_and_numbers_as_numbers(programs: Programs) -> None:
    """A39, A41."""
    rows: list[list[Given]] = [["=1+1", -5], ["@SUM(1)", 2.5], ["שלום 안나", None], ["+49 30", 7]]
    made = make_xlsx([sheet_of("Ch: 1/2", ["Name", "Age"], rows), sheet_of("History", [], [[1]])], AT)
    file = programs.file("out.xlsx", made.content)
    again = programs.converted(file, "csv:Text - txt - csv (StarCalc):44,34,76,1", "csv").decode("utf-8-sig")

    assert list(csv.reader(StringIO(again))) == [
        ["Name", "Age"],
        ["=1+1", "-5"],
        ["@SUM(1)", "2.5"],
        ["שלום 안나", ""],
        ["+49 30", "7"],
    ]


def test_csv_opens_and_runs_nothing(programs: Programs) -> None:
    """A41, A42."""
    hostile = ['=HYPERLINK("http://x","a")', "@SUM(1)", ";=1+1", "＝1+1", "-2+3", "\t=1+1"]
    made = make_csv(sheet_of("S", ["text", "number"], [[text, -5] for text in hostile]))
    file = programs.file("out.csv", made.content)
    book = load_workbook(BytesIO(programs.converted(file, "xlsx", "xlsx")))

    cells = list(book.worksheets[0].iter_rows(min_row=2))
    assert [cell.data_type for cell, _ in cells] == ["s"] * len(hostile)
    assert [cell.value for _, cell in cells] == [-5] * len(hostile)


def test_epub_is_valid_by_epubcheck(programs: Programs) -> None:
    nameless = ManuscriptChapter("", "", "", (ManuscriptScene("", "[a](https://x.example/?a=b&c) *d*"),))
    book = replace(BOOK, chapters=(nameless, *BOOK.chapters))
    file = programs.file("book.epub", epub_of(book, "Ann", AT).content)
    assert programs.epub_problems(file) == ""
