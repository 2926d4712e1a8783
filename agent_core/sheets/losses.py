"""What of a workbook openpyxl does not carry: whatever is not known to be carried counts as lost."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from agent_core.errors import NoteRefusal
from agent_core.sheets.package import BROKEN, Package, Part

# Relations whose parts are carried, made anew, or hold nothing that a person made.
_CARRIED = frozenset({
    "officeDocument", "core-properties", "extended-properties", "custom-properties", "thumbnail",
    "worksheet", "theme", "styles", "sharedStrings", "calcChain", "externalLink", "externalLinkPath",
    "externalLinkLongPath", "comments", "hyperlink", "table", "printerSettings", "person", "sheetMetadata",
})  # fmt: skip
_BY_RELATION = {
    "vbaProject": "macros", "vbaProjectSignature": "macros", "pivotTable": "pivots", "slicer": "slicers",
    "slicerCache": "slicers", "timeline": "slicers", "timelineCache": "slicers",
    "threadedComment": "threads", "ctrlProp": "controls", "control": "controls", "oleObject": "objects",
    "package": "objects", "connections": "sources", "queryTable": "sources", "xmlMaps": "sources",
    "customXml": "custom_xml", "chartsheet": "chart_sheets", "dialogsheet": "macro_sheets",
    "xlMacrosheet": "macro_sheets", "xlIntlMacrosheet": "macro_sheets", "image": "images",
    "FeaturePropertyBag": "controls", "revisionHeaders": "revisions", "usernames": "revisions",
    "origin": "signatures",
}  # fmt: skip
_ELEMENTS = frozenset({
    "sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "sheetCalcPr",
    "sheetProtection", "autoFilter", "sortState", "mergeCells", "phoneticPr", "conditionalFormatting",
    "dataValidations", "hyperlinks", "printOptions", "pageMargins", "pageSetup", "headerFooter",
    "rowBreaks", "colBreaks", "scenarios", "ignoredErrors", "cellWatches", "extLst", "tableParts",
    "drawing", "legacyDrawing", "picture", "oleObjects", "controls", "legacyDrawingHF",
})  # fmt: skip
_BY_ELEMENT = {
    "metadata": "arrays", "protectedRanges": "protections", "customSheetViews": "views",
    "AlternateContent": "controls", "legacyDrawingHF": "images", "oleObjects": "objects",
    "controls": "controls", "picture": "images",
}  # fmt: skip
_BY_EXTENSION = {
    "{78C0D931-6437-407D-A8EE-F0AAD7539E65}": "formats",
    "{B025F937-C7B1-47D3-B67F-A62EFF666E3E}": "formats",
    "{CCE6A557-97BC-4B89-ADB6-D9C93CAAB3DF}": "validations",
    "{05C60535-1F16-4FD2-B633-F4F36F0B64E0}": "sparklines",
    "{A8765BA9-456A-4DAB-B4F3-ACF838C121DE}": "slicers",
    "{3A4CF648-6AED-40F4-86FF-DC5316D8AED3}": "slicers",
    "{7E03D99C-DC04-49D9-9315-930204A7B6E9}": "slicers",
    "{FC87AEE6-9EDD-4A0A-B7FB-166176984837}": "protections",
    "{01252117-D84E-4E92-8308-4BE1C098FCBB}": "",  # which green corners are not shown
}
_DRAWN = re.compile(rb"<(?:[\w.-]+:)?(graphicFrame|pic|sp|cxnSp|contentPart)[\s/>]")
_CHART = re.compile(rb"/drawingml/2006/chart\"|/2014/chartex\"")
_SHAPE = re.compile(rb"<(?:[\w.-]+:)?ClientData[^>]*ObjectType=[\"'](\w+)[\"']")
_PHONETIC = re.compile(rb"<(?:[\w.-]+:)?rPh[\s>]")


@dataclass(frozen=True, slots=True)
class Loss:
    """Things of one kind that would be gone; `sheet` is where, empty for the whole workbook."""

    kind: str
    count: int
    sheet: str = ""

    def __str__(self) -> str:
        where = f" in {self.sheet}" if self.sheet else ""
        return f"{self.count} {self.kind.replace('_', ' ')}{where}"


def losses(package: Package) -> tuple[Loss, ...]:
    """Return what openpyxl would lose of a workbook, in the order of its sheets.

    Raises:
        NoteRefusal: reason "sheet_broken".
    """
    try:
        found = list(_of_workbook(package))
        for part in package.sheets:
            found += _of_sheet(package, part)
    except BROKEN as error:
        raise NoteRefusal(reason="sheet_broken", path=package.path) from error
    return tuple(found)


def check(package: Package, found: tuple[Loss, ...]) -> None:
    """Pass if nothing would be lost.

    Raises:
        NoteRefusal: reason "sheet_lost", with what would be.
    """
    if found:
        raise NoteRefusal(
            reason="sheet_lost",
            path=package.path,
            lost=tuple(map(str, found)),
            hint="give as_copy the path of a new .xlsx file, which gets the change and lacks these",
        )


def _of_workbook(package: Package) -> Iterator[Loss]:
    workbook = next(target for kind, target in package.relations("") if kind == "officeDocument")
    kinds = [kind for kind, _ in (*package.relations(""), *package.relations(workbook))]
    counted = Counter(_BY_RELATION.get(kind, kind) for kind in kinds if kind not in _CARRIED)
    sheets = Counter(_BY_RELATION.get(part.kind, "") for part in package.sheets)
    caches = counted.pop("pivotCacheDefinition", 0)
    if caches and not any(
        kind == "pivotTable" for part in package.sheets for kind, _ in _parts(package, part)
    ):
        counted["pivots"] = caches
    suffix = package.path.rpartition(".")[2].lower()
    if suffix != "xlsx" and "macros" not in counted:
        counted["macros" if suffix == "xlsm" else "templates"] += 1
    for kind, count in sorted(counted.items()):
        yield Loss(kind, sheets.get(kind, count) or count)
    if any(_PHONETIC.search(package.archive.read(target)) for target in _strings(package, workbook)):
        yield Loss("phonetics", 1)


def _strings(package: Package, workbook: str) -> list[str]:
    return [target for kind, target in package.relations(workbook) if kind == "sharedStrings"]


def _parts(package: Package, part: Part) -> list[tuple[str, str]]:
    return package.relations(part.target)


def _of_sheet(package: Package, part: Part) -> Iterator[Loss]:
    if part.kind != "worksheet":
        return
    scan = package.scan(part)
    counted: Counter[str] = Counter()
    for kind, target in _parts(package, part):
        counted.update(_of_part(package, kind, target))
    for name, count in scan.elements.items():
        if name not in _ELEMENTS or (name in _BY_ELEMENT and not counted[_BY_ELEMENT[name]]):
            counted[_BY_ELEMENT.get(name, name)] += count
    for uri in scan.extensions:
        if kind := _BY_EXTENSION.get(uri.upper(), "extensions"):
            counted[kind] += 1
    for kind, count in sorted(counted.items()):
        if count:
            yield Loss(kind, count, part.name)


def _of_part(package: Package, kind: str, target: str) -> Counter[str]:
    if kind == "drawing":
        return _drawn(package.archive.read(target))
    if kind == "vmlDrawing":
        shapes = [match[1] for match in _SHAPE.finditer(package.archive.read(target))]
        return Counter("controls" for shape in shapes if shape != b"Note")
    if kind == "table":
        return Counter(_BY_RELATION.get(inner, inner) for inner, _ in package.relations(target))
    return Counter() if kind in _CARRIED else Counter([_BY_RELATION.get(kind, kind)])


def _drawn(content: bytes) -> Counter[str]:
    """Return what is drawn on a sheet."""
    found = Counter(match[1] for match in _DRAWN.finditer(content))
    charts = len(_CHART.findall(content))
    frames = found[b"graphicFrame"]
    shapes = found[b"sp"] + found[b"cxnSp"] + found[b"contentPart"] + max(0, frames - charts)
    return Counter({"charts": min(charts, frames), "images": found[b"pic"], "shapes": shapes})
