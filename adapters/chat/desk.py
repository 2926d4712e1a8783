"""The front desk of a chat platform: what a message, command, press or reaction does, once for all."""

import asyncio
import logging
import re
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from uuid import UUID, uuid5

from adapters.chat.bringing import Bringing
from adapters.chat.controls import ADDRESSED, Controls
from adapters.chat.deciding import Deciding
from adapters.chat.exchange import Exchange
from adapters.chat.keeping import Keeping
from adapters.chat.looking import Looking
from adapters.chat.model import Called, Heard, Pressed, Reacted, Speaker, Spot
from adapters.chat.pressing import Pressing
from adapters.chat.reading import Reading
from adapters.chat.replying import RoomReply
from adapters.chat.room import Reply, Room
from adapters.chat.scheduled import RoomOutlet
from adapters.chat.suggestions import Suggestion, Suggestions
from adapters.commands import BY_NAME, CommandError, Control, ParsedCommand, is_command, parse
from adapters.commands.parse import build
from adapters.scheduled import is_open
from adapters.surface import Said
from agent_core.errors import LoreKeeperError
from agent_core.llm.surrogates import mend
from agent_core.texts import say
from agent_core.tools.spec import Asker
from agent_core.turn.model import Incoming
from agent_core.turn.plain_words import plain_answer

MOST_INLINE = 3
_INLINE = re.compile(r"\[\[([^\[\]\n@]{1,80})(?:@([^\[\]\n]{1,40}))?\]\]")
_START = re.compile(r"/start(?:@\w+)?(?:\s+(.*))?", re.DOTALL | re.IGNORECASE)
_HELP = re.compile(r"/help(?:@\w+)?(?:\s.*)?", re.DOTALL | re.IGNORECASE)
_IMPORT = re.compile(r"/import(?:@\w+)?(?:\s.*)?", re.DOTALL | re.IGNORECASE)
_COMMANDS = UUID("0f7e2f0c-6f0e-4c36-9a7b-2a64c0a2c3d5")  # makes the id of a command's batch of its delivery
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Desk:
    """Takes what people do on one platform. No verb raises: what goes wrong is said to the person."""

    exchange: Exchange

    async def hear(self, heard: Heard, reply: Reply, *, deep: bool = False) -> None:
        """Take a message that addresses us, or a typed command."""
        heard = replace(heard, text=mend(heard.text).strip())
        await self._explained(self._hear(heard, reply, deep=deep), heard.speaker, heard.spot, reply)

    async def inline(self, heard: Heard, reply: Reply) -> None:
        """Answer the `[[names]]` in a message that does not address us, at most three."""
        await self._explained(self._inline(heard, reply), heard.speaker, heard.spot, reply)

    async def overhear(self, heard: Heard) -> None:
        """Keep what was said besides as context of the next question. It starts nothing."""
        if await self.is_open(heard.spot, heard.speaker) and heard.text.strip():
            asker = await self.exchange.reception.seat(heard.speaker, heard.spot)
            said = replace(heard, text=mend(heard.text))
            await self._reading.overhear(said, asker.conversation.id)

    async def amend(self, spot: Spot, message: str, text: str | None) -> None:
        """Take note of an edited (None: deleted) message."""
        core = self.exchange.core
        place = await core.askers.conversations.conversation_in(spot.platform, spot.key)
        if place is not None:
            await core.amend(place.id, message, text)

    async def call(self, called: Called, reply: Reply) -> None:
        """Carry out a command that was filled in as a form."""
        await self._explained(self._call(called, reply), called.speaker, called.spot, reply)

    async def press(self, pressed: Pressed, reply: Reply) -> None:
        """Carry out the press of a button; one that is not known any more is answered, too."""
        await self._explained(self._press(pressed, reply), pressed.speaker, pressed.spot, reply)

    async def react(self, reacted: Reacted, reply: Reply) -> None:
        """Carry out a reaction at a card; any other is none of ours."""
        await self._explained(self._react(reacted, reply), reacted.speaker, reacted.spot, reply)

    async def suggest(
        self,
        command: str,
        option: str,
        typed: str,
        others: Mapping[str, str],
        speaker: Speaker,
        spot: Spot,
    ) -> Sequence[Suggestion]:
        """Return what fits an option while it is typed: (label, value), at most 25."""
        if not await self.is_open(spot, speaker):
            return ()
        asker = await self.exchange.reception.seat(speaker, spot)
        try:
            return await Suggestions(self.exchange.core).of(command, option, typed, others, asker)
        except LoreKeeperError:
            return ()

    async def asker(self, speaker: Speaker, spot: Spot, reply: Reply) -> Asker | None:
        """Return who this is in this place, None (after it was said) where they are not heard."""
        if not await self.is_open(spot, speaker):
            await self._refuse_stranger(speaker, reply)
            return None
        return await self.exchange.reception.seat(speaker, spot)

    async def is_open(self, spot: Spot, speaker: Speaker) -> bool:
        """Return whether this person is heard here."""
        return await self.exchange.reception.is_open(speaker, spot)

    async def is_addressed_here(self, spot: Spot) -> bool:
        """Return whether every message here is for us: in private, or where it was set so."""
        if spot.private:
            return True
        core = self.exchange.core
        place = await core.askers.conversations.conversation_in(spot.platform, spot.key)
        if place is None:
            return False
        return await core.chat.noted(spot.platform, f"{ADDRESSED}:{place.id}") == "all"

    async def address_here(self, spot: Spot, speaker: Speaker) -> None:
        """Take every message in a place for us from now on: a thread that we opened for a book."""
        asker = await self.exchange.reception.seat(speaker, spot)
        await self.exchange.core.chat.note(spot.platform, f"{ADDRESSED}:{asker.conversation.id}", "all")

    async def has_book(self, spot: Spot) -> bool:
        """Return whether the place, or one that it takes its book over from, is linked to a series."""
        for key in (spot.key, *spot.parents):
            place = await self.exchange.core.askers.conversations.conversation_in(spot.platform, key)
            if place is not None and place.series is not None:
                return True
        return False

    async def catch_up(self) -> None:
        """Finish what a crash left open; `keep` shows what came of it."""
        await Keeping(self.exchange).recover()

    async def keep(self) -> None:
        """Keep cards and owed answers up to date, and scheduled runs shown, until cancelled."""
        exchange = self.exchange
        with is_open(RoomOutlet(exchange), exchange.outlets, exchange.rooms.platform):
            await Keeping(exchange).run()

    def reply_in(self, room: Room[object], heard: Heard) -> RoomReply:
        """Return the reply to a message by messages in its room."""
        return self.exchange.reply_in(room, heard.speaker, heard.spot, heard.message)

    async def _hear(self, heard: Heard, reply: Reply, *, deep: bool) -> None:
        start = _START.fullmatch(heard.text)
        if start is not None or _HELP.fullmatch(heard.text):
            code = (start[1] or "").strip() if start is not None else ""
            if code or not await self.is_open(heard.spot, heard.speaker):
                await self._controls.start(heard.speaker, code, reply)
                return
            if start is not None:
                heard = replace(heard, text="/help")
        asker = await self.asker(heard.speaker, heard.spot, reply)
        if asker is None:
            return
        if _IMPORT.fullmatch(heard.text):
            batch_id = _batch_of(heard.spot, heard.update)
            await self._bringing.bring(heard, asker, reply, batch_id=batch_id)
        elif is_command(heard.text):
            await self._command(parse(heard.text), heard, asker, reply)
        elif not heard.text and not heard.files:
            await reply.show(Said(markdown=say(asker.language, "chat.called")))
        elif heard.answers and await self._answered_card(heard, asker, reply):
            pass
        else:
            await self._ask(heard, asker, reply, deep=deep)

    async def _command(
        self, command: ParsedCommand | Control, heard: Heard, asker: Asker, reply: Reply
    ) -> None:
        if isinstance(command, Control):

            async def ask(question: str, deep: bool) -> None:
                await self._ask(replace(heard, text=question), asker, reply, deep=deep)

            await self._controls.carry_out(command, asker, reply, ask)
            return
        command = replace(command, complete=command.complete and heard.original)
        await self._looking.carry_out(command, asker, reply, batch_id=_batch_of(heard.spot, heard.update))

    async def _call(self, called: Called, reply: Reply) -> None:
        if called.name == "start":
            await self._controls.start(called.speaker, called.options.get("code", ""), reply)
            return
        asker = await self.asker(called.speaker, called.spot, reply)
        if asker is None:
            return
        command = build(BY_NAME[called.name], called.options)
        if isinstance(command, ParsedCommand):
            batch_id = _batch_of(called.spot, called.update)
            await self._looking.carry_out(command, asker, reply, private=called.private, batch_id=batch_id)
            return
        heard = Heard(
            update=called.update,
            message=called.update,
            speaker=called.speaker,
            spot=called.spot,
            text="",
            at=self.exchange.core.runtime.clock.now(),
        )
        await self._command(command, heard, asker, reply)

    async def _ask(self, heard: Heard, asker: Asker, reply: Reply, *, deep: bool) -> None:
        core = self.exchange.core
        incoming = Incoming(
            platform=heard.spot.platform,
            update=heard.update,
            message=heard.message,
            person=asker.person.id,
            conversation=asker.conversation.id,
            text=heard.text,
            at=heard.at,
            context=await self._reading.context(heard, asker),
            original=heard.original,
        )
        await self.exchange.drive(lambda emit: core.handle(incoming, asker, emit, deep=deep), reply, asker)

    async def _answered_card(self, heard: Heard, asker: Asker, reply: Reply) -> bool:
        """Take a plain yes or no in answer to a card; return whether the message was that."""
        approve = plain_answer(heard.text)
        shown = await self.exchange.core.chat.card_at(heard.spot.platform, heard.answers)
        batch = await self.exchange.core.batch(shown.batch) if shown and approve is not None else None
        if batch is None:
            return False
        await self._deciding.said(batch, heard.answers, asker, reply, approve=approve is True)
        return True

    async def _inline(self, heard: Heard, reply: Reply) -> None:
        if not await self.is_open(heard.spot, heard.speaker):
            return
        asker = await self.exchange.reception.seat(heard.speaker, heard.spot)
        named = dict.fromkeys(_INLINE.findall(heard.text))
        for name, place in list(named)[:MOST_INLINE]:
            command = build(BY_NAME["lore"], {"entity": name.strip(), "at": place.strip()})
            if isinstance(command, ParsedCommand):
                await self._looking.carry_out(command, asker, reply)

    async def _press(self, pressed: Pressed, reply: Reply) -> None:
        asker = await self.asker(pressed.speaker, pressed.spot, reply)
        if asker is not None:
            await Pressing(self.exchange).take(pressed, asker, reply)

    async def _react(self, reacted: Reacted, reply: Reply) -> None:
        core = self.exchange.core
        shown = await core.chat.card_at(reacted.spot.platform, reacted.ref)
        batch = await core.batch(shown.batch) if shown is not None else None
        if batch is None or not await self.is_open(reacted.spot, reacted.speaker):
            return
        asker = await self.exchange.reception.seat(reacted.speaker, reacted.spot)
        await self._deciding.reacted(reacted, batch, asker, reply)

    async def _refuse_stranger(self, speaker: Speaker, reply: Reply) -> None:
        """Tell somebody who is not heard so, once and in private."""
        if await self.exchange.reception.is_news(speaker):
            await self._controls.start(speaker, "", reply)

    async def _explained(
        self, work: Coroutine[object, object, None], speaker: Speaker, spot: Spot, reply: Reply
    ) -> None:
        """Do the work; say in the person's language what was refused or went wrong."""
        with closing(work):  # it is never begun where we are cancelled before
            language = await self._language(speaker, spot)
            try:
                await work
            except CommandError as error:
                await reply.show(Said(markdown=error.text(language)))
            except LoreKeeperError as error:
                await self.exchange.refused(error, reply, language)
            except asyncio.CancelledError:
                raise
            except Exception:  # the border to a platform: one message that goes wrong stops no other
                logger.exception("exchange failed")
                await reply.show(Said(markdown=say(language, "error.internal")))

    async def _language(self, speaker: Speaker, spot: Spot) -> str:
        try:
            conversations = self.exchange.core.askers.conversations
            place = await conversations.conversation_in(spot.platform, spot.key)
        except LoreKeeperError:
            place = None
        return place.language if place is not None else self.exchange.reception.spoken(speaker)

    @property
    def _controls(self) -> Controls:
        return Controls(self.exchange)

    @property
    def _looking(self) -> Looking:
        return Looking(self.exchange)

    @property
    def _deciding(self) -> Deciding:
        return Deciding(self.exchange)

    @property
    def _bringing(self) -> Bringing:
        return Bringing(self.exchange, self.exchange.core.askers.uploads)

    @property
    def _reading(self) -> Reading:
        return Reading(self.exchange.core, self.exchange.rooms)


def _batch_of(spot: Spot, update: str) -> str:
    """Return the id of the batch that a command's delivery makes: the same delivery never makes two."""
    return str(uuid5(_COMMANDS, f"{spot.platform}:{update}"))
