"""Takes a manuscript out as EPUB 3: a title page, a document for each part and chapter, and the contents."""

import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import escape, quoteattr

from agent_core.documents.legible import legible
from agent_core.documents.markdown import read_story
from agent_core.documents.model import Made
from agent_core.exporting.headings import Headed, headed
from agent_core.exporting.xhtml import page, prose
from agent_core.importing.manuscript import Manuscript, ManuscriptChapter
from agent_core.texts import say

MEDIA_TYPE = "application/epub+zip"
_NO_DATE = (1980, 1, 1, 0, 0, 0)
_CONTAINER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>'
    "</rootfiles></container>\n"
)
_STYLE = """body { margin: 0 5%; line-height: 1.5; }
h1, h2 { text-align: center; line-height: 1.25; margin: 2em 0 1.5em; hyphens: none; }
p { margin: 0; text-indent: 1.4em; }
h1 + p, h2 + p, hr + p, blockquote p { text-indent: 0; }
hr { border: none; text-align: center; margin: 1.5em 0; }
hr::after { content: "* * *"; }
.title-page { text-align: center; margin-top: 20%; }
.title-page p { text-indent: 0; margin: 1em 0; }
"""


@dataclass(slots=True)
class _Entry:
    """A document of the book, and its line in the contents ("" for none)."""

    name: str
    label: str
    content: str
    inside: list["_Entry"] = field(default_factory=list)


def epub_of(manuscript: Manuscript, author: str, at: datetime) -> Made:
    """Return the file; the same manuscript at the same moment gives the same bytes."""
    removed = sum(legible(text)[1] for text in _texts(manuscript))
    title_page = _Entry("title.xhtml", "", _title_page(manuscript, author))
    entries = _entries(manuscript)
    documents = [title_page, *(one for entry in entries for one in (entry, *entry.inside))]
    files = {
        "META-INF/container.xml": _CONTAINER,
        "EPUB/package.opf": _package(manuscript, author, documents, at),
        "EPUB/nav.xhtml": _contents(manuscript, entries),
        "EPUB/style.css": _STYLE,
        **{f"EPUB/{one.name}": one.content for one in documents},
    }
    return Made(
        content=_zipped(files),
        media_type=MEDIA_TYPE,
        suffix=".epub",
        facts={"chapters": len(manuscript.chapters)},
        removed=removed,
    )


def _entries(manuscript: Manuscript) -> list[_Entry]:
    entries: list[_Entry] = []
    open_part: _Entry | None = None
    for place, one in enumerate(headed(manuscript), 1):
        if one.part:
            text = _scenes(one.chapter) if one.is_opening else ""
            content = _document(manuscript, one.part, "part", f"<h1>{_text(one.part)}</h1>\n{text}")
            open_part = _Entry(f"part-{place}.xhtml", one.part, content)
            entries.append(open_part)
        elif not one.chapter.part:
            open_part = None
        if not one.is_opening:
            chapter = _Entry(f"chapter-{place}.xhtml", one.heading, _chapter(manuscript, one))
            (entries if open_part is None else open_part.inside).append(chapter)
    return entries


def _chapter(manuscript: Manuscript, one: Headed) -> str:
    # Without a heading it is story before or between the chapters; a reading program needs some name.
    kind = "chapter" if one.heading else "preface"
    return _document(manuscript, one.heading or manuscript.title, kind, _head(one) + _scenes(one.chapter))


def _head(one: Headed) -> str:
    chapter = one.chapter
    if not one.heading:
        return ""
    if not chapter.number:
        return f"<h1>{_text(chapter.title)}</h1>\n"
    word = _text(one.heading.partition(" ")[0])
    number = _text(chapter.number)
    head = f'<span epub:type="label">{word}</span> <span epub:type="ordinal">{number}</span>'
    title = f'<br/><span epub:type="title">{_text(chapter.title)}</span>' if chapter.title else ""
    return f"<h1>{head}{title}</h1>\n"


def _scenes(chapter: ManuscriptChapter) -> str:
    written = []
    for place, scene in enumerate(chapter.scenes):
        if scene.title:
            written.append(f'<h2 epub:type="bridgehead">{_text(scene.title)}</h2>')
        elif place:
            written.append("<hr/>")
        written.append(prose(read_story(legible(scene.text)[0])))
    return "\n".join(written)


def _document(manuscript: Manuscript, title: str, kind: str, body: str) -> str:
    section = f'<section epub:type="{kind}">\n{body}\n</section>'
    return page(_text(title), _language(manuscript), section, kind="bodymatter")


def _title_page(manuscript: Manuscript, author: str) -> str:
    lines = [f"<h1>{_text(manuscript.title)}</h1>"]
    lines += [f"<p>{_text(one)}</p>" for one in (manuscript.series, author) if one]
    body = "\n".join(lines)
    section = f'<section epub:type="titlepage" class="title-page">\n{body}\n</section>'
    return page(_text(manuscript.title), _language(manuscript), section, kind="frontmatter")


def _contents(manuscript: Manuscript, entries: Sequence[_Entry]) -> str:
    heading = _text(say(_language(manuscript), "document.contents"))
    first = next((one.name for entry in entries for one in (entry, *entry.inside)), "title.xhtml")
    body = (
        f'<nav epub:type="toc" role="doc-toc">\n<h1>{heading}</h1>\n{_listed(entries)}\n</nav>\n'
        f'<nav epub:type="landmarks" hidden="">\n<ol>\n<li><a epub:type="bodymatter" href="{first}">'
        f"{_text(manuscript.title)}</a></li>\n</ol>\n</nav>"
    )
    return page(heading, _language(manuscript), body)


def _listed(entries: Iterable[_Entry]) -> str:
    lines = []
    for entry in entries:
        inside = f"\n{_listed(entry.inside)}\n" if any(one.label for one in entry.inside) else ""
        if entry.label:
            lines.append(f'<li><a href="{entry.name}">{_text(entry.label)}</a>{inside}</li>')
    return "<ol>\n" + "\n".join(lines or ['<li><a href="title.xhtml">·</a></li>']) + "\n</ol>"


def _package(manuscript: Manuscript, author: str, documents: Sequence[_Entry], at: datetime) -> str:
    book = uuid5(NAMESPACE_URL, "\n".join((manuscript.series, manuscript.title, author)))
    lines = [
        f'<dc:identifier id="id">urn:uuid:{book}</dc:identifier>',
        f"<dc:title>{_text(manuscript.title)}</dc:title>",
        f"<dc:language>{_language(manuscript)}</dc:language>",
        f"<dc:creator>{_text(author)}</dc:creator>" if author else "",
        f'<meta property="dcterms:modified">{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}</meta>',
        *_series(manuscript),
        '<meta property="schema:accessMode">textual</meta>',
        '<meta property="schema:accessibilityFeature">tableOfContents</meta>',
        '<meta property="schema:accessibilityHazard">none</meta>',
    ]
    items = [
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
        '<item id="style" href="style.css" media-type="text/css"/>',
        *(
            f'<item id="d{place}" href="{one.name}" media-type="application/xhtml+xml"/>'
            for place, one in enumerate(documents)
        ),
    ]
    spine = [f'<itemref idref="d{place}"/>' for place in range(len(documents))]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"'
        f" xml:lang={quoteattr(_language(manuscript))}>\n"
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n'
        + "\n".join(filter(None, lines))
        + "\n</metadata>\n<manifest>\n"
        + "\n".join(items)
        + "\n</manifest>\n<spine>\n"
        + "\n".join(spine)
        + "\n</spine>\n</package>\n"
    )


def _series(manuscript: Manuscript) -> list[str]:
    if not manuscript.series:
        return []
    lines = [
        f'<meta property="belongs-to-collection" id="series">{_text(manuscript.series)}</meta>',
        '<meta refines="#series" property="collection-type">series</meta>',
    ]
    if manuscript.series_position is not None:
        place = f"{manuscript.series_position:g}"
        lines.append(f'<meta refines="#series" property="group-position">{place}</meta>')
    return lines


def _zipped(files: dict[str, str]) -> bytes:
    written = BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        # Readers tell the format by this first member, which must not be packed.
        archive.writestr(zipfile.ZipInfo("mimetype", _NO_DATE), MEDIA_TYPE, zipfile.ZIP_STORED)
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _NO_DATE), content.encode(), zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _texts(manuscript: Manuscript) -> Iterable[str]:
    yield manuscript.title
    for chapter in manuscript.chapters:
        yield from (chapter.title, chapter.part)
        for scene in chapter.scenes:
            yield from (scene.title, scene.text)


def _text(text: str) -> str:
    return escape(" ".join(legible(text)[0].split()))


def _language(manuscript: Manuscript) -> str:
    return manuscript.language or "en"
