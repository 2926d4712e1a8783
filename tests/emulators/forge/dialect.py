"""What both interfaces do alike."""

import hashlib
import json
from collections.abc import Mapping
from urllib.parse import urlencode

from tests.emulators.forge.host import TOKEN, ForgeEmulator, Link, Repo, Shape, Submodule
from tests.emulators.http1 import HttpRequest

Answered = tuple[int, dict[str, str], bytes]


class Refused(Exception):
    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        self.status, self.message, self.headers = status, message, dict(headers or {})
        super().__init__(message)


class Dialect:
    """What both interfaces do alike."""

    prefix = ""
    unknown = ""
    size_name = ""
    content_type = "application/json; charset=utf-8"

    def __init__(self, host: ForgeEmulator, request: HttpRequest, asked: Mapping[str, str]) -> None:
        self.host, self.request, self.asked = host, request, asked
        self.signed = False

    def answer(self, path: str) -> Answered:
        try:
            if self.request.method != "GET":
                raise Refused(405, "Method Not Allowed")
            self.check()
            status, headers, body = self.route(path.removeprefix(self.prefix))
            return self.finished(status, headers, body)
        except Refused as refused:
            body = self.error(refused) if refused.message else b""
            return refused.status, refused.headers, body

    def check(self) -> None:
        if self.host.fails:
            raise Refused(*self.host.fails)
        given = self.request.headers.get("authorization", "")
        if given and given.split(" ", 1)[-1] != TOKEN:
            raise Refused(401, self.bad_token)
        self.signed = bool(given)

    bad_token = ""

    def finished(self, status: int, headers: dict[str, str], body: bytes) -> Answered:
        return status, headers, body

    def error(self, refused: Refused) -> bytes:
        raise NotImplementedError

    def route(self, path: str) -> Answered:
        raise NotImplementedError

    def repo(self, name: str, rest: str) -> Repo:
        self.moved(name, rest)
        found = self.host.repo(name)
        if found is None or (found.private and not self.signed):
            raise Refused(404, self.unknown)
        return found

    def moved(self, name: str, rest: str) -> None:
        away = self.host.moved_away.get(name)
        if away:
            raise Refused(307, "Moved", {"location": f"{away}{self.prefix}/repos/{name}{rest}"})

    def page(self, items: list[Shape]) -> tuple[list[Shape], dict[str, str]]:
        number = max(1, int(self.asked.get("page", "1")))
        size = min(int(self.asked.get(self.size_name, "30")), 100 if self.size_name == "per_page" else 50)
        return items[(number - 1) * size : number * size], self.links(number, size, len(items))

    def links(self, number: int, size: int, count: int) -> dict[str, str]:
        last = -(-count // size)
        if number >= last:
            return {}
        path = self.request.path.partition("?")[0]

        def link(page: int, rel: str) -> str:
            asked = urlencode({**self.asked, "page": page})
            return f'<{self.host.site}{path}?{asked}>; rel="{rel}"'

        return {"link": f"{link(number + 1, 'next')}, {link(last, 'last')}"}

    def tree(self, repo: Repo) -> dict[str, bytes | Link | Submodule]:
        ref = self.asked.get("ref") or next(iter(repo.branches), "")
        if ref not in repo.branches:
            raise Refused(404, self.no_ref(ref))
        return repo.branches[ref]

    def no_ref(self, ref: str) -> str:
        raise NotImplementedError

    def visible(self) -> list[Repo]:
        return [repo for repo in self.host.repos if self.signed or not repo.private]

    def repo_shape(self, repo: Repo) -> Shape:
        return {
            "id": repo.number,
            "name": repo.name.partition("/")[2],
            "full_name": repo.name,
            "owner": {"login": repo.owner, "id": 7},
            "private": repo.private,
            "fork": False,
            "archived": False,
            "description": repo.description or self.no_description,
            "html_url": f"{self.host.site}/{repo.name}",
            "default_branch": next(iter(repo.branches), "main"),
            "updated_at": "2026-11-02T10:00:00Z",
        }

    no_description: str | None = None


def children(tree: Mapping[str, bytes | Link | Submodule], folder: str) -> list[str]:
    """Return the paths directly in a folder."""
    begin = f"{folder}/" if folder else ""
    names = {path.removeprefix(begin).split("/")[0] for path in tree if path.startswith(begin)}
    return sorted(f"{begin}{name}" for name in names)


def sha(data: bytes) -> str:
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


def json_text(shape: Shape) -> bytes:
    return json.dumps(shape).encode()
