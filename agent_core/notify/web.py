"""Sends over HTTP: Discord and Telegram as they want it, anything else as JSON."""

import base64
import json
from collections.abc import Mapping
from datetime import timedelta

from pydantic import BaseModel, SecretStr, ValidationError

from agent_core.clock import Clock
from agent_core.errors import OutboundFailure
from agent_core.messages import Json
from agent_core.notify.model import Ambiguous, Discord, Message, NotTaken, Telegram, Webhook
from agent_core.notify.quiet import quiet
from agent_core.outbound.client import Outbound, Reply
from agent_core.outbound.retry import retry_after

MAX_ANSWER_BYTES = 64_000
TELEGRAM_API = "https://api.telegram.org/bot"
# A gateway gave up: what is behind it may still be at work on it.
_GAVE_UP = frozenset({502, 504})


class _Parameters(BaseModel):
    retry_after: float | None = None


class _Said(BaseModel):
    """What is looked at of an answer: whether it is one, and how long to wait (Telegram: in `parameters`)."""

    ok: bool | None = None
    retry_after: float | None = None
    parameters: _Parameters = _Parameters()


class WebSender:
    """What the senders over HTTP share: one POST, and what its answer means."""

    max_chars = 100_000
    max_parts = 1
    knows_deliveries = False
    """Whether the receiver can drop a message that it has, so that one may be repeated on a doubt."""

    def __init__(self, outbound: Outbound, clock: Clock, deadline_s: float) -> None:
        self._outbound = outbound
        self._clock = clock
        self._deadline_s = deadline_s

    async def post(
        self, url: str, message: Message, body: Json, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send one body as JSON; the key of its delivery goes along, the answer is read for its status alone.

        Raises:
            NotTaken, Ambiguous, OutboundRefusal: see `Sender.send`.
        """
        sent = {
            "content-type": "application/json",
            "accept": "application/json",
            "idempotency-key": message.delivery,
            **(headers or {}),
        }
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            reply = await self._outbound.request(
                "POST",
                url,
                headers=sent,
                content=content,
                max_bytes=MAX_ANSWER_BYTES,
                deadline_s=self._deadline_s,
            )
        except OutboundFailure as failure:
            if failure.sent:
                raise Ambiguous from failure
            raise NotTaken("unreachable", again=True) from failure
        self._judge(reply)

    def _judge(self, reply: Reply) -> None:
        if 200 <= reply.status < 300:
            if _said(reply).ok is False:  # some say so of a refusal too
                raise NotTaken("not_taken", status=reply.status)
            return
        wait_s = self._wait(reply)
        if reply.status == 429:
            raise NotTaken("limited", status=429, again=True, wait_s=wait_s)
        if reply.status == 503 and wait_s is not None:  # it says itself that it did nothing yet
            raise NotTaken("not_taken", status=503, again=True, wait_s=wait_s)
        if reply.status >= 500:
            raise Ambiguous(again=self.knows_deliveries and reply.status not in _GAVE_UP)
        raise NotTaken("not_taken", status=reply.status)

    def _wait(self, reply: Reply) -> float | None:
        wait = retry_after(reply.headers, self._clock.now())
        if wait is not None:
            return wait / timedelta(seconds=1)
        said = _said(reply)
        return said.retry_after or said.parameters.retry_after


def _said(reply: Reply) -> _Said:
    try:
        return _Said.model_validate_json(reply.body)
    except ValidationError:  # what it says besides is nobody's matter
        return _Said()


class DiscordSender(WebSender):
    """A webhook of Discord, which is told to call nobody."""

    max_chars = 2_000
    max_parts = 5

    def __init__(self, target: Discord, outbound: Outbound, clock: Clock, deadline_s: float) -> None:
        super().__init__(outbound, clock, deadline_s)
        joined = "&" if "?" in target.url else "?"
        self._url = f"{target.url}{joined}wait=true"  # the answer then says that it stands there

    async def send(self, message: Message) -> None:
        body: dict[str, Json] = {"content": message.whole, "allowed_mentions": {"parse": []}}
        await self.post(self._url, message, body)


class TelegramSender(WebSender):
    """A chat that our bot writes to, as plain text without mentions, links' previews or commands."""

    max_chars = 4_096
    max_parts = 5

    def __init__(
        self,
        target: Telegram,
        token: SecretStr,
        base: str,
        outbound: Outbound,
        clock: Clock,
        deadline_s: float,
    ) -> None:
        super().__init__(outbound, clock, deadline_s)
        self._target = target
        self._url = f"{base}{token.get_secret_value()}/sendMessage"

    async def send(self, message: Message) -> None:
        body: dict[str, Json] = {
            "chat_id": self._target.chat,
            "text": quiet(message.whole),
            "link_preview_options": {"is_disabled": True},
        }
        if self._target.thread:
            body["message_thread_id"] = int(self._target.thread)
        await self.post(self._url, message, body)


class WebhookSender(WebSender):
    """An address that takes JSON: `deliveryId`, `channel`, `title`, `text`."""

    knows_deliveries = True

    def __init__(
        self, name: str, target: Webhook, outbound: Outbound, clock: Clock, deadline_s: float
    ) -> None:
        super().__init__(outbound, clock, deadline_s)
        self._name = name
        self._url = target.url
        coded = base64.b64encode(target.login.encode()).decode()
        self._headers = {"authorization": f"Basic {coded}"} if target.login else {}

    async def send(self, message: Message) -> None:
        body: dict[str, Json] = {
            "deliveryId": message.delivery,
            "channel": self._name,
            "title": quiet(message.title),
            "text": quiet(message.text),
        }
        await self.post(self._url, message, body, self._headers)
