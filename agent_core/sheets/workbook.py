"""Opens a workbook for writing, gives its bytes, and finds its sheets.

All of it blocks and belongs in a thread.
"""

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from io import BytesIO

from openpyxl import load_workbook
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet
from rapidfuzz import process

from agent_core.errors import NoteRefusal
from agent_core.sheets.calculated import Cached, Place, Touched, cached, dependencies, put_back, untouched
from agent_core.sheets.losses import Loss, check, losses
from agent_core.sheets.package import BROKEN, Package, open_package

MAX_WRITTEN_CELLS = 300_000  # the library holds all of them at once, at about 0.5 KB each


def hush() -> None:
    """Keep what openpyxl would say on the error output: what it leaves out, `losses` tells."""
    warnings.filterwarnings("ignore", category=UserWarning, module=r"openpyxl\.")


@dataclass(frozen=True, slots=True)
class Opened:
    """A workbook that may be changed, what a copy of it lacks, and the values of its formulas."""

    path: str
    book: Workbook
    lacking: tuple[Loss, ...]
    values: Mapping[Place, Cached]


def open_book(path: str, content: bytes, *, as_copy: bool) -> Opened:
    """Return a workbook for changes.

    Raises:
        NoteRefusal: as `open_package`, or reason "sheet_lost" (unless it is for a copy) or "sheet_large".
    """
    package = open_package(path, content)
    found = losses(package)
    if not as_copy:
        check(package, found)
    cells = sum(package.scan(part).cells for part in package.sheets if part.kind == "worksheet")
    if cells > MAX_WRITTEN_CELLS:
        raise NoteRefusal(reason="sheet_large", path=path, found=cells, most=MAX_WRITTEN_CELLS)
    book = _loaded(package)
    try:
        return Opened(path, book, found, cached(package))
    except BROKEN as error:
        raise NoteRefusal(reason="sheet_broken", path=path) from error


def saved(path: str, book: Workbook, kept: Mapping[Place, Cached]) -> bytes:
    """Return the file of a workbook, with values of its formulas; programs compute all when they open it."""
    book.calculation.fullCalcOnLoad = True
    book.template = False
    made = BytesIO()
    hush()
    book.save(made)
    return put_back(path, made.getvalue(), kept)


def still_known(
    opened: Opened, changed: Collection[Place], touched: Touched = untouched
) -> dict[Place, Cached]:
    """Return the values of those formulas that come to the same after cells have changed."""
    if not opened.values:
        return {}
    kept = dependencies(opened.book).kept(changed, touched)
    return {place: value for place, value in opened.values.items() if place in kept}


def sheet_of(book: Workbook, path: str, name: str) -> Worksheet:
    """Return a sheet by its name; the only one needs none.

    Raises:
        NoteRefusal: reason "sheet_unknown", with the names there are.
    """
    return book[find_sheet(path, name, [sheet.title for sheet in book.worksheets])]


def find_sheet(path: str, name: str, names: list[str]) -> str:
    """Return the one of the names that is meant, as it is spelled.

    Raises:
        NoteRefusal: reason "sheet_unknown".
    """
    if not name and len(names) == 1:
        return names[0]
    wanted = name.strip().casefold()
    for one in names:
        if one == name or one.strip().casefold() == wanted:
            return one
    near = [item[0] for item in process.extract(name, names, limit=5, score_cutoff=60)] or names[:20]
    raise NoteRefusal(reason="sheet_unknown", path=path, sheet=name[:80], nearest=tuple(near))


def _loaded(package: Package) -> Workbook:
    hush()
    try:
        book = load_workbook(BytesIO(package.content), rich_text=True)
    except BROKEN as error:
        raise NoteRefusal(reason="sheet_broken", path=package.path) from error
    for chartsheet in list(book.chartsheets):
        book.remove(chartsheet)
    for sheet in book.worksheets:
        for drawn in ("_charts", "_images", "_pivots"):  # read in part, and written worse than left out
            setattr(sheet, drawn, [])
    return book
