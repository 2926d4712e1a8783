"""Asks the interface of a git host: with its token, by ETag where an answer is kept, within its limits."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

from pydantic import BaseModel, TypeAdapter, ValidationError

from agent_core.clock import Clock
from agent_core.errors import ForgeFailure, ForgeRefusal
from agent_core.forge.kept import Kept, KeptAnswers
from agent_core.forge.limits import Limits
from agent_core.messages import parse_json
from agent_core.outbound.client import Outbound, Reply

T = TypeVar("T")

DEADLINE_S = 20.0
MAX_BYTES = 8_000_000
MAX_REDIRECTS = 3  # a renamed repository is one
MAX_SAID_CHARS = 200
NOT_FOUND = frozenset({404, 409, 422})  # 409 of an empty repository, 422 of a search for what is not there

_LINK = re.compile(r"<([^<>]*)>\s*((?:;[^,;]*)*)")
_NEXT = re.compile(r';\s*rel\s*=\s*"?(?:[^"]*\s)?next(?:\s[^"]*)?"?\s*(?:;|$)', re.IGNORECASE)


class _Message(BaseModel):
    message: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """An answer of the interface; `more` says that pages follow, `total` how many items there are.

    `found` is False where the host says that there is no such thing, and `said` how it says so.
    """

    body: bytes
    found: bool = True
    said: str = ""
    more: bool = False
    total: int | None = None

    @property
    def is_list(self) -> bool:
        """Whether the body is a list."""
        return self.body.lstrip().startswith(b"[")

    def read_as(self, kind: type[T], site: str) -> T:
        """Return the body as what the interface is described to give.

        Raises:
            ForgeFailure: reason "shape": it is something else.
        """
        adapter: TypeAdapter[T] = TypeAdapter(kind)
        try:
            return adapter.validate_python(parse_json(self.body.decode()))
        except (ValidationError, ValueError):  # their text would show the answer
            raise ForgeFailure(reason="shape", site=site) from None


class ForgeClient:
    """Sends requests to one host. `base` is where its interface begins, `headers` those of every request."""

    def __init__(self, outbound: Outbound, base: str, headers: Mapping[str, str], clock: Clock) -> None:
        self.site = "{0.scheme}://{0.netloc}".format(urlsplit(base))
        self._outbound = outbound
        self._base = base.rstrip("/")
        self._headers = headers
        self._limits = Limits(clock, self.site)
        self._kept = KeptAnswers()

    async def get(
        self, path: str, query: Mapping[str, str] | None = None, *, accept: str = "application/json"
    ) -> Page:
        """Return what the interface has at a path, which begins with a slash and is quoted.

        Raises:
            ForgeRefusal: the host takes no more for now ("rate"), it forbids this ("forbidden"), or gives
                more than fits ("too_large").
            ForgeFailure: the token is refused ("token"), or the host is at fault ("status").
            OutboundRefusal, OutboundFailure: it can't be reached.
        """
        share = "search" if path.startswith("/search/") else "core"
        self._limits.check(share)
        given = {name: value for name, value in (query or {}).items() if value}
        url = f"{self._base}{path}" + (f"?{urlencode(given)}" if given else "")
        kept = self._kept.get(url, accept)
        known = {"if-none-match": kept.etag} if kept else {}
        reply = await self._outbound.request(
            "GET",
            url,
            headers={**self._headers, "accept": accept, **known},
            max_bytes=MAX_BYTES,
            deadline_s=DEADLINE_S,
            follow=MAX_REDIRECTS,
        )
        said = _said(reply) if reply.status >= 400 else ""
        self._limits.note(share, reply.status, reply.headers, said)
        if reply.status == 304 and kept:
            return Page(kept.body, more=kept.more, total=kept.total)
        return self._page(url, accept, share, reply, said)

    def _page(self, url: str, accept: str, share: str, reply: Reply, said: str) -> Page:
        if reply.status in NOT_FOUND:
            return Page(b"", found=False, said=said)
        if reply.status in {403, 429}:
            self._limits.check(share)
            raise ForgeRefusal(reason="forbidden", site=self.site, said=said)
        if reply.status == 401:
            raise ForgeFailure(reason="token", site=self.site)
        if reply.status != 200:
            raise ForgeFailure(reason="status", site=self.site, status=reply.status)
        if reply.cut:
            raise ForgeRefusal(reason="too_large", site=self.site, most=MAX_BYTES)
        total = reply.headers.get("x-total-count", "")
        page = Page(
            reply.body,
            more=_has_next(reply.headers.get("link", "")),
            total=int(total) if total.isdigit() else None,
        )
        if etag := reply.headers.get("etag", ""):
            self._kept.put(url, accept, Kept(etag, page.body, page.more, page.total))
        return page


def after(page: Page, number: int, size: int) -> int | None:
    """Return the number of the page that follows, None if this is the last one.

    A count goes before links: some versions of Gitea reckon their links by another size of page.
    """
    if page.total is not None:
        return number + 1 if number * size < page.total else None
    return number + 1 if page.more else None


def _has_next(link: str) -> bool:
    return any(
        _NEXT.search(attributes) and "page" in parse_qs(urlsplit(address).query)
        for address, attributes in _LINK.findall(link)
    )


def _said(reply: Reply) -> str:
    """Return what the host gives as its reason, in one short line."""
    try:
        message = _Message.model_validate(parse_json(reply.body.decode())).message
    except (ValidationError, ValueError):
        return ""
    return " ".join(message.split())[:MAX_SAID_CHARS]
