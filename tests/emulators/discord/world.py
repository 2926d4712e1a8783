"""The state of the emulated Discord, and the one place from which its events go out."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from tests.clock import FakeClock
from tests.emulators.discord.access import sees
from tests.emulators.discord.model import Attachment, Channel, Guild, Json, Message, User
from tests.emulators.discord.refusal import Refused

if TYPE_CHECKING:
    from tests.emulators.discord.interactions import Interaction
    from tests.emulators.discord.rest_commands import Command

_EPOCH_MS = 1_420_070_400_000
PATIENCE_S = 5.0
_ELSEWHERE_S = 0.02
_KINDS = {
    "txt": "text/plain; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "png": "image/png",
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that the gateway tells; `blanked` is what sessions without message content get."""

    name: str
    data: Json
    guild: Guild | None = None
    channel: Channel | None = None
    blanked: Json | None = None
    always: bool = False


class World:
    """Everybody and everything, and the order in which it happened."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.cdn = ""
        self.gateway_url = ""
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.interactions: dict[int, Interaction] = {}
        self.commands: dict[int | None, list[Command]] = {}
        self.files: dict[int, Attachment] = {}
        self.synced = 0
        self.portal_intents = 0
        self.sequence = 0
        self.violations: list[str] = []
        self.typing: list[tuple[int, Channel]] = []
        self._listeners: list[Callable[[Event], None]] = []
        self._changed = asyncio.Event()
        self._last_id = 0
        self.application_id = self.new_id()
        self.bot = User(self.application_id, "lorekeeper", "LoreKeeper", is_bot=True)
        self.users[self.bot.id] = self.bot

    @property
    def shows_content(self) -> bool:
        """Whether the developer portal lets the bot read what others write."""
        return bool(self.portal_intents & 1 << 15)

    def now(self) -> datetime:
        return self.clock.now().astimezone(UTC)

    def new_id(self) -> int:
        """Return a fresh snowflake, later than all before and carrying the clock's time."""
        at = (int(self.clock.now().timestamp() * 1000) - _EPOCH_MS) << 22
        self._last_id = max(self._last_id + 1, at)
        return self._last_id

    def tick(self) -> int:
        """Return the next place in the order of everything that happens."""
        self.sequence += 1
        return self.sequence

    def store(self, filename: str, content: bytes, *, description: str | None = None) -> Attachment:
        """Return the file as an attachment that the CDN serves."""
        kind = _KINDS.get(filename.rsplit(".", 1)[-1].lower(), "application/octet-stream")
        attachment = Attachment(self.new_id(), filename.replace(" ", "_"), content, kind, description)
        self.files[attachment.id] = attachment
        return attachment

    def listen(self, listener: Callable[[Event], None]) -> None:
        self._listeners.append(listener)

    def emit(self, event: Event) -> None:
        """Tell the sessions, as far as the bot can see the place."""
        for listener in self._listeners:
            listener(event)
        self.announce()

    def announce(self) -> None:
        """Wake those who wait for something to become true."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def until(
        self, holds: Callable[[], Found], *, within_s: float = PATIENCE_S, because: str = ""
    ) -> Found:
        """Wait until `holds()` is truthy and return it; it may look at what happens elsewhere too.

        Raises:
            AssertionError: It did not become so in time.
        """
        try:
            async with asyncio.timeout(within_s):
                while not (found := holds()):
                    await self._something()
        except TimeoutError:
            raise AssertionError(f"waited {within_s} s for {because or 'it'}\n{self.report()}") from None
        return found

    async def _something(self) -> None:
        """Wait until anything happens here, or a little, as what happens elsewhere wakes nobody."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_ELSEWHERE_S):
                await self._changed.wait()

    def report(self) -> str:
        """Return the refusals and the last messages of every place, for a test that failed."""
        lines = [f"refused: {violation}" for violation in self.violations]
        lines += [
            f"#{channel.name} {message.author.name}: {message.content[:200]!r}"
            for channel in self.channels.values()
            for message in list(channel.messages.values())[-5:]
        ]
        return "\n".join(lines)

    def bot_sees(self, channel: Channel) -> bool:
        return channel.guild is None or sees(channel, self.bot)

    def channel(self, channel_id: int) -> Channel:
        """Return the channel.

        Raises:
            Refused: 10003.
        """
        channel = self.channels.get(channel_id)
        if channel is None or channel.deleted:
            raise Refused(10003)
        return channel

    def guild(self, guild_id: int) -> Guild:
        """Return the server, if the bot is in it.

        Raises:
            Refused: 10004.
        """
        guild = self.guilds.get(guild_id)
        if guild is None or self.bot.id not in guild.members:
            raise Refused(10004)
        return guild

    def message(self, channel: Channel, message_id: int) -> Message:
        """Return the message, unless it is gone or only for one person.

        Raises:
            Refused: 10008.
        """
        message = channel.messages.get(message_id)
        if message is None or message.only_for is not None:
            raise Refused(10008)
        return message
