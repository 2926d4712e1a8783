"""What the web answers. All of it was written by strangers."""

from typing import Literal

from agent_core.lore.answers import Answer


class WebHit(Answer):
    """A page that a search found, with what the search says of it."""

    title: str
    url: str
    snippet: str = ""
    date: str = ""


class WebHits(Answer):
    """Pages, the best first."""

    provider: str
    items: tuple[WebHit, ...]


class WebPage(Answer):
    """The readable text of a page. `url` is where it came from in the end.

    `cut` tells that what the site sent was too long, too slow, broken off or of too many parts to be read, so
    that the text lacks its end; `next_offset` is where to go on in a text that is here whole.
    """

    url: str
    title: str = ""
    date: str = ""
    kind: Literal["html", "pdf", "text"] = "html"
    text: str
    offset: int = 0
    total: int = 0
    next_offset: int | None = None
    cut: bool = False
    pages: int | None = None


class WebLead(Answer):
    """What leads on to a host that nobody has named; it was not asked for."""

    site: str
    leads_to: str
    note: str


class PassedOver(Answer):
    """An address that was not read, and why."""

    url: str
    why: Literal["robots", "elsewhere", "failed", "alike", "kind"]


class WebPages(Answer):
    """The pages of a site in the order they were read, and why there are no more."""

    site: str
    pages: tuple[WebPage, ...]
    passed_over: tuple[PassedOver, ...] = ()
    ended: Literal["all", "pages", "time"] = "all"
    more: int = 0
