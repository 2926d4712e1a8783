"""Makes XLSX: numbers and dates as such, every text as text, whatever it begins with."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from io import BytesIO

from openpyxl import Workbook
from openpyxl.cell import Cell as XlsxCell
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from agent_core.documents.model import Made
from agent_core.documents.rows import Cell, Sheet
from agent_core.documents.sheet_names import changed_names, legal_names

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MAX_CELL_CHARS = 32_767
_WIDTHS = (6, 60)
_MEASURED_ROWS = 200
_LIKE_FORMULA = tuple("=+-@＝＋－＠\t")


def make_xlsx(sheets: Sequence[Sheet], at: datetime) -> Made:
    """Return the workbook; it names sheets that are called otherwise, and cells that are cut."""
    book = Workbook()
    book.remove(book.worksheets[0])
    book.properties.creator, book.properties.created = "", at.replace(tzinfo=None)
    wanted = [sheet.name for sheet in sheets]
    names = legal_names(wanted)
    cut: list[str] = []
    for sheet, name in zip(sheets, names, strict=True):
        cut += [f"{name}!{cell}" for cell in _fill(book.create_sheet(name), sheet)]
    written = BytesIO()
    book.save(written)
    return Made(
        content=written.getvalue(),
        media_type=MEDIA_TYPE,
        suffix=".xlsx",
        facts={"rows": sum(len(sheet.rows) for sheet in sheets), "sheets": len(sheets)},
        removed=sum(sheet.removed for sheet in sheets),
        names=changed_names(wanted, names),
        cut=tuple(cut),
    )


def _fill(page: Worksheet, sheet: Sheet) -> list[str]:
    """Write a sheet and return the cells whose text was too long."""
    cut: list[str] = []
    rows: list[Sequence[Cell]] = [sheet.header, *sheet.rows] if sheet.header else list(sheet.rows)
    for row_number, row in enumerate(rows, 1):
        for column, value in enumerate(row, 1):
            cell = page.cell(row_number, column)
            if value is not None and isinstance(cell, XlsxCell) and _put(cell, value):
                cut.append(cell.coordinate)
    for column in range(1, sheet.columns + 1):
        page.column_dimensions[get_column_letter(column)].width = _width(rows, column - 1)
    if sheet.header:
        for column in range(1, len(sheet.header) + 1):
            page.cell(1, column).font = Font(bold=True)
        page.freeze_panes = "A2"
        page.auto_filter.ref = page.dimensions
    return cut


def _put(cell: XlsxCell, value: Cell) -> bool:
    """Put a value into a cell, and return whether its text is cut."""
    if not isinstance(value, str):
        cell.value = value
        if isinstance(value, date):
            cell.number_format = "yyyy-mm-dd hh:mm" if isinstance(value, datetime) else "yyyy-mm-dd"
        return False
    cell.value = value[:MAX_CELL_CHARS]
    cell.data_type = "s"  # a text that begins with "=" would be taken for a formula
    if value.startswith(_LIKE_FORMULA):
        cell.quotePrefix = True  # so that it stays a text when a person edits it
    if "\n" in value:
        cell.alignment = Alignment(wrap_text=True, vertical="top")
    return len(value) > MAX_CELL_CHARS


def _width(rows: Iterable[Sequence[Cell]], column: int) -> int:
    shown = [
        str(row[column])
        for row in list(rows)[:_MEASURED_ROWS]
        if column < len(row) and row[column] is not None
    ]
    longest = max((len(line) for text in shown for line in text.split("\n")), default=0)
    return min(max(longest + 2, _WIDTHS[0]), _WIDTHS[1])
