"""What a block looks like on Discord: parts within its limits, none of them blank."""

from collections.abc import Sequence

from adapters.cards import Card
from adapters.chat.model import Document
from adapters.discord.markup import adapted, cut, escaped, is_blank
from adapters.discord.panel import cut_to_fit, line_text, panel_fits, panel_of
from adapters.discord.part import MAX_CONTENT, Part
from adapters.discord.rows import rows_fit, rows_of
from adapters.sources import unnamed
from adapters.splitting import utf16_length
from adapters.surface import Block, Said, Trace
from agent_core.texts import say

MAX_PARTS = 5
BEGINNING = 1200
"""How much of an answer stands above its file."""
_MAX_NOTES = 600


def block_parts(block: Block, language: str, *, final: bool) -> tuple[Part, ...]:
    """Return the messages that show a block; a file with a short beginning where they would be too many.

    A final answer in which nothing is visible becomes a sentence that says so.
    """
    match block:
        case Said():
            return _said(block, language, final=final)
        case Trace():
            return _trace(block, language)
        case Card():
            return (card_part(block, language),)


def card_part(card: Card, language: str) -> Part:
    """Return the one message of a card; what `card_fits` refuses is cut."""
    return Part(panel=cut_to_fit(panel_of(card)), rows=rows_of(card, language))


def card_fits(card: Card) -> bool:
    """Tell whether one message shows the whole card with all its buttons."""
    return panel_fits(card) and rows_fit(card)


def text_parts(text: str) -> tuple[Part, ...]:
    """Return the messages of a plain text."""
    return tuple(Part(content=part) for part in cut(escaped(text), MAX_CONTENT))


def _said(said: Said, language: str, *, final: bool) -> tuple[Part, ...]:
    text = adapted(said.markdown)
    if is_blank(text):
        return (Part(content=say(language, "answer.nothing")),) if final else ()
    notes = _notes(said, language)
    room = MAX_CONTENT - (utf16_length(notes) + 1 if notes else 0)
    parts = cut(text, room)
    if len(parts) > MAX_PARTS:
        return _as_file(said, notes, language) if final else tuple(map(_plain, parts[:MAX_PARTS]))
    if notes:
        parts[-1] = f"{parts[-1]}\n{notes}"
    return tuple(map(_plain, parts))


def _plain(content: str) -> Part:
    return Part(content=content)


def _as_file(said: Said, notes: str, language: str) -> tuple[Part, ...]:
    hint = f"-# {say(language, 'discord.whole_answer')}"
    beginning = cut(adapted(said.markdown), BEGINNING)[0]
    lines = [beginning, hint, *([notes] if notes else [])]
    document = Document(name="answer.md", content=said.markdown.encode("utf-8", "replace"))
    return (Part(content="\n".join(lines), file=document),)


def _notes(said: Said, language: str) -> str:
    """Return the small lines below an answer: sources it doesn't name itself, and what it is true of."""
    lines: list[str] = []
    if sources := unnamed(said):
        lines.append(say(language, "answer.sources", sources=sources))
    if said.as_of:
        lines.append(said.as_of)
    text = " · ".join(escaped(" ".join(line.split())) for line in lines)
    if not text:
        return ""
    return f"-# {cut(text, _MAX_NOTES)[0]}"


def _trace(trace: Trace, language: str) -> tuple[Part, ...]:
    lines = [trace.card.title]
    if trace.is_open:
        lines += [line_text(line) for field in trace.card.fields for line in field.lines]
    small = [f"-# {' '.join(line.split())}" for line in lines if not is_blank(line)]
    if not small:
        return ()
    return (Part(content=_newest(small), rows=rows_of(trace.card, language)),)


def _newest(lines: Sequence[str]) -> str:
    """Return the first line and as many of the last ones as there is room for."""
    kept: list[str] = []
    room = MAX_CONTENT - utf16_length(lines[0]) - len("\n-# …")
    for line in reversed(lines[1:]):
        shown = cut(line, 400)[0]
        room -= utf16_length(shown) + 1
        if room < 0:
            kept.append("-# …")
            break
        kept.append(shown)
    return "\n".join((cut(lines[0], 400)[0], *reversed(kept)))
