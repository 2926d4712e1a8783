"""The HTTP front: takes requests, lets planned faults happen, refuses and logs, and serves files."""

import json
import time
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from tests.emulators.discord import (
    rest_channels,
    rest_commands,
    rest_guilds,
    rest_interactions,
    rest_messages,
    rest_reactions,
)
from tests.emulators.discord.buckets import Buckets, Verdict
from tests.emulators.discord.faults import Broken, Drop, Fault, Faults, Hold, Refuse, TooMany
from tests.emulators.discord.model import Json
from tests.emulators.discord.openapi import own_problems_of, problems_of
from tests.emulators.discord.refusal import Refused
from tests.emulators.discord.rest import Call, Reply, Request, Route, parsed
from tests.emulators.discord.world import World

ROUTES: Final = (
    *rest_messages.ROUTES,
    *rest_reactions.ROUTES,
    *rest_channels.ROUTES,
    *rest_guilds.ROUTES,
    *rest_commands.ROUTES,
    *rest_interactions.ROUTES,
)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_BASE: Final = "/api/v10"
_ALWAYS: Final = {"Via": "1.1 google"}


class Front:
    """All endpoints of one emulator, and the log of what was asked."""

    def __init__(self, world: World, token: str) -> None:
        self.requests: list[Request] = []
        self.faults = Faults()
        self.buckets = Buckets()
        self.expected: set[int] = set()
        self._world = world
        self._token = token

    def add_to(self, application: web.Application) -> None:
        for route in ROUTES:
            application.router.add_route(route.method, _BASE + route.path, self._handler(route))
        application.router.add_get(
            "/cdn/attachments/{channel}/{attachment}/{name}", self.open_to_faults(self._file)
        )
        application.router.add_route("*", "/{path:.*}", self._unknown)

    def open_to_faults(self, answer: Handler) -> Handler:
        """Return the handler of something outside REST, logged and meeting planned faults too."""

        async def handle(request: web.Request) -> web.StreamResponse:
            entry = Request(self._world.tick(), request.method, request.path, {}, None, time.monotonic())
            self.requests.append(entry)
            fault = self.faults.take(request.method, request.path)
            if isinstance(fault, Hold):
                await self._hold(fault)
            if fault is None or isinstance(fault, Hold):
                response = await answer(request)
            else:
                response = _faulty(fault, request, entry)
            entry.status = response.status
            return response

        return handle

    async def _hold(self, hold: Hold) -> None:
        hold.arrived.set()
        self._world.announce()
        await hold.released.wait()

    def _handler(self, route: Route) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            return await self._serve(route, request)

        return handle

    async def _serve(self, route: Route, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix(_BASE)
        entry = Request(self._world.tick(), route.method, path, dict(request.query), None, time.monotonic())
        self.requests.append(entry)
        try:
            body, files = await parsed(request)
            entry.body = body
            call = Call(route.method, path, dict(request.match_info), entry.query, body, files)
            response = await self._answer(route, call, request, entry)
        except Refused as refused:
            response = self._refuse(entry, refused)
        entry.status = response.status
        self._world.announce()
        return response

    async def _answer(
        self, route: Route, call: Call, request: web.Request, entry: Request
    ) -> web.StreamResponse:
        fault = self.faults.take(call.method, call.path)
        if isinstance(fault, Hold):
            await self._hold(fault)
        elif fault is not None and not (isinstance(fault, Drop) and fault.after_effect):
            return _faulty(fault, request, entry)
        if route.needs_token and request.headers.get("Authorization") != f"Bot {self._token}":
            return self._refuse_plainly(entry, 401, "401: Unauthorized")
        verdict = self.buckets.count(route, call)
        if verdict.wait_s is not None:
            return _too_many(verdict)
        reply = route.answer(self._world, call)
        self._world.violations += problems_of(route, call) + own_problems_of(route, reply)
        if isinstance(fault, Drop):
            return _faulty(fault, request, entry)
        return _json(reply, verdict.headers)

    def _refuse(self, entry: Request, refused: Refused) -> web.Response:
        entry.code = refused.code
        if not self.expected & {refused.code, refused.status}:
            said = json.dumps(refused.body, ensure_ascii=False)
            self._world.violations.append(f"{entry.method} {entry.path}: {refused.status} {said}")
        return _json(Reply(refused.body, refused.status))

    def _refuse_plainly(self, entry: Request, status: int, message: str) -> web.Response:
        if status not in self.expected:
            self._world.violations.append(f"{entry.method} {entry.path}: {message}")
        return _json(Reply({"message": message, "code": 0}, status))

    async def _unknown(self, request: web.Request) -> web.Response:
        entry = Request(self._world.tick(), request.method, request.path, {}, None, time.monotonic(), 404)
        self.requests.append(entry)
        return self._refuse_plainly(entry, 404, "404: Not Found")

    async def _file(self, request: web.Request) -> web.StreamResponse:
        attachment = self._world.files.get(int(request.match_info["attachment"]))
        if attachment is None or attachment.expired:
            return web.Response(status=404, text="This content is no longer available.")
        return web.Response(body=attachment.content, headers={"Content-Type": attachment.content_type})


def _faulty(fault: Fault, request: web.Request, entry: Request) -> web.StreamResponse:
    match fault:
        case TooMany():
            verdict = Verdict({}, fault.retry_after_s, everywhere=fault.everywhere)
            return _too_many(verdict, via=fault.via)
        case Refuse():
            refused = Refused(fault.code, status=fault.status)
            entry.code = fault.code
            return _json(Reply(refused.body, refused.status))
        case Broken():
            page = "<html><body>upstream connect error</body></html>"
            return web.Response(status=fault.status, text=page, content_type="text/html", headers=_ALWAYS)
        case _:
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=499)


def _too_many(verdict: Verdict, *, via: bool = True) -> web.Response:
    wait_s = verdict.wait_s or 0.0
    body: Json = {
        "message": "You are being rate limited.",
        "retry_after": wait_s,
        "global": verdict.everywhere,
    }
    scope = "global" if verdict.everywhere else "user"
    headers = verdict.headers | {"Retry-After": str(max(1, round(wait_s))), "X-RateLimit-Scope": scope}
    response = _json(Reply(body, 429), headers)
    if not via:
        del response.headers["Via"]
    return response


def _json(reply: Reply, headers: dict[str, str] | None = None) -> web.Response:
    named = _ALWAYS | (headers or {})
    if reply.status == 204:
        return web.Response(status=204, headers=named)
    data = json.dumps(reply.body).encode()
    return web.Response(status=reply.status, body=data, headers=named | {"Content-Type": "application/json"})
