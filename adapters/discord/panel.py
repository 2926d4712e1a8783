"""Cards as embeds: what of a card stands in one, and whether it fits."""

from collections.abc import Iterator, Sequence

from adapters.cards import Card, Colour, Field, Line, Style
from adapters.discord.markup import cut, escaped, escaped_within, shortened
from adapters.discord.part import (
    MAX_DESCRIPTION,
    MAX_FIELD,
    MAX_FIELDS,
    MAX_FOOTER,
    MAX_PANEL,
    MAX_TITLE,
    Panel,
)
from adapters.splitting import utf16_length

_COLOURS = {
    Colour.CHARACTER: 0x4A7FB5,
    Colour.LOCATION: 0x5B8C5A,
    Colour.FACTION: 0x8A6BB1,
    Colour.OBJECT: 0xB08D57,
    Colour.RULE: 0x7A7F87,
    Colour.PLAIN: 0x6C7A89,
    Colour.PROPOSAL: 0xD9A441,
    Colour.DONE: 0x3E9B6E,
    Colour.CLOSED: 0x777777,
    Colour.TROUBLE: 0xC0504D,
}
_CONTINUED = "…"


def panel_of(card: Card) -> Panel:
    """Return the card as an embed; it is within Discord's limits where `panel_fits` says so."""
    fields = [part for field in card.fields for part in _field(field)]
    return Panel(
        title=escaped_within(card.title, MAX_TITLE),
        description="\n".join(_description(card)),
        fields=tuple(fields),
        footer="\n".join(card.footer),
        colour=_COLOURS[card.colour],
    )


def panel_fits(card: Card) -> bool:
    """Tell whether the card is an embed within the limits."""
    panel = panel_of(card)
    return (
        utf16_length(panel.description) <= MAX_DESCRIPTION
        and len(panel.fields) <= MAX_FIELDS
        and utf16_length(panel.footer) <= MAX_FOOTER
        and _size(panel) <= MAX_PANEL
    )


def cut_to_fit(panel: Panel) -> Panel:
    """Return the embed with what is beyond the limits left out: a single line no page could hold."""
    room = MAX_PANEL - utf16_length(panel.title)
    footer = shortened(panel.footer, MAX_FOOTER)
    room -= utf16_length(footer)
    description = next(iter(cut(panel.description, min(MAX_DESCRIPTION, max(room, 64)))), "")
    room -= utf16_length(description)
    kept: list[tuple[str, str]] = []
    for title, text in panel.fields[:MAX_FIELDS]:
        size = utf16_length(title) + utf16_length(text)
        if size > room:
            break
        kept.append((title, text))
        room -= size
    return Panel(
        title=panel.title, description=description, fields=tuple(kept), footer=footer, colour=panel.colour
    )


def line_text(line: Line) -> str:
    """Return a line in Discord's Markdown."""
    parts = [_label(line), _body(line)]
    text = " ".join(part for part in parts if part)
    if line.mark:
        text = f"{text} ({escaped(line.mark)})".lstrip()
    if line.style is Style.QUOTE:
        return "\n".join(f"> {part}" for part in text.split("\n"))
    return f"{'  ' * (line.depth - 1)}- {text}" if line.depth else text


def _size(panel: Panel) -> int:
    texts = [panel.title, panel.description, panel.footer, *(text for pair in panel.fields for text in pair)]
    return sum(map(utf16_length, texts))


def _description(card: Card) -> Iterator[str]:
    if card.head:
        yield f"*{escaped(card.head)}*"
    yield from map(line_text, card.lines)


def _field(field: Field) -> Iterator[tuple[str, str]]:
    """Yield the field, cut at its lines into several where it is too long for one."""
    title = escaped_within(field.title, MAX_TITLE) or _CONTINUED
    for text in _chunks([line_text(line) for line in field.lines]):
        yield title, text
        title = _CONTINUED


def _chunks(lines: Sequence[str]) -> Iterator[str]:
    kept: list[str] = []
    for line in lines:
        pieces = [line] if utf16_length(line) <= MAX_FIELD else cut(line, MAX_FIELD)
        for piece in pieces:
            if kept and utf16_length("\n".join((*kept, piece))) > MAX_FIELD:
                yield "\n".join(kept)
                kept = []
            kept.append(piece)
    yield "\n".join(kept) or "\u2013"


def _label(line: Line) -> str:
    number = f"**{line.number}.**" if line.number else ""
    if not line.label:
        return number
    if line.style is Style.QUESTION:
        return f"{number} **{escaped(line.label)})**".lstrip()
    if line.style is Style.STEP:
        return line.label
    colon = "" if line.label.startswith("/") or not line.text else ":"
    return f"{number} **{escaped(line.label)}**{colon}".lstrip()


def _body(line: Line) -> str:
    text = escaped(line.text)
    if line.before:
        text = f"{escaped(line.before)} → **{text}**" if text else f"{escaped(line.before)} →"
    if line.style is Style.WARNING:
        return f"⚠ {text}"
    if line.style is Style.NOTE and line.number and text:
        return f"~~{text}~~"
    return text
