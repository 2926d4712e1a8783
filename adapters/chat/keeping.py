"""What has to reach a place although nobody is just talking there: owed answers, cards, notices."""

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import dataclass, field

from adapters.chat.exchange import Exchange
from adapters.chat.room import ChatError, Room
from adapters.surface import Said
from agent_core.conversation.model import Audience, Conversation
from agent_core.events import ignore
from agent_core.pipeline.model import Batch
from agent_core.texts import say

EVERY_S = 2.0
LATER = "flood"
"""Why nothing was sent now, and may be later."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Keeping:
    """Brings up to date what one platform's places show. Places in which a turn is just shown are left.

    `busy` are the places that something is being sent to: one that makes us wait holds up no other.
    """

    exchange: Exchange
    busy: set[str] = field(default_factory=set)

    async def recover(self) -> None:
        """Finish what a crash left open in this platform's places; `run` shows what came of it."""
        runtime = self.exchange.core.runtime
        left = [batch.conversation for batch in await runtime.batches.unsettled()]
        left += [turn.conversation for turn in await runtime.turns.unfinished()]
        async with asyncio.TaskGroup() as tasks:
            for conversation in dict.fromkeys(left):
                if await self._place(conversation) is not None:
                    tasks.create_task(self.exchange.core.recover(lambda _: ignore, conversation))

    async def run(self) -> None:
        """Keep on until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                await _harmless(self.tick(tasks))
                await asyncio.sleep(EVERY_S)

    async def tick(self, tasks: asyncio.TaskGroup) -> None:
        """Close what is due; show in tasks what is owed or has changed."""
        core, platform = self.exchange.core, self.exchange.rooms.platform
        await core.expire()
        tasks.create_task(self._alone_in("cards", self.exchange.board.refresh_stale()))
        for conversation in dict.fromkeys([owed.conversation for owed in await core.owed()]):
            place = await self._place(conversation)
            if place is not None:
                tasks.create_task(self._alone_in(conversation, self._deliver(place)))
        for batch_id in await core.chat.unshown_batches(platform):
            batch = await core.batch(batch_id)
            place = await self._place(batch.conversation) if batch is not None else None
            if batch is not None and place is not None:
                tasks.create_task(self._alone_in(place.id, self._ask(place, batch)))

    async def _alone_in(self, place: str, work: Awaitable[None]) -> None:
        """Do the work unless something is being sent to the place already, or a turn is just shown there."""
        if place in self.busy or self.exchange.driving[place]:
            if asyncio.iscoroutine(work):
                work.close()
            return
        self.busy.add(place)
        try:
            await _harmless(work)
        finally:
            self.busy.discard(place)

    async def _deliver(self, place: Conversation) -> None:
        for owed in await self.exchange.core.owed(place.id):
            repeat = f"{say(place.language, 'answer.repeat')}\n\n" if owed.repeat else ""
            try:
                await self._say(place, f"{repeat}{owed.text}")
            except ChatError as error:
                logger.warning("not delivered", extra={"turn": owed.turn, "reason": error.reason})
                if error.reason == LATER:
                    return
            await self.exchange.core.delivered(owed.id)

    async def _say(self, place: Conversation, text: str) -> None:
        room = await self.exchange.rooms.room(place.place)
        if room is None:
            raise ChatError("gone")
        for part in room.parts(Said(markdown=text), place.language, final=True):
            await room.send(part)

    async def _ask(self, place: Conversation, batch: Batch) -> None:
        """Show the card of a batch that a crash left without one; among readers to its requester alone."""
        rooms = self.exchange.rooms
        if await self.exchange.core.chat.cards_of(batch.id):
            return  # it was shown meanwhile
        if place.private or place.audience is Audience.TEAM:
            room = await rooms.room(place.place)
        else:
            room = await self._room_of(batch.requester)
        if room is None:
            return
        try:
            await self.exchange.board.put(room, await self.exchange.board.card(batch), batch)
        except ChatError as error:
            logger.warning("card not shown", extra={"batch": batch.id, "reason": error.reason})

    async def _room_of(self, person: str) -> Room[object] | None:
        """Return where a person is reached alone on this platform."""
        rooms = self.exchange.rooms
        for identity in await self.exchange.core.askers.people.identities(person):
            if identity.platform == rooms.platform:
                return await rooms.private_room(identity.user)
        return None

    async def _place(self, conversation: str) -> Conversation | None:
        """Return a place of this platform, None for one of another."""
        place = await self.exchange.core.askers.conversations.conversation(conversation)
        return place if place is not None and place.platform == self.exchange.rooms.platform else None


async def _harmless(work: Awaitable[None]) -> None:
    """Do the work; what goes wrong is tried again at the next tick."""
    try:
        await work
    except Exception:  # the border of background work: one place that goes wrong stops no other
        logger.exception("a place not kept up to date")
