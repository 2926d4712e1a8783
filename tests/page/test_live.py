"""What is seen while an answer is on its way, and when something goes wrong."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.http.caller import LOCAL
from agent_core.llm.openai import Endpoint, OpenAIChatModel
from agent_core.lore.model import Author
from agent_core.people.model import Identity, Membership, Progress, SeriesRole
from tests.emulators.model_endpoint import ModelEndpoint
from tests.emulators.model_replies import Call, Reply
from tests.page.browser import Chromium
from tests.page.site import Site, opened

HOSTILE = """Look: <img src=x onerror="document.title='taken'"> <script>document.title='taken'</script>

[press](javascript:document.title='taken') [also](data:text/html,x) [fine](https://example.org/a)

| name | eyes |
|---|---|
| **Mara** | `green` |
"""


@pytest.fixture
async def scripted(notes: Path, endpoint: ModelEndpoint) -> AsyncIterator[Site]:
    """The sample series; the model endpoint of the test answers."""
    async with OpenAIChatModel(Endpoint(endpoint.url, "scripted")) as model, opened(notes, model) as site:
        yield site


async def test_steps_and_text_are_live_and_an_answer_can_be_stopped(
    chromium: Chromium, scripted: Site, endpoint: ModelEndpoint
) -> None:
    page = await chromium.visit(scripted)
    endpoint.reply("Let me see.", Call("search_lore", {"query": "Edda"}))
    endpoint.reply(Reply(text="Edda is a warden of the Long Stones and rings the bells.", piece=12, hold=3))

    await page.fill("#question", "Who is Edda?")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".answer .prose:has-text('Edda is')")
    assert await page.locator(".steps .spinner").count() == 1
    await page.click(".steps summary")
    assert await page.inner_text(".steps-list .thought") == "Let me see."
    await page.get_by_role("button", name="Stop this answer").click()

    await page.wait_for_selector(".turn .hint:has-text('Stopped.')")
    assert await page.locator(".steps .spinner").count() == 0
    await page.get_by_role("button", name="Stop this answer").wait_for(state="hidden")


async def test_what_a_model_writes_stays_text(
    chromium: Chromium, scripted: Site, endpoint: ModelEndpoint
) -> None:
    page = await chromium.visit(scripted)
    endpoint.reply(HOSTILE)

    await page.fill("#question", "Hello?")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".answer table")

    links = await page.locator(".answer a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert links == ["https://example.org/a"]
    assert await page.locator(".answer img, .answer script").count() == 0
    assert "taken" not in await page.title()
    assert "<img src=x" in await page.inner_text(".answer")
    assert await page.inner_text(".answer td code") == "green"


async def test_a_broken_connection_is_said_and_made_good(chromium: Chromium, site: Site) -> None:
    page, other = await chromium.visit(site), await chromium.visit(site)
    await page.context.set_offline(True)
    await page.fill("#question", "Is anybody there?")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".foot .trouble:has-text('can’t be reached')")
    assert await page.input_value("#question") == "Is anybody there?"
    await other.fill("#question", "Who is Hob Sallow?")
    await other.keyboard.press("Enter")
    await other.wait_for_selector(".answer .as-of")

    await page.context.set_offline(False)

    await page.wait_for_selector(".turn:has-text('Who is Hob Sallow?') .answer .as-of", timeout=25_000)
    await page.wait_for_selector(".banner", state="hidden")


async def test_a_stranger_is_asked_for_a_token(chromium: Chromium, site: Site) -> None:
    people = site.app.core.askers.people
    person = await people.person_for(LOCAL, "ann", new_id="", operator=True)
    token = await site.app.tokens.make(person.id, "browser")
    page = await chromium.visit(
        site, extra_http_headers={"x-forwarded-for": "203.0.113.7"}, wait_for="dialog"
    )

    await page.fill("dialog input", token)
    await page.keyboard.press("Enter")

    await page.wait_for_selector("#question")
    await page.reload()
    await page.wait_for_selector("#question")


async def test_only_the_picked_lines_of_a_card_are_saved(
    chromium: Chromium, scripted: Site, endpoint: ModelEndpoint
) -> None:
    page = await chromium.visit(scripted)
    wishes = [("Edda Marrick", {"hat": "straw"}), ("Hob Sallow", {"hat": "felt"})]
    calls = [
        Call("record_lore_state", {"entityId": name, "statePatch": patch, "sourceSceneId": "b1:2.1"})
        for name, patch in wishes
    ]
    endpoint.reply("I note both.", *calls)
    endpoint.reply("Saved for one of them.")

    await page.fill("#question", "Give Edda a straw hat and Hob a felt one.")
    await page.keyboard.press("Enter")
    await page.locator(".pick input").nth(1).uncheck()
    await page.get_by_role("button", name="Save 1 line").click()
    await page.wait_for_selector(".answer:has-text('Saved for one of them.')")

    saved = await page.inner_text(".batch[data-status=approved]")
    assert "straw" in saved
    assert "left out" in saved


async def test_a_reader_sees_how_far_and_no_edits(chromium: Chromium, site: Site) -> None:
    core = site.app.core
    [series] = await core.askers.series.all_series()
    canon = await core.askers.open_canon(series)
    reader = await core.askers.people.person_for(
        Identity("terminal", "ria"), "Ria", new_id="ria", operator=False
    )
    membership = Membership(person=reader.id, series=series.id, role=SeriesRole.READER)
    await core.askers.people.set_membership(membership)
    finished = canon.outline.find("b1:1.2", book=None, here=None, bound=Author())
    await core.askers.people.set_progress(Progress(person=reader.id, series=series.id, finished=finished))
    token = await site.app.tokens.make(reader.id, "browser")
    page = await chromium.visit(site, extra_http_headers={"authorization": f"Bearer {token}"})

    assert await page.inner_text(".bound") == "You have finished b1:1 The Count; later things aren’t shown."
    await page.click("nav.side a[href*='/outline']")
    await page.wait_for_selector(".scenes li")
    assert await page.locator(".scenes li").count() == 2
    assert await page.locator(".tools").count() == 0
    await page.click("nav.side a[href*='/entries']")
    await page.click(".entry-list a:has-text('Edda')")
    await page.wait_for_selector(".timeline .bar")
    text = await page.inner_text("main")
    assert "edit no." not in text
    assert "Patience" not in text
    await page.get_by_role("button", name="Why oath?").click()
    await page.wait_for_selector(".why .chain li")
    assert "edit no." not in await page.inner_text(".why")
