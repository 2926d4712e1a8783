"""Sheets as they are read: values, tables, hits, figures, and files that can't be."""

import io
import struct
import zipfile

import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

from agent_core.errors import NoteRefusal
from agent_core.sheets.answers import CellsFound, RangeStats, SheetText
from agent_core.sheets.cells import Rows, append
from agent_core.sheets.figures import analyze
from agent_core.sheets.reading import list_sheets, search, to_markdown
from agent_core.sheets.values import Scalar
from tests.agent_core.sheets import books
from tests.agent_core.sheets.raw import changed

SHEET = "xl/worksheets/sheet1.xml"
OLD = bytes.fromhex("d0cf11e0a1b11ae1")


def table(
    content: bytes, cells: str = "", *, sheet: str = "", path: str = "a.xlsx", most: int = 10_000
) -> SheetText:
    return to_markdown("v", path, content, "1", sheet, cells, formulas=False, most=most)


def found(content: bytes, query: str, sheet: str = "", limit: int = 10) -> CellsFound:
    return search("v", "a.xlsx", content, query, sheet, limit)


def figures(content: bytes, cells: str = "", *, header: bool = False, path: str = "a.xlsx") -> RangeStats:
    return analyze("v", path, content, "", cells, header=header)


def refusal(content: bytes, path: str = "a.xlsx") -> str:
    with pytest.raises(NoteRefusal) as refused:
        list_sheets("v", path, content, "1")
    return str(refused.value.facts["reason"])


def test_sheets_are_listed_with_what_they_hold() -> None:
    plan = list_sheets("v", "a.xlsx", books.plan(), "1")
    assert [(one.name, one.range, one.formulas, one.uncalculated) for one in plan.sheets] == [
        ("Plan", "A1:C10", 6, 6), ("Other", "A1", 1, 1),
    ]  # fmt: skip
    assert plan.sheets[0].merged == ("A10:B10",)
    cast = list_sheets("v", "a.xlsx", books.cast(), "1")
    assert [(one.name, one.state) for one in cast.sheets] == [("Cast", "visible"), ("Secrets", "hidden")]


def test_values_read_as_people_write_them() -> None:
    """A42."""
    assert table(books.cast(), sheet="cast").text.splitlines() == [
        "|  | A | B | C | D | E |",
        "| --- | --- | --- | --- | --- | --- |",
        "| 1 | Name | Age | Share | Born | Alive |",
        "| 2 | Mara | 31 | 35% | 1995-03-01 | TRUE |",
        "| 3 | Tom \\| the smith | 40.5 | 0.1 | 1986-03-01 12:30 | FALSE |",
        "| 4 | Vel<br>of Oru |  | #N/A | 06:05 |  |",
    ]


def test_formula_without_a_value_is_shown_as_it_is_written_and_told() -> None:
    content = changed(
        books.plan(),
        {},
        (SHEET, "<f>A1*2</f><v></v>", "<f>A1*2</f><v>20</v>"),
        (SHEET, "<f>A2*2</f><v></v>", "<f>A2*2</f><v>0.1</v>"),
    )
    content = changed(
        content, {}, (SHEET, '<c r="C3"><f>A3*2</f><v></v>', '<c r="C3" t="str"><f>A3*2</f><v></v>')
    )
    read = table(content, "C1:C4", sheet="Plan")
    assert read.text.splitlines()[2:] == ["| 1 | 20 |", "| 2 | 0.1 |", "| 3 |  |", "| 4 | =A4*2 |"]
    assert read.uncalculated == ("C4",)
    assert figures_of(content) == (2, 20.1, 1)


def figures_of(content: bytes) -> tuple[int, float | None, int]:
    [column] = analyze("v", "a.xlsx", content, "Plan", "C1:C4", header=False).columns
    return column.numbers, column.sum, column.uncalculated


def test_long_table_is_cut_at_a_row_and_says_where_to_go_on() -> None:
    book = Workbook()
    sheet = books.first(book)
    for row in range(1, 201):
        sheet.append([row, f"scene {row}"])
    sheet.cell(1, 150, "far")
    content = books.saved(book)
    read, rows = table(content, "A:B", most=1_000), 0
    while read.next_range:
        rows += len(read.text.splitlines()) - 2
        assert len(read.text) <= 1_000
        read = table(content, read.next_range, most=1_000)
    assert rows + len(read.text.splitlines()) - 2 == 200
    wide = table(content, "1:1")
    assert (wide.range, wide.next_range) == ("A1:CV1", "CW1:ET1")


def test_huge_used_range_is_read_as_the_little_it_holds() -> None:
    book = Workbook()
    sheet = books.first(book)
    sheet["A1"] = "first"
    sheet["A1048575"] = "deep"
    sheet["XFD1048576"] = "last"
    content = books.saved(book)
    assert table(content, "A:A").text.splitlines()[2:] == [
        "| 1 | first |", "| 2–1048574 | (empty) |", "| 1048575 | deep |",
    ]  # fmt: skip
    assert found(content, "last").items[0].cell == "XFD1048576"
    assert figures(content, "XFD:XFD").columns[0].blanks == 1_048_575


def test_rich_text_reads_as_its_text() -> None:
    book = Workbook()
    books.first(book)["A1"] = CellRichText("a ", TextBlock(InlineFont(b=True), "bold"), " word")
    assert "| 1 | a bold word |" in table(books.saved(book)).text
    made = append("a.xlsx", books.saved(book), "", Rows([["next"]]), as_copy=False)
    with zipfile.ZipFile(io.BytesIO(made.content)) as archive:
        assert b"<b" in archive.read(SHEET)


def test_words_are_found_in_any_form_also_in_hidden_sheets() -> None:
    hits = found(books.cast(), "CHART strasse")
    assert [(one.sheet, one.cell, one.hidden) for one in hits.items] == [("Secrets", "B2", True)]
    limited = found(books.cast(), "mara", limit=1)
    assert (limited.items[0].cell, limited.items[0].row, limited.total, limited.more) == (
        "A2", "Mara | 31 | 35% | 1995-03-01 | TRUE", 2, 1,
    )  # fmt: skip
    assert found(books.cast(), "mara", "cast").total == 1
    assert found(books.cast(), " ").hint


def test_figures_are_those_of_each_column() -> None:
    stats = figures(books.cast(with_hidden=False), header=True)
    name, age, share, born, alive = stats.columns
    assert (name.name, name.count, name.texts, name.distinct, name.sum) == ("Name", 3, 3, 3, None)
    assert (age.numbers, age.sum, age.mean, age.min, age.max, age.median, age.blanks) == (
        2, 71.5, 35.75, 31, 40.5, 35.75, 1,
    )  # fmt: skip
    assert (share.errors, share.sum) == (1, 0.45)
    assert (born.dates, born.earliest, born.latest) == (3, "1986-03-01 12:30", "1995-03-01")
    assert (alive.truths, alive.blanks) == (2, 1)


def test_csv_reads_as_a_sheet() -> None:
    """A42: what was made safe against running as a formula reads as it was; numbers are numbers."""
    content = "Name;Words\n'=SUM(1);-5\n-3%;1200.5\n+49 30 1234;007\n".encode("utf-8-sig")
    read = table(content, path="Words.csv")
    assert read.sheet == "Words"
    assert read.text.splitlines()[3:] == [
        "| 2 | =SUM(1) | -5 |",
        "| 3 | -3% | 1200.5 |",
        "| 4 | +49 30 1234 | 007 |",
    ]
    words = figures(content, "B2:B4", path="Words.csv").columns[0]
    assert (words.numbers, words.sum, words.texts) == (2, 1195.5, 1)
    latin = table("Ort,Größe\nKöln,3\n".encode("cp1252"), path="a.csv")
    assert "| 2 | Köln | 3 |" in latin.text


@pytest.mark.parametrize(
    "value", [-5, -5.2, "-3%", "+49 30 1234", "=1+1", "'quoted", "@x", "007", True, "  x"]
)
def test_what_is_written_is_read_again(value: Scalar) -> None:
    """A42."""
    made = append("a.xlsx", books.merged(), "", Rows([[value]]), as_copy=False)
    text = "TRUE" if value is True else str(value)
    assert table(made.content, "A2").text.splitlines()[2] == f"| 2 | {text} |"


@pytest.mark.parametrize(
    ("content", "path", "reason"),
    [
        (b"", "a.xlsx", "sheet_broken"),
        (b"PK\x03\x04 and no more", "a.xlsx", "sheet_broken"),
        (books.plan()[:-400], "a.xlsx", "sheet_broken"),
        (OLD + "EncryptedPackage".encode("utf-16-le"), "a.xlsx", "sheet_encrypted"),
        (OLD + b" old", "a.xls", "sheet_kind"),
        (OLD + b" old", "a.xlsx", "sheet_kind"),
        (changed(books.plan(), {"mimetype": b"application/vnd.oasis"}), "a.xlsx", "sheet_kind"),
        (changed(books.plan(), {SHEET: b"<worksheet><sheetData><row"}), "a.xlsx", "sheet_broken"),
        (changed(books.plan(), {SHEET: b"<!DOCTYPE x><worksheet/>"}), "a.xlsx", "sheet_broken"),
        (changed(books.plan(), {"xl/workbook.xml": b"<workbook/>"}), "a.xlsx", "sheet_kind"),
        (b"# Mara", "Mara.md", "sheet_kind"),
    ],
)  # fmt: skip
def test_file_that_is_no_sound_spreadsheet_is_refused(content: bytes, path: str, reason: str) -> None:
    assert refusal(content, path) == reason


def test_file_that_unpacks_to_more_than_any_memory_is_refused() -> None:
    small = io.BytesIO()
    with zipfile.ZipFile(small, "w") as archive:
        archive.writestr("[Content_Types].xml", " " * 123_457)
    claimed = small.getvalue().replace(struct.pack("<L", 123_457), struct.pack("<L", 400_000_000))
    assert refusal(claimed) == "too_large"


def test_unknown_sheet_and_range_are_named() -> None:
    with pytest.raises(NoteRefusal) as refused:
        table(books.plan(), sheet="Plam")
    assert (refused.value.facts["reason"], refused.value.facts["nearest"]) == ("sheet_unknown", ("Plan",))
    with pytest.raises(NoteRefusal) as refused:
        table(books.plan(), "everything", sheet="Plan")
    assert refused.value.facts["reason"] == "sheet_range"
