"""What has to reach a place although nobody is just talking there: owed answers, cards, notices."""

import asyncio
import logging
from dataclasses import dataclass

from adapters.chat.exchange import Exchange
from adapters.chat.room import ChatError, Room
from adapters.surface import Said
from agent_core.conversation.model import Audience, Conversation
from agent_core.errors import LoreKeeperError
from agent_core.texts import say
from agent_core.turn.model import Owed

EVERY_S = 2.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Keeping:
    """Brings up to date what one platform's places show. Places in which a turn is just shown are left."""

    exchange: Exchange

    async def run(self) -> None:
        """Keep on until cancelled."""
        while True:
            try:
                await self.once()
            except LoreKeeperError:  # a store that fails now may work again
                logger.exception("places not kept up to date")
            await asyncio.sleep(EVERY_S)

    async def once(self) -> None:
        """Close what is due, and show what is owed or has changed."""
        core = self.exchange.core
        await core.expire()
        await self.exchange.board.refresh_stale()
        for owed in await core.owed():
            await self._deliver(owed)
        for batch in await core.chat.unshown_batches(self.exchange.rooms.platform):
            await self._ask(batch)

    async def _deliver(self, owed: Owed) -> None:
        place = await self._quiet_place(owed.conversation)
        if place is None:
            return
        room = await self._room(place)
        repeated = f"{say(place.language, 'answer.repeat')}\n\n{owed.text}" if owed.repeat else owed.text
        try:
            if room is None:
                raise ChatError("gone")
            for part in room.parts(Said(markdown=repeated), place.language, final=True):
                await room.send(part)
        except ChatError as error:
            logger.warning("owed answer not delivered", extra={"turn": owed.turn, "reason": error.reason})
        await self.exchange.core.delivered(owed.id)

    async def _ask(self, batch_id: str) -> None:
        """Show the card of a batch that a crash left without one."""
        batch = await self.exchange.core.batch(batch_id)
        place = await self._quiet_place(batch.conversation) if batch is not None else None
        if batch is None or place is None:
            return
        if place.private or place.audience is Audience.TEAM:
            room = await self._room(place)
        else:
            room = await self._alone(batch.requester)
        if room is None:
            return
        try:
            await self.exchange.board.put(room, await self.exchange.board.card(batch), batch)
        except ChatError as error:
            logger.warning("card not shown", extra={"batch": batch.id, "reason": error.reason})

    async def _alone(self, person: str) -> Room[object] | None:
        """Return where a person is reached alone on this platform."""
        rooms = self.exchange.rooms
        for identity in await self.exchange.core.askers.people.identities(person):
            if identity.platform == rooms.platform:
                return await rooms.private_room(identity.user)
        return None

    async def _quiet_place(self, conversation: str) -> Conversation | None:
        """Return a place of this platform in which nothing is being shown just now."""
        if self.exchange.driving[conversation]:
            return None
        place = await self.exchange.core.askers.conversations.conversation(conversation)
        return place if place is not None and place.platform == self.exchange.rooms.platform else None

    async def _room(self, place: Conversation) -> Room[object] | None:
        return await self.exchange.rooms.room(place.place)
