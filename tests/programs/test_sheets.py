"""Edited spreadsheets opened by LibreOffice: what its own reckoning says of the formulas that followed."""

from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.table import Table

from agent_core.sheets.cells import Given, Rows, append, update
from agent_core.sheets.structure import Action, Task, restructure
from tests.agent_core.sheets import books
from tests.programs.running import Programs

pytest.importorskip("justmytype_intl_cjk", reason="the stage that has other programs has these fonts too")

Results = dict[tuple[str, str], object]


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("office")


@pytest.fixture
def programs(tmp_path: Path, office: Path) -> Programs:
    return Programs(tmp_path, office)


def novel() -> bytes:
    """Words per scene with sums, shares, a lookup, an array, a name, a table, and a sheet that reads them."""
    book = Workbook()
    sheet = books.first(book)
    sheet.title = "Ch 1"
    for row in range(1, 11):
        sheet.cell(row, 1, f"scene {row}")
        sheet.cell(row, 2, row * 100)
        sheet.cell(row, 3, f"=B{row}/SUM(B$1:B$10)")
    sheet["B12"] = "=SUM(B1:B10)"
    sheet["B13"] = '=INDEX(B1:B10,MATCH("scene 7",A1:A10,0))'
    sheet["B14"] = "=AVERAGE(B2:B4)+MAX($B$1:$B$10)+LOG10(B1)"
    sheet["B15"] = "=total*2"
    for line in (("Name", "Age"), ("Mara", 31), ("Tom", 40)):
        sheet.append([None, None, None, None, *line])
    sheet.add_table(Table(displayName="People", ref="E16:F18"))
    other = book.create_sheet("Sums")
    other["A1"] = "='Ch 1'!B12+SUM('Ch 1'!B1:B3)"
    other["A2"] = "=SUM(People[Age])"
    other["A3"] = "=A1+A2"
    book.defined_names.add(DefinedName("total", attr_text="'Ch 1'!$B$12"))
    return books.saved(book)


def reckoned(programs: Programs, name: str, content: bytes) -> Results:
    """What each formula comes to in LibreOffice."""
    file = programs.file(f"{name}.xlsx", content)
    made = programs.converted(file, "xlsx", "xlsx")
    values, written = (load_workbook(BytesIO(made), data_only=only) for only in (True, False))
    return {
        (sheet.title, cell.coordinate): values[sheet.title][cell.coordinate].value
        for sheet in written.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "f"
    }


def test_libreoffice_reckons_the_same_after_rows_and_columns_came(programs: Programs) -> None:
    """A37."""
    before = list(reckoned(programs, "before", novel()).values())
    assert before[10:] == [5_500, 700, 1_302, 11_000, 6_100, 71, 6_171]
    content = novel()
    for action, at in ((Action.INSERT_ROWS, "3"), (Action.INSERT_COLUMNS, "B"), (Action.INSERT_ROWS, "1")):
        content = restructure("a.xlsx", content, Task(action, "Ch 1", at), as_copy=False).content
    content = restructure(
        "a.xlsx", content, Task(Action.RENAME_SHEET, "Ch 1", name="It's"), as_copy=False
    ).content
    after = reckoned(programs, "after", content)
    assert list(after.values()) == pytest.approx(before)
    assert ("It's", "C14") in after


def test_libreoffice_reckons_with_what_was_changed_added_and_deleted(programs: Programs) -> None:
    content = update("a.xlsx", novel(), "Ch 1", [Given("B1", 1_100)], as_copy=False).content
    content = append("a.xlsx", content, "Ch 1", Rows([["Oru", 9]], column="E"), as_copy=False).content
    content = restructure("a.xlsx", content, Task(Action.DELETE_ROWS, "Ch 1", "3"), as_copy=False).content
    found = reckoned(programs, "changed", content)
    assert (found["Ch 1", "B11"], found["Ch 1", "C1"]) == (6_200, pytest.approx(1_100 / 6_200))
    assert (found["Sums", "A1"], found["Sums", "A2"]) == (6_200 + 1_300, 80)
    twin = restructure("a.xlsx", content, Task(Action.COPY_SHEET, "Ch 1", name="Twin"), as_copy=False).content
    both = reckoned(programs, "twin", twin)
    assert both["Twin", "B11"] == both["Ch 1", "B11"]
