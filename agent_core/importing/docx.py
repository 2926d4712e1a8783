"""Reads DOCX as a manuscript: heading styles in any language are chapters.

python-docx opens the package. The text is walked here, with tracked changes accepted: the library leaves out
what a reviewer inserted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

from docx import Document
from docx.document import Document as DocxDocument
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from lxml import etree

from agent_core.errors import ImportFailure
from agent_core.importing.archive import MEGABYTE, Archive, too_large
from agent_core.importing.chapters import finished
from agent_core.importing.headed_text import HeadedBlock, Headline, read_book
from agent_core.importing.manuscript import Manuscript, WarningCode, warnings_of
from agent_core.importing.scenes import Passage, SceneBreak, emphasised, is_ornament

MAX_PART_BYTES = 32 * MEGABYTE
"""A part. Word spends about ten bytes of markup on one of text, and the longest novels are 4 MB."""
_MAX_TEXT_BYTES = 10_000_000
"""The XML parser's own guard for the text of one run."""
_COMPOUND_FILE = bytes.fromhex("d0cf11e0a1b11ae1")
_HEADING_NAME = re.compile(
    r"(?:heading|(?:ü|ue)?berschrift|titre|t[ií]tulo|titolo|kop|rubrik|заголовок|nagłówek|标题|見出し|제목)"
    r"\s*(?P<level>[1-9])",
    re.IGNORECASE,
)
_TITLE_NAME = re.compile(r"title|titel|titre|t[ií]tulo|titolo", re.IGNORECASE)
_CONTENTS_NAME = re.compile(r"(?:toc|verzeichnis|tm)\s*(?:\d|heading).*", re.IGNORECASE)
_NO_LEVEL = 9
_INSIDE_PARAGRAPH = frozenset(
    qn(f"w:{name}") for name in ("ins", "moveTo", "hyperlink", "smartTag", "sdt", "sdtContent", "fldSimple")
)
_AROUND_PARAGRAPHS = frozenset(
    qn(f"w:{name}") for name in ("sdt", "sdtContent", "customXml", "ins", "tbl", "tr", "tc")
)
_OFF = frozenset(("0", "false", "off", "none"))


def read_docx(path: Path) -> Manuscript:
    """Return the book.

    Raises:
        ImportFailure: not_found, damaged, encrypted, bomb, too_large or empty.
    """
    document = _opened(path)
    root: etree._Element = document.element
    body = root.find(qn("w:body"))
    if body is None:
        raise ImportFailure(file=path.name, reason="damaged")
    styles = _styles_root(document)
    text = _Text(body, {_value(style, "styleId"): _style(style) for style in styles.iter(qn("w:style"))})
    blocks = list(text.blocks())
    book = read_book(blocks, text.title)
    chapters, empty = finished(book.drafts)
    if not chapters:
        raise ImportFailure(file=path.name, reason="empty")
    found = [(WarningCode.MATTER_DROPPED, name) for name in book.dropped]
    found += [(WarningCode.CHAPTER_EMPTY, name) for name in empty]
    title, language = _about(document)
    return Manuscript(
        series="",
        series_position=None,
        title=text.title or book.title or title or path.stem,
        language=language or _language(styles),
        chapters=chapters,
        warnings=warnings_of(found),
    )


def _opened(path: Path) -> DocxDocument:
    _refuse_locked(path)
    with Archive(path, MAX_PART_BYTES) as archive:
        archive.check_all()
    try:
        return Document(str(path))
    except etree.XMLSyntaxError as error:
        if "too long" in str(error):
            raise too_large(path.name, _MAX_TEXT_BYTES) from error
        raise ImportFailure(file=path.name, reason="damaged") from error
    except (OpcError, BadZipFile, KeyError, ValueError, AttributeError, TypeError) as error:
        # python-docx trusts what it reads: a missing attribute ends as a TypeError deep inside.
        raise ImportFailure(file=path.name, reason="damaged") from error


def _about(document: DocxDocument) -> tuple[str, str]:
    """Return (title, language) of the core properties; without readable ones, nothing."""
    try:
        return document.core_properties.title, document.core_properties.language
    except AttributeError:
        return "", ""


def _refuse_locked(path: Path) -> None:
    """Word wraps a document with a password in a compound file instead of a zip."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_COMPOUND_FILE))
    except OSError as error:
        raise ImportFailure(file=path.name, reason="not_found") from error
    if start == _COMPOUND_FILE:
        raise ImportFailure(file=path.name, reason="encrypted")


@dataclass(frozen=True, slots=True)
class _Style:
    """What a style says; `level` is 0 for running text and None where it says nothing of levels."""

    name: str = ""
    based_on: str = ""
    level: int | None = None
    italic: bool | None = None
    bold: bool | None = None


def _styles_root(document: DocxDocument) -> etree._Element:
    """Return the root of the styles; an empty one where they can't be read."""
    try:
        root: etree._Element = document.styles.element
    except AttributeError:
        return etree.Element(qn("w:styles"))
    return root


def _style(element: etree._Element) -> _Style:
    style_id = _value(element, "styleId")
    name = _of_child(element, "name")
    named = _HEADING_NAME.fullmatch(name) or _HEADING_NAME.fullmatch(style_id)
    level = _outline_level(element)
    properties = element.find(qn("w:rPr"))
    return _Style(
        name=name,
        based_on=_of_child(element, "basedOn"),
        level=int(named["level"]) if level is None and named else level,
        italic=_switch(properties, "i"),
        bold=_switch(properties, "b"),
    )


def _language(styles: etree._Element) -> str:
    found = styles.find(f".//{qn('w:lang')}")
    return "" if found is None else _value(found, "val")


class _Text:
    """The running text of a document; `title` is known once its blocks were read."""

    def __init__(self, body: etree._Element, styles: dict[str, _Style]) -> None:
        self.title = ""
        self._body = body
        self._styles = styles

    def blocks(self) -> Iterator[HeadedBlock]:
        """Yield headings, breaks and paragraphs in order, tables cell by cell."""
        for paragraph in _paragraphs(self._body):
            block = self._block(paragraph)
            if block is not None:
                yield block

    def _block(self, paragraph: etree._Element) -> HeadedBlock | None:
        properties = paragraph.find(qn("w:pPr"))
        style_id = "" if properties is None else _of_child(properties, "pStyle")
        name = self._styles.get(style_id, _Style()).name
        if _CONTENTS_NAME.fullmatch(name):
            return None
        runs = [(_run_text(run), *self._look(run)) for run in _runs(paragraph)]
        plain = " ".join("".join(text for text, _, _ in runs).split())
        if not plain:
            return SceneBreak() if _is_break(paragraph, properties) else None
        if is_ornament(plain):
            return SceneBreak()
        if _TITLE_NAME.fullmatch(name):
            self.title = self.title or plain
            return None
        level = self._level(paragraph, style_id)
        return Headline(level, plain) if level else Passage(emphasised(runs).strip())

    def _level(self, paragraph: etree._Element, style_id: str) -> int | None:
        own = _outline_level(paragraph)
        for style in self._chain(style_id):
            own = style.level if own is None else own
        return own

    def _look(self, run: etree._Element) -> tuple[bool, bool]:
        properties = run.find(qn("w:rPr"))
        italic, bold = _switch(properties, "i"), _switch(properties, "b")
        style_id = "" if properties is None else _of_child(properties, "rStyle")
        for style in self._chain(style_id):
            italic = style.italic if italic is None else italic
            bold = style.bold if bold is None else bold
        return bool(italic), bool(bold)

    def _chain(self, style_id: str) -> Iterator[_Style]:
        """Yield a style and those it is based on; a style seen before ends a circle."""
        seen: set[str] = set()
        while style_id in self._styles and style_id not in seen:
            seen.add(style_id)
            yield self._styles[style_id]
            style_id = self._styles[style_id].based_on


def _paragraphs(parent: etree._Element) -> Iterator[etree._Element]:
    for child in parent:
        if child.tag == qn("w:p"):
            yield child
        elif child.tag in _AROUND_PARAGRAPHS and not _is_contents(child):
            yield from _paragraphs(child)


def _runs(parent: etree._Element) -> Iterator[etree._Element]:
    """Yield runs with what was inserted and without what was deleted."""
    for child in parent:
        if child.tag == qn("w:r"):
            yield child
        elif child.tag in _INSIDE_PARAGRAPH:
            yield from _runs(child)


def _run_text(run: etree._Element) -> str:
    text: list[str] = []
    for child in run:
        if child.tag == qn("w:t"):
            text.append(child.text or "")
        elif child.tag == qn("w:tab"):
            text.append(" ")
        elif child.tag == qn("w:noBreakHyphen"):
            text.append("-")
        elif child.tag == qn("w:cr") or (child.tag == qn("w:br") and not _is_page(child)):
            text.append("\n")
    return "".join(text)


def _is_page(line_break: etree._Element) -> bool:
    return _value(line_break, "type") in {"page", "column"}


def _is_break(paragraph: etree._Element, properties: etree._Element | None) -> bool:
    """Return whether a paragraph without text is a page that ends early or a drawn rule."""
    if any(_is_page(line_break) for line_break in paragraph.iter(qn("w:br"))):
        return True
    return properties is not None and properties.find(qn("w:pBdr")) is not None


def _is_contents(element: etree._Element) -> bool:
    gallery = element.find(f"{qn('w:sdtPr')}/{qn('w:docPartObj')}/{qn('w:docPartGallery')}")
    return gallery is not None and _value(gallery, "val") == "Table of Contents"


def _outline_level(element: etree._Element) -> int | None:
    """Return the outline level (1 the highest), 0 for running text, None where nothing is said."""
    found = element.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
    value = "" if found is None else _value(found, "val")
    if not value.isdecimal():
        return None
    return 0 if int(value) >= _NO_LEVEL else int(value) + 1


def _switch(properties: etree._Element | None, name: str) -> bool | None:
    found = None if properties is None else properties.find(qn(f"w:{name}"))
    return None if found is None else _value(found, "val").lower() not in _OFF


def _of_child(element: etree._Element, name: str) -> str:
    found = element.find(qn(f"w:{name}"))
    return "" if found is None else _value(found, "val")


def _value(element: etree._Element, name: str) -> str:
    return str(element.get(qn(f"w:{name}")) or "")
