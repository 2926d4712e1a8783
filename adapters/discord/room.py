"""A channel, thread or private chat of Discord to send in."""

import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import discord

from adapters.cards import Action, Card
from adapters.chat.model import Document
from adapters.chat.paging import paged
from adapters.chat.press import read_press
from adapters.chat.room import ChatError
from adapters.discord.border import Work
from adapters.discord.markup import escaped
from adapters.discord.part import MAX_CONTENT, Part
from adapters.discord.payload import NOBODY, embeds_of, file_of, view_of
from adapters.discord.refusal import is_archived, is_broken_off, limited, refusals
from adapters.discord.render import block_parts, card_fits, card_part
from adapters.discord.typing_signal import TypingSignal
from adapters.splitting import utf16_length
from adapters.surface import Block, Mark
from agent_core.pipeline.model import Batch
from agent_core.texts import say

EDIT_EVERY_S = 1.5
SAVE, DISCARD, TAKE_BACK = "✅", "❌", "↩️"
DIGITS = tuple(f"{digit}\ufe0f\u20e3" for digit in range(1, 10))
_MARKS = {Mark.CANCELLED: "🛑"}

T = TypeVar("T")
logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class DiscordRoom:
    """Sends in one channel. `reopen` opens an archived thread again and tells whether it could.

    `begun` is called when a turn is about to be stored.
    """

    channel: discord.PartialMessageable
    typing: TypingSignal
    upload_limit: int
    reopen: Callable[[int], Awaitable[bool]]
    later: Callable[[Callable[[], Work]], None]
    once: Callable[[str], bool]
    language: str = "en"
    edit_every_s: float = EDIT_EVERY_S
    begun: Callable[[], None] = lambda: None

    def parts(self, block: Block, language: str, *, final: bool) -> Sequence[object]:
        if isinstance(block, Card):
            return (self.card_part(block, None, 0, language),)
        return block_parts(block, language, final=final)

    def card_part(self, card: Card, batch: Batch | None, page: int, language: str) -> Part:
        return card_part(paged(card, page, card_fits), language)

    async def send(self, part: object, *, reply_to: str = "", silent: bool = False) -> str:
        assert isinstance(part, Part)  # noqa: S101  parts of this room are made by it
        sent = await self._with_or_without_file(part, lambda kept: self._send(kept, reply_to, silent=silent))
        return f"{self.channel.id}/{sent.id}"

    async def edit(self, ref: str, part: object) -> None:
        assert isinstance(part, Part)  # noqa: S101  parts of this room are made by it
        await self._with_or_without_file(part, lambda kept: self._open(lambda: self._edit(ref, kept)))
        if _can_be_taken_back(part):
            self.later(lambda: self._marked(ref, TAKE_BACK))

    async def delete(self, ref: str) -> None:
        try:
            await self._open(lambda: self._message(ref).delete())
        except ChatError as error:
            if error.reason != "gone":
                raise

    async def send_file(self, document: Document, *, reply_to: str = "") -> str:
        if len(document.content) > self.upload_limit:
            raise ChatError("too_large", document.name)
        part = Part(content=escaped(document.caption)[:MAX_CONTENT], file=document)
        sent = await self._send(part, reply_to, silent=False)
        return f"{self.channel.id}/{sent.id}"

    async def seed(self, ref: str, batch: Batch) -> None:
        lines = len(batch.calls) if len(batch.calls) > 1 else 0
        signs = (SAVE, DISCARD, *DIGITS[:lines])

        async def set_all() -> None:
            for sign in signs:
                if not await self._react(ref, sign):
                    return

        self.later(set_all)

    def link(self, ref: str) -> str:
        server = getattr(self.channel, "guild", None)
        return f"https://discord.com/channels/{server.id if server else '@me'}/{ref}"

    async def mark(self, message: str, mark: Mark) -> None:
        if mark is Mark.WORKING:
            self.typing.begin(self.channel.id, message)
            self.begun()
            return
        self.typing.end(self.channel.id, message)
        sign = _MARKS.get(mark)
        if sign is not None and message.isdigit():
            self.later(lambda: self._marked(f"{self.channel.id}/{message}", sign))

    async def _marked(self, ref: str, sign: str) -> None:
        await self._react(ref, sign)

    async def _react(self, ref: str, sign: str) -> bool:
        """Set a reaction; return whether it is worth trying another one."""
        try:
            await self._open(lambda: self._message(ref).add_reaction(sign))
        except ChatError as error:
            if self.once(f"react:{self.channel.id}:{error.reason}"):
                logger.warning("no reactions here", extra={"channel": self.channel.id, "reason": str(error)})
            return False
        return True

    async def _with_or_without_file(self, part: Part, call: Callable[[Part], Awaitable[T]]) -> T:
        """Make the call; where the file is too large, without it and with a line that says so."""
        try:
            if part.file is not None and len(part.file.content) > self.upload_limit:
                raise ChatError("too_large", part.file.name)
            return await call(part)
        except ChatError as error:
            if error.reason != "too_large" or part.file is None:
                raise
            logger.warning("file left out", extra={"channel": self.channel.id, "file": part.file.name})
        return await call(self._without_file(part))

    async def _send(self, part: Part, reply_to: str, *, silent: bool) -> discord.Message:
        nonce = secrets.token_hex(12)
        return await self._open(lambda: self._sending(part, reply_to, nonce, silent=silent))

    async def _sending(self, part: Part, reply_to: str, nonce: str, *, silent: bool) -> discord.Message:
        reference = self._reference(reply_to)
        return await self.channel.send(
            content=part.content or None,
            embeds=embeds_of(part.panel),
            files=[file_of(part.file)] if part.file is not None else [],
            view=view_of(part.rows) or discord.utils.MISSING,
            reference=reference,  # type: ignore[arg-type]  # None is "no reply" in discord.py, too
            mention_author=False,
            nonce=nonce,
            allowed_mentions=NOBODY,
            suppress_embeds=part.panel is None,
            silent=silent,
        )

    async def _edit(self, ref: str, part: Part) -> None:
        await self._message(ref).edit(
            content=part.content or None,
            embeds=embeds_of(part.panel),
            attachments=[file_of(part.file)] if part.file is not None else [],
            view=view_of(part.rows),
            allowed_mentions=NOBODY,
        )

    def _message(self, ref: str) -> discord.PartialMessage:
        return self.channel.get_partial_message(int(ref.rpartition("/")[2]))

    def _reference(self, reply_to: str) -> discord.MessageReference | None:
        if not reply_to.isdigit():
            return None
        return discord.MessageReference(
            message_id=int(reply_to), channel_id=self.channel.id, fail_if_not_exists=False
        )

    def _without_file(self, part: Part) -> Part:
        name = part.file.name if part.file is not None else ""
        hint = f"-# {escaped(say(self.language, 'chat.file_too_large', name=name))}"
        kept = part.content
        while utf16_length(f"{kept}\n{hint}") > MAX_CONTENT:
            kept = kept[:-100]
        return replace(part, content=f"{kept}\n{hint}".strip(), file=None)

    async def _open(self, call: Callable[[], Awaitable[T]]) -> T:
        """Run a call that may be repeated: once more after the connection broke, or the thread was opened."""
        try:
            return await _bounded(call)
        except ChatError as error:
            if is_archived(error):
                if not await self.reopen(self.channel.id):
                    raise
            elif not is_broken_off(error):
                raise
        return await _bounded(call)


def _can_be_taken_back(part: Part) -> bool:
    presses = (read_press(key.id) for row in part.rows if isinstance(row, tuple) for key in row)
    return any(press is not None and press.action is Action.TAKE_BACK for press in presses)


async def _bounded(call: Callable[[], Awaitable[T]]) -> T:
    with refusals():
        async with limited():
            return await call()
