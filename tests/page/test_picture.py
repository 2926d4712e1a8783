"""What the page works out by itself, story order and the timeline's bars, is what the server answers."""

import httpx

from agent_core.lore.model import Author
from tests.page.browser import Chromium
from tests.page.site import Site

# Places of scenes: relation and anchor; the flashback of the sample stays where it is.
MOVES = (
    ("b1:4.1", "before", "b1:2.1"),
    ("b1:3.1", "after", "b1:4.1"),
    ("b2:1.1", "with", "b1:3.2"),
    ("b2:2.1", "before", "b1:1"),
    ("b2:2.2", "before", "b1:4.1"),
)
ORDER = """async contents => {
  const { outlineOf } = await import("/app/lore/order.js");
  return outlineOf(contents).inStoryOrder.map(scene => [scene.label, scene.story]);
}"""
VALUES = """async ([contents, items]) => {
  const [{ outlineOf }, { factsOf, rowsOf }] =
    await Promise.all([import("/app/lore/order.js"), import("/app/lore/facts.js")]);
  const places = outlineOf(contents);
  const axis = places.inStoryOrder;
  const values = Object.fromEntries(axis.map(scene => [scene.label, {}]));
  for (const { key, spans } of rowsOf(factsOf(items, places), axis))
    for (const { value, start, to } of spans)
      for (let at = start; at <= to; at += 1) values[axis[at].label][key] = value;
  return values;
}"""


async def test_story_order_is_that_of_the_server(chromium: Chromium, site: Site) -> None:
    page = await chromium.visit(site)
    [series] = await site.app.core.askers.series.all_series()
    async with httpx.AsyncClient(base_url=f"{site.address}/api/series/{series.id}") as api:
        for scene, relation, node in MOVES:
            moved = await api.post(
                "/scenes/place", json={"sceneId": scene, "relation": relation, "node": node}
            )
            assert moved.status_code == 200, moved.text
            batch = moved.json()
            if batch["status"] == "open":
                decided = {"batchId": batch["batchId"]}
                saved = await api.post(f"{site.address}/api/bookslm/agent/confirm_all", json=decided)
                assert saved.json()["batch"]["status"] == "approved"
        contents = (await api.get("/books")).json()["answer"]

    drawn = await page.evaluate(ORDER, contents)

    outline = (await site.app.core.askers.open_canon(series)).outline
    story = {outline.label(node): place for node, place in outline.story.items()}
    labels = [label for label, _ in drawn]
    assert labels == sorted(
        labels,
        key=lambda label: (
            story[label],
            outline.reading[outline.find(label, book=None, here=None, bound=Author())],
        ),
    )
    shared = [(one, other) for one, at in drawn for other, place in drawn if one < other and at == place]
    assert shared == [("b1:3.2", "b2:1.1")]


async def test_bars_show_what_the_server_answers_for_each_scene(chromium: Chromium, site: Site) -> None:
    page = await chromium.visit(site)
    [series] = await site.app.core.askers.series.all_series()
    async with httpx.AsyncClient(base_url=f"{site.address}/api/series/{series.id}") as api:
        contents = (await api.get("/books")).json()["answer"]
        scenes = [
            scene["place"]["label"]
            for book in contents["books"]
            for chapter in book["chapters"]
            for scene in chapter["scenes"]
        ]
        for name in ("Edda Marrick", "Mother Tansy", "tide key"):
            items = (await api.get("/timeline", params={"entry": name})).json()["answer"]["items"]
            drawn = await page.evaluate(VALUES, [contents, items])
            for scene in scenes:
                answer = await api.get(f"/entries/{name}/state", params={"at": scene})
                assert drawn[scene] == answer.json()["answer"]["state"], (name, scene)
