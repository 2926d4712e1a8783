"""What can happen to the lines and sheets of a workbook, and where an area of cells is afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

MAX_ROW = 1_048_576
MAX_COLUMN = 16_384


class Axis(StrEnum):
    """What a line is."""

    ROW = "row"
    COLUMN = "column"


@dataclass(frozen=True, slots=True)
class Area:
    """Cells of one sheet; an axis without bounds is all of it."""

    rows: tuple[int, int] = (1, MAX_ROW)
    columns: tuple[int, int] = (1, MAX_COLUMN)


class Edit(Protocol):
    """What happens to the cells and sheets that formulas refer to."""

    def area(self, sheet: str, area: Area) -> Area | None:
        """Return where the cells are afterwards, None where they are gone."""
        ...

    def sheet(self, name: str) -> str:
        """Return the name of a sheet afterwards."""
        ...

    def touches(self, sheets: Sequence[str]) -> bool:
        """Return whether it changes what a reference over all these sheets means."""
        ...

    def loses_table(self, name: str) -> bool:
        """Return whether a table is gone afterwards."""
        ...


@dataclass(frozen=True, slots=True)
class Shift:
    """`count` lines come before line `at` of a sheet, or go from it on where the count is below zero."""

    name: str
    axis: Axis
    at: int
    count: int

    @property
    def most(self) -> int:
        """The last line there can be."""
        return MAX_ROW if self.axis is Axis.ROW else MAX_COLUMN

    def line(self, number: int) -> int | None:
        """Return the number of a line afterwards, None where it is gone or falls off the sheet."""
        if number < self.at:
            return number
        if self.count < 0 and number < self.at - self.count:
            return None
        moved = number + self.count
        return moved if moved <= self.most else None

    def span(self, low: int, high: int) -> tuple[int, int] | None:
        """Return the lines that become of some, None where all are gone."""
        if (low, high) == (1, self.most):
            return low, high
        if self.count > 0:
            low = low + self.count if low >= self.at else low
            high = high + self.count if high >= self.at else high
            return (low, min(high, self.most)) if low <= self.most else None
        gone_to = self.at - self.count - 1
        new_low = low if low < self.at else max(low, gone_to + 1) + self.count
        new_high = high if high < self.at else max(high, gone_to) + self.count
        return (new_low, new_high) if new_low <= new_high else None

    def area(self, sheet: str, area: Area) -> Area | None:
        if sheet.casefold() != self.name.casefold():
            return area
        if self.axis is Axis.ROW:
            rows = self.span(*area.rows)
            return Area(rows, area.columns) if rows else None
        columns = self.span(*area.columns)
        return Area(area.rows, columns) if columns else None

    def changes(self, sheet: str, area: Area) -> bool:
        """Return whether lines within an area of a sheet (by its folded name) come or go."""
        if sheet != self.name.casefold():
            return False
        low, high = area.rows if self.axis is Axis.ROW else area.columns
        if self.count > 0:
            return low < self.at <= high and (low, high) != (1, self.most)
        return low < self.at - self.count and high >= self.at

    def sheet(self, name: str) -> str:
        return name

    def touches(self, sheets: Sequence[str]) -> bool:
        return self.name.casefold() in {one.casefold() for one in sheets}

    def loses_table(self, name: str) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Rename:
    """A sheet gets another name."""

    old: str
    new: str

    def area(self, sheet: str, area: Area) -> Area | None:
        return area

    def sheet(self, name: str) -> str:
        return self.new if name.casefold() == self.old.casefold() else name

    def touches(self, sheets: Sequence[str]) -> bool:
        return False

    def loses_table(self, name: str) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Removal:
    """A sheet goes, and with it its tables (folded names)."""

    name: str
    tables: frozenset[str] = frozenset()

    def area(self, sheet: str, area: Area) -> Area | None:
        return None if sheet.casefold() == self.name.casefold() else area

    def sheet(self, name: str) -> str:
        return name

    def touches(self, sheets: Sequence[str]) -> bool:
        return self.name.casefold() in {one.casefold() for one in sheets}

    def loses_table(self, name: str) -> bool:
        return name.casefold() in self.tables
