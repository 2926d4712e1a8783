"""What was said while we were away: kept as context and named in one message a place, not answered."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from adapters.telegram.line import Pause
from adapters.telegram.place import Place
from agent_core.texts import say

RECENT = timedelta(minutes=15)
"""Younger messages are answered, however long we were away."""
GATHER_S = 2.0
_MOST = 5
_CHARS = 60

logger = logging.getLogger(__name__)

Tell = Callable[[Place, str], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class Missed:
    """Gathers old messages by place; `tell` says a text there, `is_coming` tells that more may follow."""

    tasks: asyncio.TaskGroup
    pause: Pause
    tell: Tell
    is_coming: Callable[[Place], bool]
    _said: dict[Place, list[str]] = field(default_factory=dict)

    def note(self, place: Place, text: str, language: str) -> None:
        """Take an old message; what was missed in its place is named shortly after."""
        if place not in self._said:
            self._said[place] = []
            self.tasks.create_task(self._name(place, language))
        self._said[place].append(text)

    async def _name(self, place: Place, language: str) -> None:
        await self.pause(GATHER_S)
        while self.is_coming(place):
            await self.pause(GATHER_S)
        said = self._said.pop(place)
        named = tuple(_short(text) for text in said[:_MOST])
        if len(said) > _MOST:
            named = (*named, "…")
        try:
            await self.tell(place, say(language, "telegram.missed", n=len(said), said=named))
        except Exception:  # what can't be told ends nothing else
            logger.exception("not told what was missed", extra={"place": place.key})


def is_old(at: datetime, now: datetime) -> bool:
    """Tell whether something was said too long ago to be answered now."""
    return now - at > RECENT


def _short(text: str) -> str:
    bare = " ".join(text.split())
    return f"“{bare}”" if len(bare) <= _CHARS else f"“{bare[:_CHARS]}…”"
