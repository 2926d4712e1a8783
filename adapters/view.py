"""Where an asker stands, as their cards show it: series, book, and how far they have read."""

from adapters.cards import View
from agent_core.lore.canon import Canon
from agent_core.lore.model import Author
from agent_core.lore.outline import Outline
from agent_core.tools.spec import Asker
from agent_core.turn.standing import finished_place


def view_of(asker: Asker, canon: Canon | None) -> View:
    """Return the view of an asker; `canon` is None where the conversation is linked to no series."""
    if canon is None:
        return View(language=asker.language, time_zone=asker.conversation.time_zone)
    outline = canon.outline.seen(asker.bound)
    bounded = not isinstance(asker.bound, Author)
    return View(
        language=asker.language,
        series=canon.series.name,
        book=_book(outline, asker),
        single_book=outline.single_book,
        bounded=bounded,
        finished=finished_place(canon, asker.bound),
        time_zone=asker.conversation.time_zone,
    )


def _book(outline: Outline, asker: Asker) -> str:
    book = asker.conversation.book
    if book is None and len(outline.books()) == 1:
        book = outline.books()[0].id
    if book is None or outline.is_gone(book):
        return ""
    return outline.nodes[book].title or outline.label(book)
