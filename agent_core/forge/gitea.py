"""Gitea (and Forgejo, which speaks the same interface)."""

from collections.abc import Sequence

from pydantic import BaseModel, SecretStr

from agent_core.clock import Clock
from agent_core.errors import ForgeRefusal
from agent_core.forge.client import ForgeClient, Page, after
from agent_core.forge.contents import Contents, Dialect
from agent_core.forge.issues import IssueShape, issue_item
from agent_core.forge.model import GitFile, IssueKind, IssueList, RepoList, State
from agent_core.forge.repos import RepoShape, repo_item, walked
from agent_core.outbound.client import Outbound

PAGE_SIZE = 50  # Gitea gives no more by default

_DIALECT = Dialect(raw="/repos/{repo}/raw/{path}", raw_accept="application/octet-stream")


class _Found(BaseModel):
    data: list[RepoShape] | None  # null where there are none


class Gitea:
    """A Gitea server; `base` is its address, with or without /api/v1."""

    def __init__(self, outbound: Outbound, base: str, token: SecretStr | None, clock: Clock) -> None:
        begin = base.rstrip("/").removesuffix("/api/v1")
        headers = {"authorization": f"token {token.get_secret_value()}"} if token else {}
        self._client = ForgeClient(outbound, f"{begin}/api/v1", headers, clock)
        self._contents = Contents(self._client, _DIALECT)

    async def repos(self, query: str, owner: str, page: int) -> RepoList:
        """Return repositories; those of an owner are gone through for a query."""
        if owner:
            return await walked(lambda number: self._of_owner(owner, number), query, page)
        asked = {"q": query, "sort": "updated", "order": "desc", **_size(page)}
        found = await self._client.get("/repos/search", asked)
        return self._list(found, found.read_as(_Found, self._client.site).data or (), page)

    async def _of_owner(self, owner: str, page: int) -> RepoList:
        found = await self._client.get(f"/users/{owner}/repos", _size(page))
        if not found.found:
            raise ForgeRefusal(reason="unknown_owner", owner=owner, site=self._client.site)
        return self._list(found, found.read_as(list[RepoShape], self._client.site), page)

    def _list(self, found: Page, shapes: Sequence[RepoShape], page: int) -> RepoList:
        return RepoList(
            forge=self._client.site,
            items=tuple(map(repo_item, shapes)),
            total=found.total,
            next_page=after(found, page, PAGE_SIZE),
        )

    async def file(self, repo: str, path: str, ref: str) -> GitFile:
        """Return what lies at a path."""
        return await self._contents.read(repo, path, ref)

    async def issues(self, query: str, repo: str, state: State, kind: IssueKind, page: int) -> IssueList:
        """Return issues of a repository, or of all."""
        asked = {"q": query, "state": state, "type": f"{kind}s", **_size(page)}
        place = f"/repos/{repo}/issues" if repo else "/repos/issues/search"
        found = await self._client.get(place, asked)
        if not found.found:
            raise ForgeRefusal(reason="unknown_repo", repo=repo, site=self._client.site)
        shapes = found.read_as(list[IssueShape], self._client.site)
        return IssueList(
            forge=self._client.site,
            items=tuple(issue_item(shape, repo) for shape in shapes),
            total=found.total,
            next_page=after(found, page, PAGE_SIZE),
        )


def _size(page: int) -> dict[str, str]:
    return {"page": str(page), "limit": str(PAGE_SIZE)}
