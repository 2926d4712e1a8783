"""The reply to a message by messages in its room; what is private goes to the person's own room."""

import logging
from dataclasses import dataclass

from adapters.cards import Card
from adapters.chat.board import Board
from adapters.chat.model import Document, Speaker
from adapters.chat.room import ChatError, Room
from adapters.chat.surface import ChatSurface, Elsewhere, OpenTrace
from adapters.surface import Block, Said
from agent_core.pipeline.model import Batch
from agent_core.texts import say

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomReply:
    """Answers `message` of a person in `room`. A room of theirs alone is private as it is."""

    room: Room[object]
    board: Board
    speaker: Speaker
    language: str
    is_private: bool
    message: str
    with_steps: OpenTrace
    elsewhere: Elsewhere

    def surface(self) -> ChatSurface:
        """Return where a turn is shown."""
        return ChatSurface(
            room=self.room,
            board=self.board,
            language=self.language,
            message=self.message,
            with_steps=self.with_steps,
            elsewhere=self.elsewhere,
        )

    async def show(self, block: Block, *, private: bool = False) -> None:
        """Show a block; where the person lets us not write to them alone, say so instead."""
        room, message = await self._target(private=private)
        if room is None:
            await self._send(self.room, Said(markdown=say(self.language, "chat.no_private")), self.message)
            return
        await self._send(room, block, message)
        if room is not self.room:
            await self._send(self.room, Said(markdown=say(self.language, "chat.sent_private")), self.message)

    async def show_batch(self, card: Card, batch: Batch, *, private: bool = False) -> None:
        """Show the card of a batch with the means to decide it, or to take it back."""
        room, message = await self._target(private=private)
        if room is None:
            await self.hint(say(self.language, "chat.no_private"))
            return
        try:
            await self.board.put(room, card, batch, reply_to=message)
        except ChatError as error:
            logger.warning("card not shown", extra={"batch": batch.id, "reason": error.reason})
            if room is not self.room:
                await self.hint(say(self.language, "chat.no_private"))
            return
        if room is not self.room:
            await self.hint(say(self.language, "chat.card_private"))

    async def replace(self, card: Card, batch: Batch | None, page: int = 0) -> None:
        """Show a card: nothing was pressed that it could replace."""
        await self._send(self.room, card, self.message)

    async def hint(self, text: str) -> None:
        """Say a short line where the person is."""
        await self._send(self.room, Said(markdown=text), self.message)

    async def file(self, document: Document, *, private: bool) -> bool:
        """Send a file; where the person lets us not write to them alone, it waits until they do."""
        room, message = await self._target(private=private)
        if room is None:
            await self.hint(say(self.language, "chat.no_private"))
            return False
        try:
            await room.send_file(document, reply_to=message)
        except ChatError as error:
            logger.warning("file not sent", extra={"reason": error.reason})
            if error.reason != "too_large":
                return False
            await self.hint(say(self.language, "chat.file_too_large", name=document.name))
            return True
        if room is not self.room:
            await self.hint(say(self.language, "chat.sent_private"))
        return True

    async def _target(self, *, private: bool) -> tuple[Room[object] | None, str]:
        if not private or self.is_private:
            return self.room, self.message
        return await self.board.rooms.private_room(self.speaker.user), ""

    async def _send(self, room: Room[object], block: Block, message: str) -> None:
        try:
            for place, part in enumerate(room.parts(block, self.language, final=True)):
                await room.send(part, reply_to="" if place else message)
        except ChatError as error:
            logger.warning("not shown", extra={"reason": error.reason})
