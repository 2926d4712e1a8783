"""Bytes from strangers to text and element trees: no entities, no network, no guessing in silence."""

import codecs
import re
from html.entities import html5

from lxml import etree

from agent_core.errors import ImportFailure

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"""<(?:\?xml|meta)[^>]{0,200}?(?:encoding|charset)\s*=\s*["']?([\w.:-]+)""")
_KNOWN_ENCODING = re.compile(
    r"utf-?8|(us-)?ascii|iso-?8859-\d+|latin-?\d|windows-125\d|cp125\d|koi8-[ru]|shift[-_]jis|euc-(jp|kr)"
    r"|gb2312|gbk|gb18030|big5"
)
# What old files call Latin-1 or ASCII is Windows-1252 or UTF-8 in truth.
_MEANT = {
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "ascii": "utf-8",
    "us-ascii": "utf-8",
}
_PROLOG = re.compile(r"\A\s*<\?xml[^>]*\?>")
_DOCTYPE = re.compile("<!DOCTYPE", re.IGNORECASE)
_DOCTYPE_WITHIN = 4096
_NAMED_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_XML_ENTITIES = {"amp", "lt", "gt", "quot", "apos"}
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def decoded(data: bytes) -> tuple[str, bool]:
    """Return (text with LF line ends and no byte order mark, whether the encoding had to be guessed)."""
    text, guessed = _decoded(data)
    return text.replace("\r\n", "\n").replace("\r", "\n"), guessed


def _decoded(data: bytes) -> tuple[str, bool]:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(encoding, errors="replace"), False
    declared = _DECLARED.search(data[:1024])
    name = declared.group(1).decode("ascii").lower() if declared else "utf-8"
    for encoding in (name, "utf-8") if _KNOWN_ENCODING.fullmatch(name) else ("utf-8",):
        try:
            return data.decode(_MEANT.get(encoding, encoding)), False
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("cp1252", errors="replace"), True


def parse_xml(data: bytes, file: str, part: str) -> etree._Element:
    """Return the root of a metadata document; small slips (a bare `&`) are forgiven.

    Raises:
        ImportFailure: damaged, where nothing can be made of it.
    """
    text, _ = decoded(data)
    root = _parsed(_plain(text), recover=False)
    if root is None:
        root = _parsed(_plain(text), recover=True)
    if root is None:
        raise ImportFailure(file=file, reason="damaged", part=part)
    return root


def parse_xhtml(text: str, file: str, part: str) -> tuple[etree._Element, bool]:
    """Return (root, whether it had to be read as HTML because it is not well-formed).

    Raises:
        ImportFailure: damaged, where nothing can be made of it or where it is nested beyond all measure.
    """
    plain = _plain(text)
    root = _parsed(plain, recover=False)
    if root is not None:
        return root, False
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = etree.fromstring(plain.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise ImportFailure(file=file, reason="damaged", part=part) from error
    # Past a limit the parser drops the rest: better no book than one that ends in the middle.
    if root is None or any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise ImportFailure(file=file, reason="damaged", part=part)
    return root, True


def _plain(text: str) -> str:
    """Return `text` without declarations (so without entities of its own) and named HTML entities."""
    return _NAMED_ENTITY.sub(_character, _without_doctype(_PROLOG.sub("", _NOT_IN_XML.sub("", text))))


def _without_doctype(text: str) -> str:
    found = _DOCTYPE.search(text, 0, _DOCTYPE_WITHIN)
    if found is None:
        return text
    end = text.find(">", found.end())
    subset = text.find("[", found.end(), end)
    if subset >= 0:
        last = text.find("]", subset)
        end = text.find(">", last) if last >= 0 else -1
    return text[: found.start()] + text[end + 1 :] if end >= 0 else text


def _character(match: re.Match[str]) -> str:
    name = match.group(1)
    return match.group(0) if name in _XML_ENTITIES else html5.get(name + ";", match.group(0))


def _parsed(plain: str, *, recover: bool) -> etree._Element | None:
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=recover,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root: etree._Element | None = etree.fromstring(plain.encode(), parser)
    except etree.XMLSyntaxError:
        return None
    return root
