"""What a site asks of robots, and what counts where it does not say."""

import pytest

from agent_core.outbound.client import Outbound
from agent_core.web.hosts import Known
from agent_core.web.robots import MAX_RULES, MAX_STARS, Robots, Rule, parse, robots_of
from tests.agent_core.web.places import at
from tests.emulators.site import Site

TEXT = """\ufeff# for all
User-agent: *
Disallow: /private
Crawl-delay: 2

User-agent: LoreKeeper/1.0
User-Agent: other
Disallow: /drafts/   # unfinished
Allow: /drafts/open
Disallow: /*.zip$
Disallow: /caf\u00e9
Disallow:
"""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True), ("/private", True), ("/drafts/", False), ("/drafts/1", False), ("/drafts/open/1", True),
        ("/a/b.zip", False), ("/a/b.zip?x", True), ("/caf%C3%A9", False), ("/draft", True),
    ],
)  # fmt: skip
def test_the_rules_of_our_name_hold_and_the_longest_pattern_wins(path: str, allowed: bool) -> None:
    """A46."""
    assert parse(TEXT).allow(f"https://site.test{path}") is allowed


def test_others_rules_hold_for_us_only_where_we_have_none() -> None:
    rules = parse("User-agent: *\nDisallow: /private\nCrawl-delay: 2\n\nUser-agent: evil\nDisallow: /\n")
    assert (rules.allow("https://site.test/private/x"), rules.allow("https://site.test/")) == (False, True)
    assert rules.delay_s == 2


def test_a_pattern_of_many_stars_is_looked_at_once() -> None:
    rule = Rule("/" + "*a" * 2_000 + "$", allow=False)
    assert not rule.fits("/" + "a" * 8_000 + "b")
    assert rule.fits("/" + "a" * 8_000)


def test_an_end_sign_wants_the_very_end() -> None:
    assert [Rule("/x$", allow=True).fits(path) for path in ("/x", "/xy")] == [True, False]
    assert [Rule("/*b$", allow=True).fits(path) for path in ("/ab", "/abc", "/b")] == [True, False, True]


@pytest.mark.parametrize("status", [404, 401, 403, 410])
async def test_a_site_without_rules_allows_everything(status: int, site: Site, outbound: Outbound) -> None:
    """A46."""
    site.page("/robots.txt", "Disallow: /", status=status)
    assert await robots_of(outbound, at(site, ""), Known(at(site, "/"))) == Robots()


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_site_in_trouble_allows_nothing(status: int, site: Site, outbound: Outbound) -> None:
    """A46."""
    site.page("/robots.txt", "", status=status)
    assert not (await robots_of(outbound, at(site, ""), Known(at(site, "/")))).allow(at(site, "/"))


@pytest.mark.parametrize("trap", ["/drop", "/short", "/loop"])
async def test_rules_that_do_not_arrive_allow_nothing(trap: str, site: Site, outbound: Outbound) -> None:
    """A46."""
    site.redirect("/loop", "/robots.txt")
    site.answers["/robots.txt"] = site.answers[trap]
    if trap == "/loop":
        site.redirect("/robots.txt", "/robots.txt")
    assert not (await robots_of(outbound, at(site, ""), Known(at(site, "/")))).allow(at(site, "/"))


async def test_of_endless_rules_the_beginning_holds(site: Site, outbound: Outbound) -> None:
    """A46."""
    site.page("/robots.txt", "User-agent: *\nDisallow: /private\n" + "# more\n" * 100_000)
    rules = await robots_of(outbound, at(site, ""), Known(at(site, "/")))
    assert (rules.allow(at(site, "/private")), rules.allow(at(site, "/open"))) == (False, True)
    site.answers["/robots.txt"] = site.answers["/endless"]
    assert (await robots_of(outbound, at(site, ""), Known(at(site, "/")))).allow(at(site, "/"))


def test_no_robots_txt_makes_each_link_a_long_look() -> None:
    rules = parse("User-agent: *\n" + "Disallow: /x\n" * 50_000 + "Disallow: " + "/*" * 90_000).rules
    [starred] = parse("User-agent: *\nDisallow: /a" + "*b" * 1_000).rules
    assert len(rules) == MAX_RULES
    assert starred.pattern.count("*") == MAX_STARS
    assert starred.fits("/a" + "b" * 1_000)
