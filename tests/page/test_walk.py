"""A person walks through the page in a real Chromium."""

import re

import httpx
import pytest

from tests.page.browser import SIZES, Chromium, Page
from tests.page.site import Site

NOTE = "Note that Edda's eyes are green from b1:2.1 on."
OPEN = ".batch[data-status=open]"
SAVED = ".batch[data-status=approved]"


async def ask(page: Page, text: str) -> None:
    await page.fill("#question", text)
    await page.click("form.composer button.primary")


async def open_entry(page: Page, name: str) -> None:
    await page.click("nav.side a[href*='/entries']")
    await page.click(f".entry-list a:has-text('{name}')")
    await page.wait_for_selector(".detail")


async def value_of(page: Page, detail: str) -> str:
    row = page.locator(".detail", has=page.locator(f"dt:text-is('{detail}')")).locator(".value")
    return str(await row.inner_text())


async def slide(page: Page, slider: str, step: int, shows: str) -> None:
    """Move a slider to a step, and wait until the details show a text as the value of one of them."""
    await page.locator(slider).fill(str(step))
    await page.wait_for_selector(f".detail .value:text-is('{shows}')")


@pytest.mark.parametrize("size", SIZES)
async def test_question_steps_card_sliders_and_take_back(chromium: Chromium, site: Site, size: str) -> None:
    page = await chromium.visit(site, size=size)

    await ask(page, NOTE)
    card = page.locator(OPEN)
    await card.wait_for()
    assert re.fullmatch(r"3 steps · \d\.\d s", await page.inner_text(".steps summary"))
    await page.click(".steps summary")
    assert await page.locator(".steps-list li").count() == 3
    assert await card.locator("del").inner_text() == "grey"
    assert await card.locator("ins").inner_text() == "green"

    await card.get_by_role("button", name="Save").click()
    saved = page.locator(SAVED)
    await saved.locator(".card-title:text-is('Saved, edit no. 8 by ann')").wait_for()

    await open_entry(page, "Edda Marrick")
    assert await value_of(page, "eyes") == "green"
    await slide(page, "#story", 2, "grey")
    await slide(page, "#story", 5, "green")
    await slide(page, "#record", 2, "grey")
    await slide(page, "#record", 6, "green")
    await page.get_by_role("button", name="Why eyes?").click()
    await page.wait_for_selector(".why .chain li")
    assert "edit no. 8 by ann" in await page.inner_text(".why")
    assert f"said in this conversation: “{NOTE}”" in await page.inner_text(".why")
    assert await page.locator(".timeline .bar").count() > 5

    await page.click("nav.side a[href*='/talk']")
    await saved.get_by_role("button", name="Take back").click()
    await page.wait_for_selector(f"{SAVED}:has-text('Taken back.')")
    await page.reload()
    await page.wait_for_selector(f"{SAVED}:has-text('Taken back.')")
    await open_entry(page, "Edda Marrick")
    assert await value_of(page, "eyes") == "grey"


async def test_two_browsers_on_one_conversation_see_the_same(chromium: Chromium, site: Site) -> None:
    first, second = await chromium.visit(site), await chromium.visit(site, size="phone")

    await ask(first, NOTE)
    await second.locator(OPEN).get_by_role("button", name="was always so").click()
    await first.wait_for_selector(f"{OPEN} .chip:text-is('was always so (chosen)')")
    await second.locator(OPEN).get_by_role("button", name="Save").click()
    await first.wait_for_selector(f"{SAVED}:has-text('Take back')")
    await first.wait_for_selector(".answer .as-of")
    await second.wait_for_selector(".answer .as-of")

    told = [await page.locator(".turn").last.inner_text() for page in (first, second)]
    assert told[0] == told[1]
    assert NOTE in told[0]

    sources = await first.inner_text(".answer .sources")
    await first.reload()
    assert await first.inner_text(".answer .sources") == sources

    await first.get_by_role("button", name="Start afresh").click()
    await first.locator("dialog").get_by_role("button", name="Start afresh").click()
    await first.wait_for_selector(".welcome")
    await second.wait_for_selector(".welcome")


async def test_keyboard_alone_is_enough(chromium: Chromium, site: Site) -> None:
    page = await chromium.visit(site)

    async def press_until(wanted: str, key: str = "Tab") -> None:
        for _ in range(60):
            await page.keyboard.press(key)
            if await page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
                return
        pytest.fail(f"the keyboard does not reach {wanted}")

    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.className") == "skip"
    await page.keyboard.press("Enter")
    assert await page.evaluate("document.activeElement.id") == "main"
    await press_until("#question")
    await page.keyboard.type(NOTE)
    await page.keyboard.press("Enter")
    await page.wait_for_selector(OPEN)
    await press_until(f"{OPEN} .primary", "Shift+Tab")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(SAVED)
    assert await page.evaluate("document.activeElement.className") == "card-title"

    await press_until("nav.side a[href$='/entries']", "Shift+Tab")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".entry-list")
    assert await page.evaluate("document.activeElement.localName") == "h1"
    await press_until(".entry-list a")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".detail")
    await press_until("#story")
    await page.keyboard.press("Home")
    assert "The Night of the Flood" in await page.get_attribute("#story", "aria-valuetext")
    await press_until(".detail button")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".why h2:focus")
    await page.keyboard.press("Escape")
    assert await page.evaluate("document.activeElement.matches('.detail button')")


async def test_scenes_move_by_arrow_and_by_drag_after_a_card(chromium: Chromium, site: Site) -> None:
    page = await chromium.visit(site)
    await page.click("nav.side a[href*='/outline']")
    await page.wait_for_selector(".scenes li")

    async def titles() -> list[str]:
        return [text.split("\n")[0] for text in await page.locator(".scene-name > a").all_inner_texts()]

    before = await titles()
    await page.get_by_role("button", name="Move b1:1.1 Dusk at Hallin Gate down").click()
    await page.locator("dialog").get_by_role("button", name="Save").click()
    await page.locator("dialog").get_by_role("button", name="Close").click()
    await page.wait_for_selector(".scenes li:first-child:has-text('The Key')")
    moved = await titles()

    await page.get_by_role("button", name="Story order").click()
    grip = page.locator(".scenes li", has_text="Ducks").locator(".grip")
    target = page.locator(".scenes li", has_text="A Fare")
    start, end = await grip.bounding_box(), await target.bounding_box()
    await page.mouse.move(start["x"] + 8, start["y"] + 8)
    await page.mouse.down()
    await page.mouse.move(end["x"] + 80, end["y"] + end["height"] - 4, steps=6)
    await page.mouse.up()
    dialog = page.locator("dialog")
    await dialog.locator(".card").wait_for()
    assert "b1:2.2" in await dialog.inner_text()
    await dialog.get_by_role("button", name="Discard").click()
    await dialog.get_by_role("button", name="Close").click()

    assert [text.split(" ", 1)[1] for text in moved[:2]] == ["The Key", "Dusk at Hallin Gate"]
    assert len(moved) == len(before)


async def test_a_detail_is_noted_where_the_slider_stands(chromium: Chromium, site: Site) -> None:
    page = await chromium.visit(site)
    await open_entry(page, "Hob Sallow")
    await page.locator("#story").fill("3")
    await page.get_by_role("heading", name="Note something").click()
    await page.fill("#note-key", "hat")
    await page.fill("#note-value", "felt")
    assert "true from b1:2.1 on" in await page.inner_text("#note-kind")
    await page.get_by_role("button", name="Propose").click()
    await page.locator("dialog").get_by_role("button", name="Save").click()
    await page.locator("dialog").get_by_role("button", name="Close").click()

    await slide(page, "#story", 4, "felt")
    await page.locator("#story").fill("1")
    await page.wait_for_selector(".gone del:text-is('felt')")
    assert await page.locator(".timeline-names div", has_text="hat").count() == 1


async def test_a_book_is_reviewed_before_it_is_imported(chromium: Chromium, site: Site) -> None:
    page = await chromium.visit(site)
    await page.click("nav.side a[href*='/transfer']")
    book = "# The Lantern\n\n## Chapter 1\n\nIt is dark.\n\n## Chapter 2\n\nIt is light.\n"
    await page.set_input_files(
        "#files", {"name": "lantern.md", "mimeType": "text/markdown", "buffer": book.encode()}
    )
    await page.fill("#import-series", "Lights")
    await page.get_by_role("button", name="Look at it first").click()
    await page.wait_for_selector(".book-report")
    assert "2 chapters" in await page.inner_text(".book-report")
    assert "Begins a new series" in await page.inner_text(".review")

    await page.get_by_role("button", name="Import this").click()
    await page.get_by_role("link", name="Open Lights").click()

    await page.wait_for_selector(".scenes li")
    assert await page.input_value(".series") != ""
    assert await page.locator(".series option:checked").inner_text() == "Lights"


async def test_an_import_that_differs_does_not_say_that_nothing_does(chromium: Chromium, site: Site) -> None:
    page = await chromium.visit(site)
    series = await page.evaluate("location.hash.split('/')[2]")
    async with httpx.AsyncClient(base_url=site.address) as api:
        name = next(one["name"] for one in (await api.get("/api/me")).json()["series"] if one["id"] == series)
        given = {"files": ("characters.csv", b"name,eyes\nBrin,green\n", "text/csv")}
        found = (await api.post("/api/imports", files=given, data={"series": name})).json()
        await api.post(f"/api/imports/{found['importId']}", json={"series": name})

    await page.click("nav.side a[href*='/transfer']")
    await page.set_input_files(
        "#files", {"name": "characters.csv", "mimeType": "text/csv", "buffer": b"name,eyes\nBrin,brown\n"}
    )
    await page.fill("#import-series", name)
    await page.get_by_role("button", name="Look at it first").click()
    await page.wait_for_selector(".review .card")

    review = await page.inner_text(".review")
    assert "1 differ" in review
    assert "Nothing new is in it." in review
    assert "Nothing differs" not in review


async def test_what_lost_its_scene_is_listed_and_a_name_without_entry_gets_one(
    chromium: Chromium, site: Site
) -> None:
    page = await chromium.visit(site)
    series = await page.evaluate("location.hash.split('/')[2]")
    async with httpx.AsyncClient(base_url=site.address) as api:
        gone = await api.post(
            f"/api/series/{series}/scenes/place", json={"sceneId": "b1:4.2", "delete": True}
        )
        await api.post("/api/bookslm/agent/confirm_all", json={"batchId": gone.json()["batchId"]})

    await page.click("nav.side a[href*='/loose']")
    await page.wait_for_selector(".rows li")
    assert "broken: she went out after the third bell" in await page.inner_text(
        "section:has-text('Lost its scene')"
    )

    await page.click("nav.side a[href*='/search']")
    await page.fill("#query", "Tam")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Create entry").click()
    await page.locator("dialog").get_by_role("button", name="Save").click()
    await page.locator("dialog").get_by_role("button", name="Close").click()
    await page.wait_for_selector("h1:text-is('Tam')")
