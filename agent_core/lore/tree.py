"""The tree of books, chapters and scenes in reading order, tombstones in their places."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from agent_core.lore.model import Author, Bound, Node, NodeKind, Nothing


class Tree:
    """All nodes of a series, tombstones included. Immutable.

    `reading` gives every node an integer from 0: a book before its chapters, a chapter before its scenes.
    """

    nodes: Mapping[str, Node]
    reading: Mapping[str, int]

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = MappingProxyType({node.id: node for node in nodes})
        self._below = _by_parent(self.nodes.values())
        self._within: dict[str, Mapping[NodeKind, str]] = {}
        self._gone: set[str] = set(self.nodes)
        reached = {node.id: None for node in self._walk()}
        lost = sorted(self.nodes.keys() - reached.keys())
        self.reading = MappingProxyType({node: index for index, node in enumerate([*reached, *lost])})

    def children(self, node: str | None, *, deleted: bool = False) -> tuple[Node, ...]:
        """Return the nodes under `node` (None: the books) in rank order, with tombstones if `deleted`."""
        below = self._below.get(node, ())
        return below if deleted else tuple(child for child in below if child.id not in self._gone)

    def books(self) -> tuple[Node, ...]:
        """Return the living books in reading order."""
        return self.children(None)

    @property
    def single_book(self) -> bool:
        """Whether the series has at most one living book, so that labels need not name it."""
        return len(self.books()) <= 1

    def block(self, node: str) -> Iterator[Node]:
        """Yield the living nodes of `node` and below in reading order; none if it is gone."""
        if node not in self._gone:
            yield self.nodes[node]
            for child in self.children(node):
                yield from self.block(child.id)

    def scenes_of(self, node: str) -> tuple[Node, ...]:
        """Return the living scenes of a book or chapter (of a scene: itself) in reading order."""
        return tuple(found for found in self.block(node) if found.kind is NodeKind.SCENE)

    def is_gone(self, node: str | None) -> bool:
        """Return whether `node` is missing, deleted, or under something deleted; no node (None) is not."""
        return node is not None and (node in self._gone or node not in self.nodes)

    def book_of(self, node: str) -> str | None:
        """Return the book that `node` is in or is; None if there is none."""
        return self._within.get(node, {}).get(NodeKind.BOOK)

    def chapter_of(self, node: str) -> str | None:
        """Return the chapter that `node` is in or is; None for a book."""
        return self._within.get(node, {}).get(NodeKind.CHAPTER)

    def reach(self, bound: Bound) -> int:
        """Return the last reading order that `bound` sees: -1 for nothing, or for a mark that is missing."""
        match bound:
            case Author():
                return len(self.nodes)
            case Nothing():
                return -1
            case _:
                return self.reading.get(bound.node, -1)

    def sees(self, bound: Bound, node: str) -> bool:
        """Return whether `node` (a tombstone too) lies within `bound`."""
        return node in self.nodes and self.reading[node] <= self.reach(bound)

    def narrower(self, one: Bound, other: Bound) -> Bound:
        """Return the bound that sees less, `one` where both see as much."""
        return one if self.reach(one) <= self.reach(other) else other

    def _walk(self) -> Iterator[Node]:
        """Yield what hangs together from the books down, noting what lives and what it is in."""
        stack = list(reversed(self._below.get(None, ())))
        while stack:
            node = stack.pop()
            self._within[node.id] = {**self._within.get(node.parent or "", {}), node.kind: node.id}
            if not node.deleted and (node.parent is None or node.parent not in self._gone):
                self._gone.discard(node.id)
            yield node
            stack.extend(reversed(self._below.get(node.id, ())))


def _by_parent(nodes: Iterable[Node]) -> Mapping[str | None, tuple[Node, ...]]:
    below: dict[str | None, list[Node]] = {}
    for node in sorted(nodes, key=lambda node: (node.rank, node.id)):
        below.setdefault(node.parent, []).append(node)
    return {parent: tuple(children) for parent, children in below.items()}
