"""The queue of updates: what the bot has asked to hear of, what it has confirmed, and who polls."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from tests.emulators.telegram.bell import Bell
from tests.emulators.telegram.errors import ApiError
from tests.emulators.telegram.wire import Json, stamp

_ONLY_ON_REQUEST = frozenset({"chat_member", "message_reaction", "message_reaction_count"})
_MAX_POLL = 100
_WEBHOOK_IS_ON = (
    "Conflict: can't use getUpdates method while webhook is active; "
    "use deleteWebhook to delete the webhook first"
)


@dataclass(frozen=True)
class Update:
    """An update; one that comes `again` is handed out whatever was confirmed before."""

    id: int
    kind: str
    payload: Json
    is_again: bool = False

    def wire(self) -> Json:
        """Return it as JSON."""
        return {"update_id": self.id, self.kind: self.payload}


@dataclass
class Webhook:
    """Where updates are delivered; polling is on where `url` is empty."""

    url: str = ""
    secret: str = ""
    max_connections: int = 40
    last_error: str = ""
    last_error_at: datetime | None = None


class Feed:
    """The updates that wait for the bot."""

    def __init__(self, bell: Bell) -> None:
        self.webhook = Webhook()
        self.pending: list[Update] = []
        self.told: dict[int, Update] = {}
        self.allowed: frozenset[str] | None = None  # None: all but those on request
        self._bell = bell
        self._last_id = 800_000_000
        self.is_polled = False
        self._poll = 0

    def add(self, kind: str, payload: Json) -> int | None:
        """Queue an update and return its id, None if the bot has not asked for its kind."""
        wanted = kind in self.allowed if self.allowed else kind not in _ONLY_ON_REQUEST
        if not wanted:
            return None
        self._last_id += 1
        update = Update(self._last_id, kind, payload)
        self.told[update.id] = update
        self.pending.append(update)
        self._bell.ring()
        return update.id

    def repeat(self, update_id: int) -> None:
        """Queue an update once more under the same id."""
        self.pending.append(replace(self.told[update_id], is_again=True))
        self._bell.ring()

    def allow(self, kinds: Sequence[str] | None) -> None:
        """Keep the bot's choice; None leaves it as it is, an empty list is the default."""
        if kinds is not None:
            self.allowed = frozenset(kinds) or None

    def confirm(self, before: int) -> None:
        """Forget the updates with lower ids."""
        self.pending = [update for update in self.pending if update.is_again or update.id >= before]
        self._bell.ring()

    async def poll(self, offset: int, limit: int, timeout_s: int) -> list[Json]:
        """Return the updates from `offset` on as soon as there are some.

        Raises:
            ApiError: when a webhook is set, or when somebody else begins to poll.
        """
        if self.webhook.url:
            raise ApiError(409, _WEBHOOK_IS_ON, is_wrong=True)
        await self._let_hang_ups_arrive()
        self._poll += 1
        mine = self._poll
        self.is_polled = timeout_s > 0
        self._confirm_up_to(offset)
        try:
            await self._wait(lambda: self._poll != mine or bool(self.pending), timeout_s)
        finally:
            self.is_polled = self.is_polled and self._poll != mine
        if self._poll != mine:
            text = "terminated by other getUpdates request; make sure that only one bot instance is running"
            raise ApiError(409, f"Conflict: {text}", is_wrong=True)
        self._poll += 1
        handed = self.pending[: min(limit, _MAX_POLL)]
        self.pending = [update for update in self.pending if not (update.is_again and update in handed)]
        return [update.wire() for update in handed]

    def info(self) -> Json:
        """Return a WebhookInfo."""
        hook = self.webhook
        shape: Json = {
            "url": hook.url,
            "has_custom_certificate": False,
            "pending_update_count": len(self.pending),
        }
        if hook.url:
            shape |= {"max_connections": hook.max_connections}
        if hook.last_error_at is not None:
            shape |= {"last_error_date": stamp(hook.last_error_at), "last_error_message": hook.last_error}
        if self.allowed is not None:
            shape["allowed_updates"] = sorted(self.allowed)
        return shape

    def _confirm_up_to(self, offset: int) -> None:
        if offset >= 0:
            self.confirm(offset)
        elif self.pending:
            self.confirm(self.pending[offset:][0].id)

    async def _wait(self, is_over: Callable[[], bool], timeout_s: int) -> None:
        try:
            await self._bell.until(is_over, timeout_s or 0.001)
        except TimeoutError:
            return

    async def _let_hang_ups_arrive(self) -> None:
        """Let a poller that has just closed its connection be gone before it counts as a rival."""
        for _ in range(10):
            await asyncio.sleep(0)
