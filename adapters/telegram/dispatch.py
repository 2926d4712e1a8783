"""Brings each update to what takes it, in a task of its own: no chat waits for another."""

import asyncio
import logging
from dataclasses import dataclass

from telegram import ChatMemberUpdated, Update, User
from telegram.constants import ChatMemberStatus

from adapters.chat.desk import Desk
from adapters.chat.room import ChatError
from adapters.telegram.decisions import Decisions
from adapters.telegram.inline import InlineMode
from adapters.telegram.intake import Intake, Raw, number_of
from adapters.telegram.messages import Messages
from adapters.telegram.place import Place
from adapters.telegram.sender import Sender

WANTED = (
    "message",
    "edited_message",
    "callback_query",
    "message_reaction",
    "inline_query",
    "my_chat_member",
)
_AWAY = frozenset({ChatMemberStatus.LEFT, ChatMemberStatus.BANNED})

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """Starts the work of updates in the order they came. Whatever fails stays with its update."""

    me: User
    desk: Desk
    sender: Sender
    intake: Intake
    messages: Messages
    decisions: Decisions
    inline: InlineMode
    tasks: asyncio.TaskGroup

    def start(self, update: Raw, *, late: bool) -> None:
        """Start the work of an update; `late` ones may have waited for long before they came."""
        self.tasks.create_task(self._safely(update, late=late))

    async def _safely(self, raw: Raw, *, late: bool) -> None:
        number = number_of(raw)
        try:
            await self._take(Update.de_json(dict(raw), self.sender.bot), late=late)
        except ChatError as error:
            logger.warning("not shown", extra={"update": number, "reason": error.reason})
        except Exception:  # the border to the platform: one update that goes wrong stops no other
            logger.exception("update failed", extra={"update": number})
        if number is not None:
            await self.intake.done(number)

    async def _take(self, update: Update, *, late: bool) -> None:
        if update.message is not None:
            await self.messages.take(update.message, update.update_id)
        elif update.edited_message is not None:
            await self.messages.edited(update.edited_message)
        elif update.callback_query is not None:
            await self.decisions.pressed(update.callback_query, update.update_id, late=late)
        elif update.message_reaction is not None:
            await self.decisions.reacted(update.message_reaction)
        elif update.inline_query is not None:
            await self.inline.answer(update.inline_query)
        elif update.my_chat_member is not None:
            await self._standing(update.my_chat_member)

    async def _standing(self, change: ChatMemberUpdated) -> None:
        """Take note that somebody blocked us, threw us out, or let us in (again)."""
        place = Place(change.chat.id)
        if change.new_chat_member.status in _AWAY:
            await self.sender.bury(place)
            return
        await self.sender.revive(place)
