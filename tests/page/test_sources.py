"""Pages of the web that an answer rests on are links below it."""

from pathlib import Path

from agent_core.llm.openai import Endpoint, OpenAIChatModel
from tests.emulators.model_endpoint import Call, ModelEndpoint
from tests.emulators.site import open_site
from tests.page.browser import Chromium
from tests.page.site import opened
from tests.page.test_walk import ask


async def test_a_page_of_the_web_is_a_link_below_the_answer(
    chromium: Chromium, notes: Path, endpoint: ModelEndpoint
) -> None:
    async with (
        open_site() as web,
        OpenAIChatModel(Endpoint(endpoint.url, "scripted")) as model,
        opened(notes, model, private_hosts=f"127.0.0.1:{web.port}") as site,
    ):
        web.page("/tides.txt", "Spring tides follow the moon.", "text/plain")
        url = f"http://127.0.0.1:{web.port}/tides.txt?full=1"
        page = await chromium.visit(site)
        await page.click("nav.side a[href*='/settings']")
        async with page.expect_response("**/families"):
            await page.check("input[name=web]")
        await page.click("nav.side a")
        endpoint.reply(Call("fetch_url", {"url": url}))
        endpoint.reply("They follow the moon.")

        await ask(page, f"What of tides? See {url}")

        link = page.locator(".answer .sources a")
        assert await link.inner_text() == f"127.0.0.1:{web.port}/tides.txt"
        assert await link.get_attribute("href") == url
        assert await link.get_attribute("rel") == "noopener noreferrer nofollow"
