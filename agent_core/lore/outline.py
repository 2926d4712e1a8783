"""A series' outline: its tree, its two orders, and what people mean by a position in it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

from agent_core.errors import AmbiguousPosition, UnknownPosition
from agent_core.lore.fold import fold
from agent_core.lore.model import Author, Bound, Mode, Node, NodeKind, OutlineEdited
from agent_core.lore.position import NOW, START, Positions
from agent_core.lore.story import story_order
from agent_core.lore.tree import Tree

_MAX_VIEWS = 16


class Outline(Tree):
    """The tree with its story order. Immutable.

    `story` gives every node, tombstones too, an integer from 0; nodes placed `with` another share its number.
    `ignored_places` are the nodes whose story place closes a circle with others, which two edits made apart
    can leave behind: reads take them as not placed, `edits` refuse to make one.
    """

    story: Mapping[str, int]
    ignored_places: frozenset[str]

    def __init__(self, nodes: Iterable[Node]) -> None:
        super().__init__(nodes)
        order = story_order(self)
        self.story = MappingProxyType(order.story)
        self.ignored_places = order.ignored
        self._early = order.early
        self._labels: dict[str, str] = {}
        self._views: dict[int, Outline] = {}

    def with_edits(self, rows: Iterable[OutlineEdited]) -> "Outline":
        """Return the outline after these edits."""
        return Outline({**self.nodes, **{row.after.id: row.after for row in rows}}.values())

    def seen(self, bound: Bound) -> "Outline":
        """Return the outline as `bound` knows it: what is read later keeps its place and has no labels.

        All labels and titles of a bounded answer come from this view, so that it equals that of the cut copy
        byte for byte. The author's view is the outline itself.
        """
        reach = self.reach(bound)
        if reach >= len(self.nodes) - 1:
            return self
        if reach not in self._views:
            if len(self._views) >= _MAX_VIEWS:
                self._views.clear()
            self._views[reach] = Outline(self._unlabelled_after(reach))
        return self._views[reach]

    def last_position(self, node: str) -> str:
        """Return the node that is meant by `node` as a story position.

        A book or chapter is its last linear scene, else its last scene, else the book's last chapter, else
        itself.
        """
        scenes = self.scenes_of(node)
        linear = [scene for scene in scenes if scene.mode is Mode.LINEAR]
        return (linear or scenes or list(self.block(node)) or [self.nodes[node]])[-1].id

    def finished(self, node: str) -> str:
        """Return the node that is meant by "finished `node`": the last living one of its block."""
        return (list(self.block(node)) or [self.nodes[node]])[-1].id

    def latest(self, book: str | None, bound: Bound) -> str | None:
        """Return the last living linear scene of `book`, without one of the series; None if there is none.

        For a reader it is the last linear node of any kind within the bound: of `book`, else of the series.
        """
        nodes = [node for node in self._living(book) if node.mode is Mode.LINEAR]
        if isinstance(bound, Author):
            found = [node for node in nodes if node.kind is NodeKind.SCENE]
        else:
            found = [node for node in nodes if self.sees(bound, node.id)]
            if not found and book is not None:
                return self.latest(None, bound)
        return found[-1].id if found else None

    def undated(self) -> tuple[Node, ...]:
        """Return the living flashbacks that nothing places, in reading order: they come before everything."""
        return tuple(self.nodes[node] for node in self._early if not self.is_gone(node))

    def neighbours(self, node: str, *, bound: Bound) -> tuple[str | None, str | None]:
        """Return the living scenes within `bound` just before and after `node` in the story order."""
        moment = self._moment(node)
        first, last = bisect_left(self._scenes, moment), bisect_right(self._scenes, moment)
        earlier = (scene for _, _, scene in reversed(self._scenes[:first]) if self.sees(bound, scene))
        later = (scene for _, _, scene in self._scenes[last:] if self.sees(bound, scene))
        return next(earlier, None), next(later, None)

    def label(self, node: str) -> str:
        """Return how people write `node`; `find` takes the label of every living node back to it.

        "7.3", "p2.3" where numbers repeat across parts, "b2:7.3" in a series of several books, a title where
        no number tells it apart, else the id. A tombstone's is its title.
        """
        if node not in self._labels:
            self._labels[node] = self._positions.label(node, full=not self.single_book)
        return self._labels[node]

    def number(self, node: str) -> str:
        """Return the number of a book, chapter or scene as labels use it, or "" (front and back matter)."""
        return self._positions.number(node)

    def next_number(self, book: str) -> str:
        """Return the number that a chapter one past the last of `book` would have; "" if it can't be told."""
        return self._positions.next_number(book)

    def find(self, text: str, *, book: str | None, here: str | None, bound: Bound) -> str:
        """Return the node that `text` means to someone who sees up to `bound`.

        `book` is the book of the conversation, `here` its position. A chapter stays a chapter; see
        `last_position` and `finished`.

        Raises:
            UnknownPosition: no such node, or gone, or beyond the bound: always the same.
            AmbiguousPosition: several; all full positions are listed.

        """
        view = self.seen(bound)
        matches = view._positions.matches(text, book=book, here=here)
        found = [node for node in matches if self.sees(bound, node)]
        if not found:
            raise UnknownPosition(position=text)
        if len(found) > 1:
            candidates = tuple(view._positions.label(node, full=True) for node in found)
            raise AmbiguousPosition(position=text, candidates=candidates)
        return found[0]

    def find_place(self, text: str, *, book: str | None, here: str | None, bound: Bound) -> str | None:
        """Return the node that `text` means, also for "now" (see `latest`), or None for "start".

        Raises:
            UnknownPosition: as `find`.
            AmbiguousPosition: as `find`.

        """
        word = fold(text.strip())
        if word == START:
            return None
        now = self.latest(book, bound) if word == NOW else None
        return now or self.find(text, book=book, here=here, bound=bound)

    def _living(self, book: str | None) -> Iterator[Node]:
        for top in [book] if book is not None else [found.id for found in self.books()]:
            yield from self.block(top)

    def _unlabelled_after(self, reach: int) -> Iterator[Node]:
        for node, place in self.reading.items():
            found = self.nodes[node]
            yield found if place <= reach else replace(found, title="", number="", part="")

    def _moment(self, node: str) -> tuple[int, int, str]:
        return self.story[node], self.reading[node], node

    @cached_property
    def _scenes(self) -> list[tuple[int, int, str]]:
        scenes = (node for node in self._living(None) if node.kind is NodeKind.SCENE)
        return sorted(self._moment(scene.id) for scene in scenes)

    @cached_property
    def _positions(self) -> Positions:
        return Positions(self)
