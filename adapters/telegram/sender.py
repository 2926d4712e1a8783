"""Calls about places: refusals read, groups that moved followed, places that are gone remembered."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from typing import TypeVar

from telegram import Bot
from telegram.constants import ChatMemberStatus
from telegram.error import ChatMigrated, TelegramError

from adapters.chat.room import ChatError
from adapters.telegram.gates import Gates
from adapters.telegram.line import Lines
from adapters.telegram.place import PLATFORM, Place
from adapters.telegram.typing import Typing
from agent_core.conversation.store import ChatStore
from agent_core.texts import say

T = TypeVar("T")

_YES = "yes"
_KEPT_DRAFTS = 200

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Draft:
    """A message being written: what it will answer, and its ref once it is sent."""

    number: int
    reply_to: str
    silent: bool
    ref: str = ""


@dataclass(slots=True, kw_only=True)
class Sender:
    """What all rooms share. `moved` holds the new ids of groups, `drafts` what is being written, by ref.

    `language` is that of notices to a whole chat.
    """

    bot: Bot
    chat: ChatStore
    lines: Lines
    typing: Typing
    gates: Gates
    language: str = "en"
    drafts: dict[str, Draft] = field(default_factory=dict)
    numbers: "count[int]" = field(default_factory=lambda: count(1))
    moved: dict[int, int] = field(default_factory=dict)
    newest_edit: dict[str, int] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    moving: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def called(
        self,
        place: Place,
        make: Callable[[Place], Awaitable[T]],
        *,
        repeatable: bool,
    ) -> T | None:
        """Return what a call about a place returns; it is made once more where the group has moved.

        Raises:
            ChatError: it was refused for good.
            BadRequest: what was said is refused.
        """
        try:
            return await self.lines.call(place.chat, lambda: make(place), repeatable=repeatable)
        except ChatMigrated as error:
            await self.move(place.chat, error.new_chat_id)
            there = Place(error.new_chat_id, place.topic)
        except ChatError as error:
            if error.reason == "closed":
                await self.bury(place)
            elif "thread not found" in str(error).lower() and not await self.is_dead(place):
                await self.bury(place)
                await self._say_gone(place)
            raise
        return await self.lines.call(there.chat, lambda: make(there), repeatable=repeatable)

    async def changed(
        self, chat: int, make: Callable[[], Awaitable[object]], wanted: Callable[[], bool] = lambda: True
    ) -> None:
        """Make a call about a message that stands in a chat, if it is still `wanted` when its turn comes.

        Raises:
            ChatError: it was refused for good; the message stayed behind in a group that moved.
            BadRequest: what was said is refused.
        """
        try:
            await self.lines.call(chat, make, repeatable=True, wanted=wanted)
        except ChatMigrated as error:
            await self.move(chat, error.new_chat_id)
            raise ChatError("gone", "the message stayed in the group that was") from error

    async def is_dead(self, place: Place) -> bool:
        """Tell whether a place is known to be gone or closed to us."""
        return await self.chat.noted(PLATFORM, f"dead/{place.key}") == _YES

    async def is_opened(self, user: str) -> bool:
        """Tell whether a person has ever opened their private chat with us; before that we may not write."""
        return user in self.opened or await self.chat.noted(PLATFORM, f"opened/{user}") == _YES

    async def revive(self, place: Place) -> None:
        """Let a place be used (again): somebody was heard there."""
        if await self.is_dead(place):
            await self.chat.note(PLATFORM, f"dead/{place.key}", "")
        user = str(place.chat)
        if place.is_private and not await self.is_opened(user):
            await self.chat.note(PLATFORM, f"opened/{user}", _YES)
            self.opened.add(user)

    async def bury(self, place: Place) -> None:
        """Remember that a place is gone, so that nothing is tried there again."""
        logger.warning("place is gone or closed to us", extra={"place": place.key})
        await self.chat.note(PLATFORM, f"dead/{place.key}", _YES)

    async def move(self, was: int, now: int) -> None:
        """Let everything of a group that became a supergroup stand there, once."""
        async with self.moving:
            if self.moved.get(was) == now:
                return
            places = await self.chat.move_places(PLATFORM, str(was), str(now))
            self.moved[was] = now
        logger.info("group has become a supergroup", extra={"was": was, "now": now, "places": places})

    async def _say_gone(self, place: Place) -> None:
        """Say in a topic's chat, without anything of what was meant for it, that it is gone."""
        said = say(self.language, "telegram.topic_gone")
        try:
            await self.lines.call(
                place.chat, lambda: self.bot.send_message(place.chat, said), repeatable=False
            )
        except (ChatError, TelegramError) as error:
            logger.info("not said that a topic is gone", extra={"place": place.key, "reason": str(error)})

    async def is_administrator(self, chat: int) -> bool:
        """Return whether we are an administrator of a group: then reactions and all messages reach us."""
        try:
            member = await self.bot.get_chat_member(chat, self.bot.id)
        except TelegramError as error:
            logger.info("own rights not known", extra={"chat": chat, "reason": error.message})
            return True
        return member.status in {ChatMemberStatus.ADMINISTRATOR, ChatMemberStatus.OWNER}

    def begin_draft(self, place: Place, reply_to: str, *, silent: bool) -> tuple[str, Draft]:
        """Return a new draft with its ref."""
        draft = Draft(next(self.numbers), reply_to, silent)
        ref = f"{place.key}/draft-{draft.number}"
        self.drafts[ref] = draft
        while len(self.drafts) > _KEPT_DRAFTS:
            del self.drafts[next(iter(self.drafts))]
        return ref, draft
