"""What stands in blocks: their text without looks, and the pictures they name."""

from collections.abc import Iterable, Iterator, Mapping

from agent_core.documents.model import (
    Block,
    Blocks,
    Code,
    Heading,
    Inline,
    LineBreak,
    Listing,
    Paragraph,
    Picture,
    Quote,
    Table,
    Text,
)


def block_text(block: Block) -> str:
    """Return the text of a block, lines and cells apart by line ends."""
    if isinstance(block, Code):
        return block.text
    parts = [inline_text(inlines) for inlines in _inline_rows(block)]
    return "\n".join(parts)


def inline_text(inlines: Iterable[Inline]) -> str:
    """Return the text of inlines."""
    return "".join(_said(one) for one in inlines)


def all_text(blocks: Blocks, notes: Mapping[str, Blocks]) -> str:
    """Return the text of a document with its footnotes."""
    return "\n".join(block_text(block) for part in (blocks, *notes.values()) for block in part)


def pictures_of(blocks: Blocks, notes: Mapping[str, Blocks]) -> list[str]:
    """Return the pictures that a document names, each once, in order."""
    rows = (row for part in (blocks, *notes.values()) for block in part for row in _inline_rows(block))
    return list(dict.fromkeys(one.source for row in rows for one in row if isinstance(one, Picture)))


def _said(inline: Inline) -> str:
    match inline:
        case Text():
            return inline.text
        case LineBreak():
            return "\n"
    return ""


def _inline_rows(block: Block) -> Iterator[tuple[Inline, ...]]:
    match block:
        case Heading(_, inlines) | Paragraph(inlines):
            yield inlines
        case Listing(_, items):
            for item in items:
                for inner in item:
                    yield from _inline_rows(inner)
        case Quote(blocks):
            for inner in blocks:
                yield from _inline_rows(inner)
        case Table(header, rows):
            yield from header
            for row in rows:
                yield from row
        case Code(text):
            yield (Text(text=text),)
        case _:
            return
