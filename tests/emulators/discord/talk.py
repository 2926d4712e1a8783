"""What people say and see, in the words of a test."""

from collections.abc import Mapping
from typing import Final

from tests.emulators.discord.access import permissions_in, sees
from tests.emulators.discord.emoji import key_of
from tests.emulators.discord.model import Channel, Message, MessageFlag, MessageKind, Reference, User
from tests.emulators.discord.permission import Permission
from tests.emulators.discord.posting import Allowed, Draft, change, post, remove, remove_many
from tests.emulators.discord.reacting import add_reaction, clear_reactions, reactors, remove_reaction
from tests.emulators.discord.world import World

_LONGEST: Final = 4000
_SYSTEM: Final = (MessageKind.THREAD_CREATED, MessageKind.THREAD_STARTER)


class Talk:
    """What people do with messages, and what is to be seen of it."""

    world: World

    def say(
        self,
        user: User,
        channel: Channel,
        text: str = "",
        *,
        reply_to: Message | None = None,
        ping: bool = True,
        attachments: Mapping[str, bytes] | None = None,
        forwards: Message | None = None,
    ) -> Message:
        """Return what the user writes; files are given by name, `ping` says whether a reply notifies."""
        self._demand_place(user, channel)
        assert len(text) <= _LONGEST, f"nobody can write {len(text)} characters"
        target = forwards or reply_to
        draft = Draft(
            content=text,
            attachments=[self.world.store(name, content) for name, content in (attachments or {}).items()],
            allowed=Allowed(replied=ping),
            reply_to=reply_to,
            forwarded=forwards,
            reference=_reference(target, forwarded=forwards is not None) if target else None,
        )
        return post(self.world, channel, user, draft)

    def say_by_webhook(self, channel: Channel, name: str, text: str) -> Message:
        """Return what a webhook of that name posts."""
        number = self.world.new_id()
        author = User(number, name, name, is_bot=True)
        self.world.users[number] = author
        return post(self.world, channel, author, Draft(text), webhook_id=number)

    def edit(self, message: Message, text: str) -> None:
        """Let the author change the text."""
        change(self.world, message, content=text)

    def delete(self, *messages: Message) -> None:
        """Delete a message; several of one channel go at once, as moderation bots do it."""
        if len(messages) == 1:
            remove(self.world, messages[0])
        else:
            remove_many(self.world, messages[0].channel, list(messages))

    def react(self, user: User, message: Message, emoji: str) -> None:
        self._demand_seeing(user, message)
        add_reaction(self.world, message, user, key_of(emoji, message.guild))

    def unreact(self, user: User, message: Message, emoji: str) -> None:
        remove_reaction(self.world, message, user, key_of(emoji, message.guild))

    def clear_reactions(self, message: Message, emoji: str | None = None) -> None:
        """Let a moderator clear all reactions, or those of one emoji."""
        clear_reactions(self.world, message, emoji)

    def messages(self, channel: Channel) -> list[Message]:
        """Return what everybody who reads there sees, oldest first."""
        return channel.history

    def from_bot(self, channel: Channel) -> list[Message]:
        """Return what everybody sees of what the bot says, oldest first, without "thinking"."""
        return [one for one in channel.history if one.author is self.world.bot and not _waits(one)]

    def seen_by(self, user: User, channel: Channel) -> list[Message]:
        """Return what the user sees there, ephemeral replies to them included, oldest first."""
        if not sees(channel, user):
            return []
        return [one for one in channel.messages.values() if one.only_for in (None, user)]

    def replies_to(self, message: Message) -> list[Message]:
        """Return the messages of its channel that reply to it, oldest first."""
        return [one for one in message.channel.history if one.referenced is message]

    def reactions(self, message: Message) -> dict[str, list[User]]:
        """Return who reacted with what."""
        return {emoji: list(users) for emoji, users in message.reactions.items()}

    def reacted(self, message: Message, emoji: str) -> list[User]:
        """Return who reacted with the emoji, whatever its variation selector."""
        return reactors(message, emoji)

    def typed_in(self, channel: Channel, *, after: Message | None = None) -> int:
        """Return how often the bot showed that it types there, since a message if one is given."""
        since = after.sequence if after else 0
        return sum(1 for sequence, place in self.world.typing if place is channel and sequence > since)

    async def reply(self, message: Message, *, number: int = 1) -> Message:
        """Wait for the bot's `number`-th reply to the message and return it."""
        bot = self.world.bot
        await self.world.until(
            lambda: sum(1 for one in self.replies_to(message) if one.author is bot) >= number,
            because=f"reply {number} to {message.content!r}",
        )
        return [one for one in self.replies_to(message) if one.author is bot][number - 1]

    def _demand_place(self, user: User, channel: Channel) -> None:
        """Fail the test where its people could not write; only bots' own rights are the bot's to find out."""
        in_thread = channel.thread is not None
        needed = Permission.SEND_MESSAGES_IN_THREADS if in_thread else Permission.SEND_MESSAGES
        assert permissions_in(channel, user) & needed, f"{user.name} may not write in {channel.name}"

    def _demand_seeing(self, user: User, message: Message) -> None:
        assert sees(message.channel, user), f"{user.name} does not see {message.channel.name}"
        assert message.only_for is None, "ephemeral messages take no reactions"


def _reference(message: Message, *, forwarded: bool) -> Reference:
    guild = message.guild.id if message.guild else None
    return Reference(message.channel.id, message.id, guild, forwarded=forwarded)


def _waits(message: Message) -> bool:
    return bool(message.flags & MessageFlag.LOADING) or message.kind in _SYSTEM
