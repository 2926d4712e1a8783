"""Who searches the web: a SearXNG server, or several search engines by the library ddgs."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent_core.errors import WebFailure, WebRefusal
from agent_core.outbound.client import Outbound
from agent_core.outbound.target import target
from agent_core.web.answers import WebHit, WebHits

DEADLINE_S = 20.0
MAX_SNIPPET_CHARS = 500
MAX_HITS = 20
_MAX_BYTES = 2_000_000


class Searcher(Protocol):
    """Searches the web."""

    async def search(self, query: str, n: int) -> WebHits:
        """Return at most `n` pages, the best first. Must end within 30 s.

        Raises:
            WebRefusal: it can't search as it is set up.
            WebFailure: it gives no answer of use.
        """
        ...


class _Result(BaseModel):
    model_config = ConfigDict(extra="ignore")

    url: str
    title: str = ""
    content: str | None = ""
    published: str | None = Field(None, alias="publishedDate")


class _Results(BaseModel):
    model_config = ConfigDict(extra="ignore")

    results: list[_Result]


@dataclass(frozen=True, slots=True)
class SearXng:
    """A SearXNG server, asked by its JSON interface."""

    outbound: Outbound
    base: str

    async def search(self, query: str, n: int) -> WebHits:
        """Return what the server finds."""
        url = str(
            target(self.base.rstrip("/") + "/search").url.copy_merge_params({"q": query, "format": "json"})
        )
        site = target(url).site
        reply = await self.outbound.request("GET", url, max_bytes=_MAX_BYTES, deadline_s=DEADLINE_S)
        if reply.status == 403:  # what it answers where its settings leave the format out
            raise WebRefusal(reason="search_format", site=site)
        if reply.status != 200:
            raise WebFailure(reason="status", site=site, status=reply.status)
        try:
            found = _Results.model_validate_json(reply.body)
        except ValidationError as error:
            raise WebFailure(reason="search", site=site) from error
        hits = [_hit(one.title, one.url, one.content, one.published) for one in found.results]
        return WebHits(provider="searxng", items=_kept(hits, n))


Find = Callable[[str, int], Sequence[Mapping[str, str]]]


def find_by_ddgs(query: str, n: int) -> Sequence[Mapping[str, str]]:
    """Return what the library finds; it asks search engines of its own choice, and blocks.

    Raises:
        WebRefusal: it is not installed.
        WebFailure: no engine answers, or all refuse.
    """
    try:
        from ddgs import DDGS  # noqa: PLC0415  from the extra
        from ddgs.exceptions import DDGSException  # noqa: PLC0415
    except ImportError as error:
        raise WebRefusal(reason="extra", install="scripts/run --full") from error
    try:
        found: Sequence[Mapping[str, str]] = DDGS(timeout=int(DEADLINE_S) // 2).text(query, max_results=n)
    except DDGSException as error:
        if "No results" in str(error):
            return ()
        raise WebFailure(reason="search", site="ddgs") from error
    return found


@dataclass(frozen=True, slots=True)
class Ddgs:
    """Search engines by the library ddgs."""

    find: Find = find_by_ddgs

    async def search(self, query: str, n: int) -> WebHits:
        """Return what the library finds."""
        try:
            async with asyncio.timeout(DEADLINE_S):
                found = await asyncio.to_thread(self.find, query, n)
        except TimeoutError as error:
            raise WebFailure(reason="search", site="ddgs") from error
        hits = [_hit(one.get("title"), one.get("href"), one.get("body"), None) for one in found]
        return WebHits(provider="ddgs", items=_kept(hits, n))


def _hit(title: str | None, url: str | None, snippet: str | None, date: str | None) -> WebHit:
    short = " ".join((snippet or "").split())[:MAX_SNIPPET_CHARS]
    return WebHit(title=" ".join((title or "").split()), url=url or "", snippet=short, date=(date or "")[:10])


def _kept(hits: Sequence[WebHit], n: int) -> tuple[WebHit, ...]:
    """Return the first hits that are of the web, each address once."""
    found = {hit.url: hit for hit in reversed(hits) if hit.url.startswith(("http://", "https://"))}
    return tuple(hit for hit in hits if found.get(hit.url) is hit)[:n]
