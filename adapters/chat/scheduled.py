"""A scheduled run in the room that it belongs to, like an answer that nobody asked for just now."""

from dataclasses import dataclass

from adapters.chat.exchange import Exchange
from adapters.chat.model import Speaker, Spot
from adapters.chat.room import ChatError, Room
from adapters.scheduled import Posting, Reach, Work
from adapters.surface import Said
from agent_core.people.model import Person


@dataclass(frozen=True, slots=True)
class RoomOutlet:
    """Shows runs in the rooms of one chat platform."""

    exchange: Exchange

    async def show(self, posting: Posting, work: Work) -> Reach:
        """Show the heading in the asker's place, do the work, and show what it emits."""
        asker = posting.asker
        place, speaker = asker.conversation, await self._speaker(asker.person)
        if speaker is None:
            return Reach.AWAY
        with self.exchange.shows_in(place.id):
            try:
                room = await self.exchange.rooms.room(place.place)
                if room is None:
                    return Reach.GONE
                await self._say(room, posting.heading, asker.language)
            except ChatError as error:
                return Reach.GONE if error.reason == "gone" else Reach.AWAY
            spot = Spot(platform=place.platform, key=place.place, private=place.private)
            reply = self.exchange.reply_in(room, speaker, spot, "")
            await self.exchange.drive(work, reply, asker)
        return Reach.SHOWN

    async def tell(self, person: Person, text: str, language: str) -> bool:
        """Say a text to a person in their private chat; return whether they were reached."""
        speaker = await self._speaker(person)
        try:
            room = await self.exchange.rooms.private_room(speaker.user) if speaker is not None else None
            if room is not None:
                await self._say(room, text, language)
        except ChatError:
            return False
        return room is not None

    async def _say(self, room: Room[object], text: str, language: str) -> None:
        for part in room.parts(Said(markdown=text, by_model=True), language, final=True):
            await room.send(part, silent=True)

    async def _speaker(self, person: Person) -> Speaker | None:
        """Return the person as this platform knows them, None where they have no account there."""
        for identity in await self.exchange.core.askers.people.identities(person.id):
            if identity.platform == self.exchange.rooms.platform:
                return Speaker(user=identity.user, name=person.name)
        return None
