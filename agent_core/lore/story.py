"""Derives the order in which things happen from the tree and the story places of its nodes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_core.lore.model import Mode, Node, Relation
from agent_core.lore.tree import Tree


@dataclass(frozen=True, slots=True)
class StoryOrder:
    """Every node's story integer; `early` are flashbacks that nothing places, in reading order.

    `ignored` are the nodes whose place closes a circle and does not count.
    """

    story: Mapping[str, int]
    early: tuple[str, ...]
    ignored: frozenset[str]


def story_order(tree: Tree) -> StoryOrder:
    """Return the story order of all nodes.

    A node comes with its block: what is placed before it, itself, what is placed with it (the same integer,
    the rest of that block following directly), its children that are placed nowhere else, what is placed
    after it. Flashbacks that nothing places come first of all. In a circle of places, which only two edits
    made apart can leave behind, the one read last counts as not placed.
    """
    ignored: set[str] = set()
    hooks = _hooks(tree, ignored)
    while circles := list(_circles({node: hook.owner for node, hook in hooks.items()})):
        for circle in circles:
            placed = (node for node in circle if hooks[node].relation is not None)
            ignored.add(max(placed, key=lambda node: tree.reading[node]))
        hooks = _hooks(tree, ignored)
    early = tuple(node for node, hook in hooks.items() if hook.early)
    return StoryOrder(_Emission(tree, hooks, early).run(), early, frozenset(ignored))


@dataclass(frozen=True, slots=True)
class _Hook:
    """What a node's block hangs on: the node it is placed by, its parent, or nothing.

    `early` marks a flashback that nothing places; `carried` what a placed or early ancestor takes along.
    """

    owner: str | None
    relation: Relation | None = None
    early: bool = False
    carried: bool = False


def _hooks(tree: Tree, ignored: set[str]) -> dict[str, _Hook]:
    hooks: dict[str, _Hook] = {}
    for node_id in tree.reading:
        node = tree.nodes[node_id]
        above = hooks.get(node.parent or "")
        hooks[node_id] = _hook(tree, node, above, ignored=node_id in ignored)
    return hooks


def _hook(tree: Tree, node: Node, above: _Hook | None, *, ignored: bool) -> _Hook:
    if node.place and node.place.node in tree.nodes and not ignored:
        return _Hook(node.place.node, node.place.relation)
    carried = above is not None and (above.carried or above.early or above.relation is not None)
    if node.mode is Mode.FLASHBACK and not carried:
        return _Hook(None, early=True)
    return _Hook(node.parent if above is not None else None, carried=carried)


def _circles(owners: Mapping[str, str | None]) -> Iterator[list[str]]:
    done: set[str] = set()
    for start in owners:
        path: dict[str, None] = {}
        node: str | None = start
        while node is not None and node not in done and node not in path:
            path[node] = None
            node = owners[node]
        if node is not None and node in path:
            steps = list(path)
            yield steps[steps.index(node) :]
        done.update(path)


class _Emission:
    """Numbers the nodes block by block, with a stack of its own: chains of places can be long."""

    def __init__(self, tree: Tree, hooks: Mapping[str, _Hook], early: Sequence[str]) -> None:
        self._reading = tree.reading
        self._early = early
        self._hung: dict[tuple[str | None, Relation | None], list[str]] = {}
        for node, hook in hooks.items():
            if not hook.early:
                self._hung.setdefault((hook.owner, hook.relation), []).append(node)
        self._story: dict[str, int] = {}
        self._moments = 0
        self._todo: list[tuple[Callable[[str], None], str]] = []

    def run(self) -> Mapping[str, int]:
        self._push(self._block, [*self._early, *self._on(None, None)])
        while self._todo:
            step, node = self._todo.pop()
            step(node)
        return self._story

    def _block(self, node: str) -> None:
        moment = list(self._moment(node))
        earlier = [early for member in moment for early in self._on(member, Relation.BEFORE)]
        self._push(self._rest, [node])
        self._push(self._head, [node])
        self._push(self._block, sorted(earlier, key=lambda early: self._reading[early]))

    def _head(self, node: str) -> None:
        for member in self._moment(node):
            self._story[member] = self._moments
        self._moments += 1

    def _rest(self, node: str) -> None:
        self._push(self._block, [*self._on(node, None), *self._on(node, Relation.AFTER)])
        self._push(self._rest, self._on(node, Relation.WITH))

    def _moment(self, node: str) -> Iterator[str]:
        """Yield `node` and what is placed with it, with that, and so on."""
        stack = [node]
        while stack:
            member = stack.pop()
            yield member
            stack.extend(self._on(member, Relation.WITH))

    def _on(self, owner: str | None, relation: Relation | None) -> list[str]:
        return self._hung.get((owner, relation), [])

    def _push(self, step: Callable[[str], None], nodes: list[str]) -> None:
        self._todo.extend((step, node) for node in reversed(nodes))
