"""The pinned line of a private chat that says which book is talked about."""

import logging
from dataclasses import dataclass

from telegram.error import TelegramError

from adapters.cards.values import head_text
from adapters.chat.desk import Desk
from adapters.chat.model import Speaker, Spot
from adapters.chat.room import ChatError
from adapters.telegram.place import PLATFORM, Place, read_ref
from adapters.telegram.render import text_part
from adapters.telegram.room import TelegramRoom
from adapters.telegram.sender import Sender
from agent_core.texts import say

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusLine:
    """Keeps the line up to date; a change of book edits it where it stands."""

    desk: Desk
    sender: Sender

    async def refresh(self, place: Place, speaker: Speaker, spot: Spot) -> None:
        """Let the line of a private chat say what is linked there now; whatever goes wrong is no matter."""
        if not place.is_private or place.topic or not await self.desk.has_book(spot):
            return
        asker = await self.desk.exchange.reception.seat(speaker, spot)
        book = head_text(await self.desk.exchange.view(asker))
        text = say(asker.language, "telegram.book", book=book)
        noted = await self.sender.chat.noted(PLATFORM, f"pin/{place.key}") or ""
        ref, _, shown = noted.partition(" ")
        if shown == text:
            return
        try:
            ref = await self._shown(TelegramRoom(self.sender, place), ref, text)
        except (ChatError, TelegramError) as error:
            logger.info("book not pinned", extra={"place": place.key, "reason": str(error)})
            return
        await self.sender.chat.note(PLATFORM, f"pin/{place.key}", f"{ref} {text}")

    async def _shown(self, room: TelegramRoom, ref: str, text: str) -> str:
        part = text_part(text)
        if ref:
            try:
                await room.edit(ref, part)
            except ChatError:
                logger.info("pinned line is gone", extra={"ref": ref})
            else:
                return ref
        ref = await room.send(part, silent=True)
        found = read_ref(ref)
        if found is not None:
            await self.sender.bot.pin_chat_message(*found, disable_notification=True)
        return ref
