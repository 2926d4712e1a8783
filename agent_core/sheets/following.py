"""Lets every formula of a workbook follow an edit, wherever formulas stand."""

from collections.abc import Iterable, Iterator

from openpyxl.formatting.formatting import ConditionalFormatting
from openpyxl.formatting.rule import Rule
from openpyxl.formula.translate import Translator
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.cell_range import CellRange
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula
from openpyxl.worksheet.worksheet import Worksheet

from agent_core.sheets.edits import Area
from agent_core.sheets.references import LOST, Formulas, area_of, coord


def follow(book: Workbook, formulas: Formulas) -> None:
    """Rewrite all formulas of a workbook, and the ranges of rules; what can't follow is noted as blocked.

    Cells are still where they were.
    """
    _names(book.defined_names.values(), formulas, "")
    for sheet in book.worksheets:
        follow_in(sheet, formulas)


def follow_in(sheet: Worksheet, formulas: Formulas) -> None:
    """Rewrite the formulas of one sheet as `follow` does."""
    _names(sheet.defined_names.values(), formulas, sheet.title)
    _cells(sheet, formulas)
    _formats(sheet, formulas)
    _validations(sheet, formulas)
    _tables(sheet, formulas)
    _links(sheet, formulas)


def ranges(cells: Iterable[CellRange], sheet: str, formulas: Formulas) -> list[str]:
    """Return what becomes of ranges of a sheet; those that are gone are left out."""
    moved = (
        formulas.edit.area(sheet, Area((one.min_row, one.max_row), (one.min_col, one.max_col)))
        for one in cells
    )
    return [coord(area) for area in moved if area is not None]


# Any: openpyxl's stubs leave the values of its name dictionaries open.
def _names(names: Iterable[object], formulas: Formulas, home: str) -> None:
    for name in names:
        text = getattr(name, "attr_text", None)
        if isinstance(text, str):
            where = f"name {getattr(name, 'name', '')}"
            new = formulas.rewrite(f"={text}", home, where)[1:]
            setattr(name, "attr_text", new)  # noqa: B010  its class is not known here


def _cells(sheet: Worksheet, formulas: Formulas) -> None:
    for cell in sheet._cells.values():
        if cell.data_type != "f":
            continue
        where, value = f"{sheet.title}!{cell.coordinate}", cell.value
        if isinstance(value, DataTableFormula):
            formulas.followed.blocked.append(f"data table {where}")
        elif isinstance(value, ArrayFormula):
            _array(sheet, value, formulas, where)
        elif isinstance(value, str):
            cell.value = formulas.rewrite(value, sheet.title, where)


def _array(sheet: Worksheet, value: ArrayFormula, formulas: Formulas, where: str) -> None:
    """Let an array formula follow; one that would be cut or stretched can't."""
    area = area_of(value.ref)
    moved = formulas.edit.area(sheet.title, area) if area else None
    if area is not None and moved is not None:
        if _size(moved) != _size(area):
            formulas.followed.blocked.append(f"array formula {where}")
        value.ref = coord(moved)
    if isinstance(value.text, str):
        text = value.text if value.text.startswith("=") else f"={value.text}"
        value.text = formulas.rewrite(text, sheet.title, where)


def _size(area: Area) -> tuple[int, int]:
    return area.rows[1] - area.rows[0], area.columns[1] - area.columns[0]


def _formats(sheet: Worksheet, formulas: Formulas) -> None:
    kept = type(sheet.conditional_formatting)()
    for cf in sheet.conditional_formatting:
        where = f"conditional format {sheet.title}!{cf.sqref}"
        old = list(cf.sqref.ranges)
        new = ranges(old, sheet.title, formulas)
        for rule in cf.rules if new else ():
            _rule(rule, old, new, sheet, formulas, where)
            kept.add(ConditionalFormatting(" ".join(new), pivot=cf.pivot), rule)
    sheet.conditional_formatting = kept


def _rule(
    rule: Rule, old: list[CellRange], new: list[str], sheet: Worksheet, formulas: Formulas, where: str
) -> None:
    rule.formula = [_relative(one, old, new, sheet, formulas, where) for one in rule.formula]
    for scale in (rule.colorScale, rule.dataBar, rule.iconSet):
        for bound in scale.cfvo if scale is not None else ():
            if bound.type == "formula" and bound.val is not None:
                bound.val = formulas.rewrite(f"={bound.val}", sheet.title, where)[1:]


def _validations(sheet: Worksheet, formulas: Formulas) -> None:
    kept: list[DataValidation] = []
    for one in sheet.data_validations.dataValidation:
        where = f"validation {sheet.title}!{one.sqref}"
        old = list(one.sqref.ranges)
        new = ranges(old, sheet.title, formulas)
        if new:
            for name in ("formula1", "formula2"):
                text = getattr(one, name)
                if text is not None:
                    setattr(one, name, _relative(str(text), old, new, sheet, formulas, where))
            one.sqref = type(one.sqref)(" ".join(new))
            kept.append(one)
    sheet.data_validations.dataValidation = kept


def _relative(
    text: str, old: list[CellRange], new: list[str], sheet: Worksheet, formulas: Formulas, where: str
) -> str:
    """Return the formula of a rule, which is that of the first cell and meant for each cell of its ranges.

    It is looked at from the corners of the ranges; where they come to differ no single formula says it.
    """
    anchor, target = old[0], new[0].partition(":")[0]
    origin = coord(Area((anchor.min_row,) * 2, (anchor.min_col,) * 2))
    found: dict[str, None] = {}
    for row, column in _corners(old):
        probe = Area((row, row), (column, column))
        moved = formulas.edit.area(sheet.title, probe)
        if moved is not None:
            there = Translator(f"={text}", origin).translate_formula(coord(probe))
            followed = formulas.moved(there, sheet.title, where)
            found[Translator(followed, coord(moved)).translate_formula(target)] = None
    if len(found) != 1:
        formulas.followed.blocked.append(where)
        return text
    result = next(iter(found))
    if result.count(LOST) > text.count(LOST):
        formulas.followed.lost.append(where)
    formulas.followed.changed += result != f"={text}"
    return result[1:]


def _corners(cells: list[CellRange]) -> Iterator[tuple[int, int]]:
    for one in cells:
        yield one.min_row, one.min_col
        yield one.max_row, one.max_col


def _tables(sheet: Worksheet, formulas: Formulas) -> None:
    for table in sheet.tables.values():
        for column in table.tableColumns:
            for formula in (column.calculatedColumnFormula, column.totalsRowFormula):
                if formula is not None and isinstance(formula.attr_text, str):
                    where = f"table {table.displayName}"
                    formula.attr_text = formulas.rewrite(f"={formula.attr_text}", sheet.title, where)[1:]


def _links(sheet: Worksheet, formulas: Formulas) -> None:
    for cell in sheet._cells.values():
        link = cell.hyperlink
        if link is not None and link.location and not link.target:
            new = formulas.moved(f"={link.location}", sheet.title, f"link {sheet.title}!{cell.coordinate}")
            link.location = new[1:]
