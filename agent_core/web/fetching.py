"""Fetches one page for reading."""

import asyncio

from agent_core.errors import WebFailure, WebRefusal
from agent_core.outbound.client import Outbound, Reply
from agent_core.outbound.target import target
from agent_core.web.answers import WebPage
from agent_core.web.page import Readable, readable

MAX_BYTES = 10_000_000
MAX_REDIRECTS = 5
DEADLINE_S = 30.0
ACCEPT = "text/html, application/xhtml+xml, application/pdf, text/markdown, text/plain;q=0.9, */*;q=0.5"


async def fetch(outbound: Outbound, url: str, offset: int, max_chars: int) -> WebPage:
    """Return the readable text of a page from a character on.

    Raises:
        OutboundRefusal: the address may not be reached.
        OutboundFailure: there was no answer.
        WebRefusal: there is no text that could be read.
        WebFailure: the site answered with an error.
    """
    reply = await outbound.request(
        "GET",
        url,
        headers={"accept": ACCEPT},
        max_bytes=MAX_BYTES,
        deadline_s=DEADLINE_S,
        follow=MAX_REDIRECTS,
    )
    check_status(reply)
    site = target(reply.url).site
    read = await asyncio.to_thread(readable, reply, site)
    if not read.text.strip():
        raise WebRefusal(reason="empty", site=site)
    return page_of(reply, read, offset, max_chars)


def check_status(reply: Reply) -> None:
    """Pass if the answer is a page.

    Raises:
        WebFailure: it is an error, or leads elsewhere once too often.
    """
    site = target(reply.url).site
    if 300 <= reply.status < 400:
        raise WebFailure(reason="redirects", site=site)
    if reply.status >= 400:
        raise WebFailure(reason="status", site=site, status=reply.status)


def page_of(reply: Reply, read: Readable, offset: int, max_chars: int) -> WebPage:
    """Return a piece of what was read."""
    end = min(offset + max_chars, len(read.text))
    return WebPage(
        url=reply.url,
        title=read.title,
        date=read.date,
        kind=read.kind,
        text=read.text[offset:end],
        offset=offset,
        total=len(read.text),
        next_offset=end if end < len(read.text) else None,
        cut=reply.cut or read.cut,
        pages=read.pages,
    )
