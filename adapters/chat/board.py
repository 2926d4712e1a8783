"""Where the cards of batches stand, and that all of them show the same, wherever a batch was decided."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from adapters.cards import Card, View, outcome_card, proposal_card
from adapters.chat.backoff import Backoff
from adapters.chat.room import ChatError, Room, Rooms
from adapters.view import view_of
from agent_core.conversation.model import Audience, Conversation, ShownCard, card_state
from agent_core.core import Core
from agent_core.pipeline.model import Batch, BatchStatus

AT_ONCE = 20

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Board:
    """The cards of one platform. `core.chat` remembers which message shows which batch in which state."""

    core: Core
    rooms: Rooms
    backoff: Backoff

    async def put(self, room: Room[object], card: Card, batch: Batch, *, reply_to: str = "") -> str:
        """Send a card into a room, remember where it stands, and return its ref."""
        ref = await room.send(room.card_part(card, batch, 0, batch.language), reply_to=reply_to)
        await self.note(ref, batch)
        if batch.status is BatchStatus.OPEN:
            await room.seed(ref, batch)
        return ref

    async def note(self, ref: str, batch: Batch) -> None:
        """Remember that a message shows a batch as it is now."""
        state = card_state(batch.status.value, batch.digest, settled=batch.settled)
        shown = ShownCard(
            platform=self.rooms.platform, ref=ref, batch=batch.id, place=batch.conversation, state=state
        )
        await self.core.chat.card_shown(shown)

    async def refresh(self, batch: Batch) -> bool:
        """Let every message that shows the batch show it as it is now; return whether there was any."""
        cards = [
            shown
            for shown in await self.core.chat.cards_of(batch.id)
            if shown.platform == self.rooms.platform
        ]
        if cards:
            card = await self.card(batch)
            for shown in cards:
                await self._redraw(shown, card, batch)
        return bool(cards)

    async def refresh_stale(self) -> None:
        """Refresh the messages whose batch was decided, changed or closed elsewhere."""
        for shown in await self.core.chat.stale_cards(self.rooms.platform, AT_ONCE):
            batch = await self.core.batch(shown.batch) if self.backoff.allows(shown.ref) else None
            if batch is None or (batch.status is not BatchStatus.OPEN and not batch.settled):
                continue  # its effects run just now
            await self._redraw(shown, await self.card(batch), batch)

    async def card(self, batch: Batch) -> Card:
        """Return the card of a batch as it is now, as its requester may see it in its place."""
        view = await self.view(batch)
        if batch.status is BatchStatus.OPEN:
            card = proposal_card(batch, view)
        else:
            card = outcome_card(batch, view, by=await self.decider(batch))
        return card

    async def view(self, batch: Batch) -> View:
        """Return where a batch's requester stands in its place and series."""
        asker = await self.core.askers.again(batch.requester, batch.conversation, batch.language)
        if asker is None:
            return View(language=batch.language)
        asker = await self.core.cards.decider(batch, asker)
        return view_of(asker, await self.core.askers.canon(asker.conversation))

    async def links(self, room: Room[object], conversation: str, edits: Sequence[int]) -> dict[int, str]:
        """Return by edit the address of the message that shows it, for those that people can jump to."""
        known = [edit for edit in edits if edit]
        if not known:
            return {}
        refs = await self.core.chat.cards_of_edits(self.rooms.platform, conversation, known)
        return {edit: link for edit, ref in refs.items() if (link := room.link(ref))}

    async def decider(self, batch: Batch) -> str:
        """Return the name of who decided a batch, or ""."""
        person = await self.core.askers.people.person(batch.decided_by) if batch.decided_by else None
        return person.name if person else ""

    async def _redraw(self, shown: ShownCard, card: Card, batch: Batch) -> None:
        """Edit one message; one that can't be edited now is tried again, one that never can is said anew."""
        try:
            room = await self.rooms.room_of(shown.ref)
            if room is None:
                raise ChatError("gone")
            await room.edit(shown.ref, room.card_part(card, batch, 0, batch.language))
            await self.note(shown.ref, batch)
            self.backoff.worked(shown.ref)
        except ChatError as error:
            logger.warning("card not shown", extra={"batch": batch.id, "reason": error.reason})
            if error.reason == "gone" or (
                error.reason == "old_edit" and await self._put_anew(shown, card, batch)
            ):
                await self.core.chat.card_gone(self.rooms.platform, shown.ref)
            else:
                self.backoff.failed(shown.ref)

    async def _put_anew(self, shown: ShownCard, card: Card, batch: Batch) -> bool:
        """Send a card that can't be edited any more once more; not among readers, who may have come since."""
        place = await self.core.askers.conversations.conversation(batch.conversation)
        room = await self.rooms.room_of(shown.ref)
        if place is None or room is None or not is_for_all(place):
            return False
        try:
            await self.put(room, card, batch)
        except ChatError:
            return False
        return True


def is_for_all(place: Conversation) -> bool:
    """Return whether everybody in a place may see the cards of those who write there."""
    return place.private or place.audience is Audience.TEAM
