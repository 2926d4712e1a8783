"""What tests of the web share: a site, and a client that may reach it under any name."""

from agent_core.clock import SystemClock
from agent_core.outbound.address import PrivateHosts
from agent_core.outbound.client import Outbound
from agent_core.web.answers import WebPage, WebPages
from agent_core.web.crawling import Crawl, Limits
from agent_core.web.fetching import fetch
from agent_core.web.hosts import Known
from tests.emulators.site import Site

HOSTS = PrivateHosts(["site.test", "other.test"])


def at(site: Site, path: str, host: str = "site.test") -> str:
    """Return an address of the site."""
    return f"http://{host}:{site.port}{path}"


class Paces:
    """Waits for nothing, and keeps how long was asked for."""

    def __init__(self) -> None:
        self.waited: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.waited.append(seconds)


def crawl(outbound: Outbound, pages: int = 20, depth: int = 5, under: str = "/") -> tuple[Crawl, Paces]:
    """Return a crawl that waits for nothing."""
    paces = Paces()
    limits = Limits(pages=pages, depth=depth, under=under)
    known = Known("http://site.test/", {"other.test", "inside.test"})
    return Crawl(outbound=outbound, clock=SystemClock(), limits=limits, known=known, sleep=paces), paces


async def crawled(one: Crawl, url: str, max_chars: int) -> WebPages:
    """Return the pages that a crawl has read."""
    found = await one.run(url, max_chars)
    assert isinstance(found, WebPages)
    return found


async def read(outbound: Outbound, url: str, offset: int, max_chars: int) -> WebPage:
    """Return a page that stays on its host."""
    page = await fetch(outbound, url, offset, max_chars, Known(url))
    assert isinstance(page, WebPage)
    return page
