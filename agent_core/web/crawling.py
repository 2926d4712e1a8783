"""Reads a few pages of one site, at its pace, and stops at every limit there is."""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from agent_core.clock import Clock
from agent_core.errors import LoreKeeperError, WebFailure, WebRefusal
from agent_core.outbound.client import Outbound, Reply
from agent_core.outbound.target import target
from agent_core.web.answers import PassedOver, WebLead, WebPage, WebPages
from agent_core.web.fetching import ACCEPT, MAX_REDIRECTS, check_status, lead, leads_on, page_of
from agent_core.web.hosts import Known
from agent_core.web.links import canonical, is_trap, links_of, pattern_of
from agent_core.web.page import Readable, kind_of, readable
from agent_core.web.robots import Robots, robots_of

MAX_PAGES = 20
MAX_DEPTH = 5
MAX_ALIKE = 5
TOTAL_S = 90.0
PAGE_S = 15.0
DELAY_S = 1.0
PAGE_BYTES = 2_000_000
MAX_PASSED_OVER = 50

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a crawl goes. `under` is how the paths of all pages but the first begin."""

    pages: int = MAX_PAGES
    depth: int = 2
    under: str = "/"


@dataclass(slots=True, kw_only=True)
class Crawl:
    """One crawl. `sleep` waits between two requests."""

    outbound: Outbound
    clock: Clock
    limits: Limits
    known: Known
    sleep: Sleep = asyncio.sleep
    seen: set[str] = field(default_factory=set)
    alike: Counter[str] = field(default_factory=Counter)
    queue: deque[tuple[str, int]] = field(default_factory=deque)
    read: list[tuple[Reply, Readable]] = field(default_factory=list)
    passed_over: dict[str, PassedOver] = field(default_factory=dict)
    site: str = ""
    robots: Robots = field(default_factory=Robots)

    async def run(self, url: str, max_chars: int) -> WebPages | WebLead:
        """Return the pages that were read, each with its share of the characters.

        Where the first one leads to a host that is not known, return that instead.

        Raises:
            OutboundRefusal: the address may not be reached.
            OutboundFailure: the first page gave no answer.
            WebRefusal: the site does not want it to be read, or it has no text.
            WebFailure: the first page is an error.
        """
        until = self.clock.monotonic() + TOTAL_S
        elsewhere = await self._first(url)
        if elsewhere is not None:
            return elsewhere
        while self.queue and len(self.read) < self.limits.pages and self.clock.monotonic() < until:
            await self.sleep(max(DELAY_S, self.robots.delay_s))
            await self._next(*self.queue.popleft())
        return self._answer(max_chars, in_time=self.clock.monotonic() < until)

    async def _first(self, url: str) -> WebLead | None:
        """Read the first page; redirects may lead to another host that is known, whose rules then hold."""
        at = target(url)
        for _ in range(MAX_REDIRECTS + 1):
            if at.site != self.site:
                self.site, self.robots = at.site, await robots_of(self.outbound, at.site, self.known)
            here = canonical(str(at.url)) or str(at.url)
            if not self.robots.allow(here):
                raise WebRefusal(reason="robots", site=at.site)
            self.seen.add(here)
            reply = await self._asked(str(at.url))
            if not leads_on(reply):
                check_status(reply)
                await self._take(reply, here, depth=0)
                return None
            came_from, at = at, self.outbound.led(at, reply.headers["location"])
            if not self.known.holds(at):
                return lead(came_from, at)
        raise WebFailure(reason="redirects", site=at.site)

    async def _next(self, url: str, depth: int) -> None:
        try:
            reply = await self._asked(url)
            if leads_on(reply):
                self._offer([canonical(reply.headers["location"], url)], depth, first=True)
                return
            check_status(reply)
            await self._take(reply, url, depth)
        except WebRefusal:
            self._pass_over(url, "kind")
        except LoreKeeperError:  # one page of many
            self._pass_over(url, "failed")

    async def _asked(self, url: str) -> Reply:
        return await self.outbound.request(
            "GET", url, headers={"accept": ACCEPT}, max_bytes=PAGE_BYTES, deadline_s=PAGE_S
        )

    async def _take(self, reply: Reply, url: str, depth: int) -> None:
        read = await asyncio.to_thread(readable, reply, self.site)
        links: list[str] = []
        if kind_of(reply) == "html":
            links, own = await asyncio.to_thread(links_of, read.html, reply.url)
            if own is not None and own != url and _site(own) == self.site:
                if own in self.seen:
                    return  # read under its own address already
                self.seen.add(own)
        self.read.append((reply, read))
        if depth < self.limits.depth:
            await asyncio.to_thread(self._offer, links, depth + 1)  # against rules of any number

    def _offer(self, links: Sequence[str | None], depth: int, *, first: bool = False) -> None:
        """Queue addresses that are of the site, new, allowed, and not too many of one pattern."""
        for url in links:
            if url is None or url in self.seen:
                continue
            self.seen.add(url)
            if _site(url) != self.site:
                self._pass_over(url, "elsewhere")
            elif not self.robots.allow(url):
                self._pass_over(url, "robots")
            elif is_trap(url) or self.alike[pattern_of(url)] >= MAX_ALIKE:
                self._pass_over(url, "alike")
            elif urlsplit(url).path.startswith(self.limits.under):
                self.alike[pattern_of(url)] += 1
                if first:
                    self.queue.appendleft((url, depth))
                else:
                    self.queue.append((url, depth))

    def _pass_over(self, url: str, why: str) -> None:
        if len(self.passed_over) < MAX_PASSED_OVER:
            self.passed_over[url] = PassedOver.model_validate({"url": url, "why": why})

    def _answer(self, max_chars: int, *, in_time: bool) -> WebPages:
        share = max_chars // max(1, len(self.read))
        pages: tuple[WebPage, ...] = tuple(page_of(reply, read, 0, share) for reply, read in self.read)
        ended = "all" if not self.queue else "pages" if in_time else "time"
        return WebPages.model_validate(
            {
                "site": self.site,
                "pages": pages,
                "passed_over": tuple(self.passed_over.values()),
                "ended": ended,
                "more": len(self.queue),
            }
        )


def _site(url: str) -> str:
    try:
        return target(url).site
    except LoreKeeperError:
        return ""
