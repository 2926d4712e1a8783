"""A topic for a book: `/book open The Lantern` opens it, links it, and takes every message there for us."""

import re
from dataclasses import dataclass, replace

from telegram.error import TelegramError

from adapters.chat.desk import Desk
from adapters.chat.model import Heard, Spot
from adapters.chat.room import ChatError, Reply, Room
from adapters.surface import Said, error_text
from adapters.telegram.place import Place
from adapters.telegram.rooms import TelegramRooms
from agent_core.errors import LoreKeeperError
from agent_core.messages import Json
from agent_core.people.model import WRITERS
from agent_core.pipeline.permissions import role_of
from agent_core.texts import say
from agent_core.tools.spec import Asker

COMMAND = "book open"
MAX_NAME = 128
_TYPED = re.compile(r"/book[ _]open(?:@\w+)?(?:\s+(?P<book>[^\n]+))?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Topics:
    """Opens topics where people may and we may."""

    desk: Desk
    rooms: TelegramRooms

    async def open(self, heard: Heard, place: Place, reply: Reply) -> bool:
        """Open a topic for a book of the place's series; return whether that was asked for."""
        typed = _TYPED.fullmatch(heard.text)
        if typed is None or not heard.original:  # a topic can't be opened on approval
            return False
        asker = await self.desk.asker(heard.speaker, heard.spot, reply)
        if asker is None:
            return True
        series = (await self.desk.exchange.view(asker)).series
        refused = _refusal(asker, series, typed["book"])
        if refused:
            await reply.show(Said(markdown=say(asker.language, refused)))
            return True
        try:
            there = await self._created(place, typed["book"].strip())
        except (ChatError, TelegramError):
            await reply.show(Said(markdown=say(asker.language, "telegram.no_topic")))
            return True
        await self._link(heard, there, series, typed["book"].strip())
        return True

    async def _created(self, place: Place, name: str) -> Place:
        sender = self.rooms.sender
        topic = await sender.lines.call(
            place.chat,
            lambda: sender.bot.create_forum_topic(place.chat, name[:MAX_NAME]),
            repeatable=False,
        )
        if topic is None:
            raise ChatError("lost")
        return Place(place.chat, topic.message_thread_id)

    async def _link(self, heard: Heard, there: Place, series: str, book: str) -> None:
        spot: Spot = replace(heard.spot, key=there.key, title=book, parents=(str(there.chat),))
        room: Room[object] = self.rooms.at(there)
        inside = self.desk.exchange.reply_in(room, heard.speaker, spot, "")
        seated = await self.desk.exchange.reception.seat(heard.speaker, spot)
        if not spot.private:
            await self.desk.address_here(spot, heard.speaker)
        link: dict[str, Json] = {"series": series, "book": book}
        try:
            await self.desk.exchange.propose([("link_thread", link)], seated, inside, complete=True)
        except LoreKeeperError as error:
            await inside.show(Said(markdown=error_text(error, seated.language)))


def _refusal(asker: Asker, series: str, book: str | None) -> str:
    """Return the key of why no topic can be opened, "" where one can."""
    if not (book or "").strip():
        return "telegram.topic_usage"
    if role_of(asker.membership) not in WRITERS and not asker.person.operator:
        return "error.not_permitted.role"
    return "" if series else "error.not_linked"
