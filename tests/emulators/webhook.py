"""Services that take messages: a webhook of Discord, a bot of Telegram and an address for JSON.

It stores what it is sent before it answers, refuses what the real ones refuse, and plays the next of its
`turns` first: a status (with or without taking it), to stall until the sender gives up, or to reset the
connection.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.emulators.http1 import HttpRequest, Response, serve

TOKEN = "Wq3-x8Zt7Lr2Vb6Nk1"
BOT_TOKEN = "123456789:AAH4kf93mdkE0dmfk20dmE93mdkfE20dmfk"

_DISCORD_CALLS = re.compile(r"@everyone|@here|<@[!&]?\d+>")
_TELEGRAM_CALLS = re.compile(r"(?<!\w)@\w{4,}")


@dataclass(frozen=True)
class Refuse:
    """An answer instead of taking it."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)  # Any: JSON


@dataclass(frozen=True)
class Keep:
    """An answer of failure after taking it."""

    status: int


Turn = Refuse | Keep | Literal["take", "stall", "drop"]


@dataclass
class Taken:
    """A message that a service has taken, and who was called by it."""

    text: str
    calls: tuple[str, ...] = ()


@dataclass
class WebhookEmulator:
    """The services. `requests` are all tries, `taken` what was delivered."""

    port: int = 0
    turns: list[Turn] = field(default_factory=list)
    requests: list[HttpRequest] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def bodies(self) -> list[Any]:
        """Return what was sent as JSON."""
        return [json.loads(request.body) for request in self.requests]

    async def handle(self, request: HttpRequest, response: Response) -> None:
        self.requests.append(request)
        self.arrived.set()
        turn = self.turns.pop(0) if self.turns else "take"
        if isinstance(turn, Refuse):
            await _send(response, turn.status, turn.body, turn.headers)
            return
        status, body = self._take(request)
        if isinstance(turn, Keep):
            await _send(response, turn.status, {}, {})
        elif turn == "stall":
            await response.hold(asyncio.get_running_loop().create_future())
        elif turn == "drop":
            response.drop()
        else:
            await _send(response, status, body, {})

    def _take(self, request: HttpRequest) -> tuple[int, Mapping[str, Any]]:
        path, _, query = request.path.partition("?")
        if request.method != "POST" or request.headers.get("content-type") != "application/json":
            return 405, {"message": "405: Method Not Allowed"}
        body = json.loads(request.body)
        if path.startswith("/api/webhooks/"):
            return self._discord(path, query, body)
        if path.startswith("/bot"):
            return self._telegram(path, body)
        self.taken.append(Taken(body.get("text") or body["message"]))
        return 200, {"secret": "an answer that nobody is to see"}

    def _discord(self, path: str, query: str, body: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
        if path != f"/api/webhooks/17/{TOKEN}":
            return 404, {"message": "Unknown Webhook", "code": 10015}
        content = body.get("content", "")
        if not content.strip():
            return 400, {"message": "Cannot send an empty message", "code": 50006}
        if len(content) > 2_000:
            return 400, {"content": ["Must be 2000 or fewer in length."]}
        parsed = body.get("allowed_mentions", {}).get("parse", ["everyone", "roles", "users"])
        self.taken.append(Taken(content, tuple(_DISCORD_CALLS.findall(content)) if parsed else ()))
        return (200, {"id": "1", "content": content}) if "wait=true" in query else (204, {})

    def _telegram(self, path: str, body: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
        if path != f"/bot{BOT_TOKEN}/sendMessage":
            return 401, {"ok": False, "error_code": 401, "description": "Unauthorized"}
        text = body.get("text", "")
        if str(body.get("chat_id")) not in {"-1007", "42"}:
            return 400, {"ok": False, "error_code": 400, "description": "Bad Request: chat not found"}
        if not text.strip() or len(text) > 4_096:
            return 400, {"ok": False, "error_code": 400, "description": "Bad Request: message is too long"}
        self.taken.append(Taken(text, tuple(_TELEGRAM_CALLS.findall(text))))
        return 200, {"ok": True, "result": {"message_id": 1, "text": text}}


async def _send(response: Response, status: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    await response.send(
        status, {"content-type": "application/json", **headers}, json.dumps(body).encode() if body else b""
    )


@asynccontextmanager
async def webhook_emulator() -> AsyncIterator[WebhookEmulator]:
    """Give the services over a real socket."""
    services = WebhookEmulator()
    async with serve(services.handle) as port:
        services.port = port
        yield services
