"""Keeps the values that programs have worked out for formulas, where an edit does not change them.

openpyxl writes formulas without values. Those that depend on nothing that was edited get theirs back; the
others have none until a program works them out, rather than one that may be wrong.
"""

import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TypeAlias

from lxml import etree
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.formula import ArrayFormula

from agent_core.sheets.edits import Area
from agent_core.sheets.package import Package, Part, open_package
from agent_core.sheets.references import Formulas, area_of, column_number

MAX_STEPS = 3_000_000  # of looking what depends on what; beyond it nothing is kept

Place: TypeAlias = tuple[str, int, int]
Touched: TypeAlias = Callable[[str, Area], bool]

_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
# Their values hang on more than the cells that they name.
_OPAQUE = re.compile(
    r"\b(?:INDIRECT|OFFSET|NOW|TODAY|RAND\w*|CELL|INFO|ROWS?|COLUMNS?|ADDRESS|SHEETS?|GETPIVOTDATA|RTD|CUBE\w+)\(",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cached:
    """A value as a program wrote it: its type in the file, and its text."""

    kind: str
    text: str


def untouched(sheet: str, area: Area) -> bool:
    """Return that no area was touched."""
    return False


def cached(package: Package) -> dict[Place, Cached]:
    """Return the values of the formulas of a workbook."""
    found: dict[Place, Cached] = {}
    for part in package.sheets:
        if part.kind == "worksheet":
            root = _parsed(package, part)
            for cell in root.iterfind("{*}sheetData/{*}row/{*}c"):
                place, text = _CELL.fullmatch(cell.get("r", "")), cell.findtext("{*}v")
                kind = cell.get("t", "n")
                if place and cell.find("{*}f") is not None and (text or (kind == "str" and text is not None)):
                    found[part.name, int(place[2]), column_number(place[1])] = Cached(kind, text)
    return found


def put_back(path: str, content: bytes, values: Mapping[Place, Cached]) -> bytes:
    """Return a workbook as it was saved, its formulas with these values."""
    if not values:
        return content
    package = open_package(path, content)
    changed = {part.target: _with_values(package, part, values) for part in package.sheets}
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for name in package.archive.namelist():
            target.writestr(name, changed.get(name) or package.archive.read(name))
    return made.getvalue()


@dataclass(slots=True)
class Dependencies:
    """Which cells each formula of a workbook reads. `opaque` are those of which that can't be told."""

    reads: dict[Place, list[tuple[str, Area]]] = field(default_factory=dict)
    opaque: set[Place] = field(default_factory=set)

    def kept(self, changed: Collection[Place], touched: Touched) -> set[Place]:
        """Return the formulas that come to the same after cells have changed, or areas were touched."""
        new = {*changed, *self.opaque}
        new |= {one for one, areas in self.reads.items() if any(touched(*area) for area in areas)}
        clean = {place: areas for place, areas in self.reads.items() if place not in new}
        steps = 0
        while new and clean:
            steps += len(new) * len(clean)
            if steps > MAX_STEPS:
                return set()
            new = {place for place, areas in clean.items() if any(_meets(areas, one) for one in new)}
            clean = {place: areas for place, areas in clean.items() if place not in new}
        return set(clean)


def dependencies(book: Workbook) -> Dependencies:
    """Return what the formulas of a workbook read."""
    found = Dependencies()
    sheets = [sheet.title for sheet in book.worksheets]
    known = _Known(book)
    for sheet in book.worksheets:
        for cell in sheet._cells.values():
            if cell.data_type == "f":
                place = (sheet.title, int(cell.row or 0), int(cell.column or 0))
                value = cell.value.text if isinstance(cell.value, ArrayFormula) else cell.value
                reader = _Reader(known, sheets)
                found.reads[place] = reader.read(str(value), sheet.title)
                if reader.is_opaque:
                    found.opaque.add(place)
    return found


class _Known:
    """The tables and names of a workbook."""

    def __init__(self, book: Workbook) -> None:
        self.tables: dict[str, tuple[str, Area]] = {}
        self.names: dict[str, str] = {}
        for sheet in book.worksheets:
            for table in sheet.tables.values():
                if area := area_of(table.ref):
                    self.tables[str(table.displayName).casefold()] = (sheet.title, area)
            self._take(sheet.defined_names.values())
        self._take(book.defined_names.values())

    def _take(self, names: Iterable[object]) -> None:
        for one in names:
            name = str(getattr(one, "name", "")).casefold()
            self.names[name] = f"{self.names.get(name, '=')},{getattr(one, 'attr_text', '')}".replace(
                "=,", "="
            )


@dataclass(slots=True)
class _Reader:
    """An edit that changes nothing, and notes what it is asked about."""

    known: _Known
    sheets: Sequence[str]
    areas: list[tuple[str, Area]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    is_opaque: bool = False

    def read(self, formula: str, home: str) -> list[tuple[str, Area]]:
        formulas = Formulas(self, self.sheets)
        formulas.moved(formula if formula.startswith("=") else f"={formula}", home, "")
        self.is_opaque |= bool(formulas.followed.blocked or _OPAQUE.search(formula))
        return self.areas

    def area(self, sheet: str, area: Area) -> Area:
        self.is_opaque |= not sheet  # in a name, of whichever sheet it is read in
        self.areas.append((sheet.casefold(), area))
        return area

    def sheet(self, name: str) -> str:
        return name

    def touches(self, sheets: Sequence[str]) -> bool:
        self.is_opaque = True
        return False

    def loses_table(self, name: str) -> bool:
        key = name.rpartition("!")[2].casefold()
        if key in self.known.tables:
            sheet, area = self.known.tables[key]
            self.areas.append((sheet.casefold(), area))
        elif key in self.known.names and key not in self.seen:
            self.seen.add(key)
            self.read(self.known.names[key], "")
        return False


def _meets(areas: Sequence[tuple[str, Area]], place: Place) -> bool:
    sheet, row, column = place
    return any(
        name == sheet.casefold()
        and area.rows[0] <= row <= area.rows[1]
        and area.columns[0] <= column <= area.columns[1]
        for name, area in areas
    )


def _parsed(package: Package, part: Part) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    return etree.fromstring(package.archive.read(part.target), parser)


def _with_values(package: Package, part: Part, values: Mapping[Place, Cached]) -> bytes:
    root = _parsed(package, part)
    for cell in root.iterfind("{*}sheetData/{*}row/{*}c"):
        place, value = _CELL.fullmatch(cell.get("r", "")), cell.find("{*}v")
        if place is None or value is None or cell.find("{*}f") is None:
            continue
        kept = values.get((part.name, int(place[2]), column_number(place[1])))
        if kept is not None:
            cell.set("t", kept.kind)
            value.text = kept.text
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
