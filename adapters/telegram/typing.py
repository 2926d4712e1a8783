"""The sign that we are busy, shown every few seconds while a turn runs. Nothing here reaches the turn."""

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


@dataclass(slots=True, kw_only=True)
class Typing:
    """The signs that are shown, by the message whose turn they belong to."""

    bot: Bot
    tasks: asyncio.TaskGroup
    pause: Pause
    _shown: dict[tuple[Place, str], asyncio.Task[None]] = field(default_factory=dict)

    def begin(self, place: Place, message: str) -> None:
        """Show the sign in a place from now on."""
        self.end(place, message)
        self._shown[place, message] = self.tasks.create_task(self._show(place))

    def end(self, place: Place, message: str) -> None:
        """Show it no longer for this message."""
        task = self._shown.pop((place, message), None)
        if task is not None:
            task.cancel()

    def end_all(self) -> None:
        """Show it nowhere any longer."""
        for place, message in tuple(self._shown):
            self.end(place, message)

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
