"""The answer to a slash command or a press: within its interaction, after 15 minutes as plain messages."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import discord

from adapters.cards import Card
from adapters.chat.model import Document
from adapters.chat.replying import RoomReply
from adapters.chat.room import ChatError
from adapters.chat.surface import ChatSurface
from adapters.discord.part import Part
from adapters.discord.payload import NOBODY, embeds_of, file_of, view_of
from adapters.discord.refusal import limited, refusals
from adapters.discord.render import text_parts
from adapters.discord.room import DiscordRoom
from adapters.surface import Block
from agent_core.pipeline.model import Batch, BatchStatus
from agent_core.texts import say

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class InteractionReply:
    """Answers an interaction that was acknowledged already, in time or (not `alive`) too late.

    `waits` says that "thinking" stands where the first answer belongs, `alone` that only the person sees it,
    `pressed` that it stands at a message of ours which `replace` changes. `plain` answers in its place when
    the interaction can't any more.
    """

    interaction: discord.Interaction
    room: DiscordRoom
    plain: RoomReply
    alive: bool
    waits: bool
    alone: bool
    pressed: bool = False

    def surface(self) -> ChatSurface:
        return self.plain.surface()

    async def open_with(self, text: str) -> None:
        """Put a text in place of "thinking"; what follows replies to it, or to nothing where it failed."""
        if not self.alive:
            return
        try:
            self.plain = replace(self.plain, message=await self._first(Part(content=text)))
        except ChatError as error:
            logger.info("question not shown", extra={"reason": error.reason})

    async def show(self, block: Block, *, private: bool = False) -> None:
        await self._show(
            list(self.room.parts(block, self.plain.language, final=True)), block, private=private
        )

    async def show_batch(self, card: Card, batch: Batch, *, private: bool = False) -> None:
        if private or self.alone or self.plain.is_private or not self.waits:
            await self.plain.show_batch(card, batch, private=private)
            return
        part = self.room.card_part(card, batch, 0, batch.language)
        try:
            ref = f"{self.room.channel.id}/{await self._first(part)}"
        except ChatError as error:
            logger.info("interaction is over", extra={"reason": error.reason})
            await self.plain.show_batch(card, batch)
            return
        await self.plain.board.note(ref, batch)
        if batch.status is BatchStatus.OPEN:
            await self.room.seed(ref, batch)

    async def replace(self, card: Card, batch: Batch | None, page: int = 0) -> None:
        part = self.room.card_part(card, batch, page, self.plain.language)
        if not self.pressed:
            await self._show([part], card, private=False)
            return
        try:
            if not self.alive:
                raise ChatError("gone", "acknowledged too late")
            await self._edit(part)
        except ChatError as error:
            logger.info("interaction is over", extra={"reason": error.reason})
            message = self.interaction.message
            if message is not None and not message.flags.ephemeral:
                await self._harmless(lambda: self.room.edit(f"{self.room.channel.id}/{message.id}", part))

    async def hint(self, text: str) -> None:
        try:
            for part in text_parts(text):
                await self._next(part, alone=True)
        except ChatError as error:
            logger.info("interaction is over", extra={"reason": error.reason})
            await self.plain.hint(text)

    async def file(self, document: Document, *, private: bool) -> bool:
        if len(document.content) > self.room.upload_limit:
            await self.hint(say(self.plain.language, "chat.file_too_large", name=document.name))
            return True
        try:
            await self._next(Part(file=document), alone=private or self.alone)
        except ChatError:
            return await self.plain.file(document, private=private or self.alone)
        return True

    async def finish(self) -> None:
        """Take "thinking" away where nothing came in its place."""
        if self.waits:
            self.waits = False
            await self._harmless(self._delete)

    async def _show(self, parts: list[object], block: Block, *, private: bool) -> None:
        try:
            for part in parts:
                assert isinstance(part, Part)  # noqa: S101  made by the room of this platform
                await self._next(part, alone=private or self.alone)
        except ChatError as error:
            logger.info("interaction is over", extra={"reason": error.reason})
            await self.plain.show(block, private=private or self.alone)

    async def _next(self, part: Part, *, alone: bool) -> None:
        """Show one message: in place of "thinking" if it is seen by the same people, else after it."""
        if not self.alive:
            raise ChatError("gone", "acknowledged too late")
        if not self.waits:
            await self._follow(part, alone=alone)
        elif alone and not self.alone:  # what follows "thinking" is seen by those who see that
            await self._first(Part(content="…"))
            await self._follow(part, alone=True)
            await self._harmless(self._delete)
        else:
            await self._first(part)

    async def _first(self, part: Part) -> str:
        with refusals():
            async with limited():
                sent = await self.interaction.edit_original_response(
                    content=part.content or None,
                    embeds=embeds_of(part.panel),
                    attachments=[file_of(part.file)] if part.file is not None else [],
                    view=view_of(part.rows),
                    allowed_mentions=NOBODY,
                )
        self.waits = False
        return str(sent.id)

    async def _edit(self, part: Part) -> None:
        with refusals():
            async with limited():
                await self.interaction.edit_original_response(
                    content=part.content or None,
                    embeds=embeds_of(part.panel),
                    view=view_of(part.rows),
                    allowed_mentions=NOBODY,
                )

    async def _follow(self, part: Part, *, alone: bool) -> None:
        with refusals():
            async with limited():
                await self.interaction.followup.send(
                    content=part.content,
                    embeds=embeds_of(part.panel),
                    files=[file_of(part.file)] if part.file is not None else [],
                    view=view_of(part.rows) or discord.utils.MISSING,
                    ephemeral=alone,
                    allowed_mentions=NOBODY,
                    suppress_embeds=part.panel is None,
                )

    async def _delete(self) -> None:
        with refusals():
            async with limited():
                await self.interaction.delete_original_response()

    async def _harmless(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except ChatError as error:
            logger.info("not changed", extra={"reason": error.reason})
