"""Rows, columns and sheets that come, go or get another name, with every formula following.

All of it blocks and belongs in a thread.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from agent_core.errors import NoteRefusal
from agent_core.sheets import lines
from agent_core.sheets.calculated import Cached, Place
from agent_core.sheets.copying import copy_sheet
from agent_core.sheets.edits import Axis, Edit, Removal, Rename, Shift
from agent_core.sheets.following import follow, follow_in
from agent_core.sheets.naming import legal_name
from agent_core.sheets.outcome import Notice, Outcome, finish, listed
from agent_core.sheets.references import Followed, Formulas, area_of
from agent_core.sheets.values import bounded, shown
from agent_core.sheets.workbook import Opened, open_book, sheet_of, still_known

MAX_LINES = 10_000
MAX_BEFORE_CHARS = 4_000
MAX_CELL_CHARS = 200


class Action(StrEnum):
    """What is done to a workbook."""

    INSERT_ROWS = "insert_rows"
    DELETE_ROWS = "delete_rows"
    INSERT_COLUMNS = "insert_columns"
    DELETE_COLUMNS = "delete_columns"
    ADD_SHEET = "add_sheet"
    COPY_SHEET = "copy_sheet"
    RENAME_SHEET = "rename_sheet"
    DELETE_SHEET = "delete_sheet"


_WHOLE = frozenset({Action.ADD_SHEET, Action.COPY_SHEET, Action.RENAME_SHEET})  # no cell changes its value
DELETING = frozenset({Action.DELETE_ROWS, Action.DELETE_COLUMNS, Action.DELETE_SHEET})


@dataclass(frozen=True, slots=True)
class Task:
    """An edit: `at` is a row's number or a column's letters, `name` that of a new sheet."""

    action: Action
    sheet: str = ""
    at: str = ""
    count: int = 1
    name: str = ""


@dataclass(slots=True)
class _Work:
    """A workbook that is being edited."""

    opened: Opened
    task: Task
    kept: Mapping[Place, Cached]

    @property
    def path(self) -> str:
        return self.opened.path

    @property
    def book(self) -> Workbook:
        return self.opened.book

    def done(
        self, sheet: str, followed: Followed, facts: Mapping[str, str | int], *, before: str = ""
    ) -> Outcome:
        if followed.blocked:
            raise NoteRefusal(
                reason="sheet_blocked", path=self.path, blocked=tuple(dict.fromkeys(followed.blocked))[:10]
            )
        notices: list[Notice | None] = [
            listed("sheet_references", followed.lost),
            listed("sheet_from_text", followed.from_text),
        ]
        told: Mapping[str, str | int] = {"action": self.task.action.value, "moved": followed.changed, **facts}
        return finish(self.opened, sheet, kept=self.kept, before=before, facts=told, notices=notices)

    def follow(self, edit: Edit) -> Followed:
        formulas = self.formulas(edit)
        follow(self.book, formulas)
        return formulas.followed

    def formulas(self, edit: Edit) -> Formulas:
        return Formulas(edit, [sheet.title for sheet in self.book.worksheets])


def restructure(path: str, content: bytes, task: Task, *, as_copy: bool) -> Outcome:
    """Return the workbook after an edit of its structure.

    Raises:
        NoteRefusal: as `open_book`, or reason "sheet_blocked" with what stands in the way, "sheet_line",
            "sheet_last" or "same".
    """
    opened = open_book(path, content, as_copy=as_copy)
    return _DOERS[task.action](_Work(opened, task, still_known(opened, ()) if task.action in _WHOLE else {}))


def _insert(work: _Work) -> Outcome:
    sheet, shift = _shift(work, 1)
    return _shifted(work, sheet, shift)


def _delete(work: _Work) -> Outcome:
    sheet, shift = _shift(work, -1)
    gone = [
        cell
        for cell in sheet._cells.values()
        if cell.value is not None and shift.line(cell.row if shift.axis is Axis.ROW else cell.column) is None
    ]
    by_line: dict[int, list[str]] = {}
    for cell in sorted(gone, key=lambda one: (one.row, one.column)):
        line = by_line.setdefault(cell.row if shift.axis is Axis.ROW else cell.column, [])
        line.append(bounded(shown(cell.value, cell.number_format), MAX_CELL_CHARS))
    before = bounded("\n".join(" | ".join(line) for line in by_line.values()), MAX_BEFORE_CHARS)
    places = frozenset(f"{sheet.title}!{cell.coordinate}" for cell in gone)
    return _shifted(work, sheet, shift, before, places, cells=len(gone))


def _shift(work: _Work, sign: int) -> tuple[Worksheet, Shift]:
    sheet = sheet_of(work.book, work.path, work.task.sheet)
    axis = Axis.COLUMN if work.task.action in {Action.INSERT_COLUMNS, Action.DELETE_COLUMNS} else Axis.ROW
    at = work.task.at.strip()
    area = area_of(at if at.isdigit() == (axis is Axis.ROW) else "")
    if area is None:
        raise NoteRefusal(reason="sheet_line", path=work.path, at=at[:40], axis=axis.value)
    first = area.rows[0] if axis is Axis.ROW else area.columns[0]
    if first > (sheet.max_row if axis is Axis.ROW else sheet.max_column):
        raise NoteRefusal(reason="same", path=work.path)
    return sheet, Shift(sheet.title, axis, first, sign * work.task.count)


def _shifted(
    work: _Work,
    sheet: Worksheet,
    shift: Shift,
    before: str = "",
    gone: frozenset[str] = frozenset(),
    **counts: int,
) -> Outcome:
    torn = lines.blocked(sheet, shift)
    if torn:
        raise NoteRefusal(reason="sheet_blocked", path=work.path, blocked=tuple(torn[:10]))
    formulas = work.formulas(shift)
    known = still_known(work.opened, (), shift.changes)
    work.kept = {moved: value for place, value in known.items() if (moved := _moved(place, shift))}
    follow(work.book, formulas)
    followed = formulas.followed
    followed.lost = [one for one in followed.lost if one not in gone]
    followed.from_text = [one for one in followed.from_text if one not in gone]
    lines.move(sheet, shift, formulas)
    facts: dict[str, str | int] = {"at": work.task.at.strip().upper(), "count": work.task.count, **counts}
    return work.done(sheet.title, followed, facts, before=before)


def _moved(place: Place, shift: Shift) -> Place | None:
    """Return where a cell is afterwards, None where it is gone."""
    sheet, row, column = place
    if sheet != shift.name:
        return place
    line = shift.line(row if shift.axis is Axis.ROW else column)
    if line is None:
        return None
    return (sheet, line, column) if shift.axis is Axis.ROW else (sheet, row, line)


def _add(work: _Work) -> Outcome:
    name = legal_name(work.task.name, work.book.sheetnames)
    work.book.create_sheet(name)
    return work.done(name, Followed(), _named(work, name))


def _rename(work: _Work) -> Outcome:
    sheet = sheet_of(work.book, work.path, work.task.sheet)
    old = sheet.title
    name = legal_name(work.task.name, [one for one in work.book.sheetnames if one != old])
    if name == old:
        raise NoteRefusal(reason="same", path=work.path)
    followed = work.follow(Rename(old, name))
    sheet.title = legal_name("renamed", work.book.sheetnames)  # a change of case alone counts as taken
    sheet.title = name
    work.kept = {
        (name if place[0] == old else place[0], *place[1:]): value for place, value in work.kept.items()
    }
    return work.done(name, followed, {"was": old, **_named(work, name)})


def _remove(work: _Work) -> Outcome:
    sheet = sheet_of(work.book, work.path, work.task.sheet)
    left = [one for one in work.book.worksheets if one is not sheet]
    if not any(one.sheet_state == "visible" for one in left):
        raise NoteRefusal(reason="sheet_last", path=work.path, sheet=sheet.title)
    formulas = work.formulas(Removal(sheet.title, frozenset(name.casefold() for name in sheet.tables)))
    filled = [cell for cell in sheet._cells.values() if cell.value is not None]
    gone = sheet.title.casefold()
    known = still_known(work.opened, (), lambda name, _: name == gone)
    work.kept = {place: value for place, value in known.items() if place[0] != sheet.title}
    work.book.remove(sheet)
    work.book.active = next(one for one in left if one.sheet_state == "visible")
    follow(work.book, formulas)
    return work.done(sheet.title, formulas.followed, {"cells": len(filled)}, before=_beginning(sheet))


def _beginning(sheet: Worksheet) -> str:
    """Return the first rows of a sheet, as much as a card shows."""
    rows: dict[int, list[str]] = {}
    for (row, _), cell in sorted(sheet._cells.items(), key=lambda item: item[0]):
        if cell.value is not None:
            rows.setdefault(row, []).append(bounded(shown(cell.value, cell.number_format), MAX_CELL_CHARS))
        if len(rows) > 40:
            break
    return bounded("\n".join(" | ".join(row) for row in rows.values()), MAX_BEFORE_CHARS)


def _copy(work: _Work) -> Outcome:
    source = sheet_of(work.book, work.path, work.task.sheet)
    name = legal_name(work.task.name or source.title, work.book.sheetnames)
    made = copy_sheet(work.book, source, name)
    formulas = work.formulas(Rename(source.title, name))
    follow_in(made, formulas)
    twins = {(name, *place[1:]): value for place, value in work.kept.items() if place[0] == source.title}
    work.kept = {**work.kept, **twins}
    return work.done(name, formulas.followed, {"was": source.title, **_named(work, name)})


def _named(work: _Work, name: str) -> dict[str, str | int]:
    """Return the facts of a new name, and the one that was wanted if it had to become another."""
    wanted = work.task.name
    return {"name": name, "wanted": wanted} if wanted and wanted != name else {"name": name}


_DOERS: Mapping[Action, Callable[[_Work], Outcome]] = {
    Action.INSERT_ROWS: _insert,
    Action.DELETE_ROWS: _delete,
    Action.INSERT_COLUMNS: _insert,
    Action.DELETE_COLUMNS: _delete,
    Action.ADD_SHEET: _add,
    Action.COPY_SHEET: _copy,
    Action.RENAME_SHEET: _rename,
    Action.DELETE_SHEET: _remove,
}
