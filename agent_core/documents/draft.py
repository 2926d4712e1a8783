"""From what a person or a model gives to a document: control characters go, Markdown is read."""

from typing import Literal, TypeAlias

from agent_core.documents.legible import legible
from agent_core.documents.markdown import read_markdown
from agent_core.documents.model import Document
from agent_core.errors import DocumentRefusal

Paper: TypeAlias = Literal["a4", "us-letter"]

MAX_CHARS = 5_000_000
"""Five long novels; their pages are set in half a minute."""


def draft(
    text: str,
    *,
    title: str,
    author: str,
    language: str,
    contents: bool,
    page_numbers: bool,
    paper: Paper,
) -> Document:
    """Return the document of a text in Markdown.

    Raises:
        DocumentRefusal: reason "empty" or "too_long".
    """
    if len(text) > MAX_CHARS:
        raise DocumentRefusal(reason="too_long", most=MAX_CHARS)
    (text, in_text), (title, in_title), (author, in_author) = map(legible, (text, title, author))
    read = read_markdown(text)
    if not read.blocks:
        raise DocumentRefusal(reason="empty")
    return Document(
        title=" ".join(title.split()),
        author=" ".join(author.split()),
        language=language,
        blocks=read.blocks,
        notes=read.notes,
        contents=contents,
        page_numbers=page_numbers,
        paper=paper,
        removed=in_text + in_title + in_author,
    )
