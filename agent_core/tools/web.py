"""The tools of the web. An address that only a page can have suggested is asked for."""

import asyncio
from typing import TypeVar

from pydantic import Field

from agent_core.errors import WebRefusal
from agent_core.lore.answers import CardLine, Warn
from agent_core.tools.spec import Args, Family, Origin, Proposal, Propose, Read, Risk, Tool, ToolContext
from agent_core.vault import finding
from agent_core.web import crawling
from agent_core.web.answers import WebHits, WebLead, WebPage, WebPages
from agent_core.web.crawling import MAX_DEPTH, MAX_PAGES, Crawl, Limits
from agent_core.web.fetching import DEADLINE_S, fetch
from agent_core.web.hosts import Known, host_of, hosts_in
from agent_core.web.searching import MAX_HITS

TEXT_SHARE = 0.7  # of a result's characters; the rest is for what else is said of a page, and JSON
READING_S = 30.0  # to find the text in what was sent
_NOTES_LOOKED_AT = 5


class SearchArgs(Args):
    """Arguments of web_search."""

    query: str = Field(min_length=1, max_length=400, description="what to look for, as for any search engine")
    n: int = Field(8, ge=1, le=MAX_HITS, description="at most so many pages")


class OfSite(Args):
    """Arguments of what goes to an address."""

    url: str = Field(description="the whole address, with http:// or https://")


class FetchArgs(OfSite):
    """Arguments of fetch_url."""

    offset: int = Field(0, ge=0, description="go on at this character of a long text")


class CrawlArgs(OfSite):
    """Arguments of crawl_site."""

    max_pages: int = Field(5, ge=1, le=MAX_PAGES, description="at most so many pages")
    depth: int = Field(2, ge=0, le=MAX_DEPTH, description="how many links away from the first page")
    under: str = Field("/", description="only pages whose path begins so, such as /docs/")


S = TypeVar("S", bound=OfSite)


async def _search(context: ToolContext, args: SearchArgs) -> WebHits:
    searcher = context.services.searcher
    if searcher is None:
        raise WebRefusal(reason="no_search", setting="LOREKEEPER_SEARCH_PROVIDER")
    return await searcher.search(args.query, args.n)


async def _fetch(context: ToolContext, args: FetchArgs) -> WebPage | WebLead:
    known = Known(args.url, await context.known_hosts())
    return await fetch(context.services.outbound, args.url, args.offset, _chars(context), known)


async def _crawl(context: ToolContext, args: CrawlArgs) -> WebPages | WebLead:
    known = Known(args.url, await context.known_hosts())
    limits = Limits(pages=args.max_pages, depth=args.depth, under=args.under)
    crawl = Crawl(outbound=context.services.outbound, clock=context.clock, limits=limits, known=known)
    return await crawl.run(args.url, _chars(context))


def _asked_first(read: Read[S]) -> Propose[S]:
    """Return the proposal to look something up after all, when a person has said yes."""

    async def propose(context: ToolContext, args: S) -> Proposal:
        async def effect() -> str:
            answer = await read(context, args)
            return answer.model_dump_json(by_alias=True, exclude_defaults=True)

        facts: dict[str, str | int] = {"pages": args.max_pages} if isinstance(args, CrawlArgs) else {}
        card = CardLine(kind="web", title=args.url, facts=facts, warnings=(Warn(code="unknown_site"),))
        return Proposal(arguments=args.model_dump(mode="json", by_alias=True), card=card, effect=effect)

    return propose


async def _weigh(context: ToolContext, args: OfSite) -> Risk:
    """Return READ for a host that people, notes or a search have named, else WRITE, which asks."""
    host = host_of(args.url)
    if context.origin is Origin.COMMAND or host in await context.known_hosts():
        return Risk.READ
    return Risk.READ if await _stands_in_notes(context, host) else Risk.WRITE


async def _stands_in_notes(context: ToolContext, host: str) -> bool:
    """Return whether a note names the host: notes may have come with the prompt, without any look-up."""
    vaults = list(context.notes.available.values())
    if not vaults:
        return False
    found = await asyncio.to_thread(finding.search, vaults, host, _NOTES_LOOKED_AT)
    return any(host in hosts_in(quote.text) for note in found.items for quote in note.quotes)


def _chars(context: ToolContext) -> int:
    return int(context.max_chars * TEXT_SHARE)


def _tool(name: str, args: type[S], read: Read[S], description: str, timeout_s: float) -> Tool[S]:
    return Tool(
        name=name,
        family=Family.WEB,
        risk=Risk.READ,
        args=args,
        read=read,
        propose=_asked_first(read),
        weigh=_weigh,
        description=description,
        timeout_s=timeout_s,
        untrusted=True,
    )


WEB = (
    Tool(
        name="web_search",
        family=Family.WEB,
        risk=Risk.READ,
        args=SearchArgs,
        read=_search,
        description="Search the web; answers with addresses and a few words of each page.",
        untrusted=True,
    ),
    _tool(
        "fetch_url",
        FetchArgs,
        _fetch,
        "Read the text of one web page, PDF or text file by its address.",
        DEADLINE_S + READING_S,
    ),
    _tool(
        "crawl_site",
        CrawlArgs,
        _crawl,
        "Read several pages of one site, beginning at an address and following its links.",
        crawling.TOTAL_S + crawling.PAGE_S + READING_S,
    ),
)
