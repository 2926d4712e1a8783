"""The bot's life on Discord: its events, each carried out in a task of its own."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import discord

from adapters.chat.desk import Desk
from adapters.chat.model import Heard, Reacted, Spot
from adapters.chat.replying import RoomReply
from adapters.chat.room import ChatError
from adapters.discord.border import Works
from adapters.discord.gate import Gate, missing_right
from adapters.discord.homes import Homes
from adapters.discord.inbound import (
    calls_us,
    edited_text,
    heard_of,
    is_said,
    names_entries,
    speaker_of,
)
from adapters.discord.interactions import Interactions
from adapters.discord.lanes import Lanes, LetPass
from adapters.discord.marks import Marks, is_recent
from adapters.discord.place import DiscordSettings, wanted_intents
from adapters.discord.refusal import limited, refusals
from adapters.discord.roles import Roles
from adapters.discord.rooms import DiscordRooms
from adapters.discord.spots import PLATFORM, find_channel, spot_of
from adapters.surface import Said
from agent_core.texts import say

STORED_WITHIN_S = 2.0
"""After that the next message is let pass, stored or not."""
LOOKS_EVERY_S = 0.02

logger = logging.getLogger(__name__)


class LoreClient(discord.Client):
    """Hands what happens on Discord to the desk."""

    def __init__(
        self,
        desk: Desk,
        rooms: DiscordRooms,
        settings: DiscordSettings,
        works: Works,
        *,
        content: bool,
    ) -> None:
        super().__init__(
            intents=wanted_intents(content=content),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            max_ratelimit_timeout=300.0,
            guild_ready_timeout=settings.settled_s,
        )
        self._desk = desk
        self._rooms = rooms
        self._start = works.start
        self._is_kept = False
        self._lanes = Lanes()
        self._gate = Gate(settings.allowed_bots)
        self.marks = Marks(desk.exchange.core.chat)
        core = desk.exchange.core
        operators = desk.exchange.reception.pairing.operators
        self._homes = Homes(client=self, store=core.chat, operators=operators, clock=core.runtime.clock)
        self._roles = Roles(desk)
        self.interactions = Interactions(self, desk, rooms, works, self._homes, self._roles, content=content)

    @property
    def me(self) -> discord.ClientUser:
        """Who we are, once logged in."""
        assert self.user is not None  # noqa: S101  events come after the log-in only
        return self.user

    async def setup_hook(self) -> None:
        await self.interactions.set_up()

    async def on_ready(self) -> None:
        logger.info("discord is ready", extra={"servers": len(self.guilds)})
        self.interactions.wake()
        self._start(self._catch_up())
        if not self._is_kept:
            self._is_kept = True
            self._start(self._desk.catch_up())
            self._start(self._desk.keep())

    async def on_guild_join(self, guild: discord.Guild) -> None:
        self.interactions.wake()

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        await self.interactions.take(interaction)

    async def on_message(self, message: discord.Message) -> None:
        if message.author.id != self.me.id and is_said(message):
            self._start(self._message(message))

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        message = payload.message
        if message.author.id == self.me.id:
            return
        text = edited_text(message, self.me)
        if text is not None:
            self._start(self._amended(_bare_spot(payload), payload.message_id, text))

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        self._start(self._amended(_bare_spot(payload), payload.message_id, None))

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        for message in sorted(payload.message_ids):
            self._start(self._amended(_bare_spot(payload), message, None))

    async def _amended(self, spot: Spot, message: int, text: str | None) -> None:
        async with self._lanes.turn_in(int(spot.key)):
            await self._desk.amend(spot, str(message), text)

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        self._reaction(payload, added=True)

    async def on_raw_reaction_remove(self, payload: discord.RawReactionActionEvent) -> None:
        self._reaction(payload, added=False)

    def _reaction(self, payload: discord.RawReactionActionEvent, *, added: bool) -> None:
        if payload.user_id != self.me.id and not (payload.member is not None and payload.member.bot):
            self._start(self._reacted(payload, added=added))

    async def _reacted(self, payload: discord.RawReactionActionEvent, *, added: bool) -> None:
        ref = f"{payload.channel_id}/{payload.message_id}"
        if await self._desk.exchange.core.chat.card_at(PLATFORM, ref) is None:
            return
        person = payload.member or self.get_user(payload.user_id) or await self._fetched(payload.user_id)
        private = payload.guild_id is None
        spot = await self._spot(payload.channel_id, payload.user_id, private=private)
        reacted = Reacted(
            emoji=payload.emoji.name if payload.emoji.id is None else f":{payload.emoji.name}:",
            added=added,
            speaker=speaker_of(person),
            spot=spot,
            ref=ref,
        )
        await self._roles.join(reacted.speaker, spot)
        room = self._rooms.room_in(payload.channel_id, self._guild(payload.guild_id))
        reply = self._desk.exchange.reply_in(room, reacted.speaker, spot, str(payload.message_id))
        await self._desk.react(reacted, reply)

    async def _message(self, message: discord.Message, *, is_missed: bool = False) -> None:
        """Take a message; whatever comes of it, it is not taken again. One that was cut off is."""
        if not self._gate.lets_in(message, self.me):
            return
        self.marks.begin(message.channel.id, message.id)
        try:
            await self._take(message, is_missed=is_missed)
        except Exception:
            self.marks.read(message.channel.id, message.id)
            raise
        self.marks.read(message.channel.id, message.id)

    async def _take(self, message: discord.Message, *, is_missed: bool) -> None:
        """Carry out what addresses us, keep the rest as context."""
        async with self._lanes.turn_in(message.channel.id) as let_pass:
            spot = await self._spot_of(message)
            heard = heard_of(message, spot, self.me)
            await self._roles.join(heard.speaker, spot)
            if calls_us(message, self.me) or await self._desk.is_addressed_here(spot):
                await self._hear(message, heard, let_pass)
                return
            await self._desk.overhear(heard)
        if names_entries(message) and not is_missed:
            await self._desk.inline(heard, self._reply(message, heard))

    async def _hear(self, message: discord.Message, heard: Heard, let_pass: LetPass) -> None:
        lacks = missing_right(self.get_channel(message.channel.id))
        if lacks is not None:
            await self._say_lack(lacks, heard)
            return
        reply = self._reply(message, heard, lambda: self._let_pass_when_stored(heard, let_pass))
        await self._desk.hear(heard, reply)
        if heard.text.startswith("/help") and not self.intents.message_content:
            await reply.show(Said(markdown=say(reply.language, "discord.no_content")))

    def _reply(
        self, message: discord.Message, heard: Heard, begun: Callable[[], None] = lambda: None
    ) -> RoomReply:
        room = self._rooms.room_in(message.channel.id, message.guild)
        return self._desk.reply_in(replace(room, begun=begun), heard)

    def _let_pass_when_stored(self, heard: Heard, let_pass: LetPass) -> None:
        self._start(self._let_pass(heard, let_pass))

    async def _let_pass(self, heard: Heard, let_pass: LetPass) -> None:
        """Let what arrived later pass as soon as a message is stored; a decision in words never is."""
        with suppress(TimeoutError):
            async with asyncio.timeout(STORED_WITHIN_S):
                while not await self._is_stored(heard):  # noqa: ASYNC110  a database
                    await asyncio.sleep(LOOKS_EVERY_S)
                self.marks.read(int(heard.spot.key), int(heard.message))
        let_pass()

    async def _is_stored(self, heard: Heard) -> bool:
        core = self._desk.exchange.core
        place = await core.askers.conversations.conversation_in(PLATFORM, heard.spot.key)
        return place is not None and await core.runtime.turns.said(place.id, "", heard.message) is not None

    async def _say_lack(self, key: str, heard: Heard) -> None:
        """Tell the person once and in private what we lack to answer them there."""
        is_open = await self._desk.is_open(heard.spot, heard.speaker)
        if not is_open or not self._rooms.once(f"{key}:{heard.spot.key}"):
            return
        logger.warning("can't answer", extra={"channel": heard.spot.key, "missing": key})
        room = await self._rooms.private_room(heard.speaker.user)
        language = self._desk.exchange.reception.spoken(heard.speaker)
        if room is not None:
            for part in room.parts(
                Said(markdown=say(language, key, place=heard.spot.title)), language, final=True
            ):
                await room.send(part)

    async def _catch_up(self) -> None:
        """Take what was said while we were away, in all channels beside each other."""
        async for messages in self.marks.missed(self):
            self._start(self._catch_up_in(messages))

    async def _catch_up_in(self, messages: Sequence[discord.Message]) -> None:
        """Take what was missed in a channel: recent questions are answered, old ones named."""
        said = [one for one in messages if one.author.id != self.me.id and is_said(one)]
        now = self._desk.exchange.core.runtime.clock.now()
        try:
            old = [one for one in said if not is_recent(one, now) and await self._keep_old(one)]
        finally:
            for message in said:
                if is_recent(message, now):
                    self._start(self._message(message, is_missed=True))
        if old:
            await self._name_old(old)

    async def _keep_old(self, message: discord.Message) -> bool:
        """Keep a missed message as context; return whether it addressed us."""
        if not self._gate.lets_in(message, self.me):
            return False
        spot = await self._spot_of(message)
        heard = heard_of(message, spot, self.me)
        await self._desk.overhear(heard)
        self.marks.read(message.channel.id, message.id)
        is_ours = calls_us(message, self.me) or await self._desk.is_addressed_here(spot)
        return is_ours and await self._desk.is_open(spot, heard.speaker)

    async def _name_old(self, messages: list[discord.Message]) -> None:
        room = self._rooms.room_in(messages[0].channel.id, messages[0].guild)
        links = " ".join(message.jump_url for message in messages[-10:])
        text = say(self._desk.exchange.reception.language, "discord.missed", n=len(messages), links=links)
        for part in room.parts(Said(markdown=text), room.language, final=True):
            await room.send(part, silent=True)

    async def _spot_of(self, message: discord.Message) -> Spot:
        if message.guild is not None:
            await self._homes.seen(message.author.id, message.guild)
        private = isinstance(message.channel, discord.DMChannel)
        return await self._spot(message.channel.id, message.author.id, private=private)

    async def _spot(self, channel_id: int, user: int, *, private: bool) -> Spot:
        if private:
            return await self._homes.private_spot(channel_id, user)
        spot = spot_of(await find_channel(self, channel_id))
        if spot is None:
            raise ChatError("gone", str(channel_id))
        return spot

    async def _fetched(self, user: int) -> discord.User:
        with refusals():
            async with limited():
                return await self.fetch_user(user)

    def _guild(self, guild_id: int | None) -> discord.Guild | None:
        return self.get_guild(guild_id) if guild_id is not None else None


def _bare_spot(
    payload: discord.RawMessageUpdateEvent
    | discord.RawMessageDeleteEvent
    | discord.RawBulkMessageDeleteEvent,
) -> Spot:
    return Spot(platform=PLATFORM, key=str(payload.channel_id), private=payload.guild_id is None)
