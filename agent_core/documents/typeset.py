"""Writes a document as typst: all of its text as quoted strings, so that none of it can be typst's syntax."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources

from agent_core.documents.direction import is_rtl
from agent_core.documents.model import (
    Block,
    Blocks,
    Code,
    Document,
    Heading,
    Inline,
    LineBreak,
    Listing,
    NoteMark,
    Paragraph,
    Picture,
    Quote,
    Rule,
    Table,
    Text,
)
from agent_core.documents.plain import block_text

_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_DEEPEST_HEADING = 6


def quoted(text: str) -> str:
    """Return a typst string that stands for exactly this text."""
    return '"' + "".join(_ESCAPED.get(char, char) for char in text) + '"'


def typeset(document: Document, pictures: Mapping[str, str], families: Sequence[str]) -> str:
    """Return the typst source of a document; `pictures` are the files that stand for what it names."""
    body = _Typesetter(document.notes, pictures).blocks(document.blocks)
    settings = (
        quoted(document.title),
        quoted(document.author),
        quoted(document.language or "en"),
        f"({''.join(f'{quoted(one)}, ' for one in families)})",
        quoted(document.paper),
        _said(document.page_numbers),
        _said(document.contents),
        _said(is_rtl(document.title)),
    )
    return f"{_look()}\n#pages-of({', '.join(settings)}, {body})\n"


@cache
def _look() -> str:
    return resources.files(__package__).joinpath("pages.typ").read_text("utf-8")


class _Typesetter:
    """Writes blocks; a footnote is written where it is first called."""

    def __init__(self, notes: Mapping[str, Blocks], pictures: Mapping[str, str]) -> None:
        self._notes = notes
        self._pictures = pictures
        self._written: set[str] = set()
        self._open: list[str] = []
        self._in_heading = False

    def blocks(self, blocks: Iterable[Block]) -> str:
        """Return an expression that gives the blocks."""
        return _sequence(self._directed(block) for block in blocks)

    def _directed(self, block: Block) -> str:
        written = self._block(block)
        return f"ltr-or-rtl(true, {written})" if is_rtl(block_text(block)) else written

    def _block(self, block: Block) -> str:
        match block:
            case Heading(level, inlines):
                return self._heading(level, inlines)
            case Paragraph((Picture() as only,)):
                return self._picture(only, "picture")
            case Paragraph(inlines):
                return f"par({self._inlines(inlines)})"
            case Listing(start, items):
                head = "list(" if start is None else f"enum(start: {start}, "
                return f"{head}{', '.join(self._item(item) for item in items)})"
            case Quote(inner):
                return f"quote(block: true, {self.blocks(inner)})"
            case Code(text):
                return f"raw(block: true, {quoted(text)})"
            case Rule():
                return "rule()"
            case Table():
                return self._table(block)

    def _heading(self, level: int, inlines: Sequence[Inline]) -> str:
        self._in_heading = True  # it is written in the table of contents too
        written = self._inlines(inlines)
        self._in_heading = False
        return f"heading(level: {min(level, _DEEPEST_HEADING)}, {written})"

    def _item(self, blocks: Blocks) -> str:
        match blocks:
            case (Paragraph(inlines), *rest):
                return _sequence([self._inlines(inlines), *(self._directed(block) for block in rest)])
        return self.blocks(blocks)

    def _table(self, table: Table) -> str:
        sides = "".join(f"{side or 'auto'}, " for side in table.sides)
        header = "".join(f"{self._inlines(cell)}, " for cell in table.header)
        cells = "".join(f", {self._inlines(cell)}" for row in table.rows for cell in row)
        return f"grid-of(({sides}), ({header}){cells})"

    def _inlines(self, inlines: Iterable[Inline]) -> str:
        return _sequence(self._inline(one) for one in inlines)

    def _inline(self, inline: Inline) -> str:
        match inline:
            case Text():
                return _run(inline)
            case LineBreak():
                return "linebreak()"
            case NoteMark(name):
                return self._note(name)
            case Picture():
                return self._picture(inline, "small-picture")

    def _note(self, name: str) -> str:
        if name in self._open or name not in self._notes:  # a note that calls itself
            return '""'
        label = f"<note-{name}>"
        if name in self._written:
            return f"footnote({label})"
        self._open.append(name)
        body = self._item(self._notes[name])
        self._open.pop()
        if self._in_heading:
            return f"footnote({body})"
        self._written.add(name)
        return f"[#footnote({body})#label({quoted(label[1:-1])})]"

    def _picture(self, picture: Picture, function: str) -> str:
        file = self._pictures.get(picture.source)
        if file is None:
            return quoted(f"[{picture.alt or picture.source}]")
        return f"{function}({quoted(file)}, {quoted(picture.alt or picture.source)})"


def _run(run: Text) -> str:
    written = f"raw({quoted(run.text)})" if run.code else quoted(run.text)
    for wanted, function in ((run.italic, "emph"), (run.bold, "strong"), (run.struck, "strike")):
        written = f"{function}({written})" if wanted else written
    return f"link({quoted(run.url)}, {written})" if run.url else written


def _sequence(parts: Iterable[str]) -> str:
    return "{" + "; ".join(parts or ("[]",)) + "}"


def _said(value: bool) -> str:
    return "true" if value else "false"
