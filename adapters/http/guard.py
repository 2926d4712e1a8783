"""Looks at every request before anything reads it, and at every response on its way out.

Bodies are bounded in size, depth and time; responses say what a browser may do with them.
"""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adapters.http.problems import language_of, problem_response
from agent_core.texts import say

JSON_BYTES = 1_000_000
JSON_DEPTH = 40
BODY_S = 60.0

SECURITY = {
    b"content-security-policy": (
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:;"
        b" font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none';"
        b" frame-ancestors 'none'"
    ),
    b"cache-control": b"no-store",
    b"cross-origin-opener-policy": b"same-origin",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
}
# A string that never ends reaches to the end of the body, so that it is walked through once only.
_TOKENS = re.compile(rb'"(?:[^"\\]++|\\.?)*+"?|[\[{]|[\]}]', re.DOTALL)


@dataclass(slots=True)
class Counts:
    """How many responses there were, by their status."""

    by_status: dict[int, int]


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, *, upload_bytes: int, language: str, counts: Counts) -> None:
        self._app = app
        self._upload_bytes = upload_bytes
        self._language = language
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                status = message["status"]
                self._counts.by_status[status] = self._counts.by_status.get(status, 0) + 1
                there = {name for name, _ in message["headers"]}
                more = [(name, value) for name, value in SECURITY.items() if name not in there]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        try:
            checked = await self._checked(scope, receive)
        except _Refused as refused:
            await self._refuse(refused, scope, receive, guarded)
            return
        await self._app(scope, checked, guarded)

    async def _refuse(self, refused: "_Refused", scope: Scope, receive: Receive, send: Send) -> None:
        text = say(language_of(scope, self._language), f"http.{refused.key}")
        response = problem_response(refused.status, refused.key, text, headers={"connection": "close"})
        await response(scope, receive, send)

    async def _checked(self, scope: Scope, receive: Receive) -> Receive:
        """Return what gives the body to the application; uploads are counted while they are read there."""
        headers = dict(scope["headers"])
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        is_upload = kind == b"multipart/form-data"
        limit = self._upload_bytes if is_upload else JSON_BYTES
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > limit:
            raise _Refused(413, "too_large")
        if is_upload:
            return _counted(receive, limit)
        try:
            async with asyncio.timeout(BODY_S):
                body = await _read(receive, limit)
        except TimeoutError as error:
            raise _Refused(408, "too_slow") from error
        if body and kind != b"application/json":
            raise _Refused(415, "media_type")
        if body and _depth(body) > JSON_DEPTH:
            raise _Refused(400, "too_deep")
        return _replayed(body, receive)


class _Refused(Exception):
    def __init__(self, status: int, key: str) -> None:
        super().__init__(key)
        self.status = status
        self.key = key


async def _read(receive: Receive, limit: int) -> bytes:
    pieces: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        piece = message.get("body", b"")
        size += len(piece)
        if size > limit:
            raise _Refused(413, "too_large")
        pieces.append(piece)
        more = message.get("more_body", False)
    return b"".join(pieces)


def _counted(receive: Receive, limit: int) -> Receive:
    """Return a `receive` that refuses more than `limit` bytes, and pauses between them that are too long."""
    size = 0

    async def counted() -> Message:
        nonlocal size
        try:
            async with asyncio.timeout(BODY_S):
                message = await receive()
        except TimeoutError as error:
            raise HTTPException(408) from error
        size += len(message.get("body", b""))
        if size > limit:
            raise HTTPException(413)
        return message

    return counted


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body that was read, then whatever comes."""
    is_given = False

    async def again() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _depth(body: bytes) -> int:
    """Return how deep objects and lists lie in each other; what is no JSON at all is found out later."""
    return max(_depths(body), default=0)


def _depths(body: bytes) -> Iterator[int]:
    depth = 0
    for found in _TOKENS.finditer(body):
        match found[0][:1]:
            case b"[" | b"{":
                depth += 1
                yield depth
            case b"]" | b"}":
                depth -= 1
