"""How far each channel was read, so that what was said while we were away is found again, once."""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import discord

from adapters.chat.room import ChatError
from adapters.discord.refusal import limited, refusals
from adapters.discord.spots import PLATFORM, find_channel
from agent_core.conversation.store import ChatStore
from agent_core.errors import LoreKeeperError

FLUSH_EVERY_S = 5.0
MOST_MISSED = 50
"""Of what was missed in a channel, so many of the newest messages are read."""
ANSWERED_WITHIN = timedelta(hours=1)
"""What addressed us longer ago is kept and named, not answered."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Channel:
    """`newest` is what was read last, `taking` what is not stored yet, `beyond` what was read past that."""

    newest: int = 0
    written: int = 0
    taking: set[int] = field(default_factory=set)
    beyond: set[int] = field(default_factory=set)

    @property
    def mark(self) -> int:
        return min(self.taking) - 1 if self.taking else self.newest


@dataclass(slots=True)
class Marks:
    """Remembers up to where each channel was read; written down every few seconds and at the end.

    A mark never passes a message that is not stored yet, so that a crash loses none.
    """

    store: ChatStore
    every_s: float = FLUSH_EVERY_S
    _channels: dict[int, _Channel] = field(default_factory=dict)

    def begin(self, channel: int, message: int) -> None:
        """Note that a message is being taken."""
        self._channels.setdefault(channel, _Channel()).taking.add(message)

    def read(self, channel: int, message: int) -> None:
        """Note that a message was taken."""
        known = self._channels.setdefault(channel, _Channel())
        known.newest = max(message, known.newest)
        known.taking.discard(message)
        known.beyond.add(message)
        known.beyond = {one for one in known.beyond if one > known.mark}

    def is_taken(self, channel: int, message: int) -> bool:
        """Tell whether a message beyond the mark is being taken, or was."""
        known = self._channels.get(channel)
        return known is not None and message in known.taking | known.beyond

    async def flush(self) -> None:
        """Write down how far was read.

        Raises:
            StoreFailure: what was not written is, the next time.
        """
        for channel, known in list(self._channels.items()):
            mark = known.mark
            if mark != known.written:
                await self.store.note(PLATFORM, _key(channel), str(mark))
                known.written = mark
            if not known.taking and known.newest == known.written:
                self._channels.pop(channel, None)

    async def keep(self) -> None:
        """Flush until cancelled, and once more then."""
        try:
            while True:
                await asyncio.sleep(self.every_s)
                await self._flush_if_possible()
        finally:
            await asyncio.shield(self._flush_if_possible())

    async def missed(self, client: discord.Client) -> AsyncIterator[list[discord.Message]]:
        """Yield, per linked channel where something was said since its mark, the missed messages in order."""
        await self.flush()
        for place in await self.store.places(PLATFORM):
            mark = await self.store.noted(PLATFORM, _key(int(place.place))) if place.place.isdigit() else None
            if mark is None:
                continue
            try:
                messages = await self._since(client, int(place.place), int(mark))
            except ChatError as error:
                logger.info("not caught up", extra={"channel": place.place, "reason": error.reason})
                continue
            fresh = [one for one in messages if not self.is_taken(one.channel.id, one.id)]
            if fresh:
                yield fresh

    async def _flush_if_possible(self) -> None:
        try:
            await self.flush()
        except LoreKeeperError:
            logger.warning("how far was read is not written down", exc_info=True)

    async def _since(self, client: discord.Client, channel_id: int, mark: int) -> list[discord.Message]:
        known = client.get_channel(channel_id)
        last = getattr(known, "last_message_id", None)
        if last is not None and last <= mark:
            return []
        channel = known or await find_channel(client, channel_id)
        if not isinstance(channel, discord.abc.Messageable):
            return []
        with refusals():
            async with limited():
                newest_first = [
                    message
                    async for message in channel.history(
                        limit=MOST_MISSED, after=discord.Object(id=mark), oldest_first=False
                    )
                ]
        return newest_first[::-1]


def is_recent(message: discord.Message, now: datetime) -> bool:
    """Tell whether a missed message is still worth an answer."""
    return now - message.created_at <= ANSWERED_WITHIN


def _key(channel: int) -> str:
    return f"read:{channel}"
