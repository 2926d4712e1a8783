"""Reads a workbook's XML without any library for spreadsheets, and puts parts into one."""

import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


@dataclass(frozen=True)
class Raw:
    """A cell as it stands in the file: its type, its text, its formula."""

    kind: str
    text: str
    formula: str | None = None


def sheet_parts(content: bytes) -> dict[str, bytes]:
    """Return the XML of each sheet by its name."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        rels = etree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        targets = {one.get("Id"): str(one.get("Target")).removeprefix("/xl/") for one in rels}
        book = etree.fromstring(archive.read("xl/workbook.xml"))
        return {
            str(one.get("name")): archive.read(f"xl/{targets[one.get(REL)]}")
            for one in book.iter(f"{MAIN}sheet")
        }


def cells(content: bytes, sheet: str = "") -> dict[str, Raw]:
    """Return the filled cells of a sheet, the first if none is named."""
    parts = sheet_parts(content)
    root = etree.fromstring(parts[sheet or next(iter(parts))])
    strings = _strings(content)
    found = {}
    for cell in root.iter(f"{MAIN}c"):
        kind, formula = cell.get("t", "n"), cell.find(f"{MAIN}f")
        text = cell.findtext(f"{MAIN}v") or ""
        if kind == "s":
            text = strings[int(text)]
        elif kind == "inlineStr":
            kind, text = "s", "".join(one.text or "" for one in cell.iter(f"{MAIN}t"))
        if text or formula is not None:
            found[str(cell.get("r"))] = Raw(kind, text, None if formula is None else f"={formula.text}")
    return found


def values(content: bytes, sheet: str = "") -> dict[str, str]:
    """Return what stands in the filled cells, formulas as formulas."""
    return {name: one.formula or one.text for name, one in cells(content, sheet).items()}


def refs(content: bytes, sheet: str, element: str, attribute: str) -> list[str]:
    """Return an attribute of all elements of a kind of a sheet."""
    root = etree.fromstring(sheet_parts(content)[sheet])
    return [str(one.get(attribute)) for one in root.iter(f"{MAIN}{element}")]


def texts(content: bytes, sheet: str, element: str) -> list[str]:
    """Return the text of all elements of a kind of a sheet."""
    root = etree.fromstring(sheet_parts(content)[sheet])
    return [str(one.text) for one in root.iter(f"{MAIN}{element}")]


def names(content: bytes) -> dict[str, str]:
    """Return the defined names of a workbook."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        book = etree.fromstring(archive.read("xl/workbook.xml"))
    return {str(one.get("name")): str(one.text) for one in book.iter(f"{MAIN}definedName")}


def changed(content: bytes, parts: Mapping[str, bytes], *swaps: tuple[str, str, str]) -> bytes:
    """Return the file with further parts, and texts of parts replaced (part, old, new)."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            body = source.read(name)
            for part, old, new in swaps:
                if part == name:
                    assert old.encode() in body, (part, old, body[:2_000])
                    body = body.replace(old.encode(), new.encode(), 1)
            if name not in parts:
                target.writestr(name, body)
        for name, body in parts.items():
            target.writestr(name, body)
    return made.getvalue()


def related(content: bytes, owner: str, kind: str, target: str, body: bytes) -> bytes:
    """Return the file with a part that another one refers to by a relation of this kind."""
    folder, _, name = owner.rpartition("/")
    rels = f"{folder}/_rels/{name}.rels".removeprefix("/")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        there = archive.read(rels) if rels in archive.namelist() else b"<Relationships/>"
    start = b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    there = re.sub(rb"<Relationships[^>]*?/?>", start, there, count=1).replace(b"</Relationships>", b"")
    line = f'<Relationship Id="x{len(there)}" Type="http://x/relationships/{kind}" Target="/{target}"/>'
    there = there + line.encode() + b"</Relationships>"
    return changed(content, {rels: there, target: body})


def _strings(content: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if "xl/sharedStrings.xml" not in archive.namelist():
            return []
        root = etree.fromstring(archive.read("xl/sharedStrings.xml"))
    return ["".join(text.text or "" for text in one.iter(f"{MAIN}t")) for one in root.iter(f"{MAIN}si")]
