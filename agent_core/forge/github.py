"""GitHub, and GitHub Enterprise by an address of its own."""

from pydantic import BaseModel, SecretStr

from agent_core.clock import Clock
from agent_core.errors import ForgeRefusal
from agent_core.forge.client import ForgeClient, Page, after
from agent_core.forge.contents import Contents, Dialect
from agent_core.forge.issues import IssueShape, issue_item
from agent_core.forge.model import GitFile, IssueKind, IssueList, RepoList, State
from agent_core.forge.repos import RepoShape, repo_item, walked
from agent_core.outbound.client import Outbound

PAGE_SIZE = 50
MAX_FOUND = 1_000  # a search gives no more, whatever it counts
API = "https://api.github.com"
VERSION = "2022-11-28"

_JSON = "application/vnd.github+json"
_RAW = "application/vnd.github.raw+json"
_DIALECT = Dialect(raw="/repos/{repo}/contents/{path}", raw_accept=_RAW)
_OF_GITHUB_COM = frozenset({"", "https://github.com", "https://www.github.com", API})


class _Found(BaseModel):
    total_count: int
    incomplete_results: bool = False
    items: list[IssueShape]


class GitHub:
    """GitHub; `base` is empty for github.com, else the address of an Enterprise server."""

    def __init__(self, outbound: Outbound, base: str, token: SecretStr | None, clock: Clock) -> None:
        headers = {"x-github-api-version": VERSION}
        if token:
            headers["authorization"] = f"Bearer {token.get_secret_value()}"
        self._client = ForgeClient(outbound, api_address(base), headers, clock)
        self._contents = Contents(self._client, _DIALECT)
        self._has_token = token is not None

    async def repos(self, query: str, owner: str, page: int) -> RepoList:
        """Return repositories; they are gone through for a query."""
        return await walked(lambda number: self._page(owner, number), query, page)

    async def _page(self, owner: str, page: int) -> RepoList:
        found = await self._listed(owner, {"sort": "updated", "page": str(page), "per_page": str(PAGE_SIZE)})
        items = map(repo_item, found.read_as(list[RepoShape], self._client.site))
        following = after(found, page, PAGE_SIZE)
        return RepoList(forge=self._client.site, items=tuple(items), next_page=following)

    async def _listed(self, owner: str, asked: dict[str, str]) -> Page:
        if not owner:
            if not self._has_token:
                raise ForgeRefusal(reason="needs_owner", site=self._client.site)
            return await self._client.get("/user/repos", asked, accept=_JSON)
        for kind in ("orgs", "users"):  # the list of an organisation has its private ones too
            found = await self._client.get(f"/{kind}/{owner}/repos", asked, accept=_JSON)
            if found.found:
                return found
        raise ForgeRefusal(reason="unknown_owner", owner=owner, site=self._client.site)

    async def file(self, repo: str, path: str, ref: str) -> GitFile:
        """Return what lies at a path; a link to a file is followed by GitHub itself."""
        return await self._contents.read(repo, path, ref)

    async def issues(self, query: str, repo: str, state: State, kind: IssueKind, page: int) -> IssueList:
        """Return what GitHub's search finds; its qualifiers may stand in the query."""
        if page * PAGE_SIZE > MAX_FOUND:
            raise ForgeRefusal(reason="last_page", most=MAX_FOUND // PAGE_SIZE)
        words = [query, f"is:{'pull-request' if kind == 'pull' else 'issue'}"]
        words += [f"repo:{repo}"] if repo else []
        words += [f"state:{state}"] if state != "all" else []
        asked = {"q": " ".join(filter(None, words)), "page": str(page), "per_page": str(PAGE_SIZE)}
        page_found = await self._client.get("/search/issues", asked, accept=_JSON)
        if not page_found.found:
            if repo and not (await self._client.get(f"/repos/{repo}", accept=_JSON)).found:
                raise ForgeRefusal(reason="unknown_repo", repo=repo, site=self._client.site)
            raise ForgeRefusal(reason="query", site=self._client.site, said=page_found.said)
        found = page_found.read_as(_Found, self._client.site)
        has_more = page * PAGE_SIZE < min(found.total_count, MAX_FOUND)
        return IssueList(
            forge=self._client.site,
            items=tuple(issue_item(shape, repo) for shape in found.items),
            total=found.total_count,
            next_page=page + 1 if has_more else None,
            incomplete=found.incomplete_results,
        )


def api_address(base: str) -> str:
    """Return where the interface begins: of github.com, or of an Enterprise server."""
    plain = base.rstrip("/")
    if plain in _OF_GITHUB_COM:
        return API
    return f"{plain.removesuffix('/api/v3')}/api/v3"
