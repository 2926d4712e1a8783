"""Workbooks that tests make."""

import datetime as dt
import io

from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.formatting.rule import Rule
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet


def saved(book: Workbook) -> bytes:
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def first(book: Workbook) -> Worksheet:
    sheet = book.worksheets[0]
    assert isinstance(sheet, Worksheet)
    return sheet


def plan() -> bytes:
    """A sheet with all that is bound to places, and one that refers to it."""
    book = Workbook()
    sheet = first(book)
    sheet.title = "Plan"
    for row in range(1, 6):
        sheet.cell(row, 1, row * 10)
        sheet.cell(row, 3, f"=A{row}*2")
    sheet["A7"] = "=SUM(A1:A5)"
    sheet["A10"] = "wide"
    sheet.merge_cells("A10:B10")
    rule = DataValidation(type="list", formula1="$A$1:$A$5")
    rule.add("G1")
    sheet.add_data_validation(rule)
    sheet.conditional_formatting.add("A1:A5", Rule(type="expression", formula=["$A1>20"]))
    sheet["B2"].comment = Comment("Why?", "Ann")
    sheet["B3"].hyperlink = "https://example.org/"
    sheet.auto_filter.ref = "A1:C5"
    sheet.print_area = "A1:C10"
    sheet.print_title_rows = "1:2"
    sheet.row_dimensions[7].height = 33
    sheet.column_dimensions["C"].width = 40
    other = book.create_sheet("Other")
    other["A1"] = "=Plan!A7+SUM(Plan!$A$1:A3)"
    book.defined_names.add(DefinedName("total", attr_text="Plan!$A$7"))
    return saved(book)


def cast(*, with_hidden: bool = True) -> bytes:
    """Characters with all kinds of values, and a hidden sheet."""
    book = Workbook()
    sheet = first(book)
    sheet.title = "Cast"
    sheet.append(["Name", "Age", "Share", "Born", "Alive"])
    sheet.append(["Mara", 31, 0.35, dt.date(1995, 3, 1), True])
    sheet.append(["Tom | the smith", 40.5, 0.1, dt.datetime(1986, 3, 1, 12, 30), False])
    sheet.append(["Vel\nof Oru", None, "#N/A", dt.time(6, 5), None])
    sheet["C2"].number_format = "0%"
    if with_hidden:
        hidden = book.create_sheet("Secrets")
        hidden.sheet_state = "hidden"
        hidden["B2"] = "Mara forged the chart in Straße"
    return saved(book)


def merged() -> bytes:
    book = Workbook()
    sheet = first(book)
    sheet["A1"] = "head"
    sheet.merge_cells("A1:B1")
    return saved(book)
