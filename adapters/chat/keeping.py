"""What has to reach a place although nobody is just talking there: owed answers, cards, notices."""

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import dataclass, field

from adapters.chat.board import is_for_all
from adapters.chat.exchange import Exchange
from adapters.chat.model import Document
from adapters.chat.room import ChatError, Room
from adapters.surface import Said
from agent_core.conversation.files import FileStore
from agent_core.conversation.model import Conversation
from agent_core.events import ignore
from agent_core.pipeline.model import Batch
from agent_core.pipeline.permissions import within
from agent_core.texts import say
from agent_core.turn.model import Owed, Turn

EVERY_S = 2.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Keeping:
    """Brings up to date what one platform's places show. Places in which a turn is just shown are left.

    `busy` are the places that something is being sent to: one that makes us wait holds up no other.
    """

    exchange: Exchange
    busy: set[str] = field(default_factory=set)
    sent: dict[str, int] = field(default_factory=dict)

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
            place = await self._place(conversation) if self._allows(conversation) else None
            if place is not None:
                tasks.create_task(self._alone_in(conversation, self._deliver(place)))
        for conversation in dict.fromkeys([file.conversation for file in await self._files.due_files()]):
            place = await self._place(conversation) if self._allows(conversation) else None
            if place is not None:
                tasks.create_task(self._alone_in(conversation, self._send_files(place)))
        for batch_id in await core.chat.unshown_batches(platform):
            batch = await core.batch(batch_id) if self._allows(batch_id) else None
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
        """Send what a place is owed. What it is closed to now is tried again later, ever less often."""
        backoff = self.exchange.board.backoff
        for owed in await self.exchange.core.owed(place.id):
            try:
                await self._send(place, owed)
            except ChatError as error:
                logger.warning("not delivered", extra={"turn": owed.turn, "reason": error.reason})
                if error.reason != "gone":
                    backoff.failed(place.id)
                    return
            self.sent.pop(owed.id, None)
            backoff.worked(place.id)
            await self.exchange.core.delivered(owed.id)

    async def _send(self, place: Conversation, owed: Owed) -> None:
        """Send a text, from the part on that an earlier try has come to."""
        room = await self._room_for(place, owed)
        repeat = f"{say(place.language, 'answer.repeat')}\n\n" if owed.repeat else ""
        parts = room.parts(
            Said(markdown=f"{repeat}{owed.text}", by_model=bool(owed.turn)), place.language, final=True
        )
        for number, part in enumerate(parts):
            if number >= self.sent.get(owed.id, 0):
                await room.send(part)
                self.sent[owed.id] = number + 1

    @property
    def _files(self) -> FileStore:
        return self.exchange.core.askers.files.store

    async def _send_files(self, place: Conversation) -> None:
        """Send the files that were made for a place and have not arrived; among readers to its asker."""
        rooms, backoff = self.exchange.rooms, self.exchange.board.backoff
        for file in await self._files.due_files(place.id):
            room = await (rooms.room(place.place) if is_for_all(place) else self._room_of(file.person))
            content = await self._files.content(file.id)
            try:
                if content is None or (room is None and is_for_all(place)):
                    raise ChatError("gone")
                if room is None:
                    raise ChatError("closed")
                await room.send_file(Document(name=file.name, content=content, media_type=file.media_type))
            except ChatError as error:
                logger.warning("file not sent", extra={"file": file.id, "reason": error.reason})
                if error.reason not in {"gone", "too_large"}:
                    backoff.failed(place.id)
                    return
            await self._files.file_arrived(file.id)

    async def _room_for(self, place: Conversation, owed: Owed) -> Room[object]:
        """Return the place; the requester's own room where readers have joined it who may not read that.

        Raises:
            ChatError: reason "gone"; nobody can be reached.
        """
        turn = await self.exchange.core.runtime.turns.turn(owed.turn) if owed.turn else None
        room = await self.exchange.rooms.room(place.place)
        if turn is not None and not await self._may_read(place, turn):
            room = await self._room_of(turn.requester)
        if room is None:
            raise ChatError("gone")
        return room

    async def _may_read(self, place: Conversation, turn: Turn) -> bool:
        askers = self.exchange.core.askers
        asker = await askers.again(turn.requester, place.id, turn.language)
        canon = await askers.canon(place)
        return asker is None or canon is None or within(turn.bound, asker.bound, canon.outline)

    def _allows(self, key: str) -> bool:
        return self.exchange.board.backoff.allows(key)

    async def _ask(self, place: Conversation, batch: Batch) -> None:
        """Show the card of a batch that a crash left without one; among readers to its requester alone."""
        rooms = self.exchange.rooms
        if await self.exchange.core.chat.cards_of(batch.id):
            return  # it was shown meanwhile
        room = await (rooms.room(place.place) if is_for_all(place) else self._room_of(batch.requester))
        try:
            if room is None:
                raise ChatError("gone")
            await self.exchange.board.put(room, await self.exchange.board.card(batch), batch)
        except ChatError as error:
            logger.warning("card not shown", extra={"batch": batch.id, "reason": error.reason})
            self.exchange.board.backoff.failed(batch.id)

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
