"""Makes DOCX: python-docx writes the package; what it has no words for is in `word_parts`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from io import BytesIO
from zipfile import BadZipFile

import docx
from docx.document import Document as Docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.image.exceptions import InvalidImageStreamError, UnexpectedEndOfFileError, UnrecognizedImageError
from docx.shared import Cm, Emu, Pt
from docx.styles.style import ParagraphStyle
from docx.text.paragraph import Paragraph as DocxParagraph
from docx.text.run import Run

from agent_core.documents import word_parts as parts
from agent_core.documents.direction import is_rtl, runs_by_direction
from agent_core.documents.model import (
    Block,
    Blocks,
    Code,
    Document,
    FindImage,
    Heading,
    Image,
    Inline,
    LineBreak,
    Listing,
    Made,
    NoteMark,
    Paragraph,
    Picture,
    Quote,
    Rule,
    Table,
    Text,
)
from agent_core.documents.plain import all_text, block_text, inline_text, pictures_of
from agent_core.texts import say

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
WORDS_A_PAGE = 400
_MONOSPACE = "Courier New"
_PAPERS = {"a4": (Cm(21.0), Cm(29.7)), "us-letter": (Cm(21.59), Cm(27.94))}
_SIDES = {
    "left": WD_ALIGN_PARAGRAPH.LEFT,
    "center": WD_ALIGN_PARAGRAPH.CENTER,
    "right": WD_ALIGN_PARAGRAPH.RIGHT,
}
_LINE_HEIGHT = Pt(13)
_NARROWEST_CHARS, _WIDEST_CHARS = 6, 40
_DEEPEST_HEADING = 6
_CONTENTS_DEPTH = 3
_NOT_PICTURES = (
    UnrecognizedImageError,
    InvalidImageStreamError,
    UnexpectedEndOfFileError,
    BadZipFile,
    ValueError,
    KeyError,
    ZeroDivisionError,
)


def make_docx(document: Document, find_image: FindImage, at: datetime) -> Made:
    """Return the DOCX; it names pictures that Word can't show."""
    writer = WordWriter(document, find_image, at)
    writer.title_lines()
    if document.contents:
        writer.contents(document.blocks)
    writer.blocks(document.blocks)
    words = len(all_text(document.blocks, document.notes).split())
    named = pictures_of(document.blocks, document.notes)
    return Made(
        content=writer.finished(),
        media_type=MEDIA_TYPE,
        suffix=".docx",
        facts={"words": words, "about_pages": 1 + words // WORDS_A_PAGE},
        removed=document.removed,
        pictures_lost=tuple(one for one in named if one not in writer.shown),
    )


@dataclass(frozen=True, slots=True)
class _Where:
    """What blocks stand in: how deep in lists and quotes, and which list numbers the next paragraph."""

    indent: int = 0
    numbering: int = 0
    level: int = 0
    style: str = "Normal"


class WordWriter:
    """Writes blocks one after the other; `shown` are the pictures that stand in the document."""

    def __init__(self, document: Document, find_image: FindImage, at: datetime) -> None:
        self.shown: set[str] = set()
        self._docx: Docx = docx.Document()
        self._notes: Mapping[str, Blocks] = document.notes
        self._find_image = find_image
        self._document = document
        self._footnotes = parts.Footnotes()
        self._numbered: dict[str, int] = {}
        self._bookmarks = 0
        self._headings = 0
        self._set_up(at)

    def title_lines(self) -> None:
        """Write title and author, where there are any."""
        for text, style in ((self._document.title, "Title"), (self._document.author, "Subtitle")):
            if text:
                self.line(text, style=style)

    def contents(self, blocks: Iterable[Block]) -> None:
        """Write the table of contents of the headings that follow, each a link; Word adds page numbers."""
        listed = [block for block in blocks if isinstance(block, Heading)]
        if listed:
            self.line(say(self._document.language or "en", "document.contents"), style="TOC Heading")
        lines = [
            (self._paragraph("", _Where(indent=block.level - 1)), inline_text(block.inlines), place)
            for place, block in enumerate(listed, 1)
            if block.level <= _CONTENTS_DEPTH
        ]
        if lines:
            for line, _, _ in lines:
                line.paragraph_format.space_after = Pt(2)
            parts.write_contents([(line._p, text, _bookmark(place)) for line, text, place in lines])

    def begin_pages_at(self, level: int) -> None:
        """Let every heading of a level begin a new page."""
        style = self._docx.styles[f"Heading {level}"]
        assert isinstance(style, ParagraphStyle)  # noqa: S101  the template has it
        style.paragraph_format.page_break_before = True

    def line(self, text: str, *, style: str = "Normal", centred: bool = False) -> None:
        """Write a paragraph of plain text."""
        paragraph = self._paragraph(text, _Where(style=style))
        if centred:
            paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
        self._inlines(paragraph, (Text(text=text),))

    def blocks(self, blocks: Iterable[Block]) -> None:
        """Write blocks."""
        for block in blocks:
            self._block(block, _Where())

    def finished(self) -> bytes:
        """Return the file."""
        self._footnotes.attach_to(self._docx)
        parts.put_in_order(self._docx.element)
        written = BytesIO()
        self._docx.save(written)
        return written.getvalue()

    def _set_up(self, at: datetime) -> None:
        document, section = self._document, self._docx.sections[0]
        section.page_width, section.page_height = _PAPERS[document.paper]
        about = self._docx.core_properties
        about.title, about.author = document.title[:255], document.author[:255]
        about.language, about.comments = document.language, ""
        about.created = about.modified = at.replace(tzinfo=None)
        parts.set_language(self._docx, document.language)
        if document.page_numbers:
            footer = section.footer.paragraphs[0]
            footer.alignment = WD_ALIGN_PARAGRAPH.CENTER
            parts.add_field(footer._p, "PAGE", "1")

    def _block(self, block: Block, where: _Where) -> None:
        match block:
            case Heading(level, inlines):
                self._heading(min(level, _DEEPEST_HEADING), inlines)
            case Paragraph(inlines):
                self._inlines(self._paragraph(block_text(block), where), inlines)
            case Listing(start, items):
                self._listing(start, items, where)
            case Quote(inner):
                for one in inner:
                    self._block(one, replace(where, indent=where.indent + 1, numbering=0, style="Quote"))
            case Code(text):
                self._code(text, where)
            case Rule():
                parts.underline(self._docx.add_paragraph()._p)
            case Table():
                self._table(block)

    def _heading(self, level: int, inlines: Sequence[Inline]) -> None:
        self._headings += 1
        paragraph = self._paragraph(inline_text(inlines), _Where(style=f"Heading {level}"))
        with parts.bookmark(paragraph._p, self._headings, _bookmark(self._headings)):
            self._inlines(paragraph, inlines)

    def _listing(self, start: int | None, items: Sequence[Blocks], where: _Where) -> None:
        level = where.level + 1 if where.numbering else 0
        numbering = parts.new_list(self._docx, start, level)
        for item in items:
            inside = replace(
                where, indent=where.indent + 1, numbering=numbering, level=level, style="List Paragraph"
            )
            for place, block in enumerate(item):
                if place == 0 and not isinstance(block, Paragraph):
                    self._inlines(self._paragraph("", inside), ())
                # Only the first paragraph of an item has its mark.
                goes_on = (
                    replace(inside, numbering=0) if place or not isinstance(block, Paragraph) else inside
                )
                self._block(block, inside if isinstance(block, Listing) else goes_on)

    def _code(self, text: str, where: _Where) -> None:
        paragraph = self._paragraph("", where)
        parts.shade(paragraph._p)
        for place, line in enumerate(text.split("\n")):
            run = paragraph.add_run()
            if place:
                run.add_break()
            run.add_text(line)
            _look(run, Text(text=line, code=True))

    def _table(self, table: Table) -> None:
        rows = (table.header, *table.rows)
        made = self._docx.add_table(rows=0, cols=len(table.header), style="Table Grid")
        for column, width in zip(made.columns, _widths(rows, self._text_width()), strict=True):
            column.width = Emu(width)
        for place, row in enumerate(rows):
            cells = made.add_row().cells
            for cell, inlines, side, column in zip(cells, row, table.sides, made.columns, strict=True):
                cell.width = column.width
                paragraph = cell.paragraphs[0]
                self._turn(paragraph, inline_text(inlines))
                if side:
                    paragraph.alignment = _SIDES[side]
                self._inlines(paragraph, _bold(inlines) if place == 0 else inlines)
        parts.repeat_header(made)
        self._docx.add_paragraph()

    def _paragraph(self, text: str, where: _Where) -> DocxParagraph:
        paragraph = self._docx.add_paragraph(style=where.style)
        if where.numbering:
            parts.number(paragraph._p, where.numbering, where.level)
        elif where.indent:
            paragraph.paragraph_format.left_indent = Cm(0.75 * where.indent)
        self._turn(paragraph, text)
        return paragraph

    def _turn(self, paragraph: DocxParagraph, text: str) -> None:
        if is_rtl(text):
            parts.turn(paragraph._p)

    def _inlines(self, paragraph: DocxParagraph, inlines: Sequence[Inline]) -> None:
        is_alone = len(inlines) == 1
        for one in inlines:
            match one:
                case Text():
                    self._run(paragraph, one)
                case LineBreak():
                    paragraph.add_run().add_break()
                case Picture():
                    self._picture(paragraph, one, is_alone=is_alone)
                case NoteMark(name):
                    self._note(paragraph, name)

    def _run(self, paragraph: DocxParagraph, text: Text) -> None:
        made = []
        for piece, turned in runs_by_direction(text.text):
            run = paragraph.add_run(piece)
            _look(run, text)
            if turned:
                run.font.rtl, run.font.cs_bold, run.font.cs_italic = True, run.bold, run.italic
            made.append(run._r)
        if text.url:
            parts.link(paragraph._p, made, text.url)

    def _picture(self, paragraph: DocxParagraph, picture: Picture, *, is_alone: bool) -> None:
        image = self._find_image(picture.source)
        run = paragraph.add_run()
        if image is None or not self._put(run, image, is_alone=is_alone):
            run.add_text(f"[{picture.alt or picture.source}]")
            return
        self.shown.add(picture.source)
        if is_alone:
            paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER

    def _put(self, run: Run, image: Image, *, is_alone: bool) -> bool:
        """Return whether the picture could be put here: as wide as it is, or as high as its line."""
        try:
            shown = run.add_picture(BytesIO(image.content))
        except _NOT_PICTURES:
            return False
        widest = self._text_width()
        scale = min(1.0, widest / shown.width) if is_alone else _LINE_HEIGHT / shown.height
        shown.width, shown.height = Emu(int(shown.width * scale)), Emu(int(shown.height * scale))
        return True

    def _text_width(self) -> int:
        section = self._docx.sections[0]
        edges = (section.page_width, section.left_margin, section.right_margin)
        width, left, right = (int(one or 0) for one in edges)
        return width - left - right

    def _note(self, paragraph: DocxParagraph, name: str) -> None:
        if name in self._numbered:  # Word takes a second call for a second note
            paragraph.add_run(str(self._numbered[name])).font.superscript = True
        elif name in self._notes:
            self._numbered[name] = self._footnotes.add(self._notes[name])
            parts.call_note(paragraph._p, self._numbered[name])


def _bookmark(place: int) -> str:
    return f"heading_{place}"


def _widths(rows: Iterable[Sequence[Sequence[Inline]]], whole: int) -> list[int]:
    """Return how wide each column is, by its longest cell."""
    longest = [max(len(inline_text(cell)) for cell in column) for column in zip(*rows, strict=True)]
    shares = [min(max(one, _NARROWEST_CHARS), _WIDEST_CHARS) + 4 for one in longest]
    return [whole * share // sum(shares) for share in shares]


def _bold(inlines: Iterable[Inline]) -> list[Inline]:
    return [replace(one, bold=True) if isinstance(one, Text) else one for one in inlines]


def _look(run: Run, text: Text) -> None:
    run.bold, run.italic = text.bold or None, text.italic or None
    run.font.strike = text.struck or None
    if text.code:
        run.font.name, run.font.size = _MONOSPACE, Pt(9.5)
