"""The reply to a press: lines come up as toasts, cards change where they stand."""

import asyncio
import logging
from dataclasses import dataclass

from telegram import Bot
from telegram.constants import CallbackQueryLimit
from telegram.error import BadRequest, TelegramError

from adapters.cards import Card
from adapters.chat.board import Board
from adapters.chat.model import Document
from adapters.chat.replying import RoomReply
from adapters.chat.room import ChatError, Room, TurnSurface
from adapters.splitting import utf16_length
from adapters.surface import Block
from adapters.telegram.line import Pause
from agent_core.pipeline.model import Batch

ACKNOWLEDGE_S = 2.0
"""A press that is still at work then stops spinning; what it has to say comes as a message."""
_MAX_TOAST = int(CallbackQueryLimit.ANSWER_CALLBACK_QUERY_TEXT_LENGTH)

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class PressReply:
    """Answers the press `query` of a button at the message `ref`."""

    bot: Bot
    query: str
    ref: str
    room: Room[object]
    board: Board
    language: str
    below: RoomReply
    is_answered: bool = False

    def surface(self) -> TurnSurface:
        """Return where a turn is shown."""
        return self.below.surface()

    async def show(self, block: Block, *, private: bool = False) -> None:
        """Show a block below the card."""
        await self.below.show(block, private=private)

    async def show_batch(self, card: Card, batch: Batch, *, private: bool = False) -> None:
        """Show the card of a batch below the one that was pressed."""
        await self.below.show_batch(card, batch, private=private)

    async def replace(self, card: Card, batch: Batch | None, page: int = 0) -> None:
        """Put a card in place of the one that was pressed."""
        try:
            await self.room.edit(self.ref, self.room.card_part(card, batch, page, self.language))
            if batch is not None:
                await self.board.note(self.ref, batch)
        except ChatError as error:
            logger.info("card not replaced", extra={"ref": self.ref, "reason": error.reason})
            await self.below.show(card)

    async def hint(self, text: str) -> None:
        """Say a line to the person who pressed."""
        if self.is_answered or utf16_length(text) > _MAX_TOAST or not await self.acknowledge(text):
            await self.below.hint(text)

    async def file(self, document: Document, *, private: bool) -> bool:
        """Send a file."""
        return await self.below.file(document, private=private)

    async def acknowledge(self, text: str = "") -> bool:
        """Let the button stop spinning; return False where Telegram finds the press too old for that."""
        if self.is_answered:
            return True
        self.is_answered = True
        try:
            await self.bot.answer_callback_query(self.query, text or None)
        except BadRequest as error:
            logger.info("press not acknowledged", extra={"reason": error.message})
            return False
        except TelegramError as error:
            logger.warning("press not acknowledged", extra={"reason": error.message})
        return True

    async def acknowledge_late(self, pause: Pause) -> None:
        """Let the button stop spinning although its work goes on."""
        await pause(ACKNOWLEDGE_S)
        await self.acknowledge()


async def with_acknowledgement(reply: PressReply, pause: Pause, work: asyncio.Task[None]) -> None:
    """Wait for the work of a press; in any case the button stops spinning."""
    async with asyncio.TaskGroup() as tasks:
        late = tasks.create_task(reply.acknowledge_late(pause))
        try:
            await work
        finally:
            late.cancel()
    await reply.acknowledge()
