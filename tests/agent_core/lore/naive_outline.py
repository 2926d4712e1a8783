"""The tree of books, chapters and scenes and its two orders, as simply as the text has them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from agent_core.lore.model import Mode, Node, NodeKind, Relation


@dataclass(frozen=True)
class NaiveOutline:
    """All nodes by id, tombstones too."""

    nodes: Mapping[str, Node]

    def children(self, parent: str | None) -> list[str]:
        """Return the nodes right below, by rank."""
        below = [node for node in self.nodes.values() if node.parent == parent]
        return [node.id for node in sorted(below, key=lambda node: node.rank)]

    @cached_property
    def reading(self) -> dict[str, int]:
        """The place of every node in the tree, each before those in it."""
        return {node: index for index, node in enumerate(self._walk(None))}

    @cached_property
    def story(self) -> dict[str, int]:
        """The place of every node in the story; nodes are missing if a chain closes on itself."""
        groups: list[list[str]] = []
        for node in self.reading:
            if self.is_undated(node):
                self._emit(node, groups)
        for book in self.children(None):
            if self.nodes[book].place is None:
                self._emit(book, groups)
        return {node: index for index, group in enumerate(groups) for node in group}

    def closes(self) -> bool:
        """Return whether a chain of story places closes on itself."""
        return set(self.story) != set(self.nodes)

    def ancestors(self, node: str) -> list[str]:
        """Return the node and all above it, the node first."""
        found = [node]
        while (parent := self.nodes[found[-1]].parent) is not None:
            found.append(parent)
        return found

    def book_of(self, node: str) -> str:
        """Return the book that holds the node."""
        return self.ancestors(node)[-1]

    def is_gone(self, node: str) -> bool:
        """Return whether the node, or one it lies in, is deleted or was never there."""
        return node not in self.nodes or any(self.nodes[one].deleted for one in self.ancestors(node))

    def is_undated(self, node: str) -> bool:
        """Return whether this is a flashback scene that nothing places in the story."""
        placed = any(self.nodes[one].place for one in self.ancestors(node))
        return self.is_scene(node) and self.nodes[node].mode is Mode.FLASHBACK and not placed

    def is_scene(self, node: str) -> bool:
        """Return whether the node is a scene."""
        return self.nodes[node].kind is NodeKind.SCENE

    def living(self) -> list[str]:
        """Return the nodes that are not gone, in reading order."""
        return [node for node in self.reading if not self.is_gone(node)]

    def last_position(self, node: str) -> str:
        """Return what a chapter or book means as a position: its last linear scene, else its last scene."""
        scenes = [one for one in self.living() if node in self.ancestors(one) and self.is_scene(one)]
        linear = [scene for scene in scenes if self.nodes[scene].mode is Mode.LINEAR]
        within = [one for one in self.living() if node in self.ancestors(one)]
        return (linear or scenes or within)[-1]

    def _walk(self, parent: str | None) -> Iterator[str]:
        for child in self.children(parent):
            yield child
            yield from self._walk(child)

    def _placed(self, relation: Relation, target: str) -> list[str]:
        places = {node: self.nodes[node].place for node in self.reading}
        return [
            node
            for node, place in places.items()
            if place is not None and place.relation is relation and place.node == target
        ]

    def _emit(self, node: str, groups: list[list[str]]) -> None:
        at_once = self._at_once(node)
        earlier = [other for one in at_once for other in self._placed(Relation.BEFORE, one)]
        for other in sorted(earlier, key=self.reading.__getitem__):
            self._emit(other, groups)
        groups.append(at_once)
        self._emit_rest(node, groups)

    def _at_once(self, node: str) -> list[str]:
        others = self._placed(Relation.WITH, node)
        return [node, *(one for other in others for one in self._at_once(other))]

    def _emit_rest(self, node: str, groups: list[list[str]]) -> None:
        for other in self._placed(Relation.WITH, node):
            self._emit_rest(other, groups)
        for child in self.children(node):
            if self.nodes[child].place is None and not self.is_undated(child):
                self._emit(child, groups)
        for other in self._placed(Relation.AFTER, node):
            self._emit(other, groups)
