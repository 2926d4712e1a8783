"""What a message sets going: an answer, a command, kept context, the text of a voice note, a notice."""

import logging
from dataclasses import dataclass, field, replace
from typing import cast

from telegram import Message, User
from telegram.constants import FileSizeLimit

from adapters.chat.desk import Desk
from adapters.chat.model import Heard
from adapters.chat.replying import RoomReply
from adapters.chat.room import ChatError, Room
from adapters.commands import COMMANDS, is_command
from adapters.surface import Said
from adapters.telegram.albums import Albums
from adapters.telegram.cards import Cards
from adapters.telegram.dialogue import Dialogue
from adapters.telegram.hearing import Transcriber
from adapters.telegram.inbound import (
    heard_of,
    holds_names,
    is_addressed,
    is_anonymous,
    is_by_machine,
    is_by_way_of,
    is_for_another,
    place_in,
    said_in,
    spot_of,
    voice_of,
)
from adapters.telegram.missed import Missed, is_old
from adapters.telegram.place import PLATFORM, Place
from adapters.telegram.room import TelegramRoom
from adapters.telegram.scenes import Scenes
from adapters.telegram.sender import Sender
from adapters.telegram.status import StatusLine
from adapters.telegram.topics import Topics
from agent_core.clock import Clock
from agent_core.texts import say
from agent_core.turn.plain_words import plain_answer

MAX_FILE = int(FileSizeLimit.FILESIZE_DOWNLOAD)
_AT_ONCE = frozenset({"/help", "/cancel", "/start"})
_OURS = frozenset(
    {
        "start",
        "import",
        "scene_save",
        *(one.name.split()[0] for one in COMMANDS),
        *(one.name.replace(" ", "_") for one in COMMANDS),
    }
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """Takes messages; those of one place begin in the order they came."""

    me: User
    desk: Desk
    sender: Sender
    clock: Clock
    albums: Albums
    missed: Missed
    dialogue: Dialogue
    status: StatusLine
    scenes: Scenes
    topics: Topics
    cards: Cards
    transcriber: Transcriber | None
    strangers: set[str] = field(default_factory=set)

    async def take(self, message: Message, update: int) -> None:
        """Do what a message asks for; one that only serves the chat starts nothing."""
        if message.migrate_to_chat_id is not None or message.migrate_from_chat_id is not None:
            await self._follow_group(message)
            return
        voice = voice_of(message)
        heard = heard_of(message, update, self.me)
        if is_by_machine(message) or not (message.text or message.caption or heard.files or voice):
            return
        place = place_in(message)
        if is_by_way_of(message, self.me):
            await self.desk.overhear(heard)
            return
        if _is_at_once(heard.text):
            await self.sender.revive(place)
            await self._hear(message, heard, place)
            return
        ticket = self.sender.gates.queue(place)
        album = await self.albums.gather(message.media_group_id, heard)
        async with self.sender.gates.inside(ticket, place, heard.message):
            await self.sender.revive(place)
            if album is not None and not await self._put_off(message, album, place):
                await self._hear(message, album, place)

    async def edited(self, message: Message) -> None:
        """Let what was said read as it does now; that starts nothing."""
        place = place_in(message)
        async with self.sender.gates.inside(
            self.sender.gates.queue(place), place, f"edit-{message.message_id}"
        ):
            await self.desk.amend(spot_of(message), str(message.message_id), said_in(message, self.me))

    async def _follow_group(self, message: Message) -> None:
        """Move with a group that became a supergroup, whichever of its two notices comes first.

        What is said there next waits until everything stands there.
        """
        place, chat = place_in(message), message.chat.id
        was, now = message.migrate_from_chat_id or chat, message.migrate_to_chat_id or chat
        ticket = self.sender.gates.queue(place)
        async with self.sender.gates.inside(ticket, place, f"move-{message.message_id}"):
            await self.sender.move(was, now)

    async def _put_off(self, message: Message, heard: Heard, place: Place) -> bool:
        """Keep a message that came while we were away, to be named only; return whether it did."""
        if not is_old(heard.at, self.clock.now()):
            return False
        await self.desk.overhear(heard)
        if (
            await self._is_for_us(message, heard)
            and heard.text
            and await self.desk.is_open(heard.spot, heard.speaker)
        ):
            self.missed.note(place, heard.text, self.desk.exchange.reception.spoken(heard.speaker))
        return True

    async def _hear(self, message: Message, heard: Heard, place: Place) -> None:
        room = self._room(place)
        reply = self.desk.exchange.reply_in(room, heard.speaker, heard.spot, heard.message)
        if not await self._is_for_us(message, heard):
            await self._overhear(message, heard, reply)
            return
        await self._log_stranger(heard)
        if not _pairs(heard.text) and not await self._may_be_told(heard):
            return
        if voice_of(message) is not None:
            found = await self._listen(message, heard, reply)
            if found is None:
                return
            heard = found
        found = await self._with_files(heard, reply)
        if found is None or (is_anonymous(message) and await self._explains_anonymity(found, reply)):
            return
        is_own = await self.scenes.save(message, found, reply) or await self.topics.open(found, place, reply)
        if not is_own:
            await self.answer(found, reply, place)
        await self._explain_privacy(found, reply)

    async def answer(self, heard: Heard, reply: RoomReply, place: Place) -> None:
        """Answer a message for us, or ask for what its command lacks."""
        if is_command(heard.text) or heard.answers:
            is_start = heard.text.lower().startswith("/start")
            asker = None if is_start else await self.desk.asker(heard.speaker, heard.spot, reply)
            if asker is not None:
                heard = await self.dialogue.answered(heard, asker) or heard
                if await self.dialogue.asks(heard, asker, TelegramRoom(self.sender, place)):
                    return
        if not heard.original:  # words that were not typed here decide no card
            heard = replace(heard, answers="")
        if heard.answers and plain_answer(heard.text) is not None:
            await self.cards.is_noted(heard.answers)
        await self.desk.hear(heard, reply)
        await self.status.refresh(place, heard.speaker, heard.spot)

    async def _is_for_us(self, message: Message, heard: Heard) -> bool:
        if is_for_another(heard.text, self.me):
            return False
        if heard.spot.private:
            return True
        if is_command(heard.text):
            return _names_ours(heard.text)
        return is_addressed(message, self.me) or await self.desk.is_addressed_here(heard.spot)

    async def _log_stranger(self, heard: Heard) -> None:
        """Tell the log once who is not let in, so that the operator knows the numbers."""
        speaker, spot = heard.speaker.user, heard.spot
        if speaker not in self.strangers and not await self.desk.is_open(spot, heard.speaker):
            self.strangers.add(speaker)
            logger.warning("not let in", extra={"person": speaker, "chat": spot.chat or "their private one"})

    async def _may_be_told(self, heard: Heard) -> bool:
        """Tell whether an answer may stand here: nobody who is not let in makes us speak among others."""
        return heard.spot.private or await self.desk.is_open(heard.spot, heard.speaker)

    async def _overhear(self, message: Message, heard: Heard, reply: RoomReply) -> None:
        if is_command(heard.text):
            return
        await self.desk.overhear(heard)
        if holds_names(heard.text):
            await self.desk.inline(heard, reply)

    async def _listen(self, message: Message, heard: Heard, reply: RoomReply) -> Heard | None:
        """Return a voice note as the text that was heard in it, None (after that was said) without one."""
        asker = await self.desk.asker(heard.speaker, heard.spot, reply)
        voice = voice_of(message)
        if asker is None or voice is None:
            return None
        if self.transcriber is None:
            await reply.show(Said(markdown=say(asker.language, "telegram.deaf")))
            return None
        try:
            content = await self.desk.exchange.rooms.fetch(voice, MAX_FILE)
            text = await self.transcriber.text_of(voice.name, content, asker.language)
        except ChatError as error:
            logger.info("voice note not fetched", extra={"reason": error.reason})
            text = ""
        key = "telegram.heard" if text else "telegram.unheard"
        await reply.show(Said(markdown=say(asker.language, key, text=text)))
        return replace(heard, text=text, original=False) if text else None

    async def _with_files(self, heard: Heard, reply: RoomReply) -> Heard | None:
        """Return the message without files that Telegram gives no bot, None where nothing else is left."""
        too_large = [file for file in heard.files if file.size > MAX_FILE]
        if not too_large:
            return heard
        asker = await self.desk.asker(heard.speaker, heard.spot, reply)
        if asker is None:
            return None
        for file in too_large:
            await reply.show(Said(markdown=say(asker.language, "telegram.too_large", name=file.name)))
        kept = tuple(file for file in heard.files if file not in too_large)
        return replace(heard, files=kept) if heard.text or kept else None

    async def _explains_anonymity(self, heard: Heard, reply: RoomReply) -> bool:
        """Say to an anonymous administrator, once a chat, what that means; return whether they may not go on.

        A yes or no to a card is explained each time.
        """
        decides = bool(heard.answers) and plain_answer(heard.text) is not None
        key = f"anonymous/{heard.spot.key}"
        if decides or await self.sender.chat.noted(PLATFORM, key) is None:
            await self.sender.chat.note(PLATFORM, key, "said")
            language = self.desk.exchange.reception.language
            await reply.show(Said(markdown=say(language, "telegram.anonymous")))
        return decides

    async def _explain_privacy(self, heard: Heard, reply: RoomReply) -> None:
        """Say once in a group that was let in what we see there while privacy mode is on."""
        chat, key = heard.spot.chat, f"privacy/{heard.spot.chat}"
        if chat is None or self.me.can_read_all_group_messages:
            return
        if await self.sender.chat.noted(PLATFORM, key) is not None:
            return
        if not await self.desk.is_open(heard.spot, heard.speaker):
            return
        await self.sender.chat.note(PLATFORM, key, "said")
        if not await self.sender.is_administrator(int(chat)):
            language = self.desk.exchange.reception.spoken(heard.speaker)
            await reply.show(Said(markdown=say(language, "telegram.privacy")))

    def _room(self, place: Place) -> "Room[object]":
        return cast("Room[object]", TelegramRoom(self.sender, place))


def _is_at_once(text: str) -> bool:
    first = text.partition(" ")[0].partition("@")[0].lower()
    return first in _AT_ONCE


def _pairs(text: str) -> bool:
    """Tell whether a text is the command that brings the console's code."""
    return text.lower().startswith("/start") and len(text.split()) > 1


def _names_ours(text: str) -> bool:
    """Tell whether a bare command is one of ours; one with our name behind it is, even if it is wrong."""
    first = text.strip().partition(" ")[0].removeprefix("/")
    name, _, bot = first.partition("@")
    return bool(bot) or name.lower() in _OURS
