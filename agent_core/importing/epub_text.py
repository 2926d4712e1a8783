"""One XHTML document to a flat run of pieces: passages, headings, breaks, each with its division and anchors.

Pictures are left out. A picture that stands inside a line gives its alternative text, since there it stands
for a word; one that stands alone is an illustration, or an ornament if the book repeats it.
"""

import re
from dataclasses import dataclass, field
from enum import Enum, auto

from lxml import etree

from agent_core.importing.epub_heading import collapsed, heading_of, level_of, typeset
from agent_core.importing.epub_package import local_name, plain_text, type_words
from agent_core.importing.headings import Heading
from agent_core.importing.scenes import emphasised, is_ornament


class Role(Enum):
    """What `epub:type` says a division is."""

    CHAPTER = auto()
    PART = auto()
    PREFATORY = auto()
    """Prose that is not story, unless the book says that it is fiction or it stands in the body."""
    SILENT = auto()
    """Title page, contents, imprint and the like: not even prose."""
    NOTES = auto()


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """A typed section; `types` are its own and those around it. The same words twice are two sections."""

    role: Role
    types: frozenset[str]
    id: str


class PieceKind(Enum):
    """Kinds of pieces."""

    PASSAGE = auto()
    HEADING = auto()
    BREAK = auto()
    PICTURE = auto()
    """`text` is the picture's address."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One block of a document. `anchors` are the ids that a link to this place may name.

    A heading that structures nothing but the text it stands in (a bridgehead) has no `heading`.
    """

    kind: PieceKind
    text: str
    anchors: frozenset[str]
    division: Division | None
    level: int = 0
    heading: Heading | None = None


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document's pieces, and how many references to notes were left out."""

    pieces: tuple[Piece, ...]
    notes: int


_WORDS_OF = {
    Role.CHAPTER: "chapter prologue epilogue interlude conclusion short-story",
    Role.NOTES: "endnotes footnotes rearnotes endnote footnote rearnote notes",
    Role.SILENT: (
        "cover titlepage halftitlepage halftitle copyright-page imprint imprimatur colophon toc landmarks"
        " loi lot loa lov index bibliography page-list other-credits credit credits contributors errata"
        " seriespage"
    ),
    Role.PART: "part volume division novella",
    Role.PREFATORY: (
        "introduction foreword preface preamble afterword acknowledgments dedication epigraph appendix"
        " glossary frontmatter backmatter"
    ),
}
_ROLE_OF = {word: role for role, words in _WORDS_OF.items() for word in words.split()}


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_DIVIDING = _listed("article aside body div main ol section")
_BLOCKS = _listed(
    "address article aside blockquote body caption center dd div dl dt fieldset figcaption figure footer form"
    " h1 h2 h3 h4 h5 h6 header hgroup hr li main ol p pre section table tr ul"
)
_LEFT_OUT = _listed(
    "audio button canvas head iframe input nav object rp rt script select style svg template textarea video"
)
_QUOTING = _listed("aside blockquote figure li table")
_QUOTING_TYPES = _listed("hymn letter poem song verse")
_HEADING_NAMES = _listed("h1 h2 h3 h4 h5 h6 hgroup")
_BRIDGE = "bridgehead"
_HEADING_TYPES = _listed("fulltitle ordinal subtitle title")
_ITALIC, _BOLD = _listed("cite dfn em i var"), _listed("b strong")
_NOTE_MARK = re.compile(r"[\[(]?(\d{1,3}|[*†‡§])[\])]?")
_BOILERPLATE_IDS = frozenset(("pg-header", "pg-footer"))
_PICTURE = "\ufffc"
_PARAGRAPH_END = re.compile(r"\n{2,}")
_SPACES = re.compile(" {2,}")


def read_document(root: etree._Element) -> DocumentText:
    """Return the text of a document in order."""
    body = next((element for element in root.iter() if local_name(element) == "body"), root)
    reader = _Reader()
    walker = etree.iterwalk(body, events=("start", "end"))
    for event, element in walker:
        if event == "end":
            reader.leave(element, is_root=element is body)
        elif not reader.enter(element):
            walker.skip_subtree()
    reader.flush()
    return DocumentText(tuple(reader.pieces), reader.notes)


def role_of(types: frozenset[str]) -> Role | None:
    """Return the most telling role: "backmatter endnotes" are notes, "frontmatter titlepage" is silent."""
    roles = {_ROLE_OF[word] for word in types if word in _ROLE_OF}
    return next((role for role in _WORDS_OF if role in roles), None)


@dataclass(slots=True)
class _Reader:
    """Holds what is open while the document goes by."""

    pieces: list[Piece] = field(default_factory=list)
    notes: int = 0
    _runs: list[tuple[str, bool, bool]] = field(default_factory=list)
    _pictures: list[tuple[str, str]] = field(default_factory=list)
    _anchors: set[str] = field(default_factory=set)
    _divisions: list[tuple[etree._Element, Division]] = field(default_factory=list)
    _lists: list[int | None] = field(default_factory=list)
    _skipped: etree._Element | None = None
    _marker: str = ""
    _quoting: int = 0
    _tables: int = 0
    _italic: int = 0
    _bold: int = 0
    _literal: int = 0

    def enter(self, element: etree._Element) -> bool:
        """Take in the start of an element; False means that its inside is not to be read."""
        name, types = local_name(element), type_words(element)
        self._anchors.update(filter(None, (element.get("id"), element.get("name") if name == "a" else None)))
        if name in _BLOCKS and not self._tables:
            self.flush()
        if _is_left_out(element, name, types) or self._is_note(element, name, types):
            self._skipped = element
        elif not self._quoting and (name in _HEADING_NAMES or (name == "p" and types & _HEADING_TYPES)):
            self._add_heading(element)
            self._skipped = element
        else:
            self._open_division(element, name, types)
            self._count(element, name, types, 1)
            self._open(element, name)
            self._say(element.text)
        return self._skipped is None

    def leave(self, element: etree._Element, *, is_root: bool) -> None:
        """Take in the end of an element and the text that follows it."""
        name = local_name(element)
        if self._skipped is None:
            self._count(element, name, type_words(element), -1)
            if name in {"ol", "ul"}:
                self._lists.pop()
        self._skipped = None
        if name in _BLOCKS and not self._tables:
            self.flush()
        if self._divisions and self._divisions[-1][0] is element:
            self._divisions.pop()
        if not is_root:
            self._say(element.tail)

    def flush(self) -> None:
        """End the current paragraph."""
        lines = emphasised(self._runs).split("\n")
        text = "\n".join(_SPACES.sub(" ", line.strip()) for line in lines)
        if not text.replace(_PICTURE, "").strip():
            self._add_pictures()
        else:
            for _, alternative in self._pictures:
                text = text.replace(_PICTURE, alternative, 1)
            for paragraph in filter(None, map(str.strip, _PARAGRAPH_END.split(text))):
                self._add_paragraph(paragraph)
        self._runs.clear()
        self._pictures.clear()

    def _add_paragraph(self, paragraph: str) -> None:
        if is_ornament(paragraph):
            self._add(PieceKind.BREAK, "")
            return
        self._add(PieceKind.PASSAGE, self._marker + paragraph)
        self._marker = ""

    def _add_pictures(self) -> None:
        for address, alternative in self._pictures:
            self._add(PieceKind.BREAK if is_ornament(alternative) else PieceKind.PICTURE, address)

    def _add_heading(self, element: etree._Element) -> None:
        self._anchors.update(filter(None, (inner.get("id") for inner in element.iter())))
        heading = heading_of(element)
        if heading.label:
            kind = PieceKind.BREAK if is_ornament(heading.label) else PieceKind.HEADING
            is_bridge = _BRIDGE in type_words(element)
            self._add(kind, heading.label, level_of(element), None if is_bridge else heading)

    def _add(self, kind: PieceKind, text: str, level: int = 0, heading: Heading | None = None) -> None:
        division = self._divisions[-1][1] if self._divisions else None
        self.pieces.append(Piece(kind, text, frozenset(self._anchors), division, level, heading))
        self._anchors.clear()

    def _say(self, text: str | None) -> None:
        if text:
            said = typeset(text if self._literal else collapsed(text))
            self._runs.append((said.replace(_PICTURE, ""), self._italic > 0, self._bold > 0))

    def _is_note(self, element: etree._Element, name: str, types: frozenset[str]) -> bool:
        links = name == "a" and "#" in (element.get("href") or "")
        if "noteref" in types or (links and _NOTE_MARK.fullmatch(plain_text(element).strip())):
            self.notes += 1
            return True
        return "backlink" in types or (name == "aside" and role_of(types) is Role.NOTES)

    def _open_division(self, element: etree._Element, name: str, types: frozenset[str]) -> None:
        role = role_of(types) if name in _DIVIDING else None
        outer = self._divisions[-1][1].role if self._divisions else None
        # A motto or a glossary inside a chapter is the chapter's.
        if role is None or (outer is Role.CHAPTER and role not in {Role.NOTES, Role.CHAPTER}):
            return
        around = (type_words(ancestor) for ancestor in element.iterancestors())
        self._divisions.append((element, Division(role, types.union(*around), element.get("id") or "")))

    def _count(self, element: etree._Element, name: str, types: frozenset[str], step: int) -> None:
        """Enter (step 1) or leave (step -1) what changes the meaning of everything inside it."""
        italic, bold = _look(element, name)
        self._italic += step * italic
        self._bold += step * bold
        self._quoting += step * (name in _QUOTING or bool(types & _QUOTING_TYPES))
        self._tables += step * (name == "table")
        self._literal += step * (name == "pre")

    def _open(self, element: etree._Element, name: str) -> None:
        match name:
            case "br" | "tr":
                self._runs.append(("\n", False, False))
            case "td" | "th" if element.getprevious() is not None:
                self._runs.append((" | ", False, False))
            case "hr":
                self._add(PieceKind.BREAK, "")
            case "img" | "image":
                self._pictures.append((element.get("src") or "", collapsed(element.get("alt") or "")))
                self._runs.append((_PICTURE, False, False))
            case "ol":
                start = element.get("start") or "1"
                self._lists.append(int(start) if start.isdecimal() and len(start) < 6 else 1)
            case "ul":
                self._lists.append(None)
            case "li":
                self._marker = self._next_marker()
            case _ if self._tables and name in _BLOCKS:
                self._runs.append((" ", False, False))

    def _next_marker(self) -> str:
        number = self._lists[-1] if self._lists else None
        if number is None:
            return "- "
        self._lists[-1] = number + 1
        return f"{number}. "


def _is_left_out(element: etree._Element, name: str, types: frozenset[str]) -> bool:
    return (
        name in _LEFT_OUT
        or "pagebreak" in types
        or element.get("hidden") is not None
        or "pg-boilerplate" in (element.get("class") or "").split()
        or element.get("id") in _BOILERPLATE_IDS
    )


def _look(element: etree._Element, name: str) -> tuple[bool, bool]:
    """Return (italic, bold) as far as tag, class or inline style say it."""
    if name != "span":
        return name in _ITALIC, name in _BOLD
    told = f"{element.get('class') or ''} {element.get('style') or ''}".lower()
    return "italic" in told, "bold" in told
