"""The rooms of Discord by channel id, and the background work that sending there needs."""

from collections.abc import Callable

import discord

from adapters.chat.model import Attached
from adapters.chat.room import ChatError
from adapters.discord.border import Work, Works
from adapters.discord.refusal import limited, refusals
from adapters.discord.room import EDIT_EVERY_S, DiscordRoom
from adapters.discord.spots import PLATFORM, find_channel
from adapters.discord.typing_signal import TypingSignal

UPLOAD_LIMIT = 10 * 1024 * 1024
"""What Discord takes where nothing says otherwise."""


class DiscordRooms:
    """Finds rooms once `begin` gave it a client; before that there are none."""

    platform = PLATFORM

    def __init__(self, language: str = "en", *, edit_every_s: float = EDIT_EVERY_S) -> None:
        self._language = language
        self._edit_every_s = edit_every_s
        self._client: discord.Client | None = None
        self._works: Works | None = None
        self._typing: TypingSignal | None = None
        self._said: set[str] = set()
        self._private: dict[str, int] = {}

    def begin(self, client: discord.Client, works: Works) -> None:
        """Send by this client from now on; background work is started by `works`."""
        self._client = client
        self._works = works
        self._typing = TypingSignal(works, self._signal)

    async def room(self, place: str) -> DiscordRoom | None:
        if self._client is None or not place.isdigit():
            return None
        try:
            channel = await find_channel(self._client, int(place))
        except ChatError as error:
            if error.reason not in {"gone", "no_right"}:
                raise
            return None
        return self.room_in(int(place), getattr(channel, "guild", None))

    async def private_room(self, user: str) -> DiscordRoom | None:
        if self._client is None:
            return None
        if user not in self._private:
            try:
                with refusals():
                    async with limited():
                        chat = await self._client.create_dm(discord.Object(id=int(user)))
            except ChatError as error:
                if error.reason == "flood":
                    raise
                return None
            self._private[user] = chat.id
        return self.room_in(self._private[user], None)

    async def room_of(self, ref: str) -> DiscordRoom | None:
        return await self.room(ref.partition("/")[0])

    async def fetch(self, file: Attached, limit: int) -> bytes:
        if file.size > limit:
            raise ChatError("too_large", file.name)
        if self._client is None:
            raise ChatError("flood", "not connected")
        with refusals():
            async with limited():
                content = await self._client.http.get_from_cdn(file.ref)
        if len(content) > limit:
            raise ChatError("too_large", file.name)
        return content

    def room_in(self, channel_id: int, guild: discord.Guild | None) -> DiscordRoom:
        """Return the room of a channel without asking whether it is there."""
        if self._client is None or self._typing is None:
            raise ChatError("flood", "not connected")
        return DiscordRoom(
            channel=self._client.get_partial_messageable(channel_id, guild_id=guild.id if guild else None),
            typing=self._typing,
            upload_limit=guild.filesize_limit if guild else UPLOAD_LIMIT,
            reopen=self._reopen,
            later=self._later,
            once=self.once,
            language=self._language,
            edit_every_s=self._edit_every_s,
        )

    def is_typing(self, channel: int) -> bool:
        """Tell whether the typing signal is shown in a channel."""
        return self._typing is not None and self._typing.is_on(channel)

    def once(self, key: str) -> bool:
        """Return whether this is the first time that something is told."""
        fresh = key not in self._said
        self._said.add(key)
        return fresh

    def _later(self, work: Callable[[], Work]) -> None:
        if self._works is not None:
            self._works.start(work())

    async def _signal(self, channel_id: int) -> None:
        if self._client is not None:
            with refusals():
                await self._client.get_partial_messageable(channel_id).typing()

    async def _reopen(self, channel_id: int) -> bool:
        """Open an archived thread again; return whether it is open now."""
        if self._client is None:
            return False
        try:
            with refusals():
                async with limited():
                    thread = await self._client.fetch_channel(channel_id)
                    if not isinstance(thread, discord.Thread) or thread.locked:
                        return False
                    await thread.edit(archived=False)
        except ChatError:
            return False
        return True
