"""The interface of Gitea."""

import base64
import re

from tests.emulators.forge.dialect import Answered, Dialect, Refused, children, json_text, sha
from tests.emulators.forge.host import Issue, Link, Repo, Shape, Submodule

INLINE_BYTES = 10 * 1024 * 1024
LINK_SIZE = 30  # what its links are reckoned by, whatever size was asked for


class Gitea(Dialect):
    prefix = "/api/v1"
    unknown = "The target couldn't be found."
    size_name = "limit"
    bad_token = "user does not exist [uid: 0, name: ]"
    no_description = ""

    def no_ref(self, ref: str) -> str:
        return f"object does not exist [id: refs/heads/{ref}, rel_path: ]"

    def error(self, refused: Refused) -> bytes:
        return json_text({"errors": None, "message": refused.message, "url": f"{self.host.site}/api/swagger"})

    def links(self, number: int, size: int, count: int) -> dict[str, str]:
        return {**super().links(number, LINK_SIZE, count), "x-total-count": str(count)}

    def route(self, path: str) -> Answered:
        if not self.host.scopes:
            raise Refused(403, "token does not have at least one of required scope(s): [read:repository]")
        if path == "/repos/search":
            words = self.asked.get("q", "").lower()
            found = [self.repo_shape(repo) for repo in self.visible() if words in repo.name.lower()]
            shown, headers = self.page(found)
            return 200, headers, json_text({"ok": True, "data": shown})
        if path == "/repos/issues/search":
            return self.issues(self.host.issues)
        if match := re.fullmatch(r"/users/([^/]+)/repos", path):
            return self.of_owner(match[1])
        match = re.fullmatch(r"/repos/([^/]+/[^/]+?)(/.*)?", path)
        if match is None:
            raise Refused(404, self.unknown)
        return self.in_repo(match[1], match[2] or "")

    def of_owner(self, owner: str) -> Answered:
        if not any(repo.owner == owner for repo in self.host.repos):
            raise Refused(404, f"user redirect does not exist [name: {owner}]")
        shown, headers = self.page([self.repo_shape(repo) for repo in self.visible() if repo.owner == owner])
        return 200, headers, json_text(shown)

    def in_repo(self, name: str, rest: str) -> Answered:
        if name in self.host.renamed:
            new = f"{self.prefix}/repos/{self.host.renamed[name]}{rest}"
            query = self.request.path.partition("?")[2]
            raise Refused(307, "", {"location": f"{new}?{query}" if query else new})
        repo = self.repo(name, rest)
        if rest == "":
            return 200, {}, json_text(self.repo_shape(repo))
        if rest == "/issues":
            return self.issues([issue for issue in self.host.issues if issue.repo == repo.name])
        if rest == "/commits":
            if self.asked.get("sha") not in repo.branches:
                raise Refused(404, f"object does not exist [id: {self.asked.get('sha')}, rel_path: ]")
            return 200, {}, json_text([{"sha": "0" * 40}])
        if rest.startswith("/contents"):
            return self.contents(repo, rest.removeprefix("/contents").strip("/"))
        if rest.startswith("/raw/"):
            blob = self.tree(repo).get(rest.removeprefix("/raw/"))
            if not isinstance(blob, bytes):
                raise Refused(404, self.unknown)
            self.content_type = "application/octet-stream"
            return self.with_etag(blob, {"etag": f'"{sha(blob)}"'})
        raise Refused(404, self.unknown)

    def with_etag(self, body: bytes, headers: dict[str, str]) -> Answered:
        if self.request.headers.get("if-none-match") == headers["etag"]:
            return 304, headers, b""
        return 200, headers, body

    def contents(self, repo: Repo, path: str) -> Answered:
        tree = self.tree(repo)
        if path in tree:
            return 200, {}, json_text(self.entry(repo, path, tree[path], whole=True))
        inside = children(tree, path)
        if not inside and (path or tree):
            raise Refused(404, f"object does not exist [id: , rel_path: {path}]")
        return 200, {}, json_text([self.entry(repo, one, tree.get(one), whole=False) for one in inside])

    def entry(self, repo: Repo, path: str, blob: bytes | Link | Submodule | None, *, whole: bool) -> Shape:
        place = f"{self.host.site}{self.prefix}/repos/{repo.name}/contents/{path}"
        shape: dict[str, Shape] = {
            "name": path.rpartition("/")[2],
            "path": path,
            "sha": sha(path.encode()),
            "type": "dir",
            "size": 0,
            "encoding": None,
            "content": None,
            "target": None,
            "url": place,
            "html_url": f"{self.host.site}/{repo.name}/src/branch/main/{path}",
            "download_url": None,
            "submodule_git_url": None,
        }
        match blob:
            case bytes():
                shape |= {"type": "file", "size": len(blob), "download_url": f"{place}/raw"}
                if whole and len(blob) <= INLINE_BYTES:
                    shape |= {"encoding": "base64", "content": base64.b64encode(blob).decode()}
            case Link():
                shape |= {"type": "symlink", "size": len(blob.target), "target": blob.target}
            case Submodule():
                shape |= {"type": "submodule", "submodule_git_url": blob.url, "html_url": None}
        return shape

    def issues(self, among: list[Issue]) -> Answered:
        state, words = self.asked.get("state", "open"), self.asked.get("q", "").lower()
        kind = self.asked.get("type", "")
        if state not in {"open", "closed", "all"}:
            state = "open"
        found = [
            issue
            for issue in among
            if state in {"all", issue.state}
            and words in f"{issue.title} {issue.body}".lower()
            and (not kind or issue.pull == (kind == "pulls"))
        ]
        shown, headers = self.page([self.issue(issue) for issue in found])
        return 200, headers, json_text(shown)

    def issue(self, issue: Issue) -> Shape:
        owner, _, name = issue.repo.partition("/")
        return {
            "id": issue.number,
            "url": f"{self.host.site}{self.prefix}/repos/{issue.repo}/issues/{issue.number}",
            "html_url": f"{self.host.site}/{issue.repo}/issues/{issue.number}",
            "number": issue.number,
            "user": {"id": 7, "login": "ann", "full_name": ""},
            "title": issue.title,
            "body": issue.body,
            "labels": [{"id": 1, "name": "bug", "color": "ff0000"}],
            "state": issue.state,
            "comments": 2,
            "created_at": "2026-10-01T10:00:00Z",
            "updated_at": "2026-11-01T10:00:00Z",
            "closed_at": None,
            "pull_request": {"merged": False, "merged_at": None} if issue.pull else None,
            "repository": {"id": 1, "name": name, "owner": owner, "full_name": issue.repo},
        }
