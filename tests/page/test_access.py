"""Everybody can use each view: axe's rules, a phone's width, three languages, light and dark."""

import re
from typing import Any

import pytest

from tests.page.browser import Chromium, Page
from tests.page.site import Site

# Each view, and what stands in it once it is drawn.
VIEWS = {
    "talk": ".welcome",
    "entries": ".entry-list li",
    "entry/Edda Marrick": ".timeline .bar",
    "entry/Edda Marrick?at=b1:2.1&known=3&order=reading": ".timeline .bar",
    "outline": ".scenes li",
    "outline?order=story": ".scenes li",
    "search?q=bell": ".passage",
    "search?q=Stevart": ".results > *",
    "scene/b1:2.1": ".reading p",
    "proposals": ".empty",
    "history": ".edits li",
    "loose": ".empty",
    "transfer": "#files",
    "settings": "#language",
    "more": ".further",
}
SOME = (
    "talk",
    "entry/Edda Marrick",
    "outline?order=story",
    "search?q=bell",
    "history",
    "transfer",
    "settings",
)
BARE_KEY = re.compile(
    r"\b(?:talk|nav|entry|entries|card|type|why|loose|transfer|outline|scene|error)\.[a-z_]+\b"
)


async def series_of(page: Page) -> str:
    return str(await page.evaluate("location.hash.split('/')[2]"))


async def violations(page: Page) -> list[str]:
    axe: Any = pytest.importorskip("axe_playwright_python.async_playwright").Axe()  # Any: not in development
    found = await axe.run(page)
    return [
        f"{one['id']}: {node['target']} {node.get('failureSummary', '')}"
        for one in found.response["violations"]
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]


async def show(page: Page, site: Site, series: str, path: str) -> None:
    await page.goto("about:blank")
    await page.goto(f"{site.address}/#/s/{series}/{path}")
    await page.wait_for_selector(f"main {VIEWS[path]}")


@pytest.mark.parametrize(
    ("scheme", "paths"), [("light", tuple(VIEWS)), ("dark", SOME)], ids=["light", "dark"]
)
async def test_no_view_has_a_serious_fault_and_all_fit_a_phone(
    chromium: Chromium, site: Site, scheme: str, paths: tuple[str, ...]
) -> None:
    page = await chromium.visit(site, size="phone", color_scheme=scheme)
    series = await series_of(page)

    faults: dict[str, tuple[int, list[str]]] = {}
    for path in paths:
        await show(page, site, series, path)
        width = int(await page.evaluate("document.documentElement.scrollWidth"))
        found = await violations(page)
        if found or width > 360:
            faults[path] = (width, found)

    assert faults == {}


async def test_cards_dialogs_and_reasons_have_no_serious_fault(chromium: Chromium, site: Site) -> None:
    page = await chromium.visit(site)
    series = await series_of(page)
    await page.fill("#question", "Note that Edda's eyes are green and her coat is red from b1:2.1 on.")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".batch .primary")
    found = {"card": await violations(page)}

    await show(page, site, series, "entry/Edda Marrick")
    await page.get_by_role("button", name="Why oath?").click()
    await page.wait_for_selector(".why .chain li")
    await page.locator("details:has(.timeline-table) summary").click()
    found["why"] = await violations(page)
    await show(page, site, series, "history")
    await page.get_by_role("button", name="Take back edit no. 7").click()
    await page.wait_for_selector("dialog .card")
    found["dialog"] = await violations(page)

    assert found == {"card": [], "why": [], "dialog": []}


@pytest.mark.parametrize("language", ["de", "fr"])
async def test_every_view_speaks_the_chosen_language(chromium: Chromium, site: Site, language: str) -> None:
    page = await chromium.visit(site, size="phone")
    series = await series_of(page)
    await show(page, site, series, "settings")
    await page.select_option("#language", language)
    await page.wait_for_selector(f"html[lang={language}]")

    seen: dict[str, str] = {}
    for path in SOME:
        await show(page, site, series, path)
        seen[path] = await page.inner_text("body")

    assert {path: BARE_KEY.findall(text) for path, text in seen.items() if BARE_KEY.search(text)} == {}
    assert ("Warum?" if language == "de" else "Pourquoi ?") in seen["entry/Edda Marrick"]
    assert await page.evaluate("document.documentElement.scrollWidth") <= 360
