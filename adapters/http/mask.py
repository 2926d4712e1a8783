"""Masks configured secrets in every JSON answer on its way out, whatever made it."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_core.pipeline.redaction import Redaction

_JSON = (b"application/json", b"application/problem+json")


class Mask:
    """A layer around the application. Streams are masked where their events come from."""

    def __init__(self, app: ASGIApp, redaction: Redaction) -> None:
        self._app = app
        self._redaction = redaction

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        masked = _Masked(send, self._redaction) if self._redaction.knows_secrets else send
        await self._app(scope, receive, masked)


class _Masked:
    """Holds a JSON answer back until it is whole, and sends it masked."""

    def __init__(self, send: Send, redaction: Redaction) -> None:
        self._send = send
        self._redaction = redaction
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_json(message):
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_whole(self._start)

    async def _send_whole(self, start: Message) -> None:
        body = self._redaction.own(self._body.decode("utf-8", "replace")).encode()
        headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
        length = (b"content-length", str(len(body)).encode())
        await self._send({**start, "headers": [*headers, length]})
        await self._send({"type": "http.response.body", "body": body, "more_body": False})


def _is_json(start: Message) -> bool:
    kinds = [value for name, value in start["headers"] if name == b"content-type"]
    return any(kind.startswith(_JSON) for kind in kinds)
