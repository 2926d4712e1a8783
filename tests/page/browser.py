"""The system's Chromium, driven by playwright of the group `browser`; without that tests skip."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.page.site import Site

NAMES = ("chromium", "chromium-browser", "google-chrome")
SIZES = {"desktop": (1280, 860), "phone": (360, 740)}
PATIENCE_MS = 10_000

Page = Any  # playwright's, which development does without


@dataclass
class Chromium:
    """A browser; `complaints` are errors that any of its pages wrote to the console or threw."""

    browser: Any  # playwright's, which development does without
    complaints: list[str] = field(default_factory=list)

    async def visit(
        self,
        site: Site,
        *,
        size: str = "desktop",
        wait_for: str = "main h1",
        **given: Any,  # playwright's
    ) -> Page:
        """Open the page in a window of its own, as somebody's own browser, and wait for a part of it."""
        width, height = SIZES[size]
        context = await self.browser.new_context(
            viewport={"width": width, "height": height}, has_touch=size == "phone", locale="en-GB", **given
        )
        page = await context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self._note(said.type, said.text))
        await page.goto(site.address)
        await page.wait_for_selector(wait_for)
        return page

    def _note(self, kind: str, text: str) -> None:
        """Keep errors, but not what the browser says by itself when a server is away or refuses."""
        if kind == "error" and not text.startswith("Failed to load resource"):
            self.complaints.append(text)


@asynccontextmanager
async def chromium_running() -> AsyncIterator[Chromium]:
    """Run Chromium; what its pages complained about fails the test."""
    playwright = pytest.importorskip("playwright.async_api", reason="needs the packages of the group browser")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    assert found, "the tests of the page need Chromium: sh scripts/chromium"
    async with playwright.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=found, chromium_sandbox=False)
        running = Chromium(browser)
        try:
            yield running
        finally:
            await browser.close()
    assert running.complaints == [], running.complaints
