"""Draws answers, traces and cards as Telegram messages."""

from collections.abc import Sequence
from itertools import islice

from telegram import InlineKeyboardMarkup, MessageEntity
from telegram.constants import MessageEntityType as Kind

from adapters.cards import Card, Field, Line, Style
from adapters.chat.model import Document
from adapters.sources import unnamed
from adapters.splitting import split, utf16_length
from adapters.surface import Block, Said, Trace
from adapters.telegram.keyboard import keyboard
from adapters.telegram.markdown import iter_parts, markdown_parts
from adapters.telegram.part import MAX_TEXT, Part, Writer, isolated
from agent_core.texts import say, standing

MAX_PARTS = 4
"""A longer answer comes as its beginning and a file."""
_BEGINNING = 1500
_MOST = (MAX_PARTS + 1) * MAX_TEXT
"""No more of an answer is looked at, in characters: it comes as a file then."""
_MAX_CAPTION = 1024
_LIVE_STEPS = 6


def block_parts(block: Block, language: str, *, final: bool) -> list[Part]:
    """Return the messages that show a block; while it is not final, only those at its beginning."""
    match block:
        case Said():
            if not final:
                shown = iter_parts(block.markdown[:_MOST], by_model=block.by_model)
                return list(islice(shown, MAX_PARTS))
            return said_parts(block, language) or [text_part(say(language, "answer.nothing"))]
        case Trace():
            return trace_parts(block, final=final)
        case Card():
            return [card_part(block)]


def said_parts(said: Said, language: str) -> list[Part]:
    """Return the messages of an answer, the last with its position and, unless it names some, its sources."""
    shown = iter_parts(said.markdown[:_MOST], by_model=said.by_model)
    parts = list(islice(shown, MAX_PARTS + 1))
    if len(parts) > MAX_PARTS or len(said.markdown) > _MOST:
        return _as_file(said, language)
    notes = _notes(said, language)
    if not parts or not notes:
        return parts
    longer = _with_notes(parts[-1], notes)
    return [*parts[:-1], longer] if longer.fits else [*parts, *markdown_parts(notes)]


def trace_parts(trace: Trace, *, final: bool) -> list[Part]:
    """Return the trace in one message: its line, and the steps in a quote that opens."""
    lines = [line for field in trace.card.fields for line in field.lines]
    part = _trace(trace.card.title, lines if final else lines[-_LIVE_STEPS:])
    while not part.fits and lines:
        lines = lines[len(lines) // 4 + 1 :]
        part = _trace(trace.card.title, lines)
    return [part]


def card_part(card: Card, *, markup: InlineKeyboardMarkup | None = None) -> Part:
    """Return the card in one message with its buttons, which is too long where `card_fits` says no."""
    writer = Writer()
    writer.write(_clean(card.title), Kind.BOLD)
    if card.head:
        writer.write("\n")
        writer.write(_clean(card.head), Kind.ITALIC)
    if card.lines:
        writer.write("\n\n")
        _lines(writer, card.lines)
    for field in card.fields:
        _field(writer, field)
    if card.footer:
        writer.write("\n\n")
        writer.write("\n".join(map(_clean, card.footer)), Kind.ITALIC)
    return writer.part(markup if markup is not None else keyboard(card.buttons))


def card_fits(card: Card) -> bool:
    """Tell whether one message shows the whole card."""
    return card_part(card).fits


def plain_part(part: Part) -> Part:
    """Return the message without formatting, for when Telegram refuses it."""
    return Part(text=part.text, keyboard=part.keyboard, document=part.document)


def text_part(text: str) -> Part:
    """Return a short text of ours as a message, cut where it is too long for one."""
    return Part(text=split(_clean(text) or "…", MAX_TEXT, utf16_length)[0])


def caption(text: str) -> str:
    """Return a text short enough to stand below a file."""
    return next(iter(split(_clean(text), _MAX_CAPTION, utf16_length)), "")


def _as_file(said: Said, language: str) -> list[Part]:
    beginning = next(iter_parts(said.markdown[: 4 * _BEGINNING], _BEGINNING), text_part("…"))
    notes = _notes(said, language)
    content = said.markdown.rstrip() + (f"\n\n{notes}" if notes else "") + "\n"
    document = Document(
        name=f"{say(language, 'telegram.answer_file')}.md",
        content=content.encode("utf-8", "replace"),
        caption=say(language, "telegram.whole_answer"),
    )
    instead = say(language, "chat.file_not_sent", name=document.name)
    return [beginning, Part(text=document.caption, document=document, instead=instead)]


def _notes(said: Said, language: str) -> str:
    notes = [_clean(said.as_of)] if said.as_of else []
    if sources := unnamed(said):
        notes.insert(0, say(language, "answer.sources", sources=tuple(map(_clean, sources))))
    return " · ".join(notes)


def _with_notes(part: Part, notes: str) -> Part:
    offset = utf16_length(part.text) + 2
    italic = MessageEntity(Kind.ITALIC, offset, utf16_length(notes))
    return Part(text=f"{part.text}\n\n{notes}", entities=(*part.entities, italic))


def _trace(title: str, lines: Sequence[Line]) -> Part:
    writer = Writer()
    writer.write(_clean(title), Kind.ITALIC)
    if lines:
        writer.write("\n")
        since = writer.length
        writer.write("\n".join(_step(line) for line in lines))
        writer.enclose(Kind.EXPANDABLE_BLOCKQUOTE, since)
    return writer.part()


def _step(line: Line) -> str:
    mark = f" ({_clean(line.mark)})" if line.mark else ""
    return f"{line.label} {isolated(_clean(line.text))}{mark}".strip()


def _field(writer: Writer, field: Field) -> None:
    writer.write("\n\n")
    writer.write(_clean(field.title), Kind.BOLD)
    if field.lines:
        writer.write("\n")
        _lines(writer, field.lines)


def _lines(writer: Writer, lines: Sequence[Line]) -> None:
    for place, line in enumerate(lines):
        if place:
            writer.write("\n")
        _line(writer, line)


def _line(writer: Writer, line: Line) -> None:
    writer.write("\u2003" * line.depth)
    label = _label(line)
    if label:
        writer.write(isolated(label))
        writer.write(" ")
    if line.style is Style.WARNING:
        writer.write("⚠️ ")
    since = writer.length
    if line.before:
        writer.write(isolated(_clean(line.before)), Kind.STRIKETHROUGH)
        writer.write(" → ")
    _body(writer, line)
    if line.mark:
        writer.write(f" ({_clean(line.mark)})")
    if line.style is Style.QUOTE:
        writer.enclose(Kind.BLOCKQUOTE, since)


def _body(writer: Writer, line: Line) -> None:
    styles = {Style.NOTE: (Kind.ITALIC,), Style.QUESTION: () if line.label else (Kind.BOLD,)}
    writer.write(isolated(_clean(line.text)), *styles.get(line.style, ()))


def _label(line: Line) -> str:
    label = _clean(line.label)
    if line.number:
        return f"{line.number}. {label}".rstrip()
    if line.style is Style.QUESTION and label:
        return f"{label})"
    return f"{label}:" if label and label[-1].isalnum() else label


def _clean(text: str) -> str:
    """Return a text of ours with halves of characters and what steers a screen taken out."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return standing(whole.replace("\r\n", "\n").replace("\t", " "))
