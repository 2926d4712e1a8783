"""The page: a folder of files that are served as they are, each known by the hash of what it holds."""

import asyncio
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

from adapters.http.problems import not_found

FOLDER = Path(__file__).parents[1] / "static"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    tag: str
    kind: str


async def page(request: Request) -> Response:
    """Return a file of the page; a browser that has it already is told so."""
    found = await asyncio.to_thread(_read, request.path_params["path"] or "index.html")
    if found is None:
        raise not_found()
    headers = {"etag": found.tag, "cache-control": "no-cache"}
    known = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    if found.tag in known:
        return Response(status_code=304, headers=headers)
    return Response(found.content, headers=headers, media_type=found.kind)


def _read(path: str) -> _File | None:
    root = FOLDER.resolve()
    if "\x00" in path or any(part.startswith(".") for part in path.split("/")):
        return None
    file = (root / path).resolve()
    if not file.is_relative_to(root) or not file.is_file():
        return None
    content = file.read_bytes()
    kind = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return _File(content, f'"{hashlib.sha256(content).hexdigest()[:32]}"', kind)


class _PageRoute(Route):
    """Takes what no other route has taken, but nothing of the API."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope.get("method") not in {"GET", "HEAD"} or scope["path"].startswith("/api/"):
            return Match.NONE, {}
        return super().matches(scope)


ROUTE = _PageRoute("/{path:path}", page, methods=["GET"])
