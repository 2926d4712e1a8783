"""When the reader learns something: written, compared and labelled in one way everywhere."""

from collections.abc import Iterable

from agent_core.lore.model import (
    NEVER,
    NOT_REVEALED,
    START,
    Author,
    Told,
    ToldKind,
)
from agent_core.lore.outline import Outline

_WRITTEN = {
    "start": START,
    "not_revealed": NOT_REVEALED,
    "not revealed": NOT_REVEALED,
    "never": NEVER,
}


def told_from_text(text: str, outline: Outline, *, book: str | None, here: str | None) -> Told:
    """Return what `text` means: "start", "not_revealed", "never" or a position.

    Raises:
        UnknownPosition: if it is no position either.
        AmbiguousPosition: as `Outline.find`.

    """
    known = _WRITTEN.get(text.strip().lower())
    if known is not None:
        return known
    node = outline.find_place(text, book=book, here=here, bound=Author())
    return START if node is None else Told.at(node)


def told_argument(told: Told) -> str:
    """Return the text that `told_from_text` reads back, with a node as its id."""
    return told.node if told.node is not None else told.kind.value


def told_label(told: Told, outline: Outline) -> str:
    """Return the label of the node, or start, not_revealed, never; a node that is gone reveals nothing."""
    if told.node is None:
        return told.kind.value
    return ToldKind.NOT_REVEALED.value if outline.is_gone(told.node) else outline.label(told.node)


def default_told(at: str | None) -> Told:
    """Return when the reader learns what becomes true at `at`, where nobody said otherwise."""
    return NOT_REVEALED if at is None else Told.at(at)


def earliest(tolds: Iterable[Told], outline: Outline) -> Told:
    """Return the one that the reader learns first; there must be at least one."""
    return min(tolds, key=lambda told: lateness(told, outline))


def lateness(told: Told, outline: Outline) -> tuple[int, int]:
    """Return a sort key: start < nodes in reading order < not revealed (or a node that is gone) < never."""
    if told.kind is ToldKind.NODE and (told.node is None or outline.is_gone(told.node)):
        return (2, 0)
    ranks = {ToldKind.START: 0, ToldKind.NODE: 1, ToldKind.NOT_REVEALED: 2, ToldKind.NEVER: 3}
    return (ranks[told.kind], outline.reading[told.node] if told.node is not None else 0)
