"""What tests of the web share: a site, and a client that may reach it under any name."""

from agent_core.clock import SystemClock
from agent_core.outbound.address import PrivateHosts
from agent_core.outbound.client import Outbound
from agent_core.web.crawling import Crawl, Limits
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
    return Crawl(outbound=outbound, clock=SystemClock(), limits=limits, sleep=paces), paces
