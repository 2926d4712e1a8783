"""Figures of the columns of a range, counted while its rows go by.

All of it blocks and belongs in a thread.
"""

import math
from array import array
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from statistics import median

from openpyxl.utils import get_column_letter

from agent_core.sheets.answers import ColumnStats, RangeStats
from agent_core.sheets.edits import Area
from agent_core.sheets.references import coord
from agent_core.sheets.source import CellRead, chosen, open_source
from agent_core.sheets.values import shown

MAX_COLUMNS = 200
MAX_DISTINCT = 100_000
_ERRORS = frozenset({"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA"})


def analyze(vault: str, path: str, content: bytes, sheet: str, cells: str, *, header: bool) -> RangeStats:
    """Return figures of each column of a range, the first row being names if there is a `header`."""
    book = open_source(path, content)
    found, area = chosen(book, path, sheet, cells)
    right = min(area.columns[1], area.columns[0] + MAX_COLUMNS - 1)
    area = Area(area.rows, (area.columns[0], right))
    columns = {number: _Column() for number in range(area.columns[0], right + 1)}
    names: dict[int, str] = {}
    for row in book.rows(found.name, area):
        for cell in row:
            if header and cell.row == area.rows[0]:
                names[cell.column] = cell.text
            else:
                columns[cell.column].take(cell)
    counted = area.rows[1] - area.rows[0] + 1 - header
    stats = tuple(one.stats(number, names.get(number, ""), counted) for number, one in columns.items())
    hint = "formulas without a value are in no figure" if any(one.uncalculated for one in stats) else ""
    return RangeStats(
        vault=vault, path=path, sheet=found.name, range=coord(area), header=header, columns=stats, hint=hint
    )


@dataclass(slots=True)
class _Column:
    """What has been met in a column so far."""

    numbers: "array[float]" = field(default_factory=lambda: array("d"))
    whole: int = 0
    are_whole: bool = True
    seen: set[str] | None = field(default_factory=set)
    texts: int = 0
    truths: int = 0
    errors: int = 0
    dates: int = 0
    uncalculated: int = 0
    earliest: datetime | None = None
    latest: datetime | None = None

    def take(self, cell: CellRead) -> None:
        if cell.is_uncalculated:
            self.uncalculated += 1
            return
        self._distinct(cell)
        value = cell.value
        if isinstance(value, bool):
            self.truths += 1
        elif isinstance(value, int | float):
            self._number(value)
        elif isinstance(value, date):
            self._date(value)
        elif isinstance(value, time | timedelta):
            self.dates += 1
        elif cell.text in _ERRORS:
            self.errors += 1
        else:
            self.texts += 1

    def stats(self, number: int, name: str, rows: int) -> ColumnStats:
        """Return the figures; whole numbers are summed exactly."""
        values = self.numbers
        met = len(values) + self.texts + self.truths + self.errors + self.dates
        total = (self.whole if self.are_whole else math.fsum(values)) if values else None
        return ColumnStats(
            column=get_column_letter(number),
            name=name,
            count=met + self.uncalculated,
            blanks=rows - met - self.uncalculated,
            numbers=len(values),
            sum=_rounded(total),
            mean=_rounded(total / len(values) if total is not None else None),
            min=min(values, default=None),
            max=max(values, default=None),
            median=_rounded(median(values) if values else None),
            distinct=len(self.seen) if self.seen is not None else None,
            texts=self.texts,
            dates=self.dates,
            earliest=shown(self.earliest),
            latest=shown(self.latest),
            truths=self.truths,
            errors=self.errors,
            uncalculated=self.uncalculated,
        )

    def _distinct(self, cell: CellRead) -> None:
        if self.seen is not None:
            self.seen.add(f"{type(cell.value).__name__[:1]}{cell.text}")
            if len(self.seen) > MAX_DISTINCT:
                self.seen = None

    def _number(self, value: float) -> None:
        self.numbers.append(value)
        if self.are_whole and float(value).is_integer():
            self.whole += int(value)
        else:
            self.are_whole = False

    def _date(self, value: date) -> None:
        self.dates += 1
        moment = value if isinstance(value, datetime) else datetime.combine(value, time())
        self.earliest = min(moment, self.earliest or moment)
        self.latest = max(moment, self.latest or moment)


def _rounded(number: float | None) -> float | None:
    """Return a figure without what is below the exactness of a spreadsheet."""
    return None if number is None else float(f"{number:.15g}")
