"""Reads Markdown, with tables, footnotes, strikethrough and Obsidian's links, as the blocks of a document."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.footnote import footnote_plugin

from agent_core.documents.model import (
    Block,
    Blocks,
    Code,
    Heading,
    Inline,
    LineBreak,
    Listing,
    NoteMark,
    Paragraph,
    Picture,
    Quote,
    Rule,
    Side,
    Table,
    Text,
)

_OUTSIDE_URL = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
_LINE_END_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_COMMENT = re.compile(r"\s*<!--.*-->\s*", re.DOTALL)
_WIKI = re.compile(r"(?P<embed>!?)\[\[(?P<to>[^\[\]|\n]+)(?:\|(?P<shown>[^\[\]\n]*))?\]\]")
_PICTURE_NAME = re.compile(r".+\.(?:png|jpe?g|gif|webp|svg)", re.IGNORECASE)
_SIDES: Mapping[str, Side] = {
    "text-align:left": "left",
    "text-align:center": "center",
    "text-align:right": "right",
}
_STORY_WITHOUT = [
    "code", "fence", "html_block", "html_inline", "lheading", "list", "reference", "hr", "table", "link",
    "image", "autolink",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Read:
    """What a text holds: its blocks, and its footnotes by name."""

    blocks: Blocks
    notes: Mapping[str, Blocks]


def read_markdown(text: str) -> Read:
    """Return the blocks of a text; HTML in it is text, but for `<br>` and comments."""
    tree = SyntaxTreeNode(_parser().parse(text))
    reader = _Reader(tree)
    return Read(tuple(reader.blocks(tree.children)), reader.notes)


def read_story(text: str) -> Blocks:
    """Return the blocks of a scene: lines stay lines, and what looks like a list, code or link is prose."""
    tree = SyntaxTreeNode(_story_parser().parse(text))
    return tuple(_Reader(tree, keeps_lines=True).blocks(tree.children))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(footnote_plugin)
    parser.inline.ruler.before("link", "wiki", _wiki)
    return parser


@cache
def _story_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").disable(_STORY_WITHOUT)
    parser.inline.ruler.before("link", "wiki", _wiki)
    return parser


def _wiki(state: StateInline, silent: bool) -> bool:
    match = _WIKI.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        shown = match["shown"] or match["to"]
        is_picture = match["embed"] and _PICTURE_NAME.fullmatch(match["to"].strip())
        token = state.push("wiki_picture" if is_picture else "text", "", 0)
        token.content = match["to"].strip() if is_picture else shown
    state.pos = match.end()
    return True


class _Reader:
    """Walks the tree of a text."""

    def __init__(self, tree: SyntaxTreeNode, *, keeps_lines: bool = False) -> None:
        self._keeps_lines = keeps_lines
        self.notes: dict[str, Blocks] = {}
        for block in tree.children:
            if block.type == "footnote_block":
                self.notes |= {_note_name(one): tuple(self.blocks(one.children)) for one in block.children}

    def blocks(self, nodes: Iterable[SyntaxTreeNode]) -> Iterator[Block]:
        """Yield the blocks of a level, in order."""
        for node in nodes:
            block = self._block(node)
            if block is not None:
                yield block

    def _block(self, node: SyntaxTreeNode) -> Block | None:
        match node.type:
            case "heading":
                return Heading(int(node.tag[1]), self._inlines(node))
            case "paragraph":
                return Paragraph(self._inlines(node))
            case "bullet_list" | "ordered_list":
                items = tuple(tuple(self.blocks(item.children)) for item in node.children)
                start = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
                return Listing(start, items)
            case "blockquote":
                return Quote(tuple(self.blocks(node.children)))
            case "fence" | "code_block":
                return Code(node.content.removesuffix("\n"))
        return self._other_block(node)

    def _other_block(self, node: SyntaxTreeNode) -> Block | None:
        match node.type:
            case "hr":
                return Rule()
            case "table":
                return self._table(node)
            case "html_block" if not _COMMENT.fullmatch(node.content):
                return Paragraph(_joined([Text(text=node.content.strip())]))
        return None

    def _table(self, node: SyntaxTreeNode) -> Table:
        rows = [row.children for part in node.children for row in part.children]
        cells = [tuple(self._inlines(cell) for cell in row) for row in rows]
        sides = tuple(_SIDES.get(str(cell.attrs.get("style", "")), "") for cell in rows[0])
        return Table(cells[0], tuple(cells[1:]), sides)

    def _inlines(self, node: SyntaxTreeNode) -> tuple[Inline, ...]:
        return _joined([one for child in node.children for one in self._runs(child.children, Text(text=""))])

    def _runs(self, nodes: Sequence[SyntaxTreeNode], look: Text) -> Iterator[Inline]:
        for node in nodes:
            match node.type:
                case "strong" | "em" | "s":
                    yield from self._runs(node.children, _with_look(look, node.type))
                case "link":
                    url = str(node.attrs.get("href", ""))
                    inside = replace(look, url=url) if _OUTSIDE_URL.match(url) else look
                    yield from self._runs(node.children, inside)
                case _:
                    yield from self._leaf(node, look)

    def _leaf(self, node: SyntaxTreeNode, look: Text) -> Iterator[Inline]:
        match node.type:
            case "text" | "text_special":
                yield replace(look, text=node.content)
            case "code_inline":
                yield replace(look, text=node.content, code=True)
            case "softbreak":
                yield LineBreak() if self._keeps_lines else replace(look, text="\n")
            case "hardbreak":
                yield LineBreak()
            case "image":
                yield Picture(str(node.attrs.get("src", "")), node.content)
            case "wiki_picture":
                yield Picture(node.content, "")
            case "footnote_ref":
                yield NoteMark(_note_name(node))
            case "html_inline" if _LINE_END_TAG.fullmatch(node.content):
                yield LineBreak()
            case "html_inline" if not _COMMENT.fullmatch(node.content):
                yield replace(look, text=node.content)


def _with_look(look: Text, name: str) -> Text:
    match name:
        case "strong":
            return replace(look, bold=True)
        case "em":
            return replace(look, italic=True)
    return replace(look, struck=True)


def _note_name(node: SyntaxTreeNode) -> str:
    return str(node.meta["id"])


def _joined(inlines: Sequence[Inline]) -> tuple[Inline, ...]:
    """Return the inlines with neighbours of one look as one, and line ends between them as spaces."""
    merged: list[Inline] = []
    for one in inlines:
        last = merged[-1] if merged else None
        if isinstance(one, Text) and isinstance(last, Text) and replace(one, text=last.text) == last:
            merged[-1] = replace(last, text=last.text + one.text)
        elif not isinstance(one, Text) or one.text:
            merged.append(one)
    return tuple(replace(one, text=_unwrapped(one.text)) if isinstance(one, Text) else one for one in merged)


def _unwrapped(text: str) -> str:
    lines = text.split("\n")
    joined = lines[0]
    for line in lines[1:]:
        runs_on = joined and line and _runs_on(joined[-1]) and _runs_on(line[0])
        joined += line if runs_on else f" {line}"
    return joined


def _runs_on(character: str) -> bool:
    """Return whether the script of a character sets no spaces between words."""
    wide = unicodedata.east_asian_width(character) in {"W", "F"}
    return wide and not unicodedata.name(character, "").startswith("HANGUL")
