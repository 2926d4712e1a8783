"""Searching the web by either provider."""

import json
import sys
from collections.abc import Mapping, Sequence

import pytest

from agent_core.errors import WebFailure, WebRefusal
from agent_core.outbound.client import Outbound
from agent_core.web.searching import Ddgs, SearXng
from tests.agent_core.web.places import at
from tests.emulators.site import Site

FOUND = {
    "query": "salt roads",
    "results": [
        {
            "url": "https://a.test/1", "title": "One  road", "content": "of\nsalt",
            "publishedDate": "2024-03-05",
        },
        {"url": "https://a.test/1", "title": "Again", "content": None},
        {"url": "javascript:x()", "title": "Bad"},
        {"url": "https://b.test/2", "title": "Two", "engine": "x", "score": 1.0},
        {"url": "https://c.test/3", "title": "Three"},
    ],
}  # fmt: skip


async def test_searxng_is_asked_by_its_json_interface(site: Site, outbound: Outbound) -> None:
    site.page("/searx/search", json.dumps(FOUND), "application/json")
    hits = await SearXng(outbound, at(site, "/searx/")).search("salt & roads", 2)
    assert site.asked() == ["/searx/search?q=salt+%26+roads&format=json"]
    assert [(hit.title, hit.url, hit.snippet, hit.date) for hit in hits.items] == [
        ("One road", "https://a.test/1", "of salt", "2024-03-05"),
        ("Two", "https://b.test/2", "", ""),
    ]


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (403, "", "search_format"),
        (500, "", "status"),
        (200, "<html>", "search"),
        (200, '{"results": 1}', "search"),
    ],
)
async def test_a_server_that_gives_no_results_is_told_with_the_reason(
    status: int, body: str, reason: str, site: Site, outbound: Outbound
) -> None:
    site.page("/search", body, status=status)
    with pytest.raises((WebRefusal, WebFailure)) as caught:
        await SearXng(outbound, at(site, "")).search("x", 5)
    assert caught.value.facts["reason"] == reason


async def test_ddgs_gives_its_results_in_our_form() -> None:
    def find(query: str, n: int) -> Sequence[Mapping[str, str]]:
        return [{"title": query, "href": "https://a.test/", "body": f"{n} words"}, {"title": "none"}]

    hits = await Ddgs(find).search("salt", 3)
    assert [(hit.title, hit.url, hit.snippet) for hit in hits.items] == [
        ("salt", "https://a.test/", "3 words")
    ]


async def test_without_the_extra_ddgs_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ddgs", None)
    with pytest.raises(WebRefusal) as caught:
        await Ddgs().search("salt", 3)
    assert caught.value.facts["reason"] == "extra"
