"""The HTTP side: takes the bot's calls off real sockets, lets faults happen, answers as the Bot API does."""

import inspect
import json

from aiohttp import web

from tests.emulators.telegram.bot_api_file import BotApiFile
from tests.emulators.telegram.call import Call, Upload, shown
from tests.emulators.telegram.errors import ApiError
from tests.emulators.telegram.faults import DOWNLOAD, Broken, Fault, Faults, Flood, Line, Refuse
from tests.emulators.telegram.methods import BY_LOWER_NAME, METHODS
from tests.emulators.telegram.methods.files import MAX_UPLOAD
from tests.emulators.telegram.methods.updates import get_updates
from tests.emulators.telegram.world import World

_POLL = "getUpdates"


class Server:
    """The Bot API of one bot on a port of its own, which it keeps when the network comes back."""

    def __init__(self, world: World, faults: Faults, token: str, api: BotApiFile | None) -> None:
        self._world = world
        self._faults = faults
        self._token = token
        self._api = api
        self._runner: web.AppRunner | None = None
        self.port = 0

    async def open(self) -> None:
        """Listen."""
        app = web.Application(client_max_size=0)
        app.router.add_route("*", "/bot{token:[^/]+}/{method}", self._answer)
        app.router.add_get("/file/bot{token:[^/]+}/{path:.+}", self._download)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def close(self) -> None:
        """Reset all connections and refuse new ones."""
        if self._runner is None:
            return
        for site in list(self._runner.sites):
            await site.stop()
        server = self._runner.server
        assert isinstance(server, web.Server), "a runner that was set up has a server"
        for connection in server.connections:
            if connection.transport is not None:
                connection.transport.abort()
        await self._runner.cleanup()
        self._runner = None

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        call = await _call(request)
        if call.method != _POLL:
            self._world.calls.append(call)
        call.at = self._world.clock.monotonic()
        try:
            self._check(request, call)
            fault = self._faults.take(call.method, str(call.parameters.get("chat_id", "")))
            if fault is Line.DROP_BEFORE:
                return _drop(request)
            if isinstance(fault, Broken) and fault.is_page:
                call.status = fault.status
                return web.Response(status=fault.status, content_type="text/html", text="<html>Sorry</html>")
            await self._meet(fault, call)
            result = await self._run(call)
            if fault is Line.DROP_AFTER:
                return _drop(request)
            call.status = 200
            if self._api is not None:
                self._world.violations += self._api.answer_problems(call.method, result)
            return web.json_response({"ok": True, "result": result})
        except ApiError as error:
            call.status, call.description = error.code, error.description
            self._world.object_to(error, shown(call))
            return web.json_response(error.body(), status=error.code)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._world.violations.append(f"{shown(call)} has a shape that cannot be read: {error!r}")
            call.status, call.description = 400, "Bad Request: can't parse the request"
            return web.json_response(ApiError(400, call.description).body(), status=400)
        finally:
            self._world.bell.ring()

    def _check(self, request: web.Request, call: Call) -> None:
        if request.match_info["token"] != self._token:
            raise ApiError(401, "Unauthorized", is_wrong=True)
        if sum(len(upload.content) for upload in call.files.values()) > MAX_UPLOAD:
            raise ApiError(413, "Request Entity Too Large", is_wrong=True)
        if self._api is not None:
            self._world.violations += self._api.problems(call)
        if call.method not in METHODS and call.method != _POLL:
            raise ApiError(404, "Not Found: method not found", is_wrong=True)
        self._faults.check_wait(call)

    async def _meet(self, fault: Fault | None, call: Call) -> None:
        if isinstance(fault, Flood):
            raise self._faults.begin_wait(call, fault.retry_after_s)
        if isinstance(fault, Broken):
            raise ApiError(fault.status, "Bad Gateway" if fault.status == 502 else "Internal Server Error")
        if isinstance(fault, Refuse):
            raise ApiError(fault.code, fault.description, dict(fault.parameters))
        if fault is Line.HOLD:
            self._world.bell.ring()
            await self._faults.hold()

    async def _run(self, call: Call) -> object:
        if call.method == _POLL:
            return await get_updates(self._world, call)
        result = METHODS[call.method](self._world, call)
        assert not inspect.isawaitable(result), "methods have their effect at once"
        if call.unknown:
            self._world.violations.append(f"{call.method}: unknown parameters {sorted(call.unknown)}")
        return result

    async def _download(self, request: web.Request) -> web.StreamResponse:
        if request.match_info["token"] != self._token:
            return web.json_response(ApiError(401, "Unauthorized").body(), status=401)
        file = self._world.files.get(request.match_info["path"].rpartition("/")[2])
        if file is None:
            return web.json_response(ApiError(404, "Not Found").body(), status=404)
        fault = self._faults.take(DOWNLOAD, "")
        try:
            if fault in (Line.DROP_BEFORE, Line.DROP_AFTER):
                return _drop(request)
            await self._meet(fault, Call(DOWNLOAD, {}))
        except ApiError as error:
            return web.json_response(error.body(), status=error.code)
        return web.Response(body=file.content, content_type="application/octet-stream")


async def _call(request: web.Request) -> Call:
    sent = request.match_info["method"]
    method = BY_LOWER_NAME.get(sent.lower(), _POLL if sent.lower() == _POLL.lower() else sent)
    parameters: dict[str, object] = dict(request.query)
    if request.content_type == "application/json":
        body = await request.text()
        return Call(method, parameters | dict(json.loads(body or "{}")))
    files: dict[str, Upload] = {}
    for name, value in (await request.post()).items():
        if isinstance(value, web.FileField):
            files[name] = Upload(value.filename, value.file.read(), value.content_type)
        else:
            parameters[name] = value if isinstance(value, str) else bytes(value).decode()
    return Call(method, parameters, files)


def _drop(request: web.Request) -> web.StreamResponse:
    """Reset the connection; what is returned is never sent."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
