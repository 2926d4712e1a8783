"""Hosts as texts name them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.web.hosts import host_of, hosts_in


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("See https://www.Example.org/a?b and wiki.test/x.", ["example.org", "wiki.test"]),
        ("(http://127.0.0.1:8080/) <http://[::1]/>", ["127.0.0.1", "::1"]),
        ("müller.de, localhost:3000", ["xn--mller-kva.de", "localhost"]),
        ("Nothing here… at all, ch. 3 or 2.1, of 1.2.3.4", ["1.2.3.4"]),
        ("https://user@evil.test/", ["evil.test"]),
    ],
)  # fmt: skip
def test_hosts_are_found_with_and_without_a_scheme(text: str, hosts: list[str]) -> None:
    assert list(hosts_in(text)) == hosts


def test_long_words_take_no_time() -> None:
    """Texts without spaces, as in Chinese, are one word each."""
    assert list(hosts_in("长" * 300_000 + " a.b" + ".c-" * 100_000 + " wiki.test")) == ["a.b.c", "wiki.test"]


@given(st.text())
def test_any_text_can_be_looked_through(text: str) -> None:
    assert all(host == host_of(f"http://{f'[{host}]' if ':' in host else host}/") for host in hosts_in(text))
