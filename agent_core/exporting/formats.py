"""The formats that a book can be taken out as, and the taking out."""

import asyncio
from datetime import datetime
from enum import StrEnum

from agent_core.documents.model import Made
from agent_core.errors import DocumentRefusal
from agent_core.exporting.book import manuscript_of
from agent_core.lore.canon import Canon
from agent_core.lore.model import Bound, NodeKind


class BookFormat(StrEnum):
    """What a book can be taken out as."""

    DOCX = "docx"
    EPUB = "epub"
    MARKDOWN = "markdown"


async def book_file(
    canon: Canon, book: str, form: BookFormat, *, language: str, author: str, at: datetime
) -> tuple[str, Made]:
    """Return the title of a book and the file that holds it, in the language of its chapter headings.

    Raises:
        DocumentRefusal: reason "empty"; no scene of it has a text.
    """
    manuscript = await manuscript_of(canon, book, language)
    if not manuscript.chapters:
        raise DocumentRefusal(reason="empty")

    def made() -> Made:
        # What writes a format is slow to import, and most processes never need it.
        match form:
            case BookFormat.DOCX:
                from agent_core.exporting.book_word import word_of  # noqa: PLC0415  see above

                return word_of(manuscript, author, at)
            case BookFormat.EPUB:
                from agent_core.exporting.book_epub import epub_of  # noqa: PLC0415  see above

                return epub_of(manuscript, author, at)
            case BookFormat.MARKDOWN:
                from agent_core.exporting.book_markdown import markdown_of  # noqa: PLC0415  see above

                return markdown_of(manuscript, author)

    return manuscript.title, await asyncio.to_thread(made)


def find_book(canon: Canon, text: str, *, here: str | None, book: str | None, bound: Bound) -> str:
    """Return the book that a text means; none means that of the thread, or the only one.

    Raises:
        DocumentRefusal: reason "book", with the titles there are, or "empty", where there are none.
        UnknownPosition: there is no such place.
        AmbiguousPosition: several.
    """
    outline = canon.outline
    if text:
        found: str | None = outline.find(text, book=book, here=here, bound=bound)
        while found is not None and outline.nodes[found].kind is not NodeKind.BOOK:
            found = outline.nodes[found].parent
        if found is not None:
            return found
    books = outline.books()
    if book is not None and not outline.is_gone(book):
        return book
    if not books:
        raise DocumentRefusal(reason="empty")
    if len(books) > 1:
        raise DocumentRefusal(reason="book", books=tuple(one.title for one in books))
    return books[0].id
