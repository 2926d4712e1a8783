"""Puts values into cells and rows below them: all of it or nothing.

All of it blocks and belongs in a thread.
"""

import itertools
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from agent_core.errors import NoteRefusal
from agent_core.sheets.edits import MAX_COLUMN, MAX_ROW, Area
from agent_core.sheets.outcome import Changed, Notice, Outcome, counted, finish
from agent_core.sheets.references import area_of, coord
from agent_core.sheets.values import Kind, Put, Scalar, bounded, put, shown
from agent_core.sheets.workbook import open_book, sheet_of, still_known

MAX_SHOWN_CHARS = 300


@dataclass(frozen=True, slots=True)
class Given:
    """A value for a cell."""

    cell: str
    value: Scalar = None
    kind: Kind = Kind.AUTO


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows for the end of a sheet, from `column` on ("" for that of the last row).

    `formulas`: texts that begin with "=" are formulas; `dates`: texts that are ISO dates are dates.
    """

    rows: Sequence[Sequence[Scalar]]
    column: str = ""
    formulas: bool = False
    dates: bool = False


def update(path: str, content: bytes, sheet: str, cells: Sequence[Given], *, as_copy: bool) -> Outcome:
    """Return the workbook with values in its cells.

    Raises:
        NoteRefusal: as `open_book`, or reason "sheet_cell", "sheet_twice", "sheet_merged", "sheet_blocked",
            "sheet_value" or "same".
    """
    opened = open_book(path, content, as_copy=as_copy)
    found = sheet_of(opened.book, path, sheet)
    guards = _guards(found)
    places = [_place(path, one.cell, guards) for one in cells]
    if len(set(places)) < len(places):
        twice = next(coord(place) for place in places if places.count(place) > 1)
        raise NoteRefusal(reason="sheet_twice", path=path, cell=twice)
    puts = [put(path, coord(place), one.value, one.kind) for one, place in zip(cells, places, strict=True)]
    cells_there = [found.cell(place.rows[0], place.columns[0]) for place in places]
    were = [(cell.value, cell.data_type) for cell in cells_there]
    changes = [_put_in(cell, one) for cell, one in zip(cells_there, puts, strict=True)]
    if were == [(cell.value, cell.data_type) for cell in cells_there]:
        raise NoteRefusal(reason="same", path=path)
    facts: dict[str, str | int] = {"action": "cells", "count": len(changes)}
    kept = still_known(opened, {(found.title, place.rows[0], place.columns[0]) for place in places})
    return finish(opened, found.title, kept=kept, changes=changes, facts=facts, notices=_notices(puts))


def append(path: str, content: bytes, sheet: str, given: Rows, *, as_copy: bool) -> Outcome:
    """Return the workbook with rows below the last one that holds something; its table grows with them.

    Raises:
        NoteRefusal: as `update`.
    """
    opened = open_book(path, content, as_copy=as_copy)
    found = sheet_of(opened.book, path, sheet)
    last = _last_row(found)
    first = _first_column(path, found, last, given.column)
    table = _table_at(path, found, last, first)
    if last + len(given.rows) > MAX_ROW or first + max(map(len, given.rows)) - 1 > MAX_COLUMN:
        raise NoteRefusal(reason="sheet_blocked", path=path, blocked=("the end of the sheet",))
    puts: list[Put] = []
    changes = []
    like = _looks(found, last)
    for number, row in enumerate(given.rows, last + 1):
        after = []
        for column, value in enumerate(row, first):
            one = put(path, f"{get_column_letter(column)}{number}", value, _kind(value, given))
            cell = found.cell(number, column)
            if column in like and not cell.has_style:
                cell._style = copy(like[column]._style)  # type: ignore[attr-defined,union-attr]  # not in its stubs
            after.append(_put_in(cell, one).after)
            puts.append(one)
        changes.append(Changed(str(number), "", bounded(" | ".join(after), MAX_SHOWN_CHARS)))
    _grow(found, table, last, last + len(given.rows))
    facts: dict[str, str | int] = {"action": "rows", "count": len(given.rows), "at": last + 1}
    width = max(map(len, given.rows))
    new = itertools.product(range(last + 1, last + len(given.rows) + 1), range(first, first + width))
    kept = still_known(opened, {(found.title, row, column) for row, column in new})
    return finish(opened, found.title, kept=kept, changes=changes, facts=facts, notices=_notices(puts))


def _place(path: str, name: str, guards: Sequence["_Guard"]) -> Area:
    """Return the cell that is named, if it can be written on its own."""
    area = area_of(name)
    if area is None or area.rows[0] != area.rows[1] or area.columns[0] != area.columns[1]:
        raise NoteRefusal(reason="sheet_cell", path=path, cell=name[:40])
    for guard in guards:
        if guard.holds(area):
            raise guard.refusal(path, coord(area))
    return area


@dataclass(frozen=True, slots=True)
class _Guard:
    """Cells that are a part of something; `besides` is one of them that may be written."""

    area: Area
    besides: Area | None = None
    part_of: str = ""

    def holds(self, cell: Area) -> bool:
        low, high = self.area.rows, self.area.columns
        return (
            low[0] <= cell.rows[0] <= low[1]
            and high[0] <= cell.columns[0] <= high[1]
            and cell != self.besides
        )

    def refusal(self, path: str, cell: str) -> NoteRefusal:
        if self.part_of:
            return NoteRefusal(reason="sheet_blocked", path=path, blocked=(f"{cell}, {self.part_of}",))
        first = coord(self.besides or self.area)
        return NoteRefusal(reason="sheet_merged", path=path, cell=cell, merged=coord(self.area), first=first)


def _guards(sheet: Worksheet) -> list[_Guard]:
    """Return what must not be written into: covered cells, column names of tables, parts of arrays."""
    found = []
    for one in sheet.merged_cells.ranges:
        first = Area((one.min_row,) * 2, (one.min_col,) * 2)
        found.append(_Guard(Area((one.min_row, one.max_row), (one.min_col, one.max_col)), first))
    for table in sheet.tables.values():
        area = area_of(table.ref)
        if area and table.headerRowCount != 0:
            head = Area((area.rows[0],) * 2, area.columns)
            found.append(_Guard(head, part_of=f"a column name of table {table.displayName}"))
    for cell in sheet._cells.values():
        area = area_of(cell.value.ref) if isinstance(cell.value, ArrayFormula) else None
        if area and coord(area) != cell.coordinate:
            found.append(_Guard(area, part_of=f"part of the array formula in {coord(area)}"))
    return found


def _put_in(cell: Cell | MergedCell, one: Put) -> Changed:
    """Put a value into a cell; return what it was and is."""
    assert isinstance(cell, Cell)  # noqa: S101  covered cells are refused before
    before = bounded(shown(cell.value, cell.number_format), MAX_SHOWN_CHARS)
    cell.value = one.value
    if one.is_text:
        cell.data_type = "s"  # openpyxl takes "=1+1" for a formula and "#N/A" for an error
    if cell.quotePrefix != one.looks_like_formula:
        cell.quotePrefix = one.looks_like_formula
    after = bounded(shown(cell.value, cell.number_format), MAX_SHOWN_CHARS)
    return Changed(cell.coordinate, before, after)


def _notices(puts: Sequence[Put]) -> list[Notice | None]:
    return [
        counted("sheet_cleaned", sum(one.cleaned for one in puts)),
        counted("sheet_long_numbers", sum(one.is_long_number for one in puts)),
        counted("sheet_number_texts", sum(one.looks_like_number and not one.is_long_number for one in puts)),
        counted("sheet_formula_texts", sum(one.is_text and str(one.value).startswith("=") for one in puts)),
    ]


def _kind(value: Scalar, given: Rows) -> Kind:
    if not isinstance(value, str):
        return Kind.AUTO
    if given.formulas and value.startswith("="):
        return Kind.FORMULA
    return Kind.DATE if given.dates and value[:4].isdigit() and value[4:5] == "-" else Kind.TEXT


def _last_row(sheet: Worksheet) -> int:
    filled = (cell.row for cell in sheet._cells.values() if cell.value is not None)
    merged = (one.max_row for one in sheet.merged_cells.ranges)
    tables = (area.rows[1] for table in sheet.tables.values() if (area := area_of(table.ref)))
    return max((*filled, *merged, *tables), default=0)


def _first_column(path: str, sheet: Worksheet, last: int, named: str) -> int:
    if named:
        area = area_of(f"{named}1")
        if area is None:
            raise NoteRefusal(reason="sheet_cell", path=path, cell=named[:40])
        return area.columns[0]
    filled = (cell.column for cell in sheet._cells.values() if cell.row == last and cell.value is not None)
    return min(filled, default=1)


def _table_at(path: str, sheet: Worksheet, last: int, first: int) -> Table | None:
    """Return the table that ends with the last row, and so grows."""
    tables: list[Table] = list(sheet.tables.values())
    for table in tables:
        area = area_of(table.ref)
        if area and area.rows[1] == last and area.columns[0] <= first <= area.columns[1]:
            if table.totalsRowCount:
                held = f"the totals row of table {table.displayName}"
                raise NoteRefusal(reason="sheet_blocked", path=path, blocked=(held,))
            return table
    return None


def _looks(sheet: Worksheet, last: int) -> dict[int, Cell]:
    """Return the cells of the last row that new rows look like; a heading alone is no pattern."""
    filled = [cell for cell in sheet._cells.values() if cell.value is not None]
    if all(cell.row == last for cell in filled):
        return {}
    there = [cell for cell in sheet._cells.values() if cell.row == last]
    return {cell.column: cell for cell in there if isinstance(cell, Cell) and cell.has_style}


def _grow(sheet: Worksheet, table: Table | None, last: int, end: int) -> None:
    for one in (table, table.autoFilter if table else None, sheet.auto_filter):
        area = area_of(one.ref) if one is not None and one.ref else None
        if one is not None and area is not None and area.rows[1] == last:
            one.ref = coord(Area((area.rows[0], end), area.columns))
