"""Updates that Telegram has handed over for good and that are not dealt with yet, kept over a crash."""

import asyncio
import contextlib
import json
import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from adapters.telegram.place import PLATFORM
from agent_core.conversation.store import ChatStore
from agent_core.errors import LoreKeeperError
from agent_core.messages import Json, parse_json

_KEY = "intake"
_REMEMBERED = 2_000

Raw = Mapping[str, Json]
"""An update as Telegram sent it."""

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Intake:
    """Stores updates before they are acknowledged; none is given out twice by one process."""

    chat: ChatStore
    _open: dict[int, Raw] = field(default_factory=dict)
    _seen: OrderedDict[int, None] = field(default_factory=OrderedDict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def left(self) -> list[Raw]:
        """Return what the last process did not finish, oldest first."""
        noted = await self.chat.noted(PLATFORM, _KEY)
        try:
            left = parse_json(noted) if noted else {}
        except ValueError:
            logger.exception("what was left can't be read and is dropped")
            left = {}
        updates = [update for update in left.values() if isinstance(update, dict)]
        return self._new(sorted(updates, key=lambda update: number_of(update) or 0))

    async def take(self, updates: Iterable[Raw]) -> list[Raw]:
        """Return those updates that are new; once this returns they may be acknowledged.

        Raises:
            StoreFailure: none was taken.
        """
        before = frozenset(self._seen)
        new = self._new(updates)
        try:
            if new:
                await self.store()
        except LoreKeeperError:
            for number in self._seen.keys() - before:
                del self._seen[number]
                del self._open[number]
            raise
        return new

    async def store(self) -> None:
        """Store which updates are still open."""
        async with self._lock:
            await self.chat.note(PLATFORM, _KEY, json.dumps(self._open))

    async def done(self, number: int) -> None:
        """Let an update be dealt with."""
        self._open.pop(number, None)
        with contextlib.suppress(LoreKeeperError):  # it is stored with the next one then
            await self.store()

    def _new(self, updates: Iterable[Raw]) -> list[Raw]:
        new: list[Raw] = []
        for update in updates:
            number = number_of(update)
            if number is not None and number not in self._seen:
                self._seen[number] = None
                self._open[number] = update
                new.append(update)
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        return new


def number_of(update: Raw) -> int | None:
    """Return the id of an update, None for what is none."""
    number = update.get("update_id")
    return number if isinstance(number, int) else None
