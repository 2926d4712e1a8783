"""Setting the scene: people, servers, places and what may be done there, in the words of a test."""

from collections.abc import Iterable

from tests.emulators.discord import places
from tests.emulators.discord.model import Channel, ChannelKind, Guild, Message, Overwrite, Role, User
from tests.emulators.discord.permission import NONE, Permission
from tests.emulators.discord.posting import Draft, post_first, start_thread
from tests.emulators.discord.world import World


class Stage:
    """What a test arranges before and between what people say."""

    world: World

    @property
    def bot(self) -> User:
        return self.world.bot

    def user(self, name: str, *, locale: str = "en-US", is_bot: bool = False) -> User:
        """Return a new account."""
        user = User(self.world.new_id(), name.lower().replace(" ", "_"), name, is_bot, locale)
        self.world.users[user.id] = user
        return user

    def guild(self, name: str, *members: User, owner: User | None = None) -> Guild:
        """Return a new server with the bot and the members in it; without an owner it gets one of its own."""
        guild = places.add_guild(self.world, name, owner or self.user(f"{name} owner"))
        self.join(guild, *members)
        return guild

    def join(self, guild: Guild, *users: User, roles: Iterable[Role] = ()) -> None:
        """Let people in, the bot too if it was out."""
        for user in users:
            if user is self.bot and user.id not in guild.members:
                places.add_bot(self.world, guild)
            elif user.id not in guild.members:
                places.add_member(self.world, guild, user, list(roles))

    def kick(self, guild: Guild, user: User) -> None:
        """Throw somebody out, the bot too."""
        if user is self.bot:
            places.remove_bot(self.world, guild)
        else:
            places.remove_member(self.world, guild, user)

    def role(
        self, guild: Guild, name: str, permissions: Permission = NONE, *, to: Iterable[User] = ()
    ) -> Role:
        """Return a new role, given to those named."""
        role = places.add_role(self.world, guild, name, permissions)
        for user in to:
            self.give(guild, user, role)
        return role

    def give(self, guild: Guild, user: User, role: Role) -> None:
        guild.members[user.id].roles.append(role)
        places.tell_member(self.world, guild, user)

    def take(self, guild: Guild, user: User, role: Role) -> None:
        guild.members[user.id].roles.remove(role)
        places.tell_member(self.world, guild, user)

    def delete_role(self, guild: Guild, role: Role) -> None:
        places.remove_role(self.world, guild, role)

    def set_permissions(self, guild: Guild, role: Role, permissions: Permission) -> None:
        """Give the role, such as `guild.everyone`, other permissions."""
        role.permissions = permissions
        places.tell_role(self.world, guild, role)

    def permit(
        self, channel: Channel, target: Role | User, *, allow: Permission = NONE, deny: Permission = NONE
    ) -> None:
        """Set what the channel allows and denies to a role or to one person."""
        channel.overwrites[target.id] = Overwrite(allow, deny, is_member=isinstance(target, User))
        places.tell_channel(self.world, channel)

    def channel(self, guild: Guild, name: str, *, category: Channel | None = None) -> Channel:
        return places.add_channel(self.world, guild, name, parent=category)

    def category(self, guild: Guild, name: str) -> Channel:
        return places.add_channel(self.world, guild, name, ChannelKind.CATEGORY)

    def forum(self, guild: Guild, name: str, *, tags: tuple[str, ...] = ()) -> Channel:
        return places.add_channel(self.world, guild, name, ChannelKind.FORUM, tags=tags)

    def thread(
        self, user: User, channel: Channel, name: str, *, on: Message | None = None, private: bool = False
    ) -> Channel:
        """Return a thread that the user opens, hanging on a message if one is given."""
        kind = ChannelKind.PRIVATE_THREAD if private else ChannelKind.PUBLIC_THREAD
        return start_thread(self.world, channel, user, name, kind=kind, starter=on)

    def forum_post(
        self, user: User, forum: Channel, name: str, text: str | None = None, *, tags: tuple[str, ...] = ()
    ) -> Channel:
        """Return a post; without a text nobody else can write there until the user did (`say_first`)."""
        thread = places.add_thread(self.world, forum, user, name, awaits_author=True)
        assert thread.thread is not None
        thread.thread.tags = [key for key, tag in forum.tags.items() if tag in tags]
        if text is not None:
            self.say_first(user, thread, text)
        return thread

    def say_first(self, user: User, thread: Channel, text: str) -> Message:
        """Return the first message of a forum post."""
        return post_first(self.world, thread, user, Draft(text))

    def direct(self, user: User) -> Channel:
        """Return the channel of direct messages between the user and the bot."""
        return places.direct_channel(self.world, user)

    def archive(self, thread: Channel, *, locked: bool = False) -> None:
        """Close the thread; with `locked` only moderators may open it again."""
        places.set_thread(self.world, thread, archived=True, locked=locked or None)

    def unarchive(self, thread: Channel) -> None:
        places.set_thread(self.world, thread, archived=False)

    def lock(self, thread: Channel) -> None:
        places.set_thread(self.world, thread, locked=True)

    def unlock(self, thread: Channel) -> None:
        places.set_thread(self.world, thread, locked=False)

    def rename(self, place: Channel, name: str) -> None:
        place.name = name
        tell = places.tell_thread if place.thread else places.tell_channel
        tell(self.world, place)

    def delete_channel(self, channel: Channel) -> None:
        """Delete a channel with its threads, or a thread."""
        places.remove_channel(self.world, channel)

    def join_thread(self, user: User, thread: Channel) -> None:
        places.join_thread(self.world, thread, user)
