"""Reading a site: what is read, in what order, and where it ends."""

import pytest

from agent_core.errors import OutboundRefusal, WebRefusal
from agent_core.outbound.address import PrivateHosts
from agent_core.outbound.client import Outbound, open_outbound
from agent_core.web.answers import WebLead
from agent_core.web.hosts import Known
from tests.agent_core.outbound.places import Names
from tests.agent_core.web.places import at, crawl, crawled
from tests.clock import FakeClock
from tests.emulators.site import Site, article

WORDS = "The old ships lay at anchor for thirty years, and nobody dared to sail them out again."


def pages(site: Site, **linked: tuple[str, ...]) -> None:
    for name, links in linked.items():
        site.page("/" if name == "home" else f"/{name}", article(name, f"{WORDS} {name}.", *links))


def read_of(site: Site) -> list[str]:
    return [target for target in site.asked() if target != "/robots.txt"]


async def test_pages_are_read_near_to_far_each_with_its_text(site: Site, outbound: Outbound) -> None:
    pages(site, home=("/a", "/b"), a=("/c", "/"), b=("/a",), c=())
    one, paces = crawl(outbound)
    found = await crawled(one, at(site, "/"), 40_000)
    assert read_of(site) == ["/", "/a", "/b", "/c"]
    assert [page.title for page in found.pages] == ["home", "a", "b", "c"]
    assert f"{WORDS} c." in found.pages[3].text
    assert (found.ended, found.more) == ("all", 0)
    assert paces.waited == [1.0, 1.0, 1.0]


async def test_the_share_of_each_page_is_equal_and_the_rest_can_be_fetched(
    site: Site, outbound: Outbound
) -> None:
    pages(site, home=("/a",), a=())
    one, _ = crawl(outbound)
    found = await crawled(one, at(site, "/"), 100)
    assert [len(page.text) for page in found.pages] == [50, 50]
    assert [page.next_offset for page in found.pages] == [50, 50]


async def test_a_calendar_does_not_keep_it_busy(site: Site, outbound: Outbound) -> None:
    """A46."""
    for year in range(2_000, 2_060):
        site.page(f"/cal?y={year}", article(str(year), WORDS, f"/cal?y={year + 1}"))
    pages(site, home=("/cal?y=2000", "/about"), about=())
    one, _ = crawl(outbound, depth=5)
    found = await crawled(one, at(site, "/"), 40_000)
    assert read_of(site) == ["/", "/cal?y=2000", "/about", *(f"/cal?y={year}" for year in range(2001, 2005))]
    assert found.ended == "all"


async def test_one_page_under_many_addresses_is_read_once(site: Site, outbound: Outbound) -> None:
    """A46."""
    own = '<link rel="canonical" href="/print">'
    pages(
        site, home=("/p?a=1&b=2", "/p?b=2&a=1", "/p?a=1&b=2#x", "#top", "/print", "/print?view=1"), print=()
    )
    site.page("/p", article("p", WORDS))
    site.page("/print?view=1", article("again", WORDS, head=own))
    one, _ = crawl(outbound)
    found = await crawled(one, at(site, "/"), 40_000)
    assert [page.title for page in found.pages] == ["home", "p", "print"]


async def test_a_relative_link_that_grows_ends(site: Site, outbound: Outbound) -> None:
    """A46."""
    for times in range(1, 30):
        site.page("/" + "more/" * times, article(str(times), WORDS, "more/"))
    pages(site, home=("more/",))
    one, _ = crawl(outbound, depth=5)
    found = await crawled(one, at(site, "/"), 40_000)
    assert read_of(site) == ["/", "/more/", "/more/more/"]
    assert [one.why for one in found.passed_over] == ["alike"]


async def test_other_hosts_are_left_alone_also_by_redirect(site: Site, outbound: Outbound) -> None:
    """A46."""
    pages(site, home=(at(site, "/x", "other.test"), "/away", "/near"), x=(), here=())
    site.redirect("/away", at(site, "/x", "other.test"))
    site.redirect("/near", "/here")
    one, _ = crawl(outbound)
    found = await crawled(one, at(site, "/"), 40_000)
    assert read_of(site) == ["/", "/away", "/near", "/here"]
    assert [passed.why for passed in found.passed_over] == ["elsewhere"]


async def test_robots_are_asked_first_and_kept_to(site: Site, outbound: Outbound) -> None:
    """A46."""
    site.page("/robots.txt", "User-agent: *\nDisallow: /b\nCrawl-delay: 3\n", "text/plain")
    pages(site, home=("/a", "/b"), a=(), b=())
    one, paces = crawl(outbound)
    found = await crawled(one, at(site, "/"), 40_000)
    assert site.asked() == ["/robots.txt", "/", "/a"]
    assert [(passed.url, passed.why) for passed in found.passed_over] == [(at(site, "/b"), "robots")]
    assert paces.waited == [3.0]


@pytest.mark.parametrize("status", [500, 429])
async def test_a_site_whose_rules_are_not_to_be_had_is_not_read(
    status: int, site: Site, outbound: Outbound
) -> None:
    """A46."""
    site.page("/robots.txt", "", status=status)
    pages(site, home=())
    one, _ = crawl(outbound)
    with pytest.raises(WebRefusal) as caught:
        await crawled(one, at(site, "/"), 40_000)
    assert caught.value.facts["reason"] == "robots"
    assert site.asked() == ["/robots.txt"]


async def test_pages_and_depth_have_their_limits(site: Site, outbound: Outbound) -> None:
    """A46."""
    pages(site, home=("/a", "/b", "/c"), a=("/d",), b=(), c=(), d=("/e",), e=())
    one, _ = crawl(outbound, pages=2)
    found = await crawled(one, at(site, "/"), 40_000)
    assert (len(found.pages), found.ended, found.more) == (2, "pages", 3)
    one, _ = crawl(outbound, depth=1)
    found = await crawled(one, at(site, "/"), 40_000)
    assert [page.title for page in found.pages] == ["home", "a", "b", "c"]


async def test_time_has_its_limit(site: Site, outbound: Outbound) -> None:
    """A46."""
    pages(site, home=("/a", "/b"), a=(), b=())
    one, _ = crawl(outbound)
    clock = FakeClock()
    one.clock = clock

    async def long(seconds: float) -> None:
        clock.advance(seconds=100)

    one.sleep = long
    found = await crawled(one, at(site, "/"), 40_000)
    assert ([page.title for page in found.pages], found.ended) == (["home", "a"], "time")


async def test_only_pages_under_a_path_are_read_where_one_is_given(site: Site, outbound: Outbound) -> None:
    pages(site, home=("/docs/a", "/blog"), blog=())
    site.page("/docs/a", article("a", WORDS))
    one, _ = crawl(outbound, under="/docs/")
    await crawled(one, at(site, "/"), 40_000)
    assert read_of(site) == ["/", "/docs/a"]


async def test_a_page_that_fails_is_told_and_the_others_are_read(site: Site, outbound: Outbound) -> None:
    pages(site, home=("/gone", "/pic", "/a"), a=())
    site.page("/pic", b"\x89PNG", "image/png")
    one, _ = crawl(outbound)
    found = await crawled(one, at(site, "/"), 40_000)
    assert [page.title for page in found.pages] == ["home", "a"]
    assert [passed.why for passed in found.passed_over] == ["failed", "kind"]


async def test_the_first_page_may_lead_to_the_site_but_not_inside(site: Site) -> None:
    site.redirect("/start", at(site, "/", "other.test"))
    site.redirect("/in", at(site, "/", "inside.test"))
    pages(site, home=("/a",), a=())
    hosts = PrivateHosts(["site.test", "other.test"])
    async with open_outbound(hosts, resolver=Names()) as outbound:
        one, _ = crawl(outbound)
        found = await crawled(one, at(site, "/start"), 40_000)
        assert (found.site, len(found.pages)) == (at(site, "", "other.test"), 2)
        inside, _ = crawl(outbound)
        with pytest.raises((OutboundRefusal, WebRefusal)):
            await crawled(inside, at(site, "/in"), 40_000)


async def test_a_site_that_leads_to_a_host_that_nobody_named_is_told_and_not_followed(
    site: Site, outbound: Outbound
) -> None:
    there = at(site, "/leak?secret=1", "other.test")
    site.redirect("/go", there)
    one, _ = crawl(outbound)
    one.known = Known(at(site, "/"))
    found = await one.run(at(site, "/go"), 40_000)
    assert isinstance(found, WebLead)
    assert found.note == f"leads to {there}; fetch that address to go on"
    site.redirect("/robots.txt", at(site, "/rules", "other.test"))
    other, _ = crawl(outbound)
    other.known = one.known
    with pytest.raises(WebRefusal):
        await other.run(at(site, "/"), 40_000)
    assert [request.headers["host"] for request in site.requests] == [f"site.test:{site.port}"] * 3
