"""Values of cells: as they are read, and as they are put in."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum

from openpyxl.formula.tokenizer import Token, Tokenizer, TokenizerError
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula

from agent_core.errors import NoteRefusal

MAX_TEXT_CHARS = 32_767
MAX_FORMULA_CHARS = 8_192
EXACT_DIGITS = 15
FIRST_YEAR = 1900  # there is no day before it in a spreadsheet

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d+)*|[.,]\d+)\s*%?")
_IN_QUOTES = re.compile(r'"[^"]*"|\\.')
_REACHES_OUT = re.compile(
    r"\b(?:WEBSERVICE|IMAGE|RTD|CALL|REGISTER(?:\.ID)?|EXEC|STOCKHISTORY|CUBE\w+|IMPORT\w+)\s*\(",
    re.IGNORECASE,
)
_RUNS = ("=", "+", "-", "@", "\t", "\r")

Scalar = str | int | float | bool | None


class Kind(StrEnum):
    """What a given value is meant to be. AUTO takes texts as text and numbers as numbers."""

    AUTO = "auto"
    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    FORMULA = "formula"


@dataclass(frozen=True, slots=True)
class Put:
    """What goes into a cell: the value, whether it is a formula, what had to be done to it."""

    value: str | int | float | bool | date | time | None
    is_formula: bool = False
    cleaned: int = 0
    is_long_number: bool = False

    @property
    def is_text(self) -> bool:
        """Whether it is text."""
        return isinstance(self.value, str) and not self.is_formula

    @property
    def looks_like_number(self) -> bool:
        """Whether it is a text that people may have meant as a number."""
        return isinstance(self.value, str) and self.is_text and bool(_NUMBER.fullmatch(self.value.strip()))

    @property
    def looks_like_formula(self) -> bool:
        """Whether it is a text that a program would run if it were typed."""
        return isinstance(self.value, str) and self.is_text and self.value.startswith(_RUNS)


def put(path: str, cell: str, given: Scalar, kind: Kind) -> Put:
    """Return what goes into a cell.

    Raises:
        NoteRefusal: reason "sheet_value"; what was given can't be of that kind.
    """
    if given is None:
        return Put(None)
    if kind is Kind.FORMULA:
        return Put(_formula(path, cell, given), is_formula=True)
    if kind is Kind.DATE:
        return Put(_moment(path, cell, given))
    if kind is Kind.TEXT or isinstance(given, str):
        if kind is Kind.NUMBER:
            return _number(path, cell, _parsed(path, cell, str(given)))
        return _text(path, cell, str(given))
    return Put(given) if isinstance(given, bool) else _number(path, cell, given)


# openpyxl types the value of a cell as any of these, and what it read from a file that it did not expect.
def shown(value: object, number_format: str = "General") -> str:
    """Return a value as people read it; dates as ISO, shares as percent."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _shown_number(value, number_format)
    if isinstance(value, datetime | time | timedelta):
        return _shown_moment(value)
    if isinstance(value, ArrayFormula):
        return str(value.text or "=")
    if isinstance(value, DataTableFormula):
        return "={data table}"
    return str(value)


def bounded(text: str, most: int) -> str:
    """Return a text of so many characters at most."""
    return text if len(text) <= most else f"{text[:most]}…"


def refused(path: str, cell: str, problem: str) -> NoteRefusal:
    """Return the refusal of a value."""
    return NoteRefusal(reason="sheet_value", path=path, cell=cell, problem=problem)


def _shown_number(value: float, number_format: str) -> str:
    if "%" in _IN_QUOTES.sub("", number_format):
        return f"{_plain(Decimal(repr(value)) * 100)}%" if math.isfinite(value) else str(value)
    return str(value) if isinstance(value, int) else f"{value:.15g}"


def _shown_moment(value: datetime | time | timedelta) -> str:
    if isinstance(value, timedelta):
        return _shown_duration(value)
    exact = "seconds" if value.second else "minutes"
    if isinstance(value, time):
        return value.isoformat(timespec=exact)
    return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ", timespec=exact)


def _plain(number: Decimal) -> str:
    return f"{float(number):.15g}"


def _shown_duration(value: timedelta) -> str:
    seconds = round(value.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _text(path: str, cell: str, given: str) -> Put:
    text, cleaned = _ILLEGAL.subn("", given)
    if len(text.encode("utf-16-le")) > 2 * MAX_TEXT_CHARS:
        raise refused(path, cell, f"{len(text)} characters; a cell holds {MAX_TEXT_CHARS}")
    return Put(text, cleaned=cleaned)


def _parsed(path: str, cell: str, text: str) -> float:
    is_share = text.strip().endswith("%")
    try:
        number = Decimal(text.strip().rstrip("%").strip())
    except InvalidOperation as error:
        raise refused(path, cell, f"{text[:40]!r} is no number such as 1234.5") from error
    if not number.is_finite():
        raise refused(path, cell, "not a finite number")
    number = number / 100 if is_share else number
    return int(number) if number == number.to_integral_value() and abs(number) < 10**30 else float(number)


def _number(path: str, cell: str, number: float) -> Put:
    if not math.isfinite(number):
        raise refused(path, cell, "not a finite number")
    if isinstance(number, int) and abs(number) >= 10**EXACT_DIGITS:
        return Put(str(number), is_long_number=True)
    return Put(number)


def _moment(path: str, cell: str, given: Scalar) -> date | time:
    text = str(given).strip()
    readers: Iterable[type[date] | type[time]] = (date, datetime, time)
    for reader in readers:
        try:
            moment = reader.fromisoformat(text)
        except ValueError:
            continue
        if isinstance(moment, datetime | time) and moment.tzinfo is not None:
            raise refused(path, cell, "a spreadsheet knows no time zone; give the local time")
        if isinstance(moment, date) and moment.year < FIRST_YEAR:
            raise refused(path, cell, f"a spreadsheet knows no day before {FIRST_YEAR}; put it in as text")
        return moment
    raise refused(path, cell, f"{text[:40]!r} is no ISO date or time such as 2026-03-01 or 18:30")


def _formula(path: str, cell: str, given: Scalar) -> str:
    text = str(given).strip()
    text = text if text.startswith("=") else f"={text}"
    try:
        tokens = Tokenizer(text).items
    except (TokenizerError, IndexError, AssertionError) as error:  # what it raises for what is no formula
        raise refused(path, cell, "no formula: look at its brackets and quotes") from error
    if len(text) > MAX_FORMULA_CHARS or len(text) < 2 or _ILLEGAL.search(text):
        raise refused(path, cell, f"a formula has 1 to {MAX_FORMULA_CHARS} characters")
    if _REACHES_OUT.search(text) or any(_is_outside(token) for token in tokens):
        raise refused(path, cell, "a formula that reaches outside the file is not put in")
    if _opened(tokens) or _has_semicolon(tokens):
        raise refused(
            path, cell, "a formula has closed brackets, English names, and commas between arguments"
        )
    return text


def _is_outside(token: Token) -> bool:
    """Return whether a reference leads to another file or program, which opening the file would ask."""
    return (
        token.type == Token.OPERAND
        and token.subtype == Token.RANGE
        and ("|" in token.value or ("!" in token.value and ("[" in token.value or "\\" in token.value)))
    )


def _opened(tokens: list[Token]) -> int:
    return sum((token.subtype == Token.OPEN) - (token.subtype == Token.CLOSE) for token in tokens)


def _has_semicolon(tokens: list[Token]) -> bool:
    in_array = 0
    for token in tokens:
        if token.type == Token.ARRAY:
            in_array += 1 if token.subtype == Token.OPEN else -1
        elif token.value == ";" and not in_array:
            return True
    return False
