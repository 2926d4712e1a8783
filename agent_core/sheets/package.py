"""The parts of an .xlsx file before a library opens them: is it sound, what does each sheet hold.

All of it blocks and belongs in a thread.
"""

import posixpath
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import IO
from zipfile import BadZipFile, ZipFile

from lxml import etree

from agent_core.errors import NoteRefusal

MAX_UNPACKED_BYTES = 300_000_000
MAX_PARTS = 10_000
MAX_MERGES = 1_000
SUFFIXES = ("xlsx", "xlsm", "xltx", "xltm")
_PROLOG_BYTES = 4_096
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_DOCTYPE = re.compile(rb"<\x00?!\x00?D\x00?O\x00?C\x00?T\x00?Y\x00?P\x00?E")
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")

# What reading a damaged file raises, in the zip, in its XML, or in openpyxl's objects, which check little.
BROKEN = (
    BadZipFile, zlib.error, EOFError, OSError, SyntaxError, ValueError, KeyError, IndexError, TypeError,
    AttributeError, OverflowError, NotImplementedError, RuntimeError, AssertionError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """A sheet of the workbook and where it lies in the file. `state` is visible, hidden or veryHidden."""

    name: str
    state: str
    target: str
    kind: str


@dataclass(slots=True)
class Scan:
    """What stands in a sheet: its used size, formulas, merged ranges, elements and what extends them."""

    rows: int = 0
    columns: int = 0
    cells: int = 0
    formulas: int = 0
    uncalculated: int = 0
    merged: list[str] = field(default_factory=list)
    elements: Counter[str] = field(default_factory=Counter)
    extensions: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Package:
    """An opened file with its sheets in order; its parts are read when they are asked for."""

    path: str
    content: bytes
    archive: ZipFile
    sheets: tuple[Part, ...]
    _scans: dict[str, Scan] = field(default_factory=dict)

    def relations(self, part: str) -> list[tuple[str, str]]:
        """Return the type (its last word) and the target of all that a part, "" being the file, refers to."""
        return _relations(self.archive, part)

    def scan(self, part: Part) -> Scan:
        """Return what stands in a sheet, looked at once.

        Raises:
            NoteRefusal: reason "sheet_broken".
        """
        if part.target not in self._scans:
            try:
                with self.archive.open(part.target) as source:
                    self._scans[part.target] = _scanned(source)
            except BROKEN as error:
                raise NoteRefusal(reason="sheet_broken", path=self.path) from error
        return self._scans[part.target]


def open_package(path: str, content: bytes) -> Package:
    """Return the parts of a workbook.

    Raises:
        NoteRefusal: reason "sheet_kind", "sheet_encrypted", "sheet_broken" or "too_large".
    """
    if content.startswith(_OLD_OFFICE):
        reason = "sheet_encrypted" if _ENCRYPTED in content else "sheet_kind"
        raise NoteRefusal(reason=reason, path=path)
    try:
        archive = ZipFile(BytesIO(content))
        infos = archive.infolist()
        if len(infos) > MAX_PARTS or sum(info.file_size for info in infos) > MAX_UNPACKED_BYTES:
            raise NoteRefusal(reason="too_large", path=path)
        if any(info.flag_bits & 1 for info in infos):
            raise NoteRefusal(reason="sheet_encrypted", path=path)
        if "[Content_Types].xml" not in archive.namelist() or "mimetype" in archive.namelist():
            raise NoteRefusal(reason="sheet_kind", path=path)
        _check_prologs(path, archive)
        return Package(path, content, archive, tuple(_sheets(path, archive)))
    except BROKEN as error:
        raise NoteRefusal(reason="sheet_broken", path=path) from error


def _check_prologs(path: str, archive: ZipFile) -> None:
    """Pass if no part declares a document type: none needs one, and entities can fill any memory."""
    for name in archive.namelist():
        if name.endswith((".xml", ".rels", ".vml")):
            with archive.open(name) as source:
                if _DOCTYPE.search(source.read(_PROLOG_BYTES)):
                    raise NoteRefusal(reason="sheet_broken", path=path)


def _sheets(path: str, archive: ZipFile) -> Iterator[Part]:
    workbook = next((target for kind, target in _relations(archive, "") if kind == "officeDocument"), "")
    if not workbook.endswith(".xml"):
        raise NoteRefusal(reason="sheet_kind", path=path)
    root = _parsed(archive.read(workbook))
    if etree.QName(root).namespace != "http://schemas.openxmlformats.org/spreadsheetml/2006/main":
        raise NoteRefusal(reason="sheet_kind", path=path)
    by_id = _relations_by_id(archive, workbook)
    for sheet in root.iterfind("{*}sheets/{*}sheet"):
        identity = next(value for name, value in sheet.attrib.items() if str(name).endswith("}id"))
        kind, target = by_id[str(identity)]
        yield Part(str(sheet.get("name", "")), str(sheet.get("state", "visible")), target, kind)


def _relations(archive: ZipFile, part: str) -> list[tuple[str, str]]:
    return list(_relations_by_id(archive, part).values())


def _relations_by_id(archive: ZipFile, part: str) -> Mapping[str, tuple[str, str]]:
    folder, _, name = part.rpartition("/")
    own = posixpath.join(folder, "_rels", f"{name}.rels")
    if own not in archive.namelist():
        return {}
    found: dict[str, tuple[str, str]] = {}
    for relation in _parsed(archive.read(own)).iterfind("{*}Relationship"):
        kind = str(relation.get("Type", "")).rpartition("/")[2]
        target = str(relation.get("Target", ""))
        if relation.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        found[str(relation.get("Id", ""))] = (kind, target)
    return found


def _parsed(content: bytes) -> etree._Element:
    return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))


def _scanned(source: IO[bytes]) -> Scan:
    """Return what stands in a sheet's XML, one row at a time in memory."""
    scan = Scan()
    events = etree.iterparse(
        source,
        events=("end",),
        tag=("{*}c", "{*}row", "{*}mergeCell", "{*}ext"),
        resolve_entities=False,
        no_network=True,
        huge_tree=True,
    )
    row = column = 0
    for _, element in events:
        name = str(element.tag).rpartition("}")[2]
        if name == "c":
            parent = element.getparent()
            number = parent.get("r") if parent is not None else None
            column = _count_cell(scan, element, int(float(number)) if number else row + 1, column)
        elif name == "row":
            row, column = int(float(element.get("r", row + 1))), 0
            _forget(element)
        elif name == "mergeCell" and len(scan.merged) < MAX_MERGES:
            scan.merged.append(str(element.get("ref", "")))
        elif name == "ext":
            scan.extensions.append(str(element.get("uri", "")))
    scan.elements.update(etree.QName(child).localname for child in events.root if isinstance(child.tag, str))
    return scan


def _forget(element: etree._Element) -> None:
    """Free an element and those before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _count_cell(scan: Scan, element: etree._Element, row: int, column: int) -> int:
    """Count a cell that holds something; return its column."""
    place = _CELL.fullmatch(element.get("r", ""))
    column = _column(place[1]) if place else column + 1
    if element.get("cm") or element.get("vm"):
        scan.elements["metadata"] += 1
    children = {str(child.tag).rpartition("}")[2]: child.text for child in element}
    if "f" in children:
        scan.formulas += 1
        scan.uncalculated += not (children.get("v") or (element.get("t") == "str" and "v" in children))
    if children:
        scan.cells += 1
        scan.rows = max(scan.rows, int(place[2]) if place else row)
        scan.columns = max(scan.columns, column)
    return column


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number
