"""XLSX and CSV: numbers are numbers, texts are texts, names are legal."""

import csv
from datetime import UTC, date, datetime
from io import BytesIO, StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from agent_core.documents.delimited import make_csv, neutral, restored
from agent_core.documents.legible import legible
from agent_core.documents.model import Made
from agent_core.documents.rows import ColumnType, Given, sheet_of
from agent_core.documents.sheet_names import legal_names
from agent_core.documents.workbook import make_xlsx

AT = datetime(2026, 11, 30, tzinfo=UTC)
HOSTILE = (
    '=HYPERLINK("http://x","Ann")',
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "＝1+1",
    ";=1+1",
    "-cmd|' /C calc'!A0",
    " =1",
)


def book_of(made: Made) -> Workbook:
    return load_workbook(BytesIO(made.content))


def csv_rows(made: Made) -> list[list[str]]:
    return list(csv.reader(StringIO(made.content.decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize("text", [*HOSTILE, "+1", "#N/A", "-5", "'=1"])
def test_text_in_a_workbook_is_a_string_whatever_it_looks_like(text: str) -> None:
    """A41."""
    made = make_xlsx([sheet_of("S", ["=a"], [[text]])], AT)
    [[head], [cell]] = list(book_of(made).worksheets[0].rows)
    assert (head.data_type, cell.data_type) == ("s", "s")
    assert cell.value == legible(text)[0]


def test_numbers_dates_and_truths_in_a_workbook_are_what_they_are() -> None:
    """A42."""
    row: list[Given] = [-5, -5.25, True, None, "007", "-3%", "12.5", "2026-11-30", 12345678901234567890]
    types: list[ColumnType] = [*["auto"] * 5, "number", "number", "date", "auto"]  # type: ignore[list-item]  # of five
    made = make_xlsx([sheet_of("S", [], [row], types)], AT)
    [cells] = list(book_of(made).worksheets[0].values)
    assert cells == (
        -5,
        -5.25,
        True,
        None,
        "007",
        -0.03,
        12.5,
        datetime(2026, 11, 30),
        "12345678901234567890",
    )


def test_text_that_is_no_number_stays_in_a_column_of_numbers() -> None:
    sheet = sheet_of("S", [], [["1,5", "+49 30 1234", "n/a"]], ["number"] * 3)
    assert sheet.rows == (("1,5", "+49 30 1234", "n/a"),)


def test_sheet_names_become_legal_and_unique_and_are_told() -> None:
    """A39."""
    wanted = ["Ch: 1/2", "x" * 40, "", "History", "x" * 35, "ch- 1-2", "end'", "日" * 40, "\U0001f600" * 20]
    made = make_xlsx([sheet_of(name, ["a"], [[1]]) for name in wanted], AT)

    names = book_of(made).sheetnames
    assert names[:7] == ["Ch- 1-2", "x" * 31, "Sheet", "History 1", f"{'x' * 27} (2)", "ch- 1-2 (2)", "end"]
    assert len({name.casefold() for name in names}) == len(wanted)
    assert all(len(name.encode("utf-16-le")) <= 62 for name in names)
    assert dict(made.names) == dict(zip(wanted, names, strict=True))


@given(st.lists(st.text(), min_size=1, max_size=30))
def test_any_sheet_names_can_be_saved(wanted: list[str]) -> None:
    names = legal_names([legible(name)[0] for name in wanted])
    assert len({name.casefold() for name in names}) == len(wanted)
    for name in names:
        assert 0 < len(name.encode("utf-16-le")) <= 62
        assert not set(name) & set("[]:*?/\\")
        assert name.strip("'") == name != "History"


def test_long_cells_are_cut_and_control_characters_counted() -> None:
    """A40."""
    made = make_xlsx([sheet_of("S", ["a\x00"], [["x" * 32_768], ["b\x0b\ufffe"]])], AT)
    page = book_of(made).worksheets[0]
    assert len(str(page["A2"].value)) == 32_767
    assert made.cut == ("S!A2",)
    assert made.removed == 3
    assert page["A3"].value == "b"


@pytest.mark.parametrize("text", [*HOSTILE, "+49 30 1234", "'=1"])
def test_text_in_csv_runs_nothing_and_comes_back(text: str) -> None:
    """A41, A42."""
    [[cell]] = csv_rows(make_csv(sheet_of("S", [], [[text]])))
    assert cell.startswith("'")
    assert restored(cell) == legible(text)[0]


@pytest.mark.parametrize("text", ["-5", "-5.2", "-3%", "+1", "1,234.50", "Ann", "", "a-b", "'tis"])
def test_numbers_and_plain_texts_in_csv_stay_as_they_are(text: str) -> None:
    """A42."""
    [[cell, _]] = csv_rows(make_csv(sheet_of("S", [], [[text, 1]])))
    assert cell == text


def test_values_in_csv_are_written_plainly() -> None:
    made = make_csv(sheet_of("S", ["a", "b", "c", "d"], [[-5, -5.25, True, None]]), "semicolon")
    assert made.content == b'\xef\xbb\xbf"a";"b";"c";"d"\r\n-5;-5.25;"TRUE";""\r\n'


def test_dates_in_csv_are_iso() -> None:
    sheet = sheet_of("S", [], [["2026-11-30"]], ["date"])
    assert sheet.rows == ((date(2026, 11, 30),),)
    assert csv_rows(make_csv(sheet)) == [["2026-11-30"]]


@given(st.text(alphabet=st.sampled_from("'=+-@＝ \t,;\"x1")))
def test_any_text_comes_back_from_its_neutral_form(text: str) -> None:
    cell = neutral(text)
    assert restored(cell) == text
    assert not cell.startswith(("=", "@", "＝", "\t"))
