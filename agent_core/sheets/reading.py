"""Answers about spreadsheets: their sheets, ranges as Markdown, cells that hold words, figures of columns.

All of it blocks and belongs in a thread.
"""

from collections.abc import Iterator

from openpyxl.utils import get_column_letter

from agent_core.lore.fold import fold
from agent_core.sheets.answers import CellHit, CellsFound, SheetItem, SheetList, SheetText
from agent_core.sheets.edits import Area
from agent_core.sheets.losses import losses
from agent_core.sheets.references import coord
from agent_core.sheets.source import CellRead, Excel, SheetRead, chosen, open_source
from agent_core.sheets.values import bounded

MAX_MERGED = 50
MAX_UNCALCULATED = 50
MAX_COLUMNS = 100
MAX_EMPTY_ROWS = 2
HIT_CHARS = 200
_UNCALCULATED = "formulas without a value are shown as they are written; open and save the file in a program"


def list_sheets(vault: str, path: str, content: bytes, version: str) -> SheetList:
    """Return the sheets of a file, and what writing it would lose."""
    book = open_source(path, content)
    lost = losses(book.package) if isinstance(book, Excel) else ()
    items = tuple(_item(book.sheet(name)) for name in book.names)
    return SheetList(vault=vault, path=path, sheets=items, version=version, lost=tuple(map(str, lost)))


def to_markdown(
    vault: str, path: str, content: bytes, version: str, sheet: str, cells: str, *, formulas: bool, most: int
) -> SheetText:
    """Return a range as a Markdown table of so many characters at most."""
    book = open_source(path, content)
    found, area = chosen(book, path, sheet, cells)
    right = min(area.columns[1], area.columns[0] + MAX_COLUMNS - 1)
    shown = Area(area.rows, (area.columns[0], right))
    text, next_row, uncalculated = _table(book.rows(found.name, shown, formulas=formulas), shown, most)
    following = ""
    if next_row is not None:
        following = coord(Area((next_row, area.rows[1]), shown.columns))
    elif right < area.columns[1]:
        following = coord(Area(area.rows, (right + 1, area.columns[1])))
    return SheetText(
        vault=vault,
        path=path,
        sheet=found.name,
        range=coord(shown),
        text=text,
        version=version,
        used=_used(found),
        next_range=following,
        uncalculated=tuple(uncalculated[:MAX_UNCALCULATED]),
        hint=_UNCALCULATED if uncalculated else "",
    )


def search(vault: str, path: str, content: bytes, query: str, sheet: str, limit: int) -> CellsFound:
    """Return the cells that hold all the words of a query, of one sheet or of all."""
    words = fold(query).split()
    if not words:
        return CellsFound(vault=vault, path=path, items=(), total=0, hint="the query holds no word")
    book = open_source(path, content)
    names = [chosen(book, path, sheet, "")[0].name] if sheet else book.names
    items: list[CellHit] = []
    total = 0
    for name in names:
        hidden = book.sheet(name).state != "visible"
        for row in book.rows(name, Area()):
            for cell in row:
                folded = fold(cell.text)
                if not all(word in folded for word in words):
                    continue
                total += 1
                if len(items) < limit:
                    items.append(_hit(name, cell, row, hidden=hidden))
    more = total - len(items)
    hint = "narrow it by more words or by a sheet" if more else ""
    return CellsFound(vault=vault, path=path, items=tuple(items), total=total, more=more, hint=hint)


def _item(sheet: SheetRead) -> SheetItem:
    scan = sheet.scan
    state = sheet.state if sheet.state in {"hidden", "veryHidden"} else "visible"
    return SheetItem.model_validate(
        {
            "name": sheet.name,
            "state": state,
            "range": _used(sheet),
            "rows": scan.rows,
            "columns": scan.columns,
            "formulas": scan.formulas,
            "uncalculated": scan.uncalculated,
            "merged": tuple(scan.merged[:MAX_MERGED]),
        }
    )


def _used(sheet: SheetRead) -> str:
    return coord(Area((1, sheet.scan.rows), (1, sheet.scan.columns))) if sheet.scan.cells else ""


def _hit(sheet: str, cell: CellRead, row: list[CellRead], *, hidden: bool) -> CellHit:
    around = bounded(" | ".join(one.text for one in row[:8]), HIT_CHARS)
    return CellHit(sheet=sheet, cell=cell.name, text=bounded(cell.text, HIT_CHARS), row=around, hidden=hidden)


def _table(rows: Iterator[list[CellRead]], area: Area, most: int) -> tuple[str, int | None, list[str]]:
    """Return the table, the row to go on with, and the formulas without a value."""
    columns = range(area.columns[0], area.columns[1] + 1)
    head = ["", *map(get_column_letter, columns)]
    lines = [_line(head), _line(["---"] * len(head))]
    size = sum(map(len, lines))
    uncalculated: list[str] = []
    expected = area.rows[0]
    for row in rows:
        number = row[0].row
        texts = {cell.column: _escaped(cell.text) for cell in row}
        made = [
            *_gap(expected, number, len(head)),
            _line([str(number), *(texts.get(one, "") for one in columns)]),
        ]
        size += sum(map(len, made)) + len(made)
        if size > most and len(lines) > 2:
            return "\n".join(lines), number, uncalculated
        lines += made
        uncalculated += [cell.name for cell in row if cell.is_uncalculated]
        expected = number + 1
    return "\n".join(lines), None, uncalculated


def _gap(first: int, after: int, width: int) -> list[str]:
    """Return lines for rows that hold nothing: a few as they are, many as one."""
    if after - first <= MAX_EMPTY_ROWS:
        return [_line([str(number), *[""] * (width - 1)]) for number in range(first, after)]
    return [_line([f"{first}–{after - 1}", "(empty)", *[""] * (width - 2)])]


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return (
        text.replace("\\", "\\\\")
        .replace("|", "\\|")
        .replace("\r\n", "\n")
        .replace("\n", "<br>")
        .replace("\r", "<br>")
    )
