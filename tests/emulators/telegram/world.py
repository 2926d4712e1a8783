"""The state of the emulated Telegram, and the few steps that people's acts and the bot's calls share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from agent_core.clock import Clock
from tests.emulators.telegram.bell import Bell
from tests.emulators.telegram.call import Call
from tests.emulators.telegram.delivery import hears
from tests.emulators.telegram.errors import ApiError, refused
from tests.emulators.telegram.feed import Feed
from tests.emulators.telegram.records import (
    Attachment,
    Chat,
    Entity,
    InlineQuery,
    Keyboard,
    Member,
    Message,
    Press,
    Topic,
    User,
    Version,
)
from tests.emulators.telegram.wire import Json, message_json

QUERY_LIFE = timedelta(seconds=60)


@dataclass
class Manners:
    """How this Telegram and this bot are set up."""

    has_privacy: bool = True
    has_private_topics: bool = False
    mentions_pass_privacy: bool = False
    reactions_in_private: bool = True


@dataclass(frozen=True)
class Action:
    """A chat action that was shown."""

    chat: Chat
    thread_id: int | None
    name: str


@dataclass
class World:
    """Everything there is."""

    bot: User
    clock: Clock
    manners: Manners
    bell: Bell = field(default_factory=Bell)
    users: dict[int, User] = field(default_factory=dict)
    chats: dict[int, Chat] = field(default_factory=dict)
    files: dict[str, Attachment] = field(default_factory=dict)
    presses: dict[str, Press] = field(default_factory=dict)
    inline_queries: dict[str, InlineQuery] = field(default_factory=dict)
    inline_messages: dict[str, Message] = field(default_factory=dict)
    commands: dict[tuple[str, str], list[Json]] = field(default_factory=dict)
    actions: list[Action] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    numbers: "count[int]" = field(default_factory=lambda: count(1))
    message_ids: "count[int]" = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        self.feed = Feed(self.bell)

    def now(self) -> datetime:
        """Return the time of day."""
        return self.clock.now()

    def new_message(
        self,
        chat: Chat,
        sender: User,
        text: str = "",
        entities: Sequence[Entity] = (),
        keyboard: Keyboard = (),
        *,
        at: datetime | None = None,
        **more: Any,  # the other fields of Message
    ) -> Message:
        """Put a message into a chat."""
        date = at or self.now()
        # as in Telegram, supergroups count for themselves, all other chats together
        number = next(chat.ids if chat.kind == "supergroup" else self.message_ids)
        version = Version(text, tuple(entities), keyboard, date)
        message = Message(number, chat, sender, date, [version], **more)
        chat.messages[number] = message
        self.bell.ring()
        return message

    def new_topic(self, chat: Chat, name: str, sender: User) -> Topic:
        """Make a topic by the service message that carries its id."""
        made = self.new_message(chat, sender, is_topic_message=True)
        topic = Topic(made.id, name, chat)
        made.thread_id = topic.id
        made.service = {"forum_topic_created": {"name": name, "icon_color": topic.icon_color}}
        chat.topics[topic.id] = topic
        self.tell(made)
        return topic

    def service(
        self, chat: Chat, sender: User, content: Mapping[str, object], **more: Any
    ) -> Message:  # Message's
        """Put a service message into a chat and tell the bot."""
        message = self.new_message(chat, sender, **more)
        message.service = dict(content)
        self.tell(message)
        return message

    def tell(self, message: Message) -> None:
        """Queue the update for a new message, if the bot hears it."""
        if hears(self, message):
            message.update_id = self.feed.add("message", message_json(message))

    def add_version(
        self, message: Message, text: str, entities: Sequence[Entity], keyboard: Keyboard
    ) -> None:
        """Change what a message shows."""
        message.versions.append(Version(text, tuple(entities), keyboard, self.now()))
        self.bell.ring()

    def bot_in(self, chat: Chat) -> Member:
        """Return the bot's standing in a group; in private chats it is a plain member."""
        return Member(self.bot) if chat.is_private else chat.member(self.bot)

    def bot_may(self, chat: Chat, right: str) -> bool:
        """Return whether the bot has an administrator's right; in private chats it has all."""
        standing = self.bot_in(chat)
        return chat.is_private or (standing.is_admin and right in standing.rights)

    def found(self, message_id: int | None, chat: Chat, what: str) -> Message:
        """Return a message of a chat that still exists.

        Raises:
            ApiError: "<what> not found".
        """
        message = chat.messages.get(message_id or 0)
        if message is None or message.is_deleted:
            raise refused(f"{what} not found")
        return message

    def object_to(self, error: ApiError, call: str) -> None:
        """Keep a refusal that no bot should have provoked."""
        if error.is_wrong:
            self.violations.append(f"{call}: {error.description}")
