"""A family of tools is switched on on the page, and what the agent then makes is offered for download."""

import csv
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.llm.openai import Endpoint, OpenAIChatModel
from tests.emulators.model_endpoint import ModelEndpoint
from tests.emulators.model_replies import Call
from tests.page.browser import Chromium
from tests.page.site import Site, opened

TABLE = {"title": "ferries", "header": ["boat", "tide"], "rows": [["Heron", 7], ["Gull", -2]]}


@pytest.fixture
async def scripted(notes: Path, endpoint: ModelEndpoint) -> AsyncIterator[Site]:
    async with OpenAIChatModel(Endpoint(endpoint.url, "scripted")) as model, opened(notes, model) as site:
        yield site


async def test_file_is_made_after_a_yes_and_downloaded(
    chromium: Chromium, scripted: Site, endpoint: ModelEndpoint, tmp_path: Path
) -> None:
    page = await chromium.visit(scripted)
    await page.get_by_role("link", name="Settings").click()
    await page.get_by_label("Documents: PDF, DOCX, XLSX, CSV").check()
    await page.get_by_role("link", name="Talk").click()
    endpoint.reply(Call("create_csv", TABLE))
    await page.fill("#question", "Make me a table of the ferries.")
    await page.keyboard.press("Enter")
    endpoint.reply("Here it is.")

    await page.get_by_role("button", name="Save", exact=True).click()
    button = page.get_by_role("button", name="ferries.csv")
    await button.wait_for()
    async with page.expect_download() as arriving:
        await button.click()

    await (await arriving.value).save_as(tmp_path / "ferries.csv")
    with (tmp_path / "ferries.csv").open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file)) == [["boat", "tide"], ["Heron", "7"], ["Gull", "-2"]]
    assert "create_csv" in endpoint.requests[0].tools

    await page.reload()
    await page.get_by_role("button", name="ferries.csv").wait_for()
