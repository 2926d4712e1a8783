"""What Discord knows: people, servers, places and messages, as plain records that the emulator changes."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, IntFlag
from typing import Any

from tests.emulators.discord.permission import NONE, Permission

Json = dict[str, Any]  # any JSON object, as it goes over the wire


class ChannelKind(IntEnum):
    TEXT = 0
    DM = 1
    CATEGORY = 4
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12
    FORUM = 15


class MessageKind(IntEnum):
    DEFAULT = 0
    THREAD_CREATED = 18
    REPLY = 19
    SLASH_COMMAND = 20
    THREAD_STARTER = 21
    MENU_COMMAND = 23


class MessageFlag(IntFlag):
    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    HAS_SNAPSHOT = 1 << 14
    COMPONENTS_V2 = 1 << 15


SETTABLE_FLAGS = MessageFlag.SUPPRESS_EMBEDS | MessageFlag.SUPPRESS_NOTIFICATIONS | MessageFlag.COMPONENTS_V2
NO_FLAGS = MessageFlag(0)


@dataclass(eq=False, slots=True)
class User:
    """An account; `locale` is the language that its interactions carry."""

    id: int
    name: str
    display_name: str
    is_bot: bool = False
    locale: str = "en-US"
    takes_messages: bool = True

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"


@dataclass(eq=False, slots=True)
class Role:
    id: int
    name: str
    permissions: Permission
    position: int

    @property
    def mention(self) -> str:
        return f"<@&{self.id}>"


@dataclass(eq=False, slots=True)
class Member:
    user: User
    roles: list[Role]
    joined_at: datetime
    nick: str | None = None


@dataclass(eq=False, slots=True)
class Guild:
    """A server; the role with the server's own id is @everyone."""

    id: int
    name: str
    owner: User
    locale: str = "en-US"
    upload_limit: int = 10 * 1024 * 1024
    roles: dict[int, Role] = field(default_factory=dict)
    members: dict[int, Member] = field(default_factory=dict)
    channels: dict[int, "Channel"] = field(default_factory=dict)
    emojis: dict[int, str] = field(default_factory=dict)

    @property
    def everyone(self) -> Role:
        return self.roles[self.id]


@dataclass(slots=True)
class Overwrite:
    """What a channel allows and denies to one role or person."""

    allow: Permission = NONE
    deny: Permission = NONE
    is_member: bool = False


@dataclass(eq=False, slots=True)
class ThreadState:
    """What only threads have; `starter` is the message that a thread hangs on."""

    owner: User
    created_at: datetime
    changed_at: datetime
    starter: "Message | None" = None
    archived: bool = False
    locked: bool = False
    auto_archive_minutes: int = 1440
    invitable: bool = True
    members: dict[int, datetime] = field(default_factory=dict)
    tags: list[int] = field(default_factory=list)
    awaits_author: bool = False


@dataclass(eq=False, slots=True)
class Channel:
    """A place of any kind: text channel, forum, category, thread, direct messages."""

    id: int
    kind: ChannelKind
    name: str
    guild: Guild | None = None
    parent: "Channel | None" = None
    topic: str | None = None
    position: int = 0
    overwrites: dict[int, Overwrite] = field(default_factory=dict)
    messages: dict[int, "Message"] = field(default_factory=dict)
    thread: ThreadState | None = None
    tags: dict[int, str] = field(default_factory=dict)
    recipient: User | None = None
    slow_mode_s: int = 0
    deleted: bool = False

    @property
    def mention(self) -> str:
        return f"<#{self.id}>"

    @property
    def ruling(self) -> "Channel":
        """The channel whose overwrites hold: for a thread its parent."""
        return self.parent if self.thread is not None and self.parent is not None else self

    @property
    def history(self) -> list["Message"]:
        """What everybody who may read here sees, oldest first."""
        return [message for message in self.messages.values() if message.only_for is None]


@dataclass(eq=False, slots=True)
class Attachment:
    id: int
    filename: str
    content: bytes
    content_type: str
    description: str | None = None
    expired: bool = False


@dataclass(frozen=True, slots=True)
class Version:
    """What a message said from `sequence` on, in the order of everything that happened."""

    sequence: int
    content: str
    embeds: tuple[Json, ...]
    components: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    channel_id: int
    message_id: int | None
    guild_id: int | None
    forwarded: bool = False


@dataclass(eq=False, slots=True)
class Message:
    """A message with all it ever said; `mentions` are those whom it notified."""

    id: int
    channel: Channel
    author: User
    at: datetime
    content: str = ""
    kind: MessageKind = MessageKind.DEFAULT
    flags: MessageFlag = NO_FLAGS
    embeds: list[Json] = field(default_factory=list)
    components: list[Json] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    mentions: list[User] = field(default_factory=list)
    mention_roles: list[Role] = field(default_factory=list)
    mention_everyone: bool = False
    edited_at: datetime | None = None
    nonce: str | None = None
    reference: Reference | None = None
    referenced: "Message | None" = None
    reactions: dict[str, list[User]] = field(default_factory=dict)
    thread: Channel | None = None
    only_for: User | None = None
    webhook_id: int | None = None
    interaction: Json | None = None
    pinned: bool = False
    deleted: bool = False
    versions: list[Version] = field(default_factory=list)
    late_edits: list[datetime] = field(default_factory=list)

    @property
    def guild(self) -> Guild | None:
        return self.channel.guild

    @property
    def sequence(self) -> int:
        """When it was sent, in the order of everything that happened."""
        return self.versions[0].sequence

    @property
    def contents(self) -> list[str]:
        """Every text it had, the first first; a version that left the text alone repeats it."""
        return [version.content for version in self.versions]

    @property
    def ephemeral(self) -> bool:
        return self.only_for is not None

    @property
    def url(self) -> str:
        guild = self.channel.guild.id if self.channel.guild else "@me"
        return f"https://discord.com/channels/{guild}/{self.channel.id}/{self.id}"
