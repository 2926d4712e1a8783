"""What every exchange on a chat platform needs: the view of an asker, a driven turn, a refusal in words."""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from adapters.cards import Card, View
from adapters.chat.board import Board, is_for_all
from adapters.chat.followups import Followups
from adapters.chat.model import Document, Speaker, Spot
from adapters.chat.reception import Reception
from adapters.chat.replying import RoomReply
from adapters.chat.room import ChatError, Reply, Room, Rooms
from adapters.scheduled import Outlets
from adapters.surface import Loaded, Said, Verbosity, drive_turn, error_text
from adapters.view import view_of
from agent_core.core import Core
from agent_core.errors import AmbiguousEntity, LoreKeeperError
from agent_core.events import ConfirmationAsked, ConfirmationClosed, Done, Emit, Event, Failed, Message
from agent_core.messages import Json
from agent_core.pipeline.model import Batch
from agent_core.texts import say
from agent_core.tools.spec import Asker

T = TypeVar("T")
Call = tuple[str, dict[str, Json]]

TRACE = "trace"

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Exchange:
    """Shows what the core answers. `driving` counts the turns that are being shown, by conversation.

    `outlets` are where scheduled runs are shown, on all surfaces.
    """

    core: Core
    rooms: Rooms
    reception: Reception
    board: Board
    followups: Followups
    driving: Counter[str] = field(default_factory=Counter)
    outlets: Outlets = field(default_factory=dict)

    def reply_in(self, room: Room[object], speaker: Speaker, spot: Spot, message: str) -> RoomReply:
        """Return the reply to a person's message by messages in its room."""

        async def with_steps(card: Card) -> Card:
            return await self.followups.steps(card, await self.reception.seat(speaker, spot))

        async def elsewhere(card: Card, batch: Batch) -> bool:
            asker = await self.reception.seat(speaker, spot)
            if is_for_all(asker.conversation):
                return False
            await self._ask_alone(room, speaker, card, batch, message)
            return True

        return RoomReply(
            room=room,
            board=self.board,
            speaker=speaker,
            language=self.reception.spoken(speaker),
            is_private=spot.private,
            message=message,
            with_steps=with_steps,
            elsewhere=elsewhere,
        )

    async def view(self, asker: Asker) -> View:
        """Return where the asker stands, for the cards."""
        return view_of(asker, await self.core.askers.canon(asker.conversation))

    async def drive(self, work: Callable[[Emit], Awaitable[T]], reply: Reply, asker: Asker) -> T:
        """Return what `work` returns, after all that it emitted was shown; note what has arrived.

        Notices to an operator, which no turn shows, follow.
        """
        place = asker.conversation.id
        shown: set[str] = set()

        async def watched(emit: Emit) -> T:
            return await work(_noting(emit, shown))

        surface = reply.surface()
        surface.conversation = place
        with self.shows_in(place):
            view, verbosity = await self.view(asker), await self.verbosity(place)
            done = await drive_turn(watched, surface, self.load, view, verbosity)
            if not surface.lost:
                for owed in await self.core.owed(place):
                    if owed.turn in shown:
                        await self.core.delivered(owed.id)
                await self.hand_over(asker, reply)
        return done

    @contextmanager
    def shows_in(self, conversation: str) -> Iterator[None]:
        """Let nobody else show what this place is owed meanwhile."""
        self.driving[conversation] += 1
        try:
            yield
        finally:
            self.driving[conversation] -= 1
            if not self.driving[conversation]:
                del self.driving[conversation]

    async def propose(
        self, calls: Sequence[Call], asker: Asker, reply: Reply, *, complete: bool, batch_id: str = ""
    ) -> None:
        """Propose typed writes and show their card.

        Among readers a co-author writes as they would alone: the card, and why anything was refused, are for
        them alone.

        Raises:
            AmbiguousEntity: the name is several entries'; among readers the choice is for the person alone.
            LoreKeeperError: refused; nothing has changed.
        """
        fuller = await self.core.fuller(asker)
        with self.shows_in(asker.conversation.id):
            try:
                batch = await self.core.propose(calls, fuller or asker, complete=complete, batch_id=batch_id)
            except LoreKeeperError as error:
                if fuller is None or isinstance(error, AmbiguousEntity):
                    raise
                await reply.show(Said(markdown=error_text(error, asker.language)), private=True)
                return
            await self.hand_over(asker, reply)
            if not await self.board.refresh(batch):
                await self.show_batch(batch, asker, reply)

    async def hand_over(self, asker: Asker, reply: Reply) -> None:
        """Send the files that were made for this person here, among readers to them alone.

        What does not arrive now is sent later, as what a crash kept back.
        """
        files, alone = self.core.askers.files.store, not await self._is_for_all(asker)
        for file in await files.due_files(asker.conversation.id):
            content = await files.content(file.id) if file.person == asker.person.id else None
            if content is not None:
                document = Document(name=file.name, content=content, media_type=file.media_type)
                if await reply.file(document, private=alone):
                    await files.file_arrived(file.id)

    async def _is_for_all(self, asker: Asker) -> bool:
        """Return whether everybody in the asker's place may see all, as the place is now."""
        place = await self.core.askers.conversations.conversation(asker.conversation.id)
        return is_for_all(place or asker.conversation)

    async def show_batch(self, batch: Batch, asker: Asker, reply: Reply) -> None:
        """Show a batch's card in answer; among readers to the person alone."""
        alone = not is_for_all(asker.conversation)
        await reply.show_batch(await self.board.card(batch), batch, private=alone)

    def after_outcome(self, batch_id: str, emit: Emit) -> Emit:
        """Return a sink that shows what became of a batch before anything that follows from it."""
        told = False

        async def take(event: Event) -> None:
            nonlocal told
            if not told and not isinstance(event, ConfirmationAsked | ConfirmationClosed):
                told = True
                batch = await self.core.batch(batch_id)
                if batch is not None:
                    await self.board.refresh(batch)
            await emit(event)

        return take

    async def load(self, batch_id: str) -> Loaded | None:
        """Return a batch with its decider's name and the view of its place."""
        batch = await self.core.batch(batch_id)
        if batch is None:
            return None
        return Loaded(batch, await self.board.decider(batch), await self.board.view(batch))

    async def verbosity(self, conversation: str) -> Verbosity:
        """Return how much of a trace is shown in a place."""
        noted = await self.core.chat.noted(self.rooms.platform, f"{TRACE}:{conversation}")
        return Verbosity(noted) if noted in set(Verbosity) else Verbosity.SHORT

    async def _ask_alone(
        self, room: Room[object], speaker: Speaker, card: Card, batch: Batch, message: str
    ) -> None:
        """Show a card to the person alone; the place, where readers are, gets one neutral line."""
        alone = await self.rooms.private_room(speaker.user)
        try:
            if alone is None:
                raise ChatError("closed")
            await self.board.put(alone, card, batch)
            key = "chat.card_private"
        except ChatError:
            key = "chat.no_private"
        for part in room.parts(Said(markdown=say(batch.language, key)), batch.language, final=True):
            await room.send(part, reply_to=message)

    async def refused(self, error: LoreKeeperError, reply: Reply, language: str) -> None:
        """Say in words what was refused or went wrong."""
        logger.info("refused", extra={"error": type(error).__name__})
        await reply.show(Said(markdown=error_text(error, language)))


def _noting(emit: Emit, shown: set[str]) -> Emit:
    """Return a sink that adds to `shown` the turns whose end has arrived."""
    said = False

    async def noted(event: Event) -> None:
        nonlocal said
        is_end = isinstance(event, Message | Failed)
        said = said and not is_end
        await emit(event)
        said = said or is_end
        if isinstance(event, Done) and said:
            shown.add(event.turn_id)

    return noted
