"""Draws cards, answers and traces with rich; without a terminal the same comes out as plain text."""

import io
from collections.abc import Iterator, Sequence
from itertools import groupby

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markdown import Heading, Markdown
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from adapters.cards import Card, Field, Line, Style
from adapters.sources import unnamed
from adapters.surface import Block, Said, Trace
from adapters.terminal.console import plain_console
from agent_core.texts import say, standing

MAX_TEXT_WIDTH = 100
_INDENT = 2


def block_renderable(block: Block, language: str) -> RenderableType:
    """Return a block ready to print."""
    match block:
        case Said():
            return answer_renderable(block, language)
        case Trace():
            return trace_renderable(block)
        case Card():
            return card_renderable(block)


def card_renderable(card: Card) -> RenderableType:
    """Return a card: title and head, lines, titled fields, footer."""
    title = _text(card.title, "lore.title")
    parts: list[RenderableType] = [title]
    if card.head:
        parts.append(_text(card.head, "lore.head"))
    if card.lines:
        parts += ["", *_lines(card.lines)]
    for field in card.fields:
        parts += ["", *_field(field)]
    if card.footer:
        parts.append("")
        parts += [_text(line, "lore.note") for line in card.footer]
    return _Narrowed(Group(*parts))


def answer_renderable(said: Said, language: str) -> RenderableType:
    """Return an answer as formatted Markdown, with its position and, unless it names some, its sources."""
    parts: list[RenderableType] = [_Markdown(clean(said.markdown))]
    notes = [clean(said.as_of)] if said.as_of else []
    if sources := unnamed(said):
        notes.insert(0, say(language, "answer.sources", sources=tuple(map(clean, sources))))
    if notes:
        parts += ["", Text(" · ".join(notes), "lore.note")]
    return _Narrowed(Group(*parts))


def prose_renderable(text: str, style: str) -> RenderableType:
    """Return plain text in one of our styles."""
    return _Narrowed(_text(text, style))


def trace_renderable(trace: Trace) -> RenderableType:
    """Return a trace: one line, or its steps below it."""
    title = _text(trace.card.title, "lore.step")
    if not trace.is_open:
        return title
    lines = [line for field in trace.card.fields for line in field.lines]
    return _Narrowed(Group(title, *(_step(line) for line in lines)))


def plain_text(renderable: RenderableType, width: int = MAX_TEXT_WIDTH) -> str:
    """Return what a terminal of this width would show, without colours or trailing blanks."""
    console = plain_console(width)
    console.print(renderable)
    assert isinstance(console.file, io.StringIO)  # noqa: S101  made so by plain_console
    return "\n".join(line.rstrip() for line in console.file.getvalue().rstrip().split("\n")) + "\n"


def clean(text: str) -> str:
    """Return the text without what steers a terminal, tabs as blanks."""
    return standing(text.replace("\r\n", "\n").replace("\t", "    "))


def _field(field: Field) -> Iterator[RenderableType]:
    yield _text(field.title, "lore.field")
    yield from (Padding(part, (0, 0, 0, _INDENT)) for part in _lines(field.lines))


def _lines(lines: Sequence[Line]) -> Iterator[RenderableType]:
    """Yield lines; neighbours with labels on one level share a column for them."""
    for (has_label, depth), run in groupby(lines, key=lambda line: (bool(_label(line)), line.depth)):
        members = tuple(run)
        drawn = _columns(members) if has_label else Group(*map(_body, members))
        yield Padding(drawn, (0, 0, 0, _INDENT * (depth + 1))) if depth else drawn


def _columns(lines: Sequence[Line]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=False, max_width=24)
    table.add_column(ratio=1, overflow="fold")
    for line in lines:
        table.add_row(_text(_label(line), "lore.label"), _body(line))
    return table


def _label(line: Line) -> str:
    if line.number:
        return f"{line.number}. {line.label}".rstrip()
    if line.style is Style.QUESTION and line.label:
        return f"{line.label})"
    return line.label


def _body(line: Line) -> Text:
    text = Text(overflow="fold")
    if line.style is Style.WARNING:
        text.append("! ", "lore.warning")
    if line.before:
        text.append(clean(line.before), "lore.before")
        text.append(" → ")
    styles = {Style.PLAIN: "lore.after" if line.before else "", Style.STEP: "lore.step"}
    text.append(clean(line.text), styles.get(line.style, f"lore.{line.style.value}"))
    if line.mark:
        text.append(f"{' ' if text else ''}({clean(line.mark)})", "lore.mark")
    return text


def _step(line: Line) -> RenderableType:
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(width=3)
    table.add_column(ratio=1, overflow="fold")
    table.add_row(Text(f"  {line.label}", "lore.step"), _body(line))
    return table


def _text(text: str, style: str) -> Text:
    return Text(clean(text), style, overflow="fold")


class _Heading(Heading):
    """A heading at the left margin."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _Markdown(Markdown):
    """Markdown in which `<name>` stays text, links show their address and lines end where they were ended."""

    elements = {**Markdown.elements, "heading_open": _Heading}  # noqa: RUF012  declared so by rich

    def __init__(self, markup: str) -> None:
        super().__init__("", hyperlinks=False)
        self.markup = markup
        parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
        self.parsed = parser.parse(markup)
        for token in self.parsed:
            for child in token.children or ():
                if child.type == "softbreak":  # in a chat a new line is meant
                    child.type = "hardbreak"


class _Narrowed:
    """Keeps prose readable on wide terminals, and lines free of blanks at their end."""

    def __init__(self, inner: RenderableType) -> None:
        self.inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = min(options.max_width, MAX_TEXT_WIDTH)
        for line in console.render_lines(self.inner, options.update(width=width, height=None), pad=False):
            yield from _trimmed(line)
            yield Segment.line()


def _trimmed(line: Sequence[Segment]) -> Sequence[Segment]:
    kept = list(line)
    while kept and not kept[-1].text.strip():
        kept.pop()
    if kept:
        kept[-1] = Segment(kept[-1].text.rstrip(), kept[-1].style)
    return kept
