"""Copies a sheet with what openpyxl's own copy leaves out: rules, tables, filters, views, prints, names."""

from copy import copy, deepcopy

from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.cell_range import MultiCellRange
from openpyxl.worksheet.merge import MergedCellRange
from openpyxl.worksheet.worksheet import Worksheet


def copy_sheet(book: Workbook, source: Worksheet, name: str) -> Worksheet:
    """Return a copy of a sheet at the end of its workbook; its formulas still say what they said."""
    made = book.copy_worksheet(source)
    made.title = name
    made.sheet_properties = deepcopy(source.sheet_properties)
    made.sheet_properties.codeName = None  # the name of a module of macros, which is not copied
    made.merged_cells = MultiCellRange()
    for one in source.merged_cells.ranges:
        merged = MergedCellRange(made, one.coord)
        made.merged_cells.add(merged)
        made._clean_merge_range(merged)  # type: ignore[attr-defined]  # not in its stubs
    for cell in made._cells.values():
        if isinstance(cell.value, list) or type(cell.value).__module__.startswith("openpyxl"):
            cell.value = deepcopy(cell.value)
    _copy_rules(source, made)
    _copy_views(source, made)
    _copy_tables(book, source, made)
    for defined in source.defined_names.values():
        made.defined_names.add(_named(defined))
    return made


def _copy_rules(source: Worksheet, made: Worksheet) -> None:
    for cf in source.conditional_formatting:
        for rule in cf.rules:
            made.conditional_formatting.add(str(cf.sqref), deepcopy(rule))
    for validation in source.data_validations.dataValidation:
        made.add_data_validation(deepcopy(validation))


def _copy_views(source: Worksheet, made: Worksheet) -> None:
    made.auto_filter = deepcopy(source.auto_filter)
    made.views = deepcopy(source.views)
    for view in made.views.sheetView:
        view.tabSelected = False
    made.HeaderFooter = deepcopy(source.HeaderFooter)
    made.protection = copy(source.protection)
    made.row_breaks = deepcopy(source.row_breaks)
    made.col_breaks = deepcopy(source.col_breaks)
    for name in ("_print_area", "_print_rows", "_print_cols"):  # their properties would parse them again
        setattr(made, name, deepcopy(getattr(source, name)))


def _copy_tables(book: Workbook, source: Worksheet, made: Worksheet) -> None:
    taken = {name.casefold() for sheet in book.worksheets for name in sheet.tables}
    taken |= {name.casefold() for name in book.defined_names}
    for table in list(source.tables.values()):
        twin = deepcopy(table)
        number = 2
        while f"{table.displayName}_{number}".casefold() in taken:
            number += 1
        twin.displayName = twin.name = f"{table.displayName}_{number}"
        taken.add(twin.displayName.casefold())
        made.add_table(twin)


def _named(defined: DefinedName) -> DefinedName:
    twin = copy(defined)
    twin.localSheetId = None  # set anew when the workbook is written
    return twin
