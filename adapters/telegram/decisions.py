"""Presses and reactions: they never wait behind a turn, and nobody unknown decides anything."""

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import dataclass

from telegram import CallbackQuery, Message, MessageReactionUpdated, ReactionTypeEmoji
from telegram.error import TelegramError

from adapters.cards import Action
from adapters.chat.desk import Desk
from adapters.chat.model import Heard, Pressed, Reacted
from adapters.chat.press import press_ids, read_press
from adapters.chat.room import Room
from adapters.surface import Said
from adapters.telegram.inbound import speaker_of, spot_at
from adapters.telegram.line import Pause
from adapters.telegram.messages import Messages
from adapters.telegram.missed import is_old
from adapters.telegram.place import PLATFORM, Place, ref_of
from adapters.telegram.pressing import PressReply, with_acknowledgement
from adapters.telegram.rooms import TelegramRooms
from agent_core.clock import Clock
from agent_core.pipeline.model import BatchStatus
from agent_core.texts import say

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Takes presses of buttons and reactions at cards."""

    desk: Desk
    rooms: TelegramRooms
    messages: Messages
    clock: Clock
    pause: Pause

    async def pressed(self, query: CallbackQuery, update: int, *, late: bool) -> None:
        """Carry out a press; a `late` one only if Telegram does not find it too old to be acknowledged."""
        message = query.message
        if message is None or query.data is None:
            await self._drop(query)
            return
        ref = ref_of(message.chat.id, message.message_id)
        place = await self._place(message, ref)
        speaker, spot = speaker_of(query.from_user), spot_at(message.chat, place.topic)
        room = self.rooms.at(place)
        below = self.desk.exchange.reply_in(room, speaker, spot, str(message.message_id))
        reply = PressReply(
            bot=self.rooms.sender.bot,
            query=query.id,
            ref=ref,
            room=room,
            board=self.desk.exchange.board,
            language=below.language,
            below=below,
        )
        if late and not await reply.acknowledge():
            if await self.desk.is_open(spot, speaker):
                await below.hint(say(below.language, "telegram.stale"))
            return
        pressed = Pressed(id=query.data, speaker=speaker, spot=spot, ref=ref)
        async with asyncio.TaskGroup() as tasks:
            work = tasks.create_task(self._carry_out(pressed, reply, place, update))
            await with_acknowledgement(reply, self.pause, work)

    async def reacted(self, reaction: MessageReactionUpdated) -> None:
        """Carry out a change of somebody's reactions at a card; one that waited for long decides nothing."""
        ref = ref_of(reaction.chat.id, reaction.message_id)
        if not await self.messages.cards.is_noted(ref):
            return
        place = await self.rooms.place_of(ref) or Place(reaction.chat.id)
        spot, room = spot_at(reaction.chat, place.topic), self.rooms.at(place)
        if reaction.user is None:
            await self._explain(room, reaction.message_id)
            return
        speaker = speaker_of(reaction.user)
        reply = self.desk.exchange.reply_in(room, speaker, spot, str(reaction.message_id))
        if is_old(reaction.date, self.clock.now()):
            if await self._is_undecided(ref) and await self.desk.is_open(spot, speaker):
                await reply.hint(say(reply.language, "telegram.stale"))
            return
        for emoji, added in _changes(reaction):
            reacted = Reacted(emoji=emoji, added=added, speaker=speaker, spot=spot, ref=ref)
            await self.desk.react(reacted, reply)

    async def _carry_out(self, pressed: Pressed, reply: PressReply, place: Place, update: int) -> None:
        press = read_press(pressed.id)
        if press is not None and press.action is Action.WRONG_BOOK:
            await self._wrong_book(pressed, reply)
        elif press is not None or not await self._completed(pressed, reply, place, update):
            if press is not None and await self.desk.exchange.core.batch(press.record) is not None:
                await self.messages.cards.is_noted(
                    pressed.ref
                )  # people may be faster than our note of where it stands
            await self.desk.press(pressed, reply)
            await self.messages.status.refresh(place, pressed.speaker, pressed.spot)

    async def _completed(self, pressed: Pressed, reply: PressReply, place: Place, update: int) -> bool:
        """Run the command that a button completes; return whether it was such a button."""
        asker = await self.desk.asker(pressed.speaker, pressed.spot, reply)
        if asker is None:
            return True
        heard = Heard(
            update=str(update),
            message=reply.below.message,
            speaker=pressed.speaker,
            spot=pressed.spot,
            text="",
            at=self.clock.now(),
        )
        whole = await self.messages.dialogue.pressed(pressed.id, heard, asker)
        if whole is None:
            return False
        await self.messages.answer(whole, reply.below, place)
        return True

    async def _wrong_book(self, pressed: Pressed, reply: PressReply) -> None:
        """Say how the place gets another book; an open proposal for the wrong one is discarded."""
        asker = await self.desk.asker(pressed.speaker, pressed.spot, reply)
        if asker is None:
            return
        core, language = self.desk.exchange.core, asker.language
        shown = await core.chat.card_at(PLATFORM, pressed.ref)
        batch = await core.batch(shown.batch) if shown is not None else None
        if batch is not None and batch.status is BatchStatus.OPEN:
            discard = next(
                carried
                for carried, button in press_ids((await self.desk.exchange.board.card(batch)).buttons)
                if button.action is Action.DISCARD
            )
            await self.desk.press(
                Pressed(id=discard, speaker=pressed.speaker, spot=pressed.spot, ref=pressed.ref), reply
            )
        book = (await self.desk.exchange.view(asker)).book
        key = "telegram.wrong_book" if book else "telegram.no_book"
        await reply.show(Said(markdown=say(language, key, book=book)))

    async def _is_undecided(self, ref: str) -> bool:
        core = self.desk.exchange.core
        shown = await core.chat.card_at(PLATFORM, ref)
        batch = await core.batch(shown.batch) if shown is not None else None
        return batch is not None and batch.status is BatchStatus.OPEN

    async def _place(self, message: object, ref: str) -> Place:
        if isinstance(message, Message):
            topic = (message.message_thread_id or 0) if message.is_topic_message else 0
            return Place(message.chat.id, topic)
        chat, _, _ = ref.partition("/")
        return await self.rooms.place_of(ref) or Place(int(chat))

    async def _explain(self, room: Room[object], message: int) -> None:
        language = self.desk.exchange.reception.language
        for part in room.parts(Said(markdown=say(language, "telegram.anonymous")), language, final=True):
            await room.send(part, reply_to=str(message))

    async def _drop(self, query: CallbackQuery) -> None:
        try:
            await self.rooms.sender.bot.answer_callback_query(query.id)
        except TelegramError as error:
            logger.info("press not acknowledged", extra={"reason": error.message})


def _changes(reaction: MessageReactionUpdated) -> Iterator[tuple[str, bool]]:
    """Yield the emoji that were taken away, then those that were added."""
    before = [one.emoji for one in reaction.old_reaction if isinstance(one, ReactionTypeEmoji)]
    after = [one.emoji for one in reaction.new_reaction if isinstance(one, ReactionTypeEmoji)]
    yield from ((str(emoji), False) for emoji in before if emoji not in after)
    yield from ((str(emoji), True) for emoji in after if emoji not in before)
