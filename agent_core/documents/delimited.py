"""Makes CSV whose cells run nothing where it is opened: texts that look like formulas begin with a quote.

A quote is put before such a text, and before one that begins with quotes and then looks like one, so that
`restored` gives back every text as it was. Numbers stay as they are.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from datetime import date
from io import StringIO
from typing import Literal, TypeAlias

from agent_core.documents.model import Made
from agent_core.documents.rows import Cell, Sheet

MEDIA_TYPE = "text/csv"
Separator: TypeAlias = Literal["comma", "semicolon", "tab"]

_SEPARATORS: Mapping[Separator, str] = {"comma": ",", "semicolon": ";", "tab": "\t"}
_FORMULA = re.compile(r"'*[\s\"',;|]*[=+\-@＝＋－＠]|'*[\t\r\n]")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*%?")


def make_csv(sheet: Sheet, separator: Separator = "comma") -> Made:
    """Return the table as UTF-8 with a byte order mark, by which spreadsheet programs know it."""
    written = StringIO(newline="")
    writer = csv.writer(written, delimiter=_SEPARATORS[separator], quoting=csv.QUOTE_NONNUMERIC)
    rows: list[Sequence[Cell]] = [sheet.header, *sheet.rows] if sheet.header else list(sheet.rows)
    writer.writerows([_written(value) for value in row] for row in rows)
    return Made(
        content=written.getvalue().encode("utf-8-sig"),
        media_type=MEDIA_TYPE,
        suffix=".csv",
        facts={"rows": len(sheet.rows)},
        removed=sheet.removed,
    )


def neutral(text: str) -> str:
    """Return the text as a cell that runs nothing."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def restored(cell: str) -> str:
    """Return the text that `neutral` was given."""
    return cell[1:] if cell.startswith("'") and neutral(cell[1:]) == cell else cell


def _written(value: Cell) -> str | int | float:
    match value:
        case None:
            return ""
        case bool():
            return str(value).upper()
        case str():
            return neutral(value)
        case date():
            return value.isoformat()
    return value
