"""Parts of a DOCX that python-docx has no words for: footnotes, fields, lists of their own, direction."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from docx.document import Document as Docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement
from docx.oxml.ns import nsdecls, qn
from docx.table import Table as DocxTable
from lxml import etree

from agent_core.documents.direction import is_rtl, runs_by_direction
from agent_core.documents.model import Block, Blocks, LineBreak, Listing, Text
from agent_core.documents.plain import block_text

Element = etree._Element
_FOOTNOTES_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
_FIRST_NOTE = 1
_BULLETS = ("•", "◦", "▪")
_LEVELS = 9
_ORDERS = {
    "pPr": (
        "pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd"
        " tabs suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi"
        " adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc"
        " textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange"
    ),
    "rPr": (
        "rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof"
        " snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd"
        " fitText vertAlign rtl cs em lang eastAsianLayout specVanish oMath"
    ),
}
_INDENT = 425  # twentieths of a point, as all of these measures


def made(tag: str, *children: Element, **attributes: str | int) -> Element:
    """Return an element of Word's namespace; attributes are of it too."""
    element: Element = OxmlElement(f"w:{tag}")
    for name, value in attributes.items():
        element.set(qn(f"w:{name}"), str(value))
    element.extend(children)
    return element


def text_run(text: str, *properties: Element) -> Element:
    """Return a run of plain text, its line ends as breaks."""
    run = made("r", made("rPr", *properties))
    for place, line in enumerate(text.split("\n")):
        if place:
            run.append(made("br"))
        piece = made("t")
        piece.text = line
        piece.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        run.append(piece)
    return run


def add_field(paragraph: Element, instruction: str, shown: str) -> None:
    """Put a field at the end of a paragraph, with what it shows until it is worked out."""
    paragraph.append(made("fldSimple", text_run(shown), instr=instruction))


def link(paragraph: Element, runs: Sequence[Element], url: str) -> None:
    """Make the last runs of a paragraph a link."""
    address = url.replace("\\", "%5C").replace('"', "%22")
    field = made("fldSimple", instr=f'HYPERLINK "{address}"')
    paragraph.append(field)
    for run in runs:
        _properties(run).extend((made("color", val="1A4F8A"), made("u", val="single")))
        field.append(run)


@contextmanager
def bookmark(paragraph: Element, number: int, name: str) -> Iterator[None]:
    """Put what is written meanwhile into a bookmark."""
    paragraph.append(made("bookmarkStart", id=number, name=name))
    yield
    paragraph.append(made("bookmarkEnd", id=number))


def write_contents(lines: Sequence[tuple[Element, str, str]]) -> None:
    """Make these paragraphs a table of contents (text, bookmark) that Word can bring up to date."""
    first, last = lines[0][0], lines[-1][0]
    for paragraph, text, anchor in lines:
        paragraph.append(made("hyperlink", text_run(text), anchor=anchor, history=1))
    start = [
        made("r", made("fldChar", fldCharType="begin")),
        made("r", _instruction(' TOC \\o "1-3" \\h \\z \\u ')),
        made("r", made("fldChar", fldCharType="separate")),
    ]
    place = 1 if first[0].tag == qn("w:pPr") else 0
    for offset, run in enumerate(start):
        first.insert(place + offset, run)
    last.append(made("r", made("fldChar", fldCharType="end")))
    holder = made(
        "sdt",
        made(
            "sdtPr",
            made("docPartObj", made("docPartGallery", val="Table of Contents"), made("docPartUnique")),
        ),
    )
    content = made("sdtContent")
    first.addprevious(holder)
    content.extend([paragraph for paragraph, _, _ in lines])
    holder.append(content)


def underline(paragraph: Element) -> None:
    """Draw a rule below a paragraph."""
    line = made("bottom", val="single", sz=6, space=1, color="999999")
    _paragraph_properties(paragraph).append(made("pBdr", line))


def shade(paragraph: Element) -> None:
    """Put a paragraph on grey."""
    _paragraph_properties(paragraph).append(made("shd", val="clear", color="auto", fill="F2F2F2"))


def turn(paragraph: Element) -> None:
    """Let a paragraph run from right to left."""
    _paragraph_properties(paragraph).append(made("bidi"))


def number(paragraph: Element, numbering: int, level: int) -> None:
    """Make a paragraph an item of a list."""
    _paragraph_properties(paragraph).append(
        made("numPr", made("ilvl", val=level), made("numId", val=numbering))
    )


def new_list(document: Docx, start: int | None, level: int) -> int:
    """Return the number of a new list that begins at `start`, or has bullets."""
    root: Element = document.part.numbering_part.element
    taken = [int(one.get(qn("w:abstractNumId")) or 0) for one in root.findall(qn("w:abstractNum"))]
    abstract_id = max(taken, default=-1) + 1
    abstract = made("abstractNum", made("multiLevelType", val="hybridMultilevel"), abstractNumId=abstract_id)
    abstract.extend(
        _level(place, start if place == level else 1, bullets=start is None) for place in range(_LEVELS)
    )
    first = root.find(qn("w:num"))
    if first is not None:
        first.addprevious(abstract)
    else:
        root.append(abstract)
    number_id = max((int(one.get(qn("w:numId")) or 0) for one in root.findall(qn("w:num"))), default=0) + 1
    root.append(made("num", made("abstractNumId", val=abstract_id), numId=number_id))
    return number_id


def repeat_header(table: DocxTable) -> None:
    """Let the first row of a table stand on each of its pages."""
    row: Element = table.rows[0]._tr
    properties = row.find(qn("w:trPr"))
    if properties is None:
        properties = made("trPr")
        row.insert(0, properties)
    properties.append(made("tblHeader"))


def set_language(document: Docx, language: str) -> None:
    """Say what language the text is in, where it is known."""
    styles: Element = document.styles.element
    if language:
        for found in styles.iter(qn("w:lang")):
            found.set(qn("w:val"), language)


def call_note(paragraph: Element, note: int) -> None:
    """Put the mark of a footnote at the end of a paragraph."""
    raised = made("rPr", made("vertAlign", val="superscript"))
    paragraph.append(made("r", raised, made("footnoteReference", id=note)))


def put_in_order(root: Element) -> None:
    """Put properties into the order that Word's schema asks for."""
    for name, order in _ORDERS.items():
        places = {qn(f"w:{tag}"): place for place, tag in enumerate(order.split())}
        for properties in root.iter(qn(f"w:{name}")):
            properties[:] = sorted(properties, key=lambda one: places.get(one.tag, len(places)))


class Footnotes:
    """The part of a DOCX that holds footnotes, as paragraphs; pictures and tables in them are text."""

    def __init__(self) -> None:
        self._root = etree.fromstring(
            f"<w:footnotes {nsdecls('w')}>"
            '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
            '<w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r>'
            "</w:p></w:footnote></w:footnotes>".encode()
        )
        self._next = _FIRST_NOTE

    def add(self, blocks: Blocks) -> int:
        """Return the number of a new footnote."""
        note = made("footnote", *_note_paragraphs(blocks), id=self._next)
        self._root.append(note)
        self._next += 1
        return self._next - 1

    def attach_to(self, document: Docx) -> None:
        """Give a document these footnotes, if there are any."""
        if self._next == _FIRST_NOTE:
            return
        put_in_order(self._root)
        blob = etree.tostring(self._root, xml_declaration=True, encoding="UTF-8", standalone=True)
        part = Part(PackURI("/word/footnotes.xml"), _FOOTNOTES_TYPE, blob, document.part.package)
        document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)


def _note_paragraphs(blocks: Blocks) -> list[Element]:
    lines = [inlines for block in blocks for inlines in _note_lines(block)]
    paragraphs = [_note_paragraph(line) for line in lines] or [made("p")]
    mark = made("r", made("rPr", made("vertAlign", val="superscript")), made("footnoteRef"))
    start = 1 if len(paragraphs[0]) and paragraphs[0][0].tag == qn("w:pPr") else 0
    paragraphs[0].insert(start, mark)
    paragraphs[0].insert(start + 1, text_run(" "))
    return paragraphs


def _note_lines(block: Block) -> Iterator[Sequence[Text | LineBreak]]:
    if isinstance(block, Listing):
        for item in block.items:
            for inner in item:
                yield from _note_lines(inner)
        return
    inlines = getattr(block, "inlines", None)
    if inlines is None:
        yield (Text(text=block_text(block)),)
    else:
        yield [one for one in inlines if isinstance(one, Text | LineBreak)]


def _note_paragraph(inlines: Iterable[Text | LineBreak]) -> Element:
    paragraph = made("p")
    said = list(inlines)
    if is_rtl("".join(one.text for one in said if isinstance(one, Text))):
        turn(paragraph)
    for one in said:
        if isinstance(one, LineBreak):
            paragraph.append(made("r", made("br")))
            continue
        looks = (("b", one.bold), ("i", one.italic), ("strike", one.struck))
        tags = [tag for tag, on in looks if on]
        runs = [
            text_run(piece, *map(made, [*tags, "rtl"] if turned else tags))
            for piece, turned in runs_by_direction(one.text)
        ]
        paragraph.extend(runs)
        if one.url:
            link(paragraph, runs, one.url)
    return paragraph


def _level(place: int, start: int | None, *, bullets: bool) -> Element:
    text = _BULLETS[place % len(_BULLETS)] if bullets else f"%{place + 1}."
    indent = made("pPr", made("ind", left=_INDENT * (place + 2), hanging=_INDENT))
    return made(
        "lvl",
        made("start", val=1 if start is None else start),
        made("numFmt", val="bullet" if bullets else "decimal"),
        made("lvlText", val=text),
        made("lvlJc", val="left"),
        indent,
        ilvl=place,
    )


def _instruction(text: str) -> Element:
    element = made("instrText")
    element.text = text
    element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return element


def _properties(run: Element) -> Element:
    found = run.find(qn("w:rPr"))
    if found is None:
        found = made("rPr")
        run.insert(0, found)
    return found


def _paragraph_properties(paragraph: Element) -> Element:
    found = paragraph.find(qn("w:pPr"))
    if found is None:
        found = made("pPr")
        paragraph.insert(0, found)
    return found
