"""What a write would lose is found before, told, and missing from a copy."""

import io
import zipfile

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.packaging.relationship import Relationship
from openpyxl.workbook.external_link.external import ExternalBook, ExternalLink, ExternalSheetNames

from agent_core.errors import NoteRefusal
from agent_core.sheets.cells import Given, update
from agent_core.sheets.losses import Loss, losses
from agent_core.sheets.package import open_package
from tests.agent_core.sheets import books
from tests.agent_core.sheets.raw import changed, related, values

BOOK = "xl/workbook.xml"
SHEET = "xl/worksheets/sheet1.xml"
CHART = (
    b'<xdr:wsDr xmlns:xdr="x" xmlns:a="y"><xdr:graphicFrame><a:graphicData'
    b' uri="http://schemas.openxmlformats.org/drawingml/2006/chart"/></xdr:graphicFrame><xdr:pic/><xdr:pic/>'
    b"<xdr:sp/></xdr:wsDr>"
)
EXT = '</sheetData><extLst><ext uri="%s"/></extLst>'


def lost(content: bytes, path: str = "a.xlsx") -> dict[str, int]:
    return {one.kind: one.count for one in losses(open_package(path, content))}


def drawn() -> bytes:
    return related(books.merged(), SHEET, "drawing", "xl/drawings/d.xml", CHART)


def in_sheet(xml: str) -> bytes:
    return changed(books.merged(), {}, (SHEET, "</sheetData>", xml))


@pytest.mark.parametrize("content", [books.plan(), books.cast(), books.merged()])
def test_nothing_is_lost_of_what_the_library_carries(content: bytes) -> None:
    assert lost(content) == {}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (drawn(), {"charts": 1, "images": 2, "shapes": 1}),
        (related(books.merged(), BOOK, "vbaProject", "xl/vbaProject.bin", b"x"), {"macros": 1}),
        (related(books.merged(), SHEET, "pivotTable", "xl/pivotTables/p.xml", b"<p/>"), {"pivots": 1}),
        (related(books.merged(), BOOK, "pivotCacheDefinition", "xl/c.xml", b"<p/>"), {"pivots": 1}),
        (related(books.merged(), SHEET, "threadedComment", "xl/threads/t.xml", b"<p/>"), {"threads": 1}),
        (related(books.merged(), SHEET, "ctrlProp", "xl/ctrlProps/c.xml", b"<p/>"), {"controls": 1}),
        (related(books.merged(), SHEET, "oleObject", "xl/embeddings/o.bin", b"x"), {"objects": 1}),
        (related(books.merged(), BOOK, "slicerCache", "xl/slicers/s.xml", b"<p/>"), {"slicers": 1}),
        (related(books.merged(), BOOK, "connections", "xl/connections.xml", b"<p/>"), {"sources": 1}),
        (related(books.merged(), BOOK, "customXml", "customXml/item1.xml", b"<p/>"), {"custom_xml": 1}),
        (related(books.merged(), BOOK, "newThing", "xl/new.xml", b"<p/>"), {"newThing": 1}),
        (related(books.merged(), "", "origin", "_xmlsignatures/o.sigs", b""), {"signatures": 1}),
        (in_sheet(EXT % "{05C60535-1F16-4FD2-B633-F4F36F0B64E0}"), {"sparklines": 1}),
        (in_sheet(EXT % "{CCE6A557-97BC-4B89-ADB6-D9C93CAAB3DF}"), {"validations": 1}),
        (in_sheet(EXT % "{78C0D931-6437-407D-A8EE-F0AAD7539E65}"), {"formats": 1}),
        (in_sheet(EXT % "{01252117-D84E-4E92-8308-4BE1C098FCBB}"), {}),
        (in_sheet("</sheetData><protectedRanges/>"), {"protections": 1}),
        (in_sheet("</sheetData><customSheetViews/>"), {"views": 1}),
        (in_sheet("</sheetData><somethingNew/>"), {"somethingNew": 1}),
        (changed(books.merged(), {}, (SHEET, '<c r="A1"', '<c cm="1" r="A1"')), {"arrays": 1}),
    ],
)  # fmt: skip
def test_what_the_library_does_not_carry_is_named(content: bytes, found: dict[str, int]) -> None:
    assert lost(content) == found


def test_file_of_another_type_is_not_written_in_place() -> None:
    assert lost(books.merged(), "a.xlsm") == {"macros": 1}
    assert lost(books.merged(), "a.xltx") == {"templates": 1}


def test_write_is_refused_with_the_list_and_a_copy_lacks_it() -> None:
    content = drawn()
    with pytest.raises(NoteRefusal) as refused:
        update("a.xlsx", content, "", [Given("A2", 1)], as_copy=False)
    assert refused.value.facts["reason"] == "sheet_lost"
    assert refused.value.facts["lost"] == ("1 charts in Sheet", "2 images in Sheet", "1 shapes in Sheet")


def test_copy_is_told_to_lack_what_it_lacks() -> None:
    content = related(books.merged(), BOOK, "vbaProject", "xl/vbaProject.bin", b"x")
    made = update("a.xlsm", content, "", [Given("A2", 1)], as_copy=True)
    assert [(one.code, one.facts["kind"]) for one in made.notices] == [("sheet_lacks", "macros")]
    with zipfile.ZipFile(io.BytesIO(made.content)) as archive:
        assert not any("vba" in name for name in archive.namelist())
        assert b"macroEnabled" not in archive.read("[Content_Types].xml")
    assert values(made.content) == {"A1": "head", "A2": "1"}
    assert load_workbook(io.BytesIO(made.content)).sheetnames == ["Sheet"]


def test_links_to_other_workbooks_are_carried() -> None:
    book = Workbook()
    books.first(book)["A1"] = "=[1]S!A1"
    link = ExternalLink(externalBook=ExternalBook(sheetNames=ExternalSheetNames(sheetName=["S"])))
    link.file_link = Relationship(
        type="externalLinkPath", Target="Other.xlsx", TargetMode="External", Id="rId1"
    )
    book._external_links.append(link)  # type: ignore[attr-defined]  # not in its stubs
    content = books.saved(book)
    assert lost(content) == {}
    made = update("a.xlsx", content, "", [Given("A2", 1)], as_copy=False)
    assert values(made.content) == {"A1": "=[1]S!A1", "A2": "1"}
    with zipfile.ZipFile(io.BytesIO(made.content)) as archive:
        assert b"Other.xlsx" in archive.read("xl/externalLinks/_rels/externalLink1.xml.rels")


def test_loss_reads_as_a_count_of_things() -> None:
    assert str(Loss("custom_xml", 2)) == "2 custom xml"
