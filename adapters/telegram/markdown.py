"""Turns Markdown into messages of text and entities: a reader sees every character, formatting aside."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import pyromark
from telegram import MessageEntity
from telegramify_markdown import RenderConfig, convert

from adapters.splitting import split, utf16_length
from adapters.telegram.harmless import harmless, host_of
from adapters.telegram.part import (
    MAX_ENTITIES,
    MAX_TEXT,
    Part,
    begins_from_right,
    reads_from_right,
    trimmed,
    with_isolates,
)
from agent_core.texts import standing

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_MATH
)
_SMALLEST = 256
_DEFINITION = re.compile(r"^[ >\t]*(?:[-*+]|\d{1,9}[.)])?[ >\t]*(\[)[^\]\n]+\]:", re.MULTILINE)
_SPOILER = re.compile(r"\|(?=\|)")
_TAG_LINE = re.compile(rb" {0,3}<")
_LABELLED = re.compile(r"([^:\n]{1,60}:[ \t]+)(.+)")
_STYLES = frozenset({
    "bold", "italic", "underline", "strikethrough", "code", "pre", "text_link", "blockquote",
    "expandable_blockquote",
})  # fmt: skip
_CODE = frozenset({"code", "pre"})


def markdown_parts(markdown: str, limit: int = MAX_TEXT, *, by_model: bool = True) -> list[Part]:
    """Return the messages that show the text, within Telegram's limits; none where nothing is visible."""
    return list(iter_parts(markdown, limit, by_model=by_model))


def iter_parts(markdown: str, limit: int = MAX_TEXT, *, by_model: bool = True) -> Iterator[Part]:
    """Yield the messages that show the text, each rendered when it is asked for.

    What is not `by_model` is ours: people may tap the commands in it.
    """
    for piece in split(_cleaned(markdown), limit, utf16_length):
        part = _converted(piece, by_model=by_model)
        if part.fits:
            if _is_visible(part.text):
                yield part
        elif limit > _SMALLEST:
            yield from iter_parts(piece, max(_SMALLEST, limit // 2), by_model=by_model)
        else:
            yield from _plain(part)


def _cleaned(markdown: str) -> str:
    text = standing(markdown.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    "))
    return text.replace("\x00", "\ufffd")


def _is_visible(text: str) -> bool:
    return re.fullmatch(r"[\s\u200b-\u200f\u2060-\u2069\ufeff]*", text) is None


def _plain(part: Part) -> list[Part]:
    """Return a text that formatting has made too long, or that has too much of it, in plain pieces."""
    entities = part.entities[:MAX_ENTITIES] if utf16_length(part.text) <= MAX_TEXT else ()
    texts = [part.text] if entities else _pieces(part.text)
    return [Part(text=text, entities=entities) for text in texts if _is_visible(text)]


def _pieces(text: str) -> list[str]:
    return [text[begin : begin + MAX_TEXT // 2] for begin in range(0, len(text), MAX_TEXT // 2)]


def _converted(markdown: str, *, by_model: bool) -> Part:
    text, found = convert(_literal(markdown), latex_escape=False, config=_config())
    entities = [
        MessageEntity(one.type, one.offset, one.length, url=one.url, language=one.language)
        for one in found
        if one.type in _STYLES and (one.type != "text_link" or host_of(one.url))
    ]
    text, kept = trimmed(text, _without_overlap(entities))
    part = harmless(text, kept) if by_model else Part(text=text, entities=tuple(kept))
    return with_isolates(part.text, part.entities, tuple(_mixed(part.text, part.entities)))


def _config() -> RenderConfig:
    """Return how things without an entity are written: nothing that the text doesn't say."""
    config = RenderConfig.isolated()
    symbols = config.markdown_symbol
    for level in range(1, 7):
        setattr(symbols, f"heading_level_{level}", "")
    symbols.image = ""
    symbols.unordered_list_item = "•"
    symbols.task_completed = "☑"
    symbols.task_uncompleted = "☐"
    return config


def _without_overlap(entities: Sequence[MessageEntity]) -> list[MessageEntity]:
    """Return the entities in order, without those inside code: Telegram allows none there."""
    code = [(one.offset, one.offset + one.length) for one in entities if one.type in _CODE]
    kept = [
        one
        for one in entities
        if one.type in _CODE
        or not any(start < one.offset + one.length and one.offset < end for start, end in code)
        or (one.type.endswith("blockquote"))
    ]
    return sorted(kept, key=lambda one: (one.offset, -one.length))


def _literal(markdown: str) -> str:
    """Return the Markdown with what would vanish escaped: tags, formulas, spoilers, definitions."""
    text = markdown
    while True:
        data = text.encode("utf-8")
        code: list[tuple[int, int]] = []
        tables: list[tuple[int, int]] = []
        inserted: dict[int, bytes] = {}
        for event, source in pyromark.events_with_range(text, options=_OPTIONS):
            span = (source["start"], source["end"])
            if _begins(event, "CodeBlock") or _is(event, "Code"):
                code.append(span)
            elif _begins(event, "Table"):
                tables.append(span)
                inserted |= dict.fromkeys(_ragged(span, data), b"\\")
            else:
                inserted |= dict.fromkeys(_vanishing(event, span, data), b"\\")
        for place in _written(text):
            if not _within(place, code):
                in_table = data[place : place + 1] == b"|" and _within(place, tables)
                inserted |= {place + 1: b" "} if in_table else {place: b"\\"}
        if not inserted:
            return text
        text = _with(data, inserted)


def _begins(event: object, kind: str) -> bool:
    start = event.get("Start") if isinstance(event, dict) else None
    return isinstance(start, dict) and kind in start


def _is(event: object, kind: str) -> bool:
    return isinstance(event, dict) and kind in event


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _vanishing(event: object, span: tuple[int, int], data: bytes) -> Iterator[int]:
    """Yield the bytes of a tag or a formula that make it one."""
    if _is(event, "InlineHtml"):
        yield span[0]
    elif isinstance(event, dict) and event.get("Start") == "HtmlBlock":
        yield from _tags_of_block(span, data)
    elif _begins(event, "Link") and re.match(rb"<[^:>]+@", data[span[0] : span[1]]):
        yield span[0]  # whoever writes an e-mail address between brackets means the brackets
    elif _is(event, "InlineMath") or _is(event, "DisplayMath"):
        yield from (span[0], span[1] - 1)


def _tags_of_block(span: tuple[int, int], data: bytes) -> Iterator[int]:
    """Yield the tags that begin lines of a block, up to where code might begin once it is none any more."""
    place = data.index(b"<", span[0])
    while 0 <= place < span[1]:
        yield place
        line = data.find(b"\n", place) + 1
        found = _TAG_LINE.match(data, line) if line else None
        place = found.end() - 1 if found else -1


def _ragged(span: tuple[int, int], data: bytes) -> Iterator[int]:
    """Yield what makes a table of lines of which one has more cells than the first: they would vanish."""
    head, *lines = data[span[0] : span[1]].split(b"\n")
    cells = [len(re.findall(rb"(?<!\\)\|", line.strip(b"> \t|"))) for line in (head, *lines)]
    if max(cells) > cells[0]:
        yield span[0] + len(head) + 1 + lines[0].index(b"-")


def _written(text: str) -> Iterator[int]:
    """Yield the bytes that begin a spoiler or the definition of a link's address."""
    for pattern, group in ((_DEFINITION, 1), (_SPOILER, 0)):
        for match in pattern.finditer(text):
            start = match.start(group)
            if text[start - 1 : start] != "\\":
                yield len(text[:start].encode())


def _with(data: bytes, inserted: Mapping[int, bytes]) -> str:
    bounds = sorted({0, len(data), *inserted})
    pieces = (inserted.get(begin, b"") + data[begin:end] for begin, end in pairwise(bounds))
    return b"".join(pieces).decode()


def _mixed(text: str, entities: Sequence[MessageEntity]) -> Iterator[tuple[int, int]]:
    """Yield the ranges that need isolates: what follows a label that runs the other way."""
    if not reads_from_right(text) or any(one.type == "pre" for one in entities):
        return
    place = 0
    for line in text.split("\n"):
        labelled = _LABELLED.fullmatch(line)
        if labelled and begins_from_right(labelled[1]) != begins_from_right(labelled[2]):
            yield place + labelled.start(2), place + labelled.end(2)
        place += len(line) + 1
