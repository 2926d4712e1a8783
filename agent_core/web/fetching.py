"""Fetches one page for reading."""

import asyncio

from agent_core.errors import WebFailure, WebRefusal
from agent_core.outbound.client import Outbound, Reply
from agent_core.outbound.target import Target, target
from agent_core.web.answers import WebLead, WebPage
from agent_core.web.hosts import Known
from agent_core.web.page import Readable, readable

MAX_BYTES = 10_000_000
MAX_REDIRECTS = 5
DEADLINE_S = 30.0
ACCEPT = "text/html, application/xhtml+xml, application/pdf, text/markdown, text/plain;q=0.9, */*;q=0.5"


async def fetch(outbound: Outbound, url: str, offset: int, max_chars: int, known: Known) -> WebPage | WebLead:
    """Return the readable text of a page from a character on, or where it leads that is not known.

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
        within=known.holds,
    )
    at = target(reply.url)
    following = outbound.led(at, reply.headers["location"]) if leads_on(reply) else None
    if following is not None and not known.holds(following):
        return lead(at, following)
    check_status(reply)
    site = at.site
    read = await asyncio.to_thread(readable, reply, site)
    if not read.text.strip():
        raise WebRefusal(reason="empty", site=site)
    return page_of(reply, read, offset, max_chars)


def leads_on(reply: Reply) -> bool:
    """Return whether an answer is a redirect."""
    return 300 <= reply.status < 400 and "location" in reply.headers


def lead(came_from: Target, to: Target) -> WebLead:
    """Return what is answered instead of following a redirect: asked for anew, it is weighed anew."""
    note = f"leads to {to.url}; fetch that address to go on"
    return WebLead(site=came_from.site, leads_to=str(to.url), note=note)


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
