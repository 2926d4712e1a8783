"""Moves what lies in a sheet when rows or columns come or go; formulas are another matter."""

from copy import copy

from openpyxl.cell.cell import MergedCell
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.cell_range import MultiCellRange
from openpyxl.worksheet.merge import MergedCellRange
from openpyxl.worksheet.pagebreak import Break
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from agent_core.sheets.edits import Area, Axis, Shift
from agent_core.sheets.following import ranges
from agent_core.sheets.references import Formulas, area_of, column_number, coord


def blocked(sheet: Worksheet, shift: Shift) -> list[str]:
    """Return what of a sheet would be torn: each with its name and range."""
    found = [
        f"merged range {one.coord} (its first cell is {coord(_first(one))})"
        for one in sheet.merged_cells.ranges
        if _loses_head(_area(one), shift)
    ]
    found += [
        f"table {table.displayName} ({table.ref})" for table in sheet.tables.values() if _tears(table, shift)
    ]
    filtered = area_of(sheet.auto_filter.ref) if sheet.auto_filter.ref else None
    if filtered is not None:
        cut = shift.axis is Axis.COLUMN and _size_after(filtered, shift) != _size(filtered)
        if _loses_head(filtered, shift) or (cut and sheet.auto_filter.filterColumn):
            found.append(f"filter {sheet.auto_filter.ref}")
    if sheet.scenarios.scenario:
        found.append("scenarios")
    if shift.count > 0 and any(
        shift.line(cell.row if shift.axis is Axis.ROW else cell.column) is None
        for cell in sheet._cells.values()
        if cell.value is not None
    ):
        found.append(f"the last {shift.axis}s, which would fall off the sheet")
    return found


def move(sheet: Worksheet, shift: Shift, formulas: Formulas) -> None:
    """Move the cells of a sheet and all that is bound to places of it."""
    grown = _moved_merges(sheet, shift)
    _move_cells(sheet, shift)
    for area in grown:
        for row in range(area.rows[0], area.rows[1] + 1):
            for column in range(area.columns[0], area.columns[1] + 1):
                if (row, column) != (area.rows[0], area.columns[0]):
                    sheet._cells.setdefault((row, column), MergedCell(sheet, row, column))
    _move_sizes(sheet, shift)
    _move_tables(sheet, shift)
    _move_prints(sheet, shift, formulas)


def _moved_merges(sheet: Worksheet, shift: Shift) -> list[Area]:
    """Set the merged ranges anew; return those that have grown."""
    kept: list[MergedCellRange] = []
    grown: list[Area] = []
    for one in sheet.merged_cells.ranges:
        area = _area(one)
        moved = shift.area(sheet.title, area)
        if moved is None or _size(moved) == (0, 0):
            continue
        one.min_row, one.max_row = moved.rows
        one.min_col, one.max_col = moved.columns
        kept.append(one)
        if _size(moved) > _size(area):
            grown.append(moved)
    sheet.merged_cells = MultiCellRange(kept)
    return grown


def _move_cells(sheet: Worksheet, shift: Shift) -> None:
    is_row = shift.axis is Axis.ROW
    moved = {}
    for (row, column), cell in sheet._cells.items():
        line = shift.line(row if is_row else column)
        if line is None:
            continue
        cell.row, cell.column = (line, column) if is_row else (row, line)
        moved[cell.row, cell.column] = cell
        if cell.hyperlink is not None:
            cell.hyperlink.ref = cell.coordinate
    sheet._cells = moved
    if shift.count > 0 and shift.at > 1:
        _dress(sheet, shift)


def _dress(sheet: Worksheet, shift: Shift) -> None:
    """Give new lines the looks of the line before them."""
    is_row = shift.axis is Axis.ROW
    like = [
        cell
        for (row, column), cell in sheet._cells.items()
        if (row if is_row else column) == shift.at - 1 and cell.has_style and not isinstance(cell, MergedCell)
    ]
    for cell in like:
        for line in range(shift.at, shift.at + shift.count):
            new = sheet.cell(line, cell.column) if is_row else sheet.cell(cell.row, line)
            if not isinstance(new, MergedCell):
                new._style = copy(cell._style)  # type: ignore[attr-defined]  # not in its stubs


def _move_sizes(sheet: Worksheet, shift: Shift) -> None:
    """Move heights of rows, widths of columns, and page breaks."""
    if shift.axis is Axis.ROW:
        rows = dict(sheet.row_dimensions)
        sheet.row_dimensions.clear()
        for number, size in rows.items():
            if (line := shift.line(number)) is not None:
                size.index = line
                sheet.row_dimensions[line] = size
        _move_breaks(sheet.row_breaks.brk, shift)
        return
    columns = dict(sheet.column_dimensions)
    sheet.column_dimensions.clear()
    for letters, width in columns.items():
        low = width.min or column_number(letters)
        if (span := shift.span(low, width.max or low)) is not None:
            width.min, width.max, width.index = span[0], span[1], get_column_letter(span[0])
            sheet.column_dimensions[width.index] = width
    _move_breaks(sheet.col_breaks.brk, shift)


def _move_breaks(breaks: list[Break], shift: Shift) -> None:
    for one in list(breaks):
        line = shift.line(one.id or 0)
        one.id = line if line is not None else shift.at - 1
        if not one.id:
            breaks.remove(one)


def _move_tables(sheet: Worksheet, shift: Shift) -> None:
    filters = [sheet.auto_filter, *(table.autoFilter for table in sheet.tables.values())]
    for table in sheet.tables.values():
        table.ref = _moved(table.ref, sheet, shift) or table.ref
        if table.sortState is not None:
            table.sortState = None  # what it was sorted by last; the rows stay as they are
    for one in filters:
        if one is not None and one.ref:
            one.ref = _moved(one.ref, sheet, shift)
            one.sortState = None


def _move_prints(sheet: Worksheet, shift: Shift, formulas: Formulas) -> None:
    printed = sheet._print_area.ranges  # type: ignore[attr-defined]  # not in its stubs
    if printed:
        sheet.print_area = ranges(printed, sheet.title, formulas)
    rows, columns = area_of(sheet.print_title_rows or ""), area_of(sheet.print_title_cols or "")
    if rows is not None and shift.axis is Axis.ROW:
        lines = shift.span(*rows.rows)
        sheet._print_rows = None  # type: ignore[attr-defined]  # its property takes no None
        sheet.print_title_rows = f"{lines[0]}:{lines[1]}" if lines else None
    if columns is not None and shift.axis is Axis.COLUMN:
        lines = shift.span(*columns.columns)
        sheet._print_cols = None  # type: ignore[attr-defined]  # its property takes no None
        sheet.print_title_cols = ":".join(map(get_column_letter, lines)) if lines else None


def _tears(table: Table, shift: Shift) -> bool:
    """Return whether a table would lose its head, its last row, or get or lose columns."""
    area = area_of(table.ref)
    if area is None or shift.area(shift.name, area) is None:
        return True
    if shift.axis is Axis.COLUMN:
        return _size_after(area, shift) != _size(area)
    height = _size_after(area, shift)[0]
    return _loses_head(area, shift) or height < 1 or (bool(table.totalsRowCount) and height != _size(area)[0])


def _moved(ref: str, sheet: Worksheet, shift: Shift) -> str | None:
    area = area_of(ref)
    moved = shift.area(sheet.title, area) if area else None
    return coord(moved) if moved else None


def _loses_head(area: Area, shift: Shift) -> bool:
    """Return whether the first line of an area goes while others of it stay."""
    first = area.rows[0] if shift.axis is Axis.ROW else area.columns[0]
    return shift.count < 0 and shift.line(first) is None and shift.area(shift.name, area) is not None


def _size_after(area: Area, shift: Shift) -> tuple[int, int]:
    moved = shift.area(shift.name, area)
    return _size(moved) if moved else (-1, -1)


def _size(area: Area) -> tuple[int, int]:
    return area.rows[1] - area.rows[0], area.columns[1] - area.columns[0]


def _area(one: MergedCellRange) -> Area:
    return Area((one.min_row, one.max_row), (one.min_col, one.max_col))


def _first(one: MergedCellRange) -> Area:
    return Area((one.min_row,) * 2, (one.min_col,) * 2)
