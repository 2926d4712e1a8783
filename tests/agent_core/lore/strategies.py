"""Random outlines and stories for the properties."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from agent_core.errors import StoryCycle
from agent_core.lore import edits
from agent_core.lore.model import Mode, Node, NodeKind, Relation, StoryPlace
from agent_core.lore.outline import Outline
from tests.agent_core.lore.story import tree

_TITLES = ["", "", "The Crossing", "the crossing!", "7", "2.1", "b2", "here", "Start", "Chapter 1", "Ü"]
_NUMBERS = ["1", "2", "3", "II", "VII", "07", "", "A", "1.2"]
_PARTS = ["", "One", "Two"]


@st.composite
def trees(draw: st.DrawFn) -> Outline:
    """Return some books with chapters and scenes, all linear, without labels."""
    counts = draw(st.lists(st.lists(st.integers(0, 3), max_size=3), min_size=1, max_size=3))
    return tree(
        {
            f"b{book}": {
                f"b{book}c{chapter}": [f"b{book}c{chapter}s{scene}" for scene in range(scenes)]
                for chapter, scenes in enumerate(chapters)
            }
            for book, chapters in enumerate(counts)
        }
    )


@st.composite
def outlines(draw: st.DrawFn) -> Outline:
    """Return an outline with modes, tombstones and story places that close no circle."""
    outline = draw(trees())
    ids = list(outline.nodes)
    scenes = [node for node in ids if outline.nodes[node].kind is NodeKind.SCENE]
    if scenes:
        for scene in draw(st.lists(st.sampled_from(scenes), max_size=3)):
            outline = outline.with_edits([edits.set_mode(outline, scene, draw(st.sampled_from(Mode)))])
    for node in draw(st.lists(st.sampled_from(ids), max_size=5)):
        place = StoryPlace(draw(st.sampled_from(Relation)), draw(st.sampled_from(ids)))
        try:
            outline = outline.with_edits([edits.set_place(outline, node, place)])
        except StoryCycle:
            continue
    return _changed(outline, draw(st.lists(st.sampled_from(ids), max_size=2)), _buried)


@st.composite
def labelled(draw: st.DrawFn) -> Outline:
    """Return an outline whose labels repeat, collide with the grammar or are missing; some nodes are gone."""
    outline = draw(trees())
    nodes = [
        replace(
            node,
            title=draw(st.sampled_from(_TITLES)),
            number=draw(st.sampled_from(_NUMBERS)) if node.kind is NodeKind.CHAPTER else "",
            part=draw(st.sampled_from(_PARTS)) if node.kind is NodeKind.CHAPTER else "",
        )
        for node in outline.nodes.values()
    ]
    if draw(st.booleans()):
        nodes = [replace(node, number="") for node in nodes]
    outline = Outline(nodes)
    return _changed(outline, draw(st.lists(st.sampled_from(list(outline.nodes)), max_size=2)), _buried)


def _changed(outline: Outline, ids: list[str], change: Callable[[Node], Node]) -> Outline:
    return Outline(change(node) if node.id in ids else node for node in outline.nodes.values())


def _buried(node: Node) -> Node:
    return replace(node, deleted=True)
