"""What writing a workbook comes to: the new file, and what a card has to say of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent_core.sheets.calculated import Cached, Place
from agent_core.sheets.workbook import Opened, saved

MAX_LISTED = 8


@dataclass(frozen=True, slots=True)
class Changed:
    """A place of a sheet (a cell, or a row) before and after, as people read it; "" is empty."""

    place: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to know before saying yes; `code` names a sentence."""

    code: str
    facts: Mapping[str, str | int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A workbook after an edit. `before` and `after` are texts for a card that lists no single changes."""

    content: bytes
    sheet: str
    changes: tuple[Changed, ...] = ()
    before: str = ""
    facts: Mapping[str, str | int] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


def finish(
    opened: Opened,
    sheet: str,
    *,
    kept: Mapping[Place, Cached],
    changes: Sequence[Changed] = (),
    before: str = "",
    facts: Mapping[str, str | int],
    notices: Sequence[Notice | None] = (),
) -> Outcome:
    """Return the outcome of an edit that was made in the workbook; `kept` are values of its formulas."""
    sheets = opened.book.worksheets
    formulas = sum(cell.data_type == "f" for one in sheets for cell in one._cells.values())
    lacks = [
        Notice("sheet_lacks", {"kind": one.kind, "count": one.count, "sheet": one.sheet})
        for one in opened.lacking
    ]
    locked = sheet in opened.book.sheetnames and opened.book[sheet].protection.sheet
    guarded = Notice("sheet_protected", {"sheet": sheet}) if locked else None
    told = [
        one
        for one in (guarded, *notices, counted("sheet_recalculated", formulas - len(kept)))
        if one is not None
    ]
    return Outcome(
        content=saved(opened.path, opened.book, kept),
        sheet=sheet,
        changes=tuple(changes),
        before=before,
        facts=facts,
        notices=(*lacks, *told),
    )


def counted(code: str, count: int) -> Notice | None:
    """Return a notice of so many, None of none."""
    return Notice(code, {"n": count}) if count else None


def listed(code: str, places: Sequence[str]) -> Notice | None:
    """Return a notice of places, the first of them by name, None of none."""
    unique = list(dict.fromkeys(places))
    if not unique:
        return None
    more = len(unique) - MAX_LISTED
    names = ", ".join(unique[:MAX_LISTED])
    return Notice(code, {"n": len(unique), "places": f"{names}, … (+{more})" if more > 0 else names})
