"""Documents and spreadsheets: what is made or changed is opened by the libraries that read such files."""

import csv
from collections.abc import Awaitable, Callable
from io import BytesIO

import docx
from openpyxl import load_workbook
from pypdf import PdfReader

from tests.agent_core.sheets import books
from tests.agent_core.sheets.test_tools import REFUSALS
from tests.agent_core.tools.scenarios.row import Arguments, Prepared, Row
from tests.agent_core.tools.world import World

PLAN = "Tables/Plan.xlsx"
Check = Callable[[World], Awaitable[None]]


async def _pdf(world: World) -> None:
    content = (world.notes / "exports/Harbour.pdf").read_bytes()
    assert "A harbour of salt." in PdfReader(BytesIO(content)).pages[0].extract_text()


async def _docx(world: World) -> None:
    content = (world.notes / "exports/Harbour.docx").read_bytes()
    assert "A harbour of salt." in [one.text for one in docx.Document(BytesIO(content)).paragraphs]


async def _xlsx(world: World) -> None:
    book = load_workbook(world.notes / "exports/Crew.xlsx")
    assert [cell.value for cell in book["Crew"][2]] == ["Mara", 31]
    book.close()


async def _csv(world: World) -> None:
    text = (world.notes / "exports/Crew.csv").read_text("utf-8-sig")
    assert list(csv.reader(text.splitlines())) == [["Name", "Age"], ["Mara", "31"]]


def _book(path: str, content: Callable[[], bytes], arguments: Arguments) -> Prepared:
    async def prepared(world: World) -> Arguments:
        world.note(path, content())
        return {"path": path, **arguments}

    return prepared


def _cell(path: str, sheet: str, cell: str, value: object) -> Check:
    async def check(world: World) -> None:
        book = load_workbook(world.notes / path)
        assert book[sheet][cell].value == value
        book.close()

    return check


FILES = (
    Row(
        tool="create_pdf",
        arguments={"title": "Harbour", "text": "A harbour of salt."},
        outside=_pdf,
        refused=({"title": "Harbour", "note": "Nothing.md"}, "unknown"),
    ),
    Row(
        tool="create_docx",
        arguments={"title": "Harbour", "text": "A harbour of salt."},
        outside=_docx,
        refused=({"title": "Harbour", "note": "Nothing.md"}, "unknown"),
    ),
    Row(
        tool="create_xlsx",
        arguments={
            "title": "Crew",
            "sheets": [{"name": "Crew", "header": ["Name", "Age"], "rows": [["Mara", 31]]}],
        },
        outside=_xlsx,
        refused=({"title": "Crew", "sheets": []}, "InvalidArguments"),
    ),
    Row(
        tool="create_csv",
        arguments={"title": "Crew", "header": ["Name", "Age"], "rows": [["Mara", 31]]},
        outside=_csv,
        refused=({"title": "Crew", "rows": [["Mara"]], "separator": "dots"}, "InvalidArguments"),
    ),
    Row(
        tool="list_xlsx_sheets",
        arguments={"path": PLAN},
        tells=('"name": "Plan"', '"name": "Other"'),
        refused=REFUSALS["list_xlsx_sheets"],
    ),
    Row(
        tool="xlsx_to_markdown",
        arguments={"path": PLAN, "sheet": "Plan", "range": "A1:C2"},
        tells=("| 1 | 10 |  | =A1*2 |",),
        refused=REFUSALS["xlsx_to_markdown"],
    ),
    Row(
        tool="search_workbook",
        arguments={"path": "Cast.xlsx", "query": "chart"},
        tells=("Mara forged the chart in Straße",),
        refused=REFUSALS["search_workbook"],
    ),
    Row(
        tool="analyze_range",
        arguments={"path": PLAN, "sheet": "Plan", "range": "A1:A5"},
        tells=('"sum": 150', '"median": 30'),
        refused=REFUSALS["analyze_range"],
    ),
    Row(
        tool="update_xlsx_cells",
        arguments=_book("Up.xlsx", books.cast, {"sheet": "Cast", "cells": [{"cell": "B2", "value": 32}]}),
        outside=_cell("Up.xlsx", "Cast", "B2", 32),
        refused=REFUSALS["update_xlsx_cells"],
    ),
    Row(
        tool="append_xlsx_rows",
        arguments=_book("More.xlsx", books.cast, {"sheet": "Cast", "rows": [["Ida", 20]]}),
        outside=_cell("More.xlsx", "Cast", "A5", "Ida"),
        refused=REFUSALS["append_xlsx_rows"],
    ),
    Row(
        tool="edit_xlsx_structure",
        arguments=_book("Shape.xlsx", books.plan, {"sheet": "Plan", "action": "insert_rows", "at": "1"}),
        outside=_cell("Shape.xlsx", "Other", "A1", "=Plan!A8+SUM(Plan!$A$2:A4)"),
        refused=REFUSALS["edit_xlsx_structure"],
    ),
)
