"""The interface of GitHub Enterprise."""

import base64
import re

from tests.emulators.forge.dialect import Answered, Dialect, Refused, children, json_text, sha
from tests.emulators.forge.host import Issue, Link, Repo, Shape, Submodule

INLINE_BYTES = 1_000_000
VERSIONS = {"2022-11-28"}
DOCS = "https://docs.github.com/rest"


class GitHub(Dialect):
    prefix = "/api/v3"
    unknown = "Not Found"
    size_name = "per_page"
    bad_token = "Bad credentials"

    def no_ref(self, ref: str) -> str:
        return f"No commit found for the ref {ref}"

    def error(self, refused: Refused) -> bytes:
        shape = {"message": refused.message, "documentation_url": DOCS, "status": str(refused.status)}
        return json_text(shape)

    def check(self) -> None:
        if "user-agent" not in self.request.headers:
            raise Refused(403, "Request forbidden by administrative rules. Set a User-Agent header.")
        version = self.request.headers.get("x-github-api-version")
        if version is not None and version not in VERSIONS:
            raise Refused(400, f"{version} is not a supported version")
        super().check()

    def route(self, path: str) -> Answered:
        self.share = "search" if path.startswith("/search/") else "core"
        self.count()
        if not self.host.scopes:
            raise Refused(403, "Resource not accessible by personal access token", self.rate_headers())
        try:
            return self.routed(path)
        except Refused as refused:
            refused.headers |= self.rate_headers()
            raise

    def count(self) -> None:
        limit = self.host.limits.get(self.share)
        if limit is not None and limit.remaining <= 0:
            headers = self.rate_headers() if limit.reset else {}
            headers |= {"retry-after": limit.retry_after} if limit.retry_after else {}
            raise Refused(403, limit.message, headers)

    def rate_headers(self) -> dict[str, str]:
        limit = self.host.limits.get(self.share)
        if limit is None:
            return {}
        return {
            "x-ratelimit-limit": "5000",
            "x-ratelimit-remaining": str(limit.remaining),
            "x-ratelimit-reset": str(limit.reset),
            "x-ratelimit-resource": self.share,
        }

    def finished(self, status: int, headers: dict[str, str], body: bytes) -> Answered:
        etag = f'W/"{sha(body)}"'
        if self.request.headers.get("if-none-match") == etag:
            return 304, {"etag": etag, **self.rate_headers()}, b""
        limit = self.host.limits.get(self.share)
        if limit is not None:  # what is unchanged is not counted
            limit.remaining -= 1
        return status, {**headers, "etag": etag, **self.rate_headers()}, body

    def routed(self, path: str) -> Answered:
        if path == "/user/repos":
            if not self.signed:
                raise Refused(401, "Requires authentication")
            return self.listed([self.repo_shape(repo) for repo in self.visible()])
        if match := re.fullmatch(r"/(orgs|users)/([^/]+)/repos", path):
            return self.of_owner(match[2], organisation=match[1] == "orgs")
        if path == "/search/issues":
            return self.search()
        if match := re.fullmatch(r"/repositories/(\d+)(/.*)?", path):
            repo = next((one for one in self.host.repos if one.number == int(match[1])), None)
            return self.in_repo(repo.name if repo else "", match[2] or "")
        match = re.fullmatch(r"/repos/([^/]+/[^/]+?)(/.*)?", path)
        if match is None:
            raise Refused(404, self.unknown)
        return self.in_repo(match[1], match[2] or "")

    def listed(self, items: list[Shape]) -> Answered:
        shown, headers = self.page(items)
        return 200, headers, json_text(shown)

    def of_owner(self, owner: str, *, organisation: bool) -> Answered:
        repos = [repo for repo in self.host.repos if repo.owner == owner]
        if not repos or organisation is not (owner in self.host.organisations):
            raise Refused(404, self.unknown)
        shown = [repo for repo in repos if not repo.private or (organisation and self.signed)]
        return self.listed([self.repo_shape(repo) for repo in shown])

    def in_repo(self, name: str, rest: str) -> Answered:
        if name in self.host.renamed:
            repo = self.host.repo(self.host.renamed[name])
            assert repo is not None
            query = self.request.path.partition("?")[2]
            place = f"{self.host.site}{self.prefix}/repositories/{repo.number}{rest}"
            raise Refused(301, "Moved Permanently", {"location": f"{place}?{query}" if query else place})
        repo = self.repo(name, rest)
        if rest == "":
            return 200, {}, json_text(self.repo_shape(repo))
        if rest == "/commits":
            if self.asked.get("sha") not in repo.branches:
                raise Refused(404, "Not Found")
            return 200, {}, json_text([{"sha": "0" * 40}])
        if rest.startswith("/contents"):
            return self.contents(repo, rest.removeprefix("/contents").strip("/"))
        raise Refused(404, self.unknown)

    def contents(self, repo: Repo, path: str) -> Answered:
        if not repo.branches:
            raise Refused(404, "This repository is empty.")
        tree = self.tree(repo)
        blob = tree.get(path)
        if isinstance(blob, Link) and isinstance(tree.get(blob.target), bytes):
            blob = tree[blob.target]
        if isinstance(blob, bytes) and "raw" in self.request.headers.get("accept", ""):
            self.content_type = "application/vnd.github.raw+json; charset=utf-8"
            return 200, {}, blob
        if blob is not None:
            return 200, {}, json_text(self.entry(repo, path, blob, whole=True))
        inside = children(tree, path)
        if not inside:
            raise Refused(404, self.unknown)
        return 200, {}, json_text([self.entry(repo, one, tree.get(one), whole=False) for one in inside])

    def entry(self, repo: Repo, path: str, blob: bytes | Link | Submodule | None, *, whole: bool) -> Shape:
        place = f"{self.host.site}{self.prefix}/repos/{repo.name}/contents/{path}"
        shape: dict[str, Shape] = {
            "type": "dir",
            "size": 0,
            "name": path.rpartition("/")[2],
            "path": path,
            "sha": sha(path.encode()),
            "url": place,
            "git_url": None,
            "html_url": f"{self.host.site}/{repo.name}/blob/main/{path}",
            "download_url": None,
        }
        match blob:
            case bytes():
                shape |= {"type": "file", "size": len(blob), "download_url": f"{self.host.site}/raw/{path}"}
                if whole and len(blob) <= INLINE_BYTES:
                    shape |= {"encoding": "base64", "content": base64.encodebytes(blob).decode()}
                elif whole:
                    shape |= {"encoding": "none", "content": ""}
            case Link():
                shape |= {"type": "symlink", "size": len(blob.target), "target": blob.target}
                shape["download_url"] = f"{self.host.site}/raw/{path}"
            case Submodule() if whole:
                shape |= {"type": "submodule", "submodule_git_url": blob.url}
            case Submodule():  # in lists they are files, as they have been since before there was a kind
                shape["type"] = "file"
        return shape

    def search(self) -> Answered:
        words = self.asked.get("q", "").split()
        named = dict(word.split(":", 1) for word in words if ":" in word)
        plain = " ".join(word for word in words if ":" not in word).lower()
        number, size = int(self.asked.get("page", "1")), int(self.asked.get("per_page", "30"))
        if named.get("is") not in {"issue", "pull-request"}:
            raise Refused(422, "Query must include 'is:issue' or 'is:pull-request'")
        if "repo" in named and named["repo"] not in {repo.name for repo in self.visible()}:
            raise Refused(422, "Validation Failed")
        if number * size > 1_000:
            raise Refused(422, "Only the first 1000 search results are available")
        found = [
            issue
            for issue in self.host.issues
            if named.get("repo", issue.repo) == issue.repo
            and named.get("state", issue.state) == issue.state
            and issue.pull == (named["is"] == "pull-request")
            and plain in f"{issue.title} {issue.body}".lower()
        ]
        shown, headers = self.page([self.issue(issue) for issue in found])
        shape = {"total_count": len(found), "incomplete_results": False, "items": shown}
        return 200, headers, json_text(shape)

    def issue(self, issue: Issue) -> Shape:
        shape = {
            "url": f"{self.host.site}{self.prefix}/repos/{issue.repo}/issues/{issue.number}",
            "repository_url": f"{self.host.site}{self.prefix}/repos/{issue.repo}",
            "html_url": f"{self.host.site}/{issue.repo}/issues/{issue.number}",
            "id": issue.number,
            "number": issue.number,
            "title": issue.title,
            "user": {"login": "ann", "id": 7, "type": "User"},
            "labels": [{"id": 1, "name": "bug", "color": "ff0000", "default": True}],
            "state": issue.state,
            "comments": 2,
            "created_at": "2026-10-01T10:00:00Z",
            "updated_at": "2026-11-01T10:00:00Z",
            "closed_at": None,
            "body": issue.body or None,
            "score": 1.0,
        }
        return {**shape, "pull_request": {"url": "", "merged_at": None}} if issue.pull else shape
