"""A chat or topic of Telegram as a room: sending, editing, drafts, files, the sign that we are busy."""

import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from telegram import InlineKeyboardMarkup, InputFile, LinkPreviewOptions, Message, ReplyParameters
from telegram.error import BadRequest, RetryAfter, TelegramError

from adapters.cards import Action, Button, Card
from adapters.chat.model import Document
from adapters.chat.paging import paged
from adapters.chat.room import ChatError
from adapters.surface import Block, Mark, Said
from adapters.telegram.line import NO_FILES, is_unchanged, wait_of
from adapters.telegram.markdown import iter_parts
from adapters.telegram.part import Part
from adapters.telegram.place import PLATFORM, Place, read_ref, ref_of
from adapters.telegram.render import block_parts, caption, card_fits, card_part, plain_part, text_part
from adapters.telegram.sender import Draft, Sender
from agent_core.pipeline.model import Batch
from agent_core.texts import say

PRIVATE_EDITS_S = 1.0
GROUP_EDITS_S = 4.0
"""A group takes twenty messages a minute from a bot."""
UPLOAD_TIMEOUT_S = 50.0
WRONG_BOOK_HERE = "here"
"""What the button *Wrong book* carries: it is about the place where it is pressed."""
_MOST_INSTEAD = 12
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TelegramRoom:
    """One place to send messages in."""

    sender: Sender
    place: Place

    @property
    def edit_every_s(self) -> float:
        """How far apart edits of one message should be."""
        return PRIVATE_EDITS_S if self.place.is_private else GROUP_EDITS_S

    def parts(self, block: Block, language: str, *, final: bool) -> Sequence[Part]:
        """Return the messages that show a block; an answer growing in a private chat is a draft."""
        if isinstance(block, Card):
            return [self.card_part(block, None, 0, language)]
        parts = block_parts(block, language, final=final)
        if self.place.is_private and isinstance(block, Said) and not final:
            return [replace(part, is_draft=True) for part in parts[:1]]
        return parts

    def card_part(self, card: Card, batch: Batch | None, page: int, language: str) -> Part:
        """Return the message that shows a page of a card."""
        if card.head:
            wrong = Button(
                action=Action.WRONG_BOOK, label=say(language, "button.wrong_book"), value=WRONG_BOOK_HERE
            )
            card = replace(card, buttons=(*card.buttons, wrong))
        return card_part(paged(card, page, card_fits))

    async def send(self, part: Part, *, reply_to: str = "", silent: bool = False) -> str:
        """Send a message, in full or as a draft, and return its ref."""
        if part.is_draft:
            ref, draft = self.sender.begin_draft(self.place, reply_to, silent=silent)
            await self._draw(draft, part)
            return ref
        if part.document is not None:
            return await self._send_document(part, part.document, reply_to)
        return await self._send_text(part, reply_to, silent=silent)

    async def edit(self, ref: str, part: Part) -> None:
        """Put the part in place of a message; of edits that had to wait only the newest is made."""
        draft = self.sender.drafts.get(ref)
        if draft is not None and not draft.ref:
            if part.is_draft:
                await self._draw(draft, part)
            else:
                draft.ref = await self.send(part, reply_to=draft.reply_to, silent=draft.silent)
        elif part.document is not None:
            await self.delete(ref)
            await self._send_document(part, part.document, "")
        else:
            await self._edit_text(draft.ref if draft else ref, part)

    async def delete(self, ref: str) -> None:
        """Take a message away; one that is gone or too old is no error."""
        draft = self.sender.drafts.pop(ref, None)
        if draft is not None and not draft.ref:
            await self._draw(draft, Part(text=""))
            return
        found = read_ref(draft.ref if draft else ref)
        if found is None:
            return
        try:
            await self.sender.changed(found[0], lambda: self.sender.bot.delete_message(*found))
        except (BadRequest, ChatError) as error:
            logger.info("message not deleted", extra={"ref": ref, "reason": type(error).__name__})

    async def send_file(self, document: Document, *, reply_to: str = "") -> str:
        """Send a file with its caption."""

        async def make(place: Place) -> Message:
            return await self.sender.bot.send_document(
                place.chat,
                InputFile(document.content, document.name),
                caption=caption(document.caption) or None,
                message_thread_id=place.thread,
                reply_parameters=_answering(reply_to),
                write_timeout=UPLOAD_TIMEOUT_S,
                read_timeout=UPLOAD_TIMEOUT_S,
            )

        try:
            return await self._sent(make, repeatable=False)
        except BadRequest as error:
            raise ChatError("refused", error.message) from error

    async def seed(self, ref: str, batch: Batch) -> None:
        """Remember the topic of a card, which reactions don't tell; say once where none can arrive."""
        if self.place.topic:
            await self.sender.chat.note(PLATFORM, f"at/{ref}", self.place.key)
        key = f"reactions/{self.place.chat}"
        if self.place.is_private or await self.sender.chat.noted(PLATFORM, key) is not None:
            return
        if not await self.sender.is_administrator(self.place.chat):
            await self.sender.chat.note(PLATFORM, key, "said")
            with contextlib.suppress(ChatError):
                await self.send(text_part(say(batch.language, "telegram.no_reactions")), silent=True)

    def link(self, ref: str) -> str:
        chat, _, message = ref.partition("/")
        return f"https://t.me/c/{chat.removeprefix('-100')}/{message}" if chat.startswith("-100") else ""

    async def mark(self, message: str, mark: Mark) -> None:
        """Show that we are busy until the turn has ended or waits."""
        if mark is Mark.WORKING:
            self.sender.gates.let_pass(self.place, message)
            self.sender.typing.begin(self.place, message)
        else:
            self.sender.typing.end(self.place, message)

    async def _send_document(self, part: Part, document: Document, reply_to: str) -> str:
        """Send a file; where none may be sent, what is in it, as messages."""
        try:
            return await self.send_file(document, reply_to=reply_to)
        except ChatError as error:
            if error.reason != NO_FILES or not part.instead:
                raise
        ref = await self.send(text_part(part.instead), reply_to=reply_to)
        for number, shown in enumerate(iter_parts(document.content.decode())):
            if number == _MOST_INSTEAD:
                await self.send(text_part("…"))
                break
            await self.send(shown)
        return ref

    async def _send_text(self, part: Part, reply_to: str, *, silent: bool) -> str:
        def sending(shown: Part) -> Callable[[Place], Awaitable[Message]]:
            return lambda place: self.sender.bot.send_message(
                place.chat,
                shown.text,
                entities=shown.entities or None,
                reply_markup=shown.keyboard,
                message_thread_id=place.thread,
                reply_parameters=_answering(reply_to),
                disable_notification=silent or None,
                link_preview_options=_NO_PREVIEW,
            )

        is_repeatable = part.keyboard is not None  # a card that stands twice shows the same in both places
        try:
            return await self._sent(sending(part), repeatable=is_repeatable)
        except BadRequest as error:
            logger.warning("sent without formatting", extra={"reason": error.message})
        try:
            return await self._sent(sending(plain_part(part)), repeatable=is_repeatable)
        except BadRequest as error:
            raise ChatError("refused", error.message) from error

    async def _edit_text(self, ref: str, part: Part) -> None:
        found = read_ref(ref)
        if found is None:
            raise ChatError("gone", ref)
        newest = self.sender.newest_edit
        newest[ref] = mine = next(self.sender.numbers)
        try:
            await self._edited(found, part, lambda: newest.get(ref) == mine)
        finally:
            if newest.get(ref) == mine:
                del newest[ref]

    async def _edited(self, message: tuple[int, int], part: Part, wanted: Callable[[], bool]) -> None:
        def editing(shown: Part) -> Callable[[], Awaitable[object]]:
            return lambda: self.sender.bot.edit_message_text(
                shown.text,
                *message,
                entities=shown.entities or None,
                reply_markup=shown.keyboard if isinstance(shown.keyboard, InlineKeyboardMarkup) else None,
                link_preview_options=_NO_PREVIEW,
            )

        for shown in (part, plain_part(part)):
            try:
                await self.sender.changed(message[0], editing(shown), wanted)
            except BadRequest as error:
                if is_unchanged(error):
                    return
                logger.warning("edit refused", extra={"reason": error.message})
            else:
                return
        raise ChatError("refused")

    async def _draw(self, draft: Draft, part: Part) -> None:
        """Show a draft; whatever goes wrong here, the message itself comes later."""
        if self.sender.lines.is_waiting(self.place.chat):
            return
        try:
            await self.sender.bot.send_message_draft(
                self.place.chat,
                draft.number,
                part.text,
                message_thread_id=self.place.thread,
                entities=part.entities or None,
            )
        except RetryAfter as error:
            self.sender.lines.hold(self.place.chat, wait_of(error))
        except TelegramError as error:
            logger.info("draft not shown", extra={"reason": error.message})

    async def _sent(self, make: Callable[[Place], Awaitable[Message]], *, repeatable: bool) -> str:
        message = await self.sender.called(self.place, make, repeatable=repeatable)
        if message is None:
            raise ChatError("lost")
        return ref_of(message.chat_id, message.message_id)


def _answering(message: str) -> ReplyParameters | None:
    if not message.isdecimal():
        return None
    return ReplyParameters(int(message), allow_sending_without_reply=True)
