"""Cuts a card into pages that a platform can show: every page has its head, footer and buttons."""

from collections.abc import Callable
from dataclasses import replace

from adapters.cards import Action, Button, Card, Field, Line

Fits = Callable[[Card], bool]
Item = tuple[str | None, Line]
"""A line and the title of its field, None for one that stands before all fields."""


def paged(card: Card, page: int, fits: Fits) -> Card:
    """Return a page of the card, counted from 0; one beyond the last is the last.

    Where there are several, buttons lead to the one before and the one after. A line that alone is too
    much for a page stands on one of its own.
    """
    pages = _pages(card, fits)
    page = min(max(page, 0), len(pages) - 1)
    return _page(card, pages, page)


def _pages(card: Card, fits: Fits) -> list[list[Item]]:
    if fits(card):
        return [_items(card)]
    pages: list[list[Item]] = [[]]
    for item in _items(card):
        if pages[-1] and not fits(_page(card, [[], [*pages[-1], item], []], 1)):
            pages.append([])
        pages[-1].append(item)
    return pages


def _page(card: Card, pages: list[list[Item]], page: int) -> Card:
    lines, fields = _put_together(pages[page])
    if len(pages) == 1:
        return replace(card, lines=lines, fields=fields)
    turning = tuple(
        Button(action=Action.PAGE, label=label, value=card.record, line=place)
        for label, place in (("◀", page - 1), ("▶", page + 1))
        if 0 <= place < len(pages)
    )
    return replace(
        card,
        lines=lines,
        fields=fields,
        footer=(*card.footer, f"{page + 1} / {len(pages)}"),
        buttons=(*card.buttons, *(turning if card.record else ())),
    )


def _items(card: Card) -> list[Item]:
    return [
        *((None, line) for line in card.lines),
        *((field.title, line) for field in card.fields for line in field.lines),
    ]


def _put_together(items: list[Item]) -> tuple[tuple[Line, ...], tuple[Field, ...]]:
    lines = tuple(line for title, line in items if title is None)
    fields: list[Field] = []
    for title, line in items:
        if title is None:
            continue
        if fields and fields[-1].title == title:
            fields[-1] = replace(fields[-1], lines=(*fields[-1].lines, line))
        else:
            fields.append(Field(title=title, lines=(line,)))
    return lines, tuple(fields)
