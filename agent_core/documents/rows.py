"""Rows as they go into a workbook or CSV: what each cell is, decided once for both."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, TypeAlias

from agent_core.documents.legible import legible

Given: TypeAlias = bool | int | float | str | None
Cell: TypeAlias = bool | int | float | str | date | None
ColumnType: TypeAlias = Literal["auto", "text", "number", "date"]

MAX_ROWS = 1_048_575
MAX_COLUMNS = 16_384
_MAX_EXACT = 999_999_999_999_999
"""A workbook's numbers have 15 digits; longer ones are kept as text."""
_NUMBER = re.compile(r"\s*(?P<number>[-+−]?\d{1,15}(?:\.\d{1,15})?)\s*(?P<percent>%?)\s*")


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table: `rows` may be shorter or longer than the header."""

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    removed: int = 0

    @property
    def columns(self) -> int:
        """How many columns the longest row has."""
        return max(map(len, (self.header, *self.rows)), default=0)


def sheet_of(
    name: str,
    header: Sequence[str],
    rows: Sequence[Sequence[Given]],
    types: Sequence[ColumnType] = (),
) -> Sheet:
    """Return the table; a text that doesn't fit the type of its column stays as it is."""
    removed = 0

    def cleaned(text: str) -> str:
        nonlocal removed
        kept, gone = legible(text)
        removed += gone
        return kept

    head = tuple(map(cleaned, header))
    read = tuple(
        tuple(
            _cell(
                cleaned(one) if isinstance(one, str) else one, types[place] if place < len(types) else "auto"
            )
            for place, one in enumerate(row)
        )
        for row in rows
    )
    return Sheet(cleaned(name), head, read, removed)


def _cell(given: Given, kind: ColumnType) -> Cell:
    if isinstance(given, int | float) and not isinstance(given, bool) and abs(given) > _MAX_EXACT:
        given = str(given)
    match kind:
        case "text" if given is not None:
            return given if isinstance(given, str) else _as_text(given)
        case "number" if isinstance(given, str):
            return _as_number(given)
        case "date" if isinstance(given, str):
            return _as_date(given)
    return given


def _as_text(given: bool | float) -> str:
    return str(given).upper() if isinstance(given, bool) else str(given)


def _as_number(text: str) -> int | float | str:
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    digits = match["number"].replace("−", "-")
    if match["percent"]:
        return float(digits) / 100
    return float(digits) if "." in digits else int(digits)


def _as_date(text: str) -> date | str:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return text
    return moment.replace(tzinfo=None)
