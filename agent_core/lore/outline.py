"""A series' outline: its tree, its two orders, and positions as people write them."""

from collections.abc import Iterable, Mapping

from agent_core.lore.model import Bound, Node, OutlineEdited


class Outline:
    """All nodes of a series, tombstones included, with their reading and story order. Immutable.

    `reading` and `story` give every node, tombstones too, an integer from 0; nodes placed `with` another
    share its story integer. `ignored_places` are the ids whose stored place closes a circle with others
    (two edits made apart can do that): reads take such a node as not placed, edits refuse to make one.
    """

    nodes: Mapping[str, Node]
    reading: Mapping[str, int]
    story: Mapping[str, int]
    ignored_places: frozenset[str]
    single_book: bool

    def __init__(self, nodes: Iterable[Node]) -> None:
        raise NotImplementedError

    def seen(self, bound: Bound) -> "Outline":
        """Return the outline as `bound` knows it: what is read later keeps its place and has no labels.

        Everything shown in a bounded answer (`label`, titles) comes from this view, so that it equals that of
        the cut copy byte for byte. The author's view is the outline itself.
        """
        raise NotImplementedError

    def reach(self, bound: Bound) -> int:
        """Return the last reading order that `bound` sees: -1 for nothing (or a mark that is missing)."""
        raise NotImplementedError

    def sees(self, bound: Bound, node: str) -> bool:
        """Return whether `node` lies within `bound`."""
        raise NotImplementedError

    def children(self, node: str | None, *, deleted: bool = False) -> tuple[Node, ...]:
        """Return the nodes under `node` (None: the books) in rank order, with tombstones if `deleted`."""
        raise NotImplementedError

    def books(self) -> tuple[Node, ...]:
        """Return the living books in reading order."""
        raise NotImplementedError

    def scenes_of(self, node: str) -> tuple[Node, ...]:
        """Return the living scenes of a book or chapter (of a scene: itself) in reading order."""
        raise NotImplementedError

    def is_gone(self, node: str) -> bool:
        """Return whether `node` is missing, deleted, or under something deleted."""
        raise NotImplementedError

    def book_of(self, node: str) -> str | None:
        """Return the book that `node` is in or is; None if there is none."""
        raise NotImplementedError

    def chapter_of(self, node: str) -> str | None:
        """Return the chapter that `node` is in or is; None for a book."""
        raise NotImplementedError

    def last_position(self, node: str) -> str:
        """Return the node meant by `node` as a story position.

        A chapter or book is its last linear scene, else its last scene, else the last chapter, else itself.
        """
        raise NotImplementedError

    def finished(self, node: str) -> str:
        """Return the node meant by "finished `node`": its last living node in reading order."""
        raise NotImplementedError

    def latest(self, book: str | None, bound: Bound) -> str | None:
        """Return the last living linear scene (for a reader: linear node within the bound) of `book`.

        Without `book`, of the series; None if there is none.
        """
        raise NotImplementedError

    def undated(self) -> tuple[Node, ...]:
        """Return the living flashbacks without a story place, in reading order."""
        raise NotImplementedError

    def neighbours(self, node: str, *, bound: Bound) -> tuple[str | None, str | None]:
        """Return the living scenes within `bound` just before and after `node` in the story order."""
        raise NotImplementedError

    def label(self, node: str) -> str:
        """Return how people write `node` ("7.3", "b2:p1.7"); `find` takes every living node's label back."""
        raise NotImplementedError

    def number(self, node: str) -> str:
        """Return the number of a chapter or scene as its label uses it, or "" (front and back matter)."""
        raise NotImplementedError

    def next_number(self, book: str) -> str:
        """Return the number of a chapter one past the last of `book`."""
        raise NotImplementedError

    def find(self, text: str, *, book: str | None, here: str | None, bound: Bound) -> str:
        """Return the node that `text` means for someone who sees up to `bound`.

        `book` is the book of the conversation, `here` its position. A chapter stays a chapter
        (see `last_position` and `finished`).

        Raises:
            UnknownPosition: no such node, or gone, or beyond the bound: always the same.
            AmbiguousPosition: several; the full positions are listed.

        """
        raise NotImplementedError

    def find_place(self, text: str, *, book: str | None, here: str | None, bound: Bound) -> str | None:
        """Return the node that `text` means, also for "now" (`latest`), or None for "start".

        Raises:
            UnknownPosition: as `find`.
            AmbiguousPosition: as `find`.

        """
        raise NotImplementedError

    def with_edits(self, rows: Iterable[OutlineEdited]) -> "Outline":
        """Return the outline after these edits."""
        raise NotImplementedError


