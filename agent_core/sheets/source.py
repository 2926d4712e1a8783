"""Rows of a workbook or a CSV file, one at a time: reading holds no sheet in memory.

All of it blocks and belongs in a thread.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Protocol

from openpyxl.utils import get_column_letter

from agent_core.errors import NoteRefusal
from agent_core.sheets.edits import MAX_ROW, Area
from agent_core.sheets.package import BROKEN, SUFFIXES, Package, Part, Scan, open_package
from agent_core.sheets.references import area_of
from agent_core.sheets.streaming import Streamed, Uncalculated, stream
from agent_core.sheets.values import bounded, shown
from agent_core.sheets.workbook import find_sheet

MAX_CELL_CHARS = 2_000
_DELIMITED = ("csv", "tsv", "tab")
_QUOTED = re.compile(r"'(?:'*[\s\"',;|]*[=+\-@＝＋－＠]|'*[\t\r\n])")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")
_SNIFFED_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class CellRead:
    """A cell that holds something. `value` is what a library made of it, `text` what people read.

    `is_uncalculated`: a formula that no program has calculated since it was written; its text is the formula.
    """

    row: int
    column: int
    value: object
    text: str
    is_uncalculated: bool = False

    @property
    def name(self) -> str:
        """Its coordinate."""
        return f"{get_column_letter(self.column)}{self.row}"


@dataclass(frozen=True, slots=True)
class SheetRead:
    """What is known of a sheet before its cells are read. `state`: visible, hidden or veryHidden."""

    name: str
    state: str = "visible"
    scan: Scan = field(default_factory=Scan)


class Book(Protocol):
    """A file with sheets."""

    @property
    def names(self) -> Sequence[str]:
        """The names of its sheets, in order."""
        ...

    def sheet(self, name: str) -> SheetRead:
        """Return what is known of a sheet."""
        ...

    def rows(self, name: str, area: Area, *, formulas: bool = False) -> Iterator[list[CellRead]]:
        """Yield the rows of an area that hold something, with what they hold; formulas instead of values."""
        ...


def open_source(path: str, content: bytes) -> Book:
    """Return a file for reading.

    Raises:
        NoteRefusal: reason "sheet_kind", or as `open_package`.
    """
    suffix = path.rpartition(".")[2].lower()
    if suffix in _DELIMITED:
        return _Delimited(path, _decoded(content), suffix != "csv")
    if suffix not in SUFFIXES:
        raise NoteRefusal(reason="sheet_kind", path=path)
    return Excel(open_package(path, content))


@dataclass(frozen=True, slots=True)
class Excel:
    """A workbook."""

    package: Package

    @property
    def names(self) -> Sequence[str]:
        return [part.name for part in self._parts]

    @property
    def _parts(self) -> list[Part]:
        return [part for part in self.package.sheets if part.kind == "worksheet"]

    def sheet(self, name: str) -> SheetRead:
        part = next(part for part in self._parts if part.name == name)
        return SheetRead(name, part.state, self.package.scan(part))

    def rows(self, name: str, area: Area, *, formulas: bool = False) -> Iterator[list[CellRead]]:
        scan = self.sheet(name).scan
        last, right = min(area.rows[1], scan.rows), min(area.columns[1], scan.columns)
        if area.rows[0] > last or area.columns[0] > right:
            return
        used = Area((area.rows[0], last), (area.columns[0], right))
        try:
            for row in stream(self.package.content, name, used, formulas=formulas):
                yield [_cell(one) for one in row]
        except BROKEN as error:
            raise NoteRefusal(reason="sheet_broken", path=self.package.path) from error


@dataclass(frozen=True, slots=True)
class _Delimited:
    """A text file with values apart by a sign; it is one sheet."""

    path: str
    text: str
    is_tabbed: bool

    @property
    def names(self) -> Sequence[str]:
        return [self.path.rpartition("/")[2].rpartition(".")[0]]

    def sheet(self, name: str) -> SheetRead:
        scan = Scan()
        for row in self.rows(name, Area()):
            scan.rows = row[-1].row
            scan.columns = max(scan.columns, row[-1].column)
            scan.cells += len(row)
        return SheetRead(name, scan=scan)

    def rows(self, name: str, area: Area, *, formulas: bool = False) -> Iterator[list[CellRead]]:
        try:
            reader = csv.reader(StringIO(self.text, newline=""), delimiter=self._delimiter())
            for number, row in enumerate(reader, 1):
                if number > min(area.rows[1], MAX_ROW):
                    return
                if number >= area.rows[0]:
                    cells = [
                        _delimited(number, column, value) for column, value in enumerate(row, 1) if value
                    ]
                    kept = [one for one in cells if area.columns[0] <= one.column <= area.columns[1]]
                    if kept:
                        yield kept
        except csv.Error as error:
            raise NoteRefusal(reason="sheet_broken", path=self.path) from error

    def _delimiter(self) -> str:
        head = self.text[:_SNIFFED_CHARS]
        return "\t" if self.is_tabbed else max(",;\t|", key=head.count)


def chosen(book: Book, path: str, sheet: str, cells: str) -> tuple[SheetRead, Area]:
    """Return a sheet of a file and the used part of a range of it, "" being all.

    Raises:
        NoteRefusal: reason "sheet_unknown" or "sheet_range".
    """
    found = book.sheet(find_sheet(path, sheet, list(book.names)))
    used = Area((1, max(1, found.scan.rows)), (1, max(1, found.scan.columns)))
    if not cells.strip():
        return found, used
    area = Area() if cells.strip() == "*" else _named_area(cells)
    if area is None:
        raise NoteRefusal(reason="sheet_range", path=path, range=cells[:60])
    rows = (area.rows[0], max(area.rows[0], min(area.rows[1], used.rows[1])))
    columns = (area.columns[0], max(area.columns[0], min(area.columns[1], used.columns[1])))
    return found, Area(rows, columns)


def _named_area(cells: str) -> Area | None:
    return area_of(cells.rpartition("!")[2])


def _cell(one: Streamed) -> CellRead:
    missing = isinstance(one.value, Uncalculated)
    value = one.value.formula if isinstance(one.value, Uncalculated) else one.value
    text = bounded(shown(value, one.number_format), MAX_CELL_CHARS)
    return CellRead(one.row, one.column, None if missing else value, text, missing)


def _delimited(row: int, column: int, value: str) -> CellRead:
    if _QUOTED.match(value):
        return CellRead(row, column, value[1:], bounded(value[1:], MAX_CELL_CHARS))
    number = float(value) if _NUMBER.fullmatch(value) else None
    return CellRead(row, column, value if number is None else number, bounded(value, MAX_CELL_CHARS))


def _decoded(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")
