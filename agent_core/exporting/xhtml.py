"""Blocks as XHTML, the way EPUB wants it."""

from collections.abc import Iterable
from xml.sax.saxutils import escape

from agent_core.documents.direction import is_rtl
from agent_core.documents.model import (
    Block,
    Blocks,
    Heading,
    Inline,
    LineBreak,
    Paragraph,
    Picture,
    Quote,
    Text,
)
from agent_core.documents.plain import block_text


def page(title: str, language: str, body: str, *, kind: str = "") -> str:
    """Return a whole document; title and body are XHTML, `kind` is the body's `epub:type`."""
    typed = f' epub:type="{kind}"' if kind else ""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
        f' lang="{language}" xml:lang="{language}">\n'
        f'<head><title>{title}</title><link rel="stylesheet" type="text/css" href="style.css"/></head>\n'
        f"<body{typed}>\n{body}\n</body>\n</html>\n"
    )


def prose(blocks: Blocks) -> str:
    """Return the blocks of a scene; a heading in it is set as a line of its own."""
    return "\n".join(filter(None, map(_block, blocks)))


def _block(block: Block) -> str:
    match block:
        case Paragraph(inlines) | Heading(_, inlines):
            turned = ' dir="rtl"' if is_rtl(block_text(block)) else ""
            return f"<p{turned}>{_inlines(inlines)}</p>"
        case Quote(inner):
            return f"<blockquote>\n{prose(inner)}\n</blockquote>"
    return f"<p>{escape(block_text(block))}</p>" if block_text(block) else ""


def _inlines(inlines: Iterable[Inline]) -> str:
    return "".join(map(_inline, inlines))


def _inline(inline: Inline) -> str:
    match inline:
        case Text():
            return _run(inline)
        case LineBreak():
            return "<br/>"
        case Picture(source, alt):
            return escape(f"[{alt or source}]")
    return ""


def _run(run: Text) -> str:
    written = escape(run.text)
    looks = ((run.code, "code"), (run.struck, "s"), (run.italic, "em"), (run.bold, "strong"))
    for wanted, tag in looks:
        written = f"<{tag}>{written}</{tag}>" if wanted else written
    return written
