"""Addresses within a site."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.web.links import canonical, is_trap, links_of, pattern_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.test/p?a=1&b=2", "http://A.test:80/p?b=2&a=1#x"), ("https://a.test", "https://a.test:443/"),
        ("http://a.test/%7Eann", "http://a.test/~ann"), ("http://a.test/a/../b/./c", "http://a.test/b/c"),
        ("http://a.test/p?x=1&utm_source=mail", "http://a.test/p?x=1"),
        ("http://a.test/é", "http://a.test/%C3%A9"),
    ],
)  # fmt: skip
def test_one_page_has_one_address(one: str, other: str) -> None:
    """A46."""
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    "url", ["mailto:a@b.c", "javascript:x()", "http://u:p@a.test/", "http://[::1/", "data:,"]
)
def test_what_is_no_page_has_no_address(url: str) -> None:
    assert canonical(url, "http://a.test/") is None


@given(st.text(), st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3))
def test_the_one_form_stays_itself(path: str, query: dict[str, str]) -> None:
    pairs = "&".join(f"{key}={value}" for key, value in query.items())
    once = canonical(f"http://a.test/{path}?{pairs}")
    assert once is None or canonical(once) == once


def test_addresses_that_differ_in_numbers_only_are_of_one_pattern() -> None:
    assert pattern_of("http://a.test/cal/2024?y=1") == pattern_of("http://a.test/cal/2025?y=2")
    assert pattern_of("http://a.test/a") != pattern_of("http://a.test/b")


def test_a_path_that_grows_is_a_trap() -> None:
    """A46."""
    assert is_trap("http://a.test/more/more/more/")
    assert is_trap("http://a.test/" + "/".join(map(str, range(20))))
    assert not is_trap("http://a.test/a/b/a")


def test_links_follow_the_base_and_leave_out_what_is_not_to_be_followed() -> None:
    html = """<html><head><base href="/sub/"><link rel="Canonical" href="/page?b=1&a=2"></head><body>
    <a href="one">1</a><a href="one#x">1</a><a rel="nofollow" href="two">2</a><a href="mailto:x@y.z">m</a>
    <a>none</a></body></html>"""
    assert links_of(html, "http://a.test/x/y") == (["http://a.test/sub/one"], "http://a.test/page?a=2&b=1")
    closed = '<meta name="robots" content="NoIndex, NoFollow"><a href="one">1</a>'
    assert links_of(closed, "http://a.test/") == ([], None)
    assert links_of("", "http://a.test/") == ([], None)
