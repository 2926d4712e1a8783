"""How the references of a formula follow when lines come or go, a sheet gets another name, or goes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from openpyxl.formula.tokenizer import Token, Tokenizer, TokenizerError
from openpyxl.utils import get_column_letter

from agent_core.sheets.edits import MAX_COLUMN, MAX_ROW, Area, Edit

LOST = "#REF!"

_CORNER = re.compile(r"(\$?)([A-Za-z]{1,3})(\$?)([0-9]{1,7})")
_COLUMN = re.compile(r"(\$?)([A-Za-z]{1,3})")
_ROW = re.compile(r"(\$?)([0-9]{1,7})")
_FROM_TEXT = re.compile(r"(?:^|:)(?:INDIRECT)\($", re.IGNORECASE)


@dataclass(slots=True)
class Followed:
    """What following an edit came to; places are named as they were before it.

    `lost` are formulas that lose what they refer to, `blocked` what can't follow, `from_text` formulas that
    build references out of text.
    """

    changed: int = 0
    lost: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    from_text: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Formulas:
    """Rewrites formulas for one edit of a workbook with these sheets."""

    edit: Edit
    sheets: Sequence[str]
    followed: Followed = field(default_factory=Followed)

    def rewrite(self, formula: str, home: str, where: str) -> str:
        """Return a formula, which begins with "=", as it has to read afterwards."""
        new = self.moved(formula, home, where)
        if new != formula:
            self.followed.changed += 1
            if new.count(LOST) > formula.count(LOST):
                self.followed.lost.append(where)
        return new

    def moved(self, formula: str, home: str, where: str) -> str:
        """Return a formula as `rewrite` does; only what blocks it, or comes from text, is noted."""
        try:
            tokens = Tokenizer(formula).items
        except (TokenizerError, IndexError, AssertionError):  # what it raises for what is no formula
            tokens = []
        if "=" + "".join(token.value for token in tokens) != formula:
            self.followed.blocked.append(where)
            return formula
        return "=" + "".join(self._token(token, home, where) for token in tokens)

    def _token(self, token: Token, home: str, where: str) -> str:
        text: str = token.value
        if token.type == Token.OPERAND and token.subtype == Token.RANGE:
            return self._operand(text, home, where)
        if token.type == Token.FUNC and token.subtype == Token.OPEN:
            if _FROM_TEXT.search(text):
                self.followed.from_text.append(where)
            pieces = _pieces(text)
            if len(pieces) > 1:
                return ":".join([self._operand(":".join(pieces[:-1]), home, where), pieces[-1]])
        return text

    def _operand(self, text: str, home: str, where: str) -> str:
        if "[" in text:
            table = text.partition("[")[0]
            return LOST if table and self.edit.loses_table(table) else text
        if self.edit.loses_table(text):
            return LOST
        spanned = self._spanned(text)
        if spanned is not None:
            return self._over_sheets(text, spanned, where)
        pieces = _pieces(text)
        if len(pieces) == 2 and all(pieces):
            return self._range(pieces, home)
        return ":".join(self._cell(piece, home) if piece else piece for piece in pieces)

    def _spanned(self, text: str) -> tuple[str, str] | None:
        """Return the first and the last sheet of a reference over several sheets."""
        sheet, _ = _split(text)
        first, colon, last = (sheet or "").partition(":")
        if not colon and (sheet is None or "!" not in text):
            pieces = _pieces(text)
            if len(pieces) != 2 or "!" in pieces[0] or "!" not in pieces[1]:
                return None
            first, last = pieces[0], _split(pieces[1])[0] or ""
        elif not colon:
            return None
        known = {one.casefold() for one in self.sheets}
        return (first, last) if first.casefold() in known and last.casefold() in known else None

    def _over_sheets(self, text: str, spanned: tuple[str, str], where: str) -> str:
        order = [one.casefold() for one in self.sheets]
        low, high = sorted(order.index(one.casefold()) for one in spanned)
        if self.edit.touches(self.sheets[low : high + 1]):
            self.followed.blocked.append(where)
            return text
        renamed = tuple(map(self.edit.sheet, spanned))
        return text if renamed == spanned else f"{quoted(':'.join(renamed))}!{text.rpartition('!')[2]}"

    def _range(self, pieces: Sequence[str], home: str) -> str:
        (first_sheet, first), (last_sheet, last) = map(_split, pieces)
        if last_sheet is not None and last_sheet != first_sheet:
            return ":".join(self._cell(piece, home) for piece in pieces)
        parsed = _bounds(first, last)
        if parsed is None:
            return ":".join(self._cell(piece, home) for piece in pieces)
        moved = self.edit.area(home if first_sheet is None else first_sheet, parsed)
        if moved is None:
            return LOST
        ends = (first, last) if moved == parsed else _written(first, last, moved)
        named = zip(pieces, (first_sheet, last_sheet), ends, strict=True)
        return ":".join(f"{self._prefix(piece, sheet)}{end}" for piece, sheet, end in named)

    def _cell(self, piece: str, home: str) -> str:
        sheet, reference = _split(piece)
        match = _CORNER.fullmatch(reference)
        area = _corner_area(match) if match else None
        if area is None:
            return f"{self._prefix(piece, sheet)}{reference}" if sheet is not None else piece
        moved = self.edit.area(home if sheet is None else sheet, area)
        if moved is None:
            return LOST
        text = reference if moved == area else _written(reference, reference, moved)[0]
        return f"{self._prefix(piece, sheet)}{text}"

    def _prefix(self, piece: str, sheet: str | None) -> str:
        if sheet is None:
            return ""
        new = self.edit.sheet(sheet)
        return f"{quoted(new)}!" if new != sheet else piece[: piece.rindex("!") + 1]


def quoted(sheet: str) -> str:
    """Return a sheet's name as formulas write it."""
    return "'" + sheet.replace("'", "''") + "'"


def area_of(text: str) -> Area | None:
    """Return the cells that A1, A1:B2, A:B or 1:2 names, None where it names none."""
    first, _, last = text.replace("$", "").strip().partition(":")
    match = None if last else _CORNER.fullmatch(first)
    return _corner_area(match) if match else _bounds(first, last or first)


def coord(area: Area) -> str:
    """Return an area as A1:B2, of one cell as A1."""
    first = f"{get_column_letter(area.columns[0])}{area.rows[0]}"
    last = f"{get_column_letter(area.columns[1])}{area.rows[1]}"
    return first if first == last else f"{first}:{last}"


def column_number(letters: str) -> int:
    """Return the number of a column."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def _pieces(text: str) -> list[str]:
    """Return what stands between the colons that are not in quotes."""
    found, quote = [""], False
    for char in text:
        if char == "'":
            quote = not quote
        if char == ":" and not quote:
            found.append("")
        else:
            found[-1] += char
    return found


def _split(piece: str) -> tuple[str | None, str]:
    """Return the sheet that a reference names, None for its own, and the rest."""
    if "!" not in piece:
        return None, piece
    place = piece.rindex("!")
    sheet = piece[:place]
    if sheet.startswith("'") and sheet.endswith("'") and len(sheet) > 1:
        sheet = sheet[1:-1].replace("''", "'")
    return sheet, piece[place + 1 :]


def _corner_area(match: re.Match[str]) -> Area | None:
    column, row = column_number(match[2]), int(match[4])
    if not (1 <= row <= MAX_ROW and column <= MAX_COLUMN):
        return None
    return Area((row, row), (column, column))


def _bounds(first: str, last: str) -> Area | None:
    one, other = _CORNER.fullmatch(first), _CORNER.fullmatch(last)
    if one and other:
        a, b = _corner_area(one), _corner_area(other)
        return Area(_ordered(a.rows[0], b.rows[0]), _ordered(a.columns[0], b.columns[0])) if a and b else None
    one, other = _COLUMN.fullmatch(first), _COLUMN.fullmatch(last)
    if one and other:
        columns = _ordered(column_number(one[2]), column_number(other[2]))
        return Area(columns=columns) if columns[1] <= MAX_COLUMN else None
    one, other = _ROW.fullmatch(first), _ROW.fullmatch(last)
    if one and other:
        rows = _ordered(int(one[2]), int(other[2]))
        return Area(rows=rows) if rows[0] >= 1 and rows[1] <= MAX_ROW else None
    return None


def _ordered(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one <= other else (other, one)


def _written(first: str, last: str, area: Area) -> tuple[str, str]:
    """Return the ends of a range with their dollar signs, in the order in which they stood."""
    one, other = _CORNER.fullmatch(first), _CORNER.fullmatch(last)
    if one and other:
        rows = _as_stood(int(one[4]), int(other[4]), area.rows)
        columns = _as_stood(column_number(one[2]), column_number(other[2]), area.columns)
        return (
            f"{one[1]}{get_column_letter(columns[0])}{one[3]}{rows[0]}",
            f"{other[1]}{get_column_letter(columns[1])}{other[3]}{rows[1]}",
        )
    one, other = _COLUMN.fullmatch(first), _COLUMN.fullmatch(last)
    if one and other:
        columns = _as_stood(column_number(one[2]), column_number(other[2]), area.columns)
        return f"{one[1]}{get_column_letter(columns[0])}", f"{other[1]}{get_column_letter(columns[1])}"
    one, other = _ROW.fullmatch(first), _ROW.fullmatch(last)
    assert one is not None  # noqa: S101  only what `_bounds` has read comes here
    assert other is not None  # noqa: S101  as above
    rows = _as_stood(int(one[2]), int(other[2]), area.rows)
    return f"{one[1]}{rows[0]}", f"{other[1]}{rows[1]}"


def _as_stood(first: int, last: int, ends: tuple[int, int]) -> tuple[int, int]:
    return ends if first <= last else (ends[1], ends[0])
