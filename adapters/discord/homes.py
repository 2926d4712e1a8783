"""By which server somebody is let in when they write to us alone: one in which they are, and talked to us."""

import logging
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import discord

from adapters.chat.model import Spot
from adapters.chat.room import ChatError
from adapters.discord.refusal import limited, refusals
from adapters.discord.spots import PLATFORM, private_spot
from agent_core.clock import Clock
from agent_core.conversation.store import ChatStore
from agent_core.people.model import Admission, Door
from agent_core.people.store import OperatorStore

BELIEVED = timedelta(minutes=10)
"""How long somebody is taken to be in a server after it was looked up."""

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Homes:
    """Remembers per person the server in which they talked to us last."""

    client: discord.Client
    store: ChatStore
    operators: OperatorStore
    clock: Clock
    _known: dict[int, str] = field(default_factory=dict)
    _checked: dict[int, datetime] = field(default_factory=dict)

    async def seen(self, user: int, guild: discord.Guild) -> None:
        """Note that somebody talked to us in a server; one that was not let in is no home."""
        server = str(guild.id)
        if self._known.get(user) == server:
            return
        if Admission(PLATFORM, Door.SERVER, server) in await self.operators.admissions(PLATFORM):
            self._known[user] = server
            await self.store.note(PLATFORM, _key(user), server)

    async def private_spot(self, channel: int, user: int) -> Spot:
        """Return the spot of somebody's private chat, with the server that they are of."""
        return replace(private_spot(channel), server=await self._home(user))

    async def _home(self, user: int) -> str | None:
        home = self._known.get(user) or await self.store.noted(PLATFORM, _key(user))
        if home is None or not await self._is_still_in(user, int(home)):
            return None
        self._known[user] = home
        return home

    async def _is_still_in(self, user: int, server: int) -> bool:
        now = self.clock.now()
        if user in self._checked and now - self._checked[user] < BELIEVED:
            return True
        guild = self.client.get_guild(server)
        if guild is None:
            return False
        try:
            with refusals():
                async with limited():
                    await guild.fetch_member(user)
        except ChatError as error:
            logger.info("not of the server", extra={"reason": error.reason})
            return False
        self._checked[user] = now
        return True


def _key(user: int) -> str:
    return f"home:{user}"
