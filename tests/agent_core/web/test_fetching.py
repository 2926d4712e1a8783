"""What can be read of a page, whatever it is made of."""

import re
import sys

import pytest

from agent_core.errors import WebFailure, WebRefusal
from agent_core.outbound.client import Outbound, Reply
from agent_core.web.answers import WebLead, WebPage
from agent_core.web.fetching import fetch
from agent_core.web.hosts import Known
from agent_core.web.page import (
    MAX_HTML_CHARS,
    MAX_PDF_CONTENT,
    MAX_PDF_OPERATIONS,
    MAX_TABLE_TAGS,
    MAX_TAGS,
    MAX_TEXT_CHARS,
    decoded,
    kind_of,
    within_bounds,
)
from tests.agent_core.web.places import at, read
from tests.emulators.site import Site, article, pdf

WORDS = "The old ships lay at anchor for thirty years, and nobody dared to sail them out again."
PLENTY = 50_000


async def test_a_page_is_its_text_with_title_date_and_address(site: Site, outbound: Outbound) -> None:
    head = '<meta property="article:published_time" content="2024-03-05">'
    site.page("/harbour", article("Harbour of Rel", WORDS, "/more", head=head))
    site.redirect("/go", "/harbour#quay")
    page = await read(outbound, at(site, "/go"), 0, PLENTY)
    assert (page.title, page.date, page.url) == ("Harbour of Rel", "2024-03-05", at(site, "/harbour"))
    assert WORDS in page.text
    assert "tracking" not in page.text
    assert (page.kind, page.cut, page.next_offset) == ("html", False, None)


async def test_a_page_of_links_alone_is_read_too(site: Site, outbound: Outbound) -> None:
    site.page("/", "<html><body><a href=a>Alder</a> <a href=b>Birch</a></body></html>")
    page = await read(outbound, at(site, "/"), 0, PLENTY)
    assert "Alder" in page.text
    assert "Birch" in page.text


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html; charset=iso-8859-1", article("Füße", WORDS + " Größe").encode("latin-1")),
        ("text/html", b"\xff\xfe" + article("Füße", WORDS + " Größe").encode("utf-16-le")),
        ("text/html; charset=utf-16", article("Füße", WORDS + " Größe").encode("utf-16")),
        ("text/html", article("Füße", WORDS + " Größe").replace("utf-8", "windows-1252").encode("cp1252")),
        ("text/html; charset=utf-8", article("Füße", WORDS + " Größe").encode("latin-1")),
        ("text/html; charset=nonsense", article("Füße", WORDS + " Größe").encode()),
        ("text/html; charset=zip", article("Füße", WORDS + " Größe").encode()),
        ("", article("Füße", WORDS + " Größe").encode()),
    ],
)
async def test_letters_are_right_in_every_encoding(
    kind: str, body: bytes, site: Site, outbound: Outbound
) -> None:
    """A45."""
    site.page("/a", body, kind)
    page = await read(outbound, at(site, "/a"), 0, PLENTY)
    assert (page.title, "Größe" in page.text) == ("Füße", True)


def test_a_cut_text_may_end_within_a_letter() -> None:
    reply = Reply(200, "http://x.test/", {"content-type": "text/plain"}, "größ".encode()[:-1], cut=True)
    assert decoded(reply) == "grö"


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("text/html", b"", "html"), ("application/octet-stream", b"%PDF-1.4", "pdf"),
        ("text/markdown", b"# x", "text"), ("application/feed+json", b"{}", "text"),
        ("", b"  <!DOCTYPE html>", "html"), ("", b"plain", "text"), ("", b"\0\1", None),
        ("image/png", b"\x89PNG", None), ("application/zip", b"PK", None),
    ],
)  # fmt: skip
def test_the_kind_of_an_answer_is_what_its_header_says_or_how_it_begins(
    kind: str, body: bytes, expected: str | None
) -> None:
    assert kind_of(Reply(200, "http://x.test/", {"content-type": kind}, body)) == expected


async def test_a_pdf_is_read_page_by_page(site: Site, outbound: Outbound) -> None:
    site.page("/a.pdf", pdf("Sailing orders", "Orders"), "application/pdf")
    page = await read(outbound, at(site, "/a.pdf"), 0, PLENTY)
    assert (page.kind, page.title, page.pages) == ("pdf", "Orders", 1)
    assert page.text == "[page 1]\nSailing orders"


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        (b"%PDF-1.4 nothing", "application/pdf", "damaged"), (pdf(""), "application/pdf", "no_text"),
        (b"\x89PNG", "image/png", "kind"), (b"\0\1\2", "", "kind"),
    ],
)  # fmt: skip
async def test_what_has_no_text_is_refused_with_the_reason(
    body: bytes, kind: str, reason: str, site: Site, outbound: Outbound
) -> None:
    site.page("/a", body, kind)
    with pytest.raises((WebRefusal, WebFailure)) as caught:
        await read(outbound, at(site, "/a"), 0, PLENTY)
    assert caught.value.facts["reason"] == reason


async def test_an_error_of_the_site_is_told_with_its_number(site: Site, outbound: Outbound) -> None:
    with pytest.raises(WebFailure) as caught:
        await read(outbound, at(site, "/none?secret=1"), 0, PLENTY)
    assert caught.value.for_model() == (
        f"WebFailure: reason=status, site=http://site.test:{site.port}, status=404"
    )


async def test_an_endless_chain_of_redirects_is_told(site: Site, outbound: Outbound) -> None:
    site.redirect("/a", "/b")
    site.redirect("/b", "/a")
    with pytest.raises(WebFailure) as caught:
        await read(outbound, at(site, "/a"), 0, PLENTY)
    assert caught.value.facts["reason"] == "redirects"


async def test_a_redirect_to_a_host_that_nobody_named_is_told_and_not_followed(
    site: Site, outbound: Outbound
) -> None:
    there = at(site, "/leak?secret=1", "other.test")
    site.redirect("/near", "/go")
    site.redirect("/go", there)
    site.page("/leak", "read", "text/plain")
    found = await fetch(outbound, at(site, "/near"), 0, PLENTY, Known(at(site, "/")))
    assert found == WebLead(
        site=at(site, ""), leads_to=there, note=f"leads to {there}; fetch that address to go on"
    )
    assert site.asked() == ["/near", "/go"]
    followed = await fetch(outbound, at(site, "/near"), 0, PLENTY, Known(at(site, "/"), {"other.test"}))
    assert isinstance(followed, WebPage)
    assert followed.text == "read"


async def test_a_text_that_breaks_off_is_marked_as_cut(site: Site, outbound: Outbound) -> None:
    """A45."""
    page = await read(outbound, at(site, "/short"), 0, PLENTY)
    assert (page.text, page.cut) == ("beginning", True)


@pytest.mark.parametrize("body", ["", "<html><body><script>draw()</script></body></html>"])
async def test_a_page_without_words_is_told(body: str, site: Site, outbound: Outbound) -> None:
    site.page("/app", body)
    with pytest.raises(WebRefusal) as caught:
        await read(outbound, at(site, "/app"), 0, PLENTY)
    assert caught.value.facts["reason"] == "empty"


async def test_a_tag_of_endless_attributes_is_read_without_them(site: Site, outbound: Outbound) -> None:
    """The parser takes time by their square."""
    attributes = " ".join(f'a{number}="x"' for number in range(50_000))
    whole = f"<html><body {attributes}><p>{WORDS}</p></body></html>"
    assert within_bounds(whole) == (f"<html><body><p>{WORDS}</p></body></html>", False)
    site.page("/a", whole)
    assert WORDS in (await read(outbound, at(site, "/a"), 0, PLENTY)).text


@pytest.mark.parametrize(
    "tag", ["<a href=x>", "<p>x</p>", "<td>x", "<TH>", "<table>", "<x-y>", "<li>" + WORDS]
)
def test_only_as_many_tags_are_parsed_as_take_no_time(tag: str) -> None:
    given, is_cut = within_bounds(tag * 100_000)
    tags = re.findall("<[a-z]", given, re.IGNORECASE)
    parts = re.findall("<(?:td|th|tr|table)", given, re.IGNORECASE)
    assert is_cut
    assert (len(tags) <= MAX_TAGS, len(parts) <= MAX_TABLE_TAGS, len(given) <= MAX_HTML_CHARS) == (True,) * 3
    assert within_bounds(tag * 100) == (tag * 100, False)


async def test_a_page_of_too_many_tags_is_read_to_there_and_marked(site: Site, outbound: Outbound) -> None:
    site.page("/a", f"<html><body><p>{WORDS}</p>" + "<a href=x>y</a>" * 100_000)
    page = await read(outbound, at(site, "/a"), 0, PLENTY)
    assert WORDS in page.text
    assert page.cut


@pytest.mark.parametrize("more", ["q Q " * MAX_PDF_OPERATIONS, " " * MAX_PDF_CONTENT])
async def test_a_pdf_that_draws_too_much_is_told(more: str, site: Site, outbound: Outbound) -> None:
    site.page("/a.pdf", pdf(f") Tj {more} (x"), "application/pdf")
    with pytest.raises(WebFailure) as caught:
        await read(outbound, at(site, "/a.pdf"), 0, PLENTY)
    assert caught.value.facts["reason"] == "too_large"


async def test_what_is_left_out_of_a_long_page_is_marked(site: Site, outbound: Outbound) -> None:
    site.page("/a.txt", "x" * (MAX_TEXT_CHARS + 1), "text/plain")
    page = await read(outbound, at(site, "/a.txt"), 0, 10)
    assert (page.total, page.cut) == (MAX_TEXT_CHARS, True)


async def test_a_long_text_is_read_piece_by_piece(site: Site, outbound: Outbound) -> None:
    site.page("/a.md", "0123456789", "text/markdown")
    first = await read(outbound, at(site, "/a.md"), 0, 6)
    rest = await read(outbound, at(site, "/a.md"), 6, 6)
    assert (first.text, first.next_offset, first.total) == ("012345", 6, 10)
    assert (rest.text, rest.next_offset) == ("6789", None)


async def test_without_the_extra_a_page_says_how_to_get_it(
    site: Site, outbound: Outbound, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "trafilatura", None)  # as where it is not installed
    site.page("/a", article("A", WORDS))
    site.page("/b", "plain", "text/plain")
    with pytest.raises(WebRefusal) as caught:
        await read(outbound, at(site, "/a"), 0, PLENTY)
    assert caught.value.facts["reason"] == "extra"
    assert (await read(outbound, at(site, "/b"), 0, PLENTY)).text == "plain"
