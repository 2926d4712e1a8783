"""The readable text of what a site answered: HTML, PDF and plain text. All of it blocks; for threads."""

import codecs
import io
import re
from dataclasses import dataclass
from typing import Literal

from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject, PdfObject, StreamObject

from agent_core.errors import WebFailure, WebRefusal
from agent_core.outbound.client import Reply

MAX_PDF_PAGES = 300
MAX_PDF_CONTENT = 3_000_000  # bytes of what pages are drawn by
MAX_PDF_OPERATIONS = 100_000
MAX_TEXT_CHARS = 2_000_000
MAX_HTML_CHARS = 1_500_000
MAX_TAGS = 20_000  # of which no timeout ends the reading: they take a second or two
MAX_TABLE_TAGS = 8_000  # that are parts of tables, whose time goes by their square
_HEAD_BYTES = 2_048
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXT = frozenset({"application/json", "application/xml", "application/ld+json", "application/rss+xml",
                   "application/atom+xml", "application/yaml", "application/javascript"})  # fmt: skip
# The parser takes time by the square of a tag's attributes.
_HUGE_TAG = re.compile(r"<([A-Za-z][A-Za-z0-9]{0,20})\s[^<>]{10000,}>")
_TAG = re.compile(r"<(?:(?P<table>t(?:[dhr]|able))\b|[a-z])", re.IGNORECASE)
_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([A-Za-z0-9_-]{2,40})""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""^<\?xml[^>]+encoding\s*=\s*["']([A-Za-z0-9_-]{2,40})""")
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))

Kind = Literal["html", "pdf", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """What can be read on a page; `cut`: and that is not all of it."""

    kind: Kind
    text: str
    title: str = ""
    date: str = ""
    pages: int | None = None
    html: str = ""
    cut: bool = False


def readable(reply: Reply, site: str) -> Readable:
    """Return the text of an answer.

    Raises:
        WebRefusal: it is of a kind that has no text, or the extra that reads it is not installed.
        WebFailure: it is damaged, or too large to be read in part.
    """
    match kind_of(reply):
        case "pdf":
            return _pdf(reply, site)
        case "html":
            return _html(decoded(reply), reply.url)
        case "text":
            return _plain(decoded(reply))
    raise WebRefusal(reason="kind", site=site, kind=media_type(reply) or "unknown")


def kind_of(reply: Reply) -> Kind | None:
    """Return what an answer is by its header, and where that says nothing, by how it begins."""
    said, start = media_type(reply), reply.body[:_HEAD_BYTES].lstrip()
    if start.startswith(b"%PDF-") or said == "application/pdf":
        return "pdf"
    if said in _HTML:
        return "html"
    if said.startswith("text/") or said in _TEXT or said.endswith(("+json", "+xml")):
        return "text"
    if said not in {"", "application/octet-stream"}:
        return None
    if re.match(rb"<(?:!doctype html|html|head|body)", start, re.IGNORECASE):
        return "html"
    return None if b"\0" in start else "text"


def media_type(reply: Reply) -> str:
    """Return the type that an answer says it has, without parameters, in small letters."""
    return reply.headers.get("content-type", "").partition(";")[0].strip().lower()


def decoded(reply: Reply) -> str:
    """Return the text of an answer: by its mark, header, own word, as UTF-8, or as Western European."""
    for mark, name in _BOMS:
        if reply.body.startswith(mark):
            return reply.body.decode(name, "replace")
    head = reply.body[:_HEAD_BYTES]
    header = re.search(
        r"charset\s*=\s*[\"']?([\w.:-]+)", reply.headers.get("content-type", ""), re.IGNORECASE
    )
    own = _CHARSET.search(head) or _XML_ENCODING.search(head)
    for name in (header[1] if header else "", own[1].decode("ascii") if own else "", "utf-8"):
        text = _as(reply.body, name, whole=not reply.cut)
        if text is not None:
            return text
    return reply.body.decode("cp1252", "replace")


def _as(body: bytes, name: str, *, whole: bool) -> str | None:
    """Return the text in an encoding, None where it is none; what is cut may end within a letter."""
    if name.lower() in {"iso-8859-1", "latin-1", "latin1", "ascii", "us-ascii"}:
        name = "cp1252"  # as browsers take it
    try:
        "x".encode(name)  # refuses zip, hex and what else is no encoding of text
        return codecs.getincrementaldecoder(name)().decode(body, final=whole)
    except (LookupError, UnicodeError, ValueError):
        return None


def within_bounds(html: str) -> tuple[str, bool]:
    """Return the beginning of a page that can be parsed in time, and whether that is not all of it."""
    end = min(len(html), MAX_HTML_CHARS)
    in_tables = 0
    for tags, found in enumerate(_TAG.finditer(html, 0, end), 1):
        in_tables += found["table"] is not None
        if tags > MAX_TAGS or in_tables > MAX_TABLE_TAGS:
            end = found.start()
            break
    return _HUGE_TAG.sub(r"<\1>", html[:end]), end < len(html)


def _html(html: str, url: str) -> Readable:
    try:
        import trafilatura  # noqa: PLC0415  from the extra
        from trafilatura.settings import Document  # noqa: PLC0415
    except ImportError as error:
        raise WebRefusal(reason="extra", install="scripts/run --full") from error
    given, is_cut = within_bounds(html)
    found = trafilatura.bare_extraction(
        given,
        url=url,
        output_format="markdown",
        include_comments=False,
        favor_recall=True,
        with_metadata=True,
    )
    page = found if isinstance(found, Document) else Document()
    return Readable(
        kind="html",
        text=page.text or trafilatura.html2txt(given),
        title=page.title or "",
        date=page.date or "",
        html=given,
        cut=is_cut,
    )


def _plain(text: str) -> Readable:
    return Readable(kind="text", text=text[:MAX_TEXT_CHARS], cut=len(text) > MAX_TEXT_CHARS)


def _pdf(reply: Reply, site: str) -> Readable:
    if reply.cut:
        raise WebFailure(reason="too_large", site=site)
    try:
        reader = PdfReader(io.BytesIO(reply.body))
        if reader.is_encrypted and not reader.decrypt(""):
            raise WebRefusal(reason="locked", site=site)
        texts = _texts_of(reader)
        title = str((reader.metadata and reader.metadata.title) or "")
        count = len(reader.pages)
    except (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise WebFailure(reason="damaged", site=site) from error
    if not texts:
        raise WebFailure(reason="too_large", site=site)
    text = "\n\n".join(f"[page {number}]\n{text}" for number, text in enumerate(texts, 1) if text)
    if not text:
        raise WebRefusal(reason="no_text", site=site)
    return Readable(kind="pdf", text=text[:MAX_TEXT_CHARS], title=title, pages=count, cut=len(texts) < count)


class _Enough(Exception):
    """A PDF draws more than can be read in time."""


def _texts_of(reader: PdfReader) -> list[str]:
    """Return the texts of the first pages, as many as can be read in time."""
    texts: list[str] = []
    operations = content = forms = 0

    def count(operator: bytes, *_: object) -> None:
        nonlocal operations, content
        operations += 1
        content += forms if operator == b"Do" else 0  # a form is read again each time it is drawn
        if operations > MAX_PDF_OPERATIONS or content > MAX_PDF_CONTENT:
            raise _Enough

    for page in reader.pages[:MAX_PDF_PAGES]:
        drawn = page.get_contents()
        content += len(drawn.get_data()) if drawn is not None else 0
        forms = _forms_of(page, set())
        if content + forms > MAX_PDF_CONTENT or sum(map(len, texts)) > MAX_TEXT_CHARS:
            break
        try:
            texts.append(page.extract_text(visitor_operand_before=count).strip())
        except _Enough:
            break
    return texts


def _forms_of(holder: DictionaryObject, seen: set[int]) -> int:
    """Return the size of the forms that a page or form may draw, and of those that these may."""
    resources = holder.get("/Resources", DictionaryObject()).get_object()
    drawn = resources.get("/XObject", DictionaryObject()).get_object()
    size = 0
    for form in map(PdfObject.get_object, drawn.values()):
        if isinstance(form, StreamObject) and form.get("/Subtype") == "/Form" and id(form) not in seen:
            seen.add(id(form))
            size += len(form.get_data()) + _forms_of(form, seen)
    return size
