"""The graph of notes as a picture: every note has its place, names cover nothing, and it is sent."""

import json
import math
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from agent_core.vault.answers import Graph, GraphLink, GraphNode
from agent_core.vault.drawing import MAX_LOOSE, Drawing, draw
from agent_core.vault.labels import Box, labels, names_of
from agent_core.vault.layout import layout
from tests.emulators.model_endpoint import Call
from tests.house import House

SVG = "{http://www.w3.org/2000/svg}"


def graph(links: list[tuple[str, str]], *more: str, left_out: int = 0) -> Graph:
    nodes = list(dict.fromkeys([*(end for link in links for end in link), *more]))
    degree = {node: sum(node in link for link in links) for node in nodes}
    return Graph(
        vault="novel",
        nodes=tuple(GraphNode(path=node, links=degree[node]) for node in nodes),
        links=tuple(GraphLink(source=one, target=other) for one, other in links),
        more=left_out,
    )


def story() -> Graph:
    """A story with a hub, a pair on its own, notes without links, and names of several scripts."""
    people = [f"N/People/{name}.md" for name in ("Mara", "王小明", "Мария", "مكتبة", "Zoë")]
    links = [(one, "N/Places/Vel.md") for one in people] + [(people[0], people[1])]
    links += [("N/Old/Vel.md", "N/Old/Oru.md"), ("N/Old/Oru.md", "N/Old/Vel.md")]
    return graph(links, "N/Scenes/1.md", "N/Scenes/2.md", "N/board.json")


def texts(drawing: Drawing) -> list[str]:
    return [str(one.text) for one in etree.fromstring(drawing.svg.encode()).iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def drawn() -> Drawing:
    return draw(story())


def test_picture_shows_each_note_once_with_its_name_and_folder(drawn: Drawing) -> None:
    said = texts(drawn)
    for name in ("Mara", "王小明", "Мария", "مكتبة", "Zoë", "Oru", "1", "2"):
        assert said.count(name) == 1, name
    assert said.count("Vel") == 2
    assert {"Places", "Old"} <= set(said)
    assert "board" not in " ".join(said)
    root = etree.fromstring(drawn.svg.encode())
    assert len(list(root.iter(f"{SVG}circle"))) == 8 + 2 + len(["People", "Old", "Scenes", "Places"])
    assert len([one for one in root.iter(f"{SVG}line") if one.get("stroke-opacity")]) == 7


def test_picture_is_upright_and_readable_on_a_phone(drawn: Drawing) -> None:
    assert drawn.png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", drawn.png[16:24])
    assert 800 <= width <= 1_400
    assert height > 500
    assert width / 390 < 26 / 7, "letters of 26 are at least 7 wide where the picture fills a phone"


def test_same_graph_gives_the_same_picture(drawn: Drawing) -> None:
    assert draw(story()).svg == drawn.svg


def test_name_can_not_be_markup() -> None:
    name = 'a<script>alert("x")<script>&amp;\u202e'
    drawing = draw(graph([(f"{name}.md", "b.md")]))
    assert "<script>" not in drawing.svg
    assert 'a<script>alert("x")<scrip…' in texts(drawing)


def test_graph_without_links_is_a_list_of_its_notes_and_of_how_many_more() -> None:
    drawing = draw(graph([], *(f"n{number}.md" for number in range(MAX_LOOSE + 5)), left_out=1_200))
    assert len(texts(drawing)) == MAX_LOOSE + 1
    assert texts(drawing)[-1] == "+ 1,205"
    assert draw(graph([])).png.startswith(b"\x89PNG")


ends = st.integers(0, 11).map("n{}.md".format)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(ends, ends).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=25))
def test_every_note_has_a_place_of_its_own_and_no_name_covers_another(links: list[tuple[str, str]]) -> None:
    nodes = list(dict.fromkeys(end for link in links for end in link))
    places = layout(nodes, links)
    assert set(places) == set(nodes)
    assert all(math.isfinite(x) and math.isfinite(y) and x >= 0 and y >= 0 for x, y in places.values())
    assert len({(round(x, 6), round(y, 6)) for x, y in places.values()}) == len(nodes)
    spread = {node: (x * 90, y * 90) for node, (x, y) in places.items()}
    boxes = [label.box for label in labels(spread, dict.fromkeys(nodes, 8.0), names_of(nodes))]
    assert not any(one.meets(other) for place, one in enumerate(boxes) for other in boxes[place + 1 :])


def test_linked_notes_lie_nearer_than_others() -> None:
    ring = [(f"{number}", f"{(number + 1) % 12}") for number in range(12)]
    places = layout([one for one, _ in ring], ring)
    near = max(math.dist(places[one], places[other]) for one, other in ring)
    assert near < min(math.dist(places[str(place)], places[str(place + 6)]) for place in range(6))


def test_boxes_that_touch_do_not_cover_one_another() -> None:
    assert not Box(0, 0, 1, 1).meets(Box(1, 0, 2, 1))
    assert Box(0, 0, 1, 1).meets(Box(0.5, 0.5, 2, 2))


async def test_model_sends_the_picture_to_the_chat(house: House, notes: Path) -> None:
    house.endpoint.reply(Call("get_graph", {"picture": True}))
    house.endpoint.reply("Here is how your notes hang together.")
    heard = await house.say("Show me the graph.")

    [result] = [one for one in house.endpoint.requests[-1].messages if one["role"] == "tool"]
    assert json.loads(result["content"])["data"]["sent"] == ["novel.png", "novel.svg"]
    assert heard.turn is not None
    files = house.core.askers.files.store
    kept = sorted(await files.due_files(heard.turn.conversation), key=lambda one: one.name)
    assert [(one.name, one.media_type) for one in kept] == [
        ("novel.png", "image/png"), ("novel.svg", "image/svg+xml"),
    ]  # fmt: skip
    png, svg = [await files.content(one.id) for one in kept]
    assert png is not None
    assert png.startswith(b"\x89PNG")
    assert svg is not None
    assert "Mara" in texts(Drawing(svg.decode(), b""))


async def test_graph_is_sent_only_when_asked_for(house: House) -> None:
    asker = await house.asker()
    answer = await house.core.lookup("get_graph", {"centre": "Heron.md"}, asker)
    assert isinstance(answer, Graph)
    assert answer.sent == ()
    assert await house.core.askers.files.store.due_files(asker.conversation.id) == ()
