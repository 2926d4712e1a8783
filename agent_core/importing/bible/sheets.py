"""Character sheets as tables: CSV, TSV and XLSX, whose header row names the details."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime

from agent_core.errors import ImportFailure, NoteRefusal
from agent_core.importing.bible.fields import Written
from agent_core.importing.bible.files import BibleFile
from agent_core.importing.bible.mapping import Mapping_
from agent_core.importing.bible.model import Remark, Spot
from agent_core.importing.bible.note import ReadNote
from agent_core.importing.bible.words import Kind, Role
from agent_core.vault import paths

MAX_ROWS = 20_000
MAX_COLUMNS = 200
MAX_CELL_CHARS = 32_767
_DELIMITERS = ",;\t|"
_LISTS = frozenset({Role.ALIASES, Role.RELATION})

_WHY = {"sheet_encrypted": "encrypted", "too_large": "bomb"}

Row = tuple[int, Sequence[str]]


def read_sheet(file: BibleFile, mapping: Mapping_, remarks: list[Remark]) -> list[ReadNote]:
    """Return a note for each row; rows that say no name, or more than the header, are added to `remarks`.

    Raises:
        ImportFailure: not_text, damaged, too_large, encrypted, bomb or "sheet_header", "sheet_row".
    """
    if file.suffix == ".xlsx":
        return [
            note for title, rows in _workbook(file) for note in _notes(file, title, rows, mapping, remarks)
        ]
    return _notes(file, paths.title(file.path).rpartition(".")[0], _csv(file), mapping, remarks)


def _notes(
    file: BibleFile, title: str, rows: Iterable[Row], mapping: Mapping_, remarks: list[Remark]
) -> list[ReadNote]:
    header: Sequence[str] = ()
    notes: list[ReadNote] = []
    kind = _kind(file, title, mapping)
    for line, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        if not header:
            header = _header(file, line, cells)
            if kind is None and not file.named and not _is_about_entries(header, mapping):
                remarks.append(Remark("no_kind", Spot(file.path)))
                break
        elif any(cell.strip() for cell in cells[len(header) :]):
            remarks.append(Remark("too_many_cells", Spot(file.path, line)))
        else:
            fields = _fields(line, header, cells, mapping)
            types = (one.text for key, one in fields.items() if mapping.role(key) is Role.TYPE)
            own = next(map(mapping.kind, types), None)
            note = ReadNote(path=file.path, kind=own or kind or Kind.CHARACTER, fields=fields, line=line)
            if any(note.said(role, mapping) for role in (Role.NAME, Role.TITLE)):
                notes.append(note)
            else:
                remarks.append(Remark("no_name", Spot(file.path, line)))
    return notes


def _header(file: BibleFile, line: int, cells: Sequence[str]) -> Sequence[str]:
    header = [cell.strip() for cell in cells]
    while header and not header[-1]:
        header.pop()
    named = [key for key in header if key]
    if len(header) > MAX_COLUMNS or len({key.casefold() for key in named}) < len(header):
        raise ImportFailure(file=file.path, reason="sheet_header", line=line)
    return header


def _fields(line: int, header: Sequence[str], cells: Sequence[str], mapping: Mapping_) -> dict[str, Written]:
    """Return the cells by their keys; without a column of names the first one has them."""
    roles = [mapping.role(key) for key in header]
    named = Role.NAME in roles or Role.TITLE in roles
    fields: dict[str, Written] = {}
    for place, (key, role, cell) in enumerate(zip(header, roles, cells, strict=False)):
        if place == 0 and not named:
            fields["name"] = Written(line, cell.strip())
        elif role in _LISTS and ";" in cell:
            items = tuple(Written(line, part.strip()) for part in cell.split(";") if part.strip())
            fields[key] = Written(line, items=items)
        else:
            fields[key] = Written(line, cell)
    return fields


def _is_about_entries(header: Sequence[str], mapping: Mapping_) -> bool:
    """Tell whether a column says names or kinds: plans and word counts lie in folders of notes too."""
    return any(mapping.role(key) in (Role.NAME, Role.TITLE, Role.TYPE) for key in header)


def _kind(file: BibleFile, title: str, mapping: Mapping_) -> Kind | None:
    """Return what the sheet, its file or its folder is called after."""
    words = (title, *reversed(file.path.split("/")[:-1]))
    return next((kind for word in words if (kind := mapping.kind(word)) is not None), None)


def _csv(file: BibleFile) -> Iterator[Row]:
    text = file.text()
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count) if file.suffix == ".csv" else "\t"
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if line > MAX_ROWS or any(len(cell) > MAX_CELL_CHARS for cell in cells):
                raise ImportFailure(file=file.path, reason="too_large", limit=MAX_ROWS)
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise ImportFailure(file=file.path, reason="sheet_row", line=line) from error


def _workbook(file: BibleFile) -> Iterator[tuple[str, Iterable[Row]]]:
    import openpyxl  # noqa: PLC0415  slow to import, and most processes read no workbook

    from agent_core.sheets.package import BROKEN, open_package  # noqa: PLC0415  see above

    try:
        open_package(file.path, file.content)  # its limits hold for what a library would unpack
        book = openpyxl.load_workbook(io.BytesIO(file.content), read_only=True, data_only=True)
    except (NoteRefusal, *BROKEN) as error:
        raise ImportFailure(file=file.path, reason=_WHY.get(_reason(error), "damaged")) from error
    try:
        for sheet in book.worksheets:
            rows = sheet.iter_rows(values_only=True, max_row=MAX_ROWS, max_col=MAX_COLUMNS)
            yield sheet.title, [(n, [_cell(cell) for cell in row]) for n, row in enumerate(rows, 1)]
    except BROKEN as error:
        raise ImportFailure(file=file.path, reason="damaged") from error
    finally:
        book.close()


def _reason(error: BaseException) -> str:
    return str(error.facts.get("reason")) if isinstance(error, NoteRefusal) else ""


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)
