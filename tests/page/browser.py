"""The system's Chromium, driven by playwright, which comes with the group `browser`; without it tests skip."""

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

    async def visit(self, site: Site, path: str = "", size: str = "desktop", **given: Any) -> Page:  # playwright's
        """Open an address of the page in a window of its own, as somebody with a browser of their own."""
        width, height = SIZES[size]
        context = await self.browser.new_context(
            viewport={"width": width, "height": height}, has_touch=size == "phone", locale="en-GB", **given
        )
        page = await context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        await page.goto(f"{site.address}/{path}")
        await page.wait_for_selector("main h1")
        return page


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
