"""DOCX manuscripts, as Word and its like write them."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from docx import Document
from docx.document import Document as DocxDocument
from docx.enum.text import WD_BREAK
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from agent_core.errors import ImportFailure
from agent_core.importing.archive import MEGABYTE
from agent_core.importing.docx import read_docx
from agent_core.importing.manuscript import Manuscript
from tests.agent_core.importing.books import shape, texts, warned


def read(tmp_path: Path, build: Callable[[DocxDocument], object]) -> Manuscript:
    document = Document()
    build(document)
    path = tmp_path / "ford.docx"
    document.save(str(path))
    return read_docx(path)


def of_xml(*paragraphs: str) -> Callable[[DocxDocument], None]:
    """Return a builder that puts raw WordprocessingML into the body."""

    def build(document: DocxDocument) -> None:
        for paragraph in paragraphs:
            document.element.body.insert(-1, parse_xml(paragraph.replace(">", f" {nsdecls('w')}>", 1)))

    return build


def test_heading_styles_are_chapters_and_deeper_ones_scenes(tmp_path: Path) -> None:
    def build(document: DocxDocument) -> None:
        document.add_heading("Chapter 1: Salt", level=1)
        document.add_paragraph("One.")
        document.add_heading("The Docks", level=2)
        document.add_paragraph("Two.")
        document.add_heading("Chapter 2", level=1)
        document.add_paragraph("Three.")

    book = read(tmp_path, build)
    assert shape(book) == [("", "1", "Salt", 2), ("", "2", "", 1)]
    assert book.chapters[0].scenes[1].title == "The Docks"


def test_title_style_names_the_book_before_core_properties(tmp_path: Path) -> None:
    def build(document: DocxDocument) -> None:
        document.core_properties.title = "Untitled 3"
        document.core_properties.language = "en-GB"
        document.add_heading("The Long Ford", level=0)
        document.add_paragraph("by Nobody")
        document.add_heading("Chapter 1", level=1)
        document.add_paragraph("One.")

    book = read(tmp_path, build)
    assert (book.title, book.language, book.series) == ("The Long Ford", "en-GB", "")
    assert warned(book) == {"matter_dropped": ("by Nobody",)}


def test_title_comes_from_core_properties_else_from_the_file(tmp_path: Path) -> None:
    def build(document: DocxDocument) -> None:
        document.add_paragraph("One.")

    def titled(document: DocxDocument) -> None:
        document.core_properties.title = "The Long Ford"
        build(document)

    assert (read(tmp_path, titled).title, read(tmp_path, build).title) == ("The Long Ford", "ford")


@pytest.mark.parametrize(
    ("style_id", "name"), [("berschrift1", "Überschrift 1"), ("Titre1", "Titre 1"), ("Chap", "Chap")]
)
def test_localised_styles_are_headings(tmp_path: Path, style_id: str, name: str) -> None:
    def build(document: DocxDocument) -> None:
        level = '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>' if name == "Chap" else ""
        document.styles.element.append(
            parse_xml(
                f'<w:style {nsdecls("w")} w:type="paragraph" w:styleId="{style_id}">'
                f'<w:name w:val="{name}"/>{level}</w:style>'
            )
        )
        of_xml(
            f'<w:p><w:pPr><w:pStyle w:val="{style_id}"/></w:pPr><w:r><w:t>Kapitel 1: Salz</w:t></w:r></w:p>',
            "<w:p><w:r><w:t>Eins.</w:t></w:r></w:p>",
        )(document)

    assert shape(read(tmp_path, build)) == [("", "1", "Salz", 1)]


def test_page_that_ends_early_rule_and_ornament_break_scenes(tmp_path: Path) -> None:
    def build(document: DocxDocument) -> None:
        document.add_heading("Chapter 1", level=1)
        document.add_paragraph("One.")
        document.add_paragraph().add_run().add_break(WD_BREAK.PAGE)
        document.add_paragraph("Two.")
        document.add_paragraph("* * *")
        document.add_paragraph("Three.")
        of_xml('<w:p><w:pPr><w:pBdr><w:bottom w:val="single"/></w:pBdr></w:pPr></w:p>')(document)
        document.add_paragraph("Four.")
        document.add_paragraph("")
        document.add_paragraph("Still four.")

    assert texts(read(tmp_path, build).chapters[0]) == ["One.", "Two.", "Three.", "Four.\n\nStill four."]


def test_italics_bold_and_line_breaks_are_kept(tmp_path: Path) -> None:
    def build(document: DocxDocument) -> None:
        paragraph = document.add_paragraph("She ")
        paragraph.add_run("never").italic = True
        paragraph.add_run(" said ")
        paragraph.add_run("no", style="Strong")
        paragraph.add_run(" and ")
        upright = paragraph.add_run("yes", style="Emphasis")
        upright.italic = False
        paragraph.add_run(".\nTwice.")

    assert texts(read(tmp_path, build).chapters[0]) == ["She *never* said **no** and yes.\nTwice."]


def test_what_reviewers_inserted_is_read_and_what_they_deleted_is_not(tmp_path: Path) -> None:
    build = of_xml(
        '<w:p><w:r><w:t xml:space="preserve">She </w:t></w:r>'
        '<w:ins w:id="1" w:author="E"><w:r><w:t xml:space="preserve">never </w:t></w:r></w:ins>'
        '<w:del w:id="2" w:author="E"><w:r><w:delText>always </w:delText></w:r></w:del>'
        "<w:hyperlink><w:r><w:t>came</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r></w:p>"
    )
    assert texts(read(tmp_path, build).chapters[0]) == ["She never came."]


def test_contents_are_skipped_and_controls_and_tables_are_read(tmp_path: Path) -> None:
    build = of_xml(
        '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
        "<w:sdtContent><w:p><w:r><w:t>Salt 3</w:t></w:r></w:p></w:sdtContent></w:sdt>",
        "<w:sdt><w:sdtContent><w:p><w:r><w:t>One.</w:t></w:r></w:p></w:sdtContent></w:sdt>",
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Ship</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
    )
    assert texts(read(tmp_path, build).chapters[0]) == ["One.\n\nShip"]


def test_chapter_lines_count_where_no_heading_style_is_used(tmp_path: Path) -> None:
    def build(document: DocxDocument) -> None:
        for line in ("Mara Lind", "THE LONG FORD", "Chapter One", "It rained.", "Chapter Two", "It burned."):
            document.add_paragraph(line)

    book = read(tmp_path, build)
    assert shape(book) == [("", "1", "", 1), ("", "2", "", 1)]
    assert warned(book) == {"matter_dropped": ("Mara Lind",)}


def refused(path: Path) -> dict[str, object]:
    with pytest.raises(ImportFailure) as raised:
        read_docx(path)
    return {name: value for name, value in raised.value.facts.items() if value is not None}


def test_document_without_text_is_empty(tmp_path: Path) -> None:
    with pytest.raises(ImportFailure) as raised:
        read(tmp_path, lambda document: document.add_paragraph(" "))
    assert raised.value.facts["reason"] == "empty"


def test_document_with_a_password_is_locked(tmp_path: Path) -> None:
    path = tmp_path / "ford.docx"
    path.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 1000)
    assert refused(path) == {"file": "ford.docx", "reason": "encrypted"}


@pytest.mark.parametrize(
    "name", ["word/document.xml", "[Content_Types].xml", "_rels/.rels", "word/styles.xml"]
)
@pytest.mark.parametrize("data", [None, b"", b"<w:document", b"<x/>"])
def test_damaged_document_is_refused_or_still_read(tmp_path: Path, name: str, data: bytes | None) -> None:
    document = Document()
    document.add_paragraph("One.")
    document.save(str(tmp_path / "whole.docx"))
    path = tmp_path / "ford.docx"
    with zipfile.ZipFile(tmp_path / "whole.docx") as source, zipfile.ZipFile(path, "w") as target:
        for member in source.namelist():
            if member != name:
                target.writestr(member, source.read(member))
        if data is not None:
            target.writestr(name, data)
    if (name, data) == ("word/styles.xml", b"<x/>"):
        assert texts(read_docx(path).chapters[0]) == ["One."]
    else:
        assert refused(path) == {"file": "ford.docx", "reason": "damaged"}


def test_file_that_is_not_there_or_no_document(tmp_path: Path) -> None:
    assert refused(tmp_path / "no.docx")["reason"] == "not_found"
    (tmp_path / "text.docx").write_text("Once upon a time")
    assert refused(tmp_path / "text.docx")["reason"] == "damaged"


def test_document_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ford.docx"
    Document().save(str(path))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/media/x.bin", b"\0" * (30 * MEGABYTE))
    assert refused(path) == {"file": "ford.docx", "reason": "bomb", "part": "word/media/x.bin"}


def rewritten(folder: Path, old: bytes, new: bytes) -> Path:
    """Return a document whose members say `new` for `old`."""
    document = Document()
    document.add_paragraph("One.")
    document.save(str(folder / "whole.docx"))
    path = folder / "ford.docx"
    with zipfile.ZipFile(folder / "whole.docx") as source, zipfile.ZipFile(path, "w") as target:
        for member in source.namelist():
            target.writestr(member, source.read(member).replace(old, new))
    return path


def test_relationship_without_target_is_damaged(tmp_path: Path) -> None:
    path = rewritten(tmp_path, b'Target="word/', b'Aim="word/')
    assert refused(path) == {"file": "ford.docx", "reason": "damaged"}


@pytest.mark.parametrize("kind", [b"core-properties+xml", b"styles+xml"])
def test_unreadable_properties_or_styles_cost_only_what_they_say(tmp_path: Path, kind: bytes) -> None:
    book = read_docx(rewritten(tmp_path, kind, b"unknown+xml"))
    assert (book.title, texts(book.chapters[0])) == ("ford", ["One."])


def test_run_of_text_beyond_the_parser_guard_names_the_limit(tmp_path: Path) -> None:
    facts = refused(rewritten(tmp_path, b"One.", b"word " * 2_100_000))
    assert (facts["reason"], facts["limit_mb"]) == ("too_large", 9.5)
