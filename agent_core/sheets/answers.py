"""What spreadsheets answer. Cells are named as A1; rows count from 1."""

from typing import Literal

from agent_core.lore.answers import Answer


class SheetItem(Answer):
    """A sheet: the range that holds something, its formulas, and how many of them have no value yet."""

    name: str
    state: Literal["visible", "hidden", "veryHidden"] = "visible"
    range: str = ""
    rows: int = 0
    columns: int = 0
    formulas: int = 0
    uncalculated: int = 0
    merged: tuple[str, ...] = ()


class SheetList(Answer):
    """The sheets of a file. `version` is what a write may give back.

    `lost` is what a write would lose: it is refused, but for a copy.
    """

    vault: str
    path: str
    sheets: tuple[SheetItem, ...]
    version: str
    lost: tuple[str, ...] = ()


class SheetText(Answer):
    """A range as a Markdown table, headed by the letters of its columns and the numbers of its rows.

    `next_range` is where to go on, "" at the end. `uncalculated` are formulas without a value: no program
    has calculated them since they were written, and the table shows the formula.
    """

    vault: str
    path: str
    sheet: str
    range: str
    text: str
    version: str
    used: str = ""
    next_range: str = ""
    uncalculated: tuple[str, ...] = ()
    hint: str = ""


class CellHit(Answer):
    """A cell that was found, with the beginning of its row."""

    sheet: str
    cell: str
    text: str
    row: str = ""
    hidden: bool = False


class CellsFound(Answer):
    """Cells that hold all the words, in order; `more` are not listed."""

    vault: str
    path: str
    items: tuple[CellHit, ...]
    total: int
    more: int = 0
    hint: str = ""


class ColumnStats(Answer):
    """A column of a range. `count` counts what is not blank; the figures are those of its numbers.

    `earliest` and `latest` are those of its dates; `distinct` is None where there are too many to count.
    """

    column: str
    name: str = ""
    count: int
    blanks: int
    numbers: int = 0
    sum: float | None = None
    mean: float | None = None
    min: float | None = None
    max: float | None = None
    median: float | None = None
    distinct: int | None = None
    texts: int = 0
    dates: int = 0
    earliest: str = ""
    latest: str = ""
    truths: int = 0
    errors: int = 0
    uncalculated: int = 0


class RangeStats(Answer):
    """Figures of each column of a range; `header` says that its first row is names, and not counted."""

    vault: str
    path: str
    sheet: str
    range: str
    header: bool
    columns: tuple[ColumnStats, ...]
    hint: str = ""
