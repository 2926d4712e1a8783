"""All rooms of Telegram, by the keys of places."""

from dataclasses import dataclass
from typing import cast

from telegram.constants import FileSizeLimit
from telegram.error import BadRequest, TelegramError

from adapters.chat.model import Attached
from adapters.chat.room import ChatError, Room
from adapters.telegram.place import PLATFORM, Place, place_of, read_ref
from adapters.telegram.room import UPLOAD_TIMEOUT_S, TelegramRoom
from adapters.telegram.sender import Sender


@dataclass(slots=True)
class TelegramRooms:
    """Private chats, groups and topics."""

    sender: Sender
    platform: str = PLATFORM

    async def room(self, place: str) -> Room[object] | None:
        """Return the room with this key, None where it is gone or closed to us."""
        known = place_of(place)
        if known is None or await self.sender.is_dead(known):
            return None
        return self.at(known)

    async def private_room(self, user: str) -> Room[object] | None:
        """Return a person's private chat, None where they never opened it or blocked us."""
        return await self.room(user) if await self.sender.is_opened(user) else None

    async def room_of(self, ref: str) -> Room[object] | None:
        """Return the room in which a message stands."""
        place = await self.place_of(ref)
        return await self.room(place.key) if place is not None else None

    async def place_of(self, ref: str) -> Place | None:
        """Return where a message stands: its topic where that is known, else its chat."""
        found = read_ref(ref)
        if found is None:
            return None
        noted = await self.sender.chat.noted(PLATFORM, f"at/{ref}")
        return place_of(noted or "") or Place(found[0])

    def at(self, place: Place) -> Room[object]:
        """Return the room of a place, alive or not."""
        now = Place(self.sender.moved.get(place.chat, place.chat), place.topic)
        return cast("Room[object]", TelegramRoom(self.sender, now))  # parts never meet another platform's

    async def fetch(self, file: Attached, limit: int) -> bytes:
        """Return the content of a file; Telegram gives bots at most 20 MB."""
        limit = min(limit, int(FileSizeLimit.FILESIZE_DOWNLOAD))
        if file.size > limit:
            raise ChatError("too_large", file.name)
        try:
            found = await self.sender.bot.get_file(file.ref, read_timeout=UPLOAD_TIMEOUT_S)
            if found.file_size is not None and found.file_size > limit:
                raise ChatError("too_large", file.name)
            return bytes(await found.download_as_bytearray(read_timeout=UPLOAD_TIMEOUT_S))
        except BadRequest as error:
            reason = "too_large" if "too big" in error.message.lower() else "gone"
            raise ChatError(reason, file.name) from error
        except TelegramError as error:
            raise ChatError("gone", file.name) from error
