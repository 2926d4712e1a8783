"""Reads from the numbers in `sort` how people have put books, chapters and scenes in order."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from agent_core.lore.model import Node
from agent_core.lore.outline import Outline
from agent_core.lore.ranks import kept_in_order, ranks_after, ranks_between

_LAST = 2**31


def in_their_order(
    outline: Outline, nodes: Mapping[str, Node], places: Mapping[str, int | None], moved: Iterable[str]
) -> Mapping[str, Node]:
    """Return the nodes with ranks that put them where people did.

    `nodes` are those of the outline after other edits, new ones too; `places` the numbers in `sort` of rows
    that came, `moved` the nodes whose place among siblings may have changed.
    """
    ranked = dict(nodes)
    for parent in {nodes[node].parent for node in moved}:
        ranked |= _ranked(outline, [node for node in nodes.values() if node.parent == parent], places)
    return ranked


def _ranked(
    outline: Outline, siblings: Iterable[Node], places: Mapping[str, int | None]
) -> Mapping[str, Node]:
    now: dict[str, int] = {}
    wanted: list[tuple[int, int, str]] = []
    by_id = {node.id: node for node in siblings}
    for node in by_id.values():
        before = outline.nodes.get(node.id)
        stayed = before is not None and before.parent == node.parent
        if stayed:
            now[node.id] = outline.reading[node.id]
        shown = _shown(outline, node) if stayed else _LAST
        place = places.get(node.id, shown)
        wanted.append((_LAST if place is None else place, now.get(node.id, _LAST), node.id))
    order = [one for _, _, one in sorted(wanted)]
    staying = [one for one in order if one in now]
    kept = {staying[index] for index in kept_in_order([now[one] for one in staying])}
    ranks = _ranks([(by_id[one].rank if one in kept else None) for one in order])
    return {one: replace(by_id[one], rank=rank) for one, rank in zip(order, ranks, strict=True)}


def _shown(outline: Outline, node: Node) -> int:
    siblings = [one.id for one in outline.children(node.parent, deleted=True)]
    return siblings.index(node.id) + 1 if node.id in siblings else _LAST


def _ranks(ranks: list[str | None]) -> list[str]:
    """Return the ranks with those that are missing put in between; all new ones where there is no room."""
    found: list[str] = []
    at = 0
    try:
        while at < len(ranks):
            rank = ranks[at]
            if rank is not None:
                found.append(rank)
                at += 1
                continue
            end = next((i for i in range(at, len(ranks)) if ranks[i] is not None), len(ranks))
            right = ranks[end] if end < len(ranks) else None
            found += ranks_between(found[-1] if found else None, right, end - at)
            at = end
    except ValueError:
        return list(ranks_after(None, len(ranks)))
    return found
