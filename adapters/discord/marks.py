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

FLUSH_EVERY_S = 5.0
MOST_MISSED = 50
"""Of what was missed in a channel, so many of the newest messages are read."""
ANSWERED_WITHIN = timedelta(hours=1)
"""What addressed us longer ago is kept and named, not answered."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Marks:
    """Remembers the newest message read per channel; written down every few seconds and at the end."""

    store: ChatStore
    _fresh: dict[int, int] = field(default_factory=dict)

    def read(self, channel: int, message: int) -> None:
        """Note that a message was taken."""
        self._fresh[channel] = max(message, self._fresh.get(channel, 0))

    async def flush(self) -> None:
        """Write down how far was read."""
        fresh, self._fresh = self._fresh, {}
        for channel, message in fresh.items():
            await self.store.note(PLATFORM, _key(channel), str(message))

    async def keep(self) -> None:
        """Flush until cancelled, and once more then."""
        try:
            while True:
                await asyncio.sleep(FLUSH_EVERY_S)
                await self.flush()
        finally:
            await asyncio.shield(self.flush())

    async def missed(self, client: discord.Client) -> AsyncIterator[list[discord.Message]]:
        """Yield, per linked channel where something was said since its mark, the missed messages in order."""
        for place in await self.store.places(PLATFORM):
            mark = await self.store.noted(PLATFORM, _key(int(place.place))) if place.place.isdigit() else None
            if mark is None:
                continue
            try:
                messages = await self._since(client, int(place.place), int(mark))
            except ChatError as error:
                logger.info("not caught up", extra={"channel": place.place, "reason": error.reason})
                continue
            if messages:
                yield messages

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
