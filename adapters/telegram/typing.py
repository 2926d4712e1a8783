"""The sign that we are busy, shown every few seconds while turns run. Nothing here reaches a turn."""

import asyncio
import logging
from dataclasses import dataclass, field

from telegram import Bot
from telegram.constants import ChatAction
from telegram.error import RetryAfter, TelegramError

from adapters.telegram.line import Pause, wait_of
from adapters.telegram.place import Place

EVERY_S = 5.0
LONGEST_S = 900.0
"""No turn takes so long; whatever forgot to end it, the sign does end."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Sign:
    task: asyncio.Task[None]
    messages: set[str]


@dataclass(slots=True, kw_only=True)
class Typing:
    """One sign a place, as long as a turn of any message runs there."""

    bot: Bot
    tasks: asyncio.TaskGroup
    pause: Pause
    _signs: dict[Place, _Sign] = field(default_factory=dict)

    def begin(self, place: Place, message: str) -> None:
        """Show the sign for a message from now on."""
        sign = self._signs.get(place)
        if sign is None or sign.task.done():
            self._signs[place] = sign = _Sign(self.tasks.create_task(self._show(place)), set())
        sign.messages.add(message)

    def end(self, place: Place, message: str) -> None:
        """Show it no longer for this message."""
        sign = self._signs.get(place)
        if sign is None:
            return
        sign.messages.discard(message)
        if not sign.messages:
            sign.task.cancel()
            del self._signs[place]

    async def _show(self, place: Place) -> None:
        shown_s = 0.0
        while shown_s < LONGEST_S:
            wait_s = await self._once(place)
            await self.pause(wait_s)
            shown_s += wait_s

    async def _once(self, place: Place) -> float:
        try:
            await self.bot.send_chat_action(place.chat, ChatAction.TYPING, message_thread_id=place.thread)
        except RetryAfter as error:
            return max(wait_of(error), EVERY_S)
        except TelegramError as error:
            logger.debug("typing not shown", extra={"place": place.key, "reason": error.message})
        return EVERY_S
