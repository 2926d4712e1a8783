"""The filled cells of a sheet as they stand in the file: openpyxl's own reader fills up what is missing.

One pass gives values, and the formulas of cells that have none. All of it blocks and belongs in a thread.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from openpyxl import load_workbook
from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

from agent_core.sheets.edits import Area
from agent_core.sheets.workbook import hush


@dataclass(frozen=True, slots=True)
class Uncalculated:
    """The value of a formula that no program has calculated."""

    formula: object


@dataclass(frozen=True, slots=True)
class Streamed:
    """A cell as it was read. `value` is what openpyxl made of it."""

    row: int
    column: int
    value: object
    number_format: str


def stream(content: bytes, sheet: str, area: Area, *, formulas: bool) -> Iterator[list[Streamed]]:
    """Yield the rows of an area that hold something; formulas instead of their values if asked for.

    Raises:
        whatever `package.BROKEN` lists.
    """
    hush()
    with closing(load_workbook(BytesIO(content), read_only=True, data_only=not formulas)) as book:
        source = book[sheet]
        assert isinstance(source, ReadOnlyWorksheet)  # noqa: S101  no other kind is opened so
        # Any: openpyxl's stubs leave out what its own reader of such a sheet uses.
        held: Any = source
        parts: Any = book
        with held._get_source() as xml:
            parser = _Parser(
                xml,
                held._shared_strings,
                data_only=not formulas,
                epoch=book.epoch,
                date_formats=parts._date_formats,
                timedelta_formats=parts._timedelta_formats,
            )
            for number, row in parser.parse():
                if number > area.rows[1]:
                    return
                if number >= area.rows[0] and (cells := list(_filled(source, row, area))):
                    yield cells


class _Parser(WorkSheetParser):
    """Reads values, but where a formula has none, the formula."""

    def parse_cell(self, element: Any) -> dict[str, Any]:  # Any: as openpyxl has it
        cell: dict[str, Any] = super().parse_cell(element)
        if self.data_only and element.find(FORMULA_TAG) is not None:
            formula = self._written(element)  # each, as later ones may be copies of it
            if cell["value"] is None and element.get("t") != "str":
                cell["value"] = Uncalculated(formula)
        return cell

    def _written(self, element: Any) -> object:  # Any: as openpyxl has it
        return self.parse_formula(element)  # type: ignore[no-untyped-call]  # its stubs leave it open


# Any: openpyxl's own records of cells.
def _filled(sheet: ReadOnlyWorksheet, row: list[dict[str, Any]], area: Area) -> Iterator[Streamed]:
    for cell in row:
        value = cell["value"]
        if value is not None and area.columns[0] <= cell["column"] <= area.columns[1]:
            plain = isinstance(value, str | bool | Uncalculated) or not cell["style_id"]
            number_format = "General" if plain else ReadOnlyCell(sheet, **cell).number_format
            yield Streamed(cell["row"], cell["column"], value, number_format)
