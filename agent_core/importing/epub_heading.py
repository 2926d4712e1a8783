"""Heading elements of XHTML (also an hgroup) to headings, and text without the marks of the typesetter."""

import re

from lxml import etree

from agent_core.importing.epub_package import local_name, plain_text, type_words
from agent_core.importing.headings import Heading, HeadingKind, parse_heading

_SPACE = re.compile(r"[ \t\n\f]+")
_OPENS_LINE = re.compile(r"br|p|h[1-6]|hgroup|div")
_SAYS_NOTHING = frozenset(("rp", "rt", "script", "style", "svg"))
# Marks nobody types: left in, "Mr. Holmes" would not be found as it is typed. French keeps its spaces.
_SET_SPACE = re.compile(r"(?<![«‹])\u00a0(?![»›;:!?%])")
_SET_MARKS = str.maketrans({"\u00ad": None, "\u2060": None, "\ufeff": None, "\u200a": None})


def typeset(text: str) -> str:
    """Return `text` without no-break, hair and soft-hyphen marks that only the typesetter needs."""
    return _SET_SPACE.sub(" ", text).translate(_SET_MARKS)


def collapsed(text: str) -> str:
    """Return `text` with each run of white space of the source as one space."""
    return _SPACE.sub(" ", text)


def heading_of(element: etree._Element) -> Heading:
    """Return a heading element taken apart: its typed ordinal and title, else its words."""
    ordinal, title, subtitle = (_typed(element, word) for word in ("ordinal", "title", "subtitle"))
    heading = parse_heading(_lines(element))
    if ordinal and title and ordinal != title:
        heading = _numbered(_typed(element, "label"), ordinal, title)
    if subtitle and heading.title and subtitle not in heading.title:
        title = f"{heading.title}: {subtitle}"
        return Heading(heading.kind, heading.number, title, heading.label, heading.worded)
    return heading


def level_of(element: etree._Element) -> int:
    """Return 1 to 6; a heading without a level of its own is deepest."""
    names = [local_name(element), *(local_name(inner) for inner in element)]
    return next((int(name[1]) for name in names if re.fullmatch(r"h[1-6]", name)), 6)


def _numbered(word: str, ordinal: str, title: str) -> Heading:
    numbered = parse_heading(f"{word} {ordinal}".strip())
    kind = numbered.kind if numbered.number else HeadingKind.CHAPTER
    return Heading(kind, numbered.number, title, f"{numbered.label}: {title}", worded=numbered.worded)


def _typed(element: etree._Element, word: str) -> str:
    found = next((inner for inner in element.iter() if word in type_words(inner)), None)
    return "" if found is None else " ".join(typeset(plain_text(found)).split())


def _lines(element: etree._Element) -> str:
    """Return the words of the element, with a line end at breaks and between the blocks of an hgroup."""
    text: list[str] = []
    for event, inner in etree.iterwalk(element, events=("start", "end")):
        name = local_name(inner)
        if event == "end":
            text.append("" if inner is element else collapsed(inner.tail or ""))
            continue
        text.append("\n" if _OPENS_LINE.fullmatch(name) else "")
        text.append("" if name in _SAYS_NOTHING else collapsed(inner.text or ""))
        text.append(inner.get("alt") or "" if name == "img" else "")
    lines = (" ".join(typeset(line).split()) for line in "".join(text).split("\n"))
    return "\n".join(line for line in lines if line)
