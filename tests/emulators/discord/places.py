"""Servers, channels, threads, roles and members come, change and go, with the events that tell of it."""

from tests.emulators.discord.model import (
    Channel,
    ChannelKind,
    Guild,
    Json,
    Member,
    Message,
    MessageFlag,
    Overwrite,
    Role,
    ThreadState,
    User,
)
from tests.emulators.discord.permission import EVERYONE, NONE, Permission
from tests.emulators.discord.wire_people import member_json, role_json, user_json
from tests.emulators.discord.wire_places import channel_json, guild_json, thread_json, thread_member_json
from tests.emulators.discord.world import Event, World


def add_guild(world: World, name: str, owner: User) -> Guild:
    """Return a new server with its owner and the bot in it; @everyone has Discord's usual permissions."""
    guild = Guild(world.new_id(), name, owner)
    guild.roles[guild.id] = Role(guild.id, "@everyone", EVERYONE, 0)
    for user in (owner, world.bot):
        guild.members[user.id] = Member(user, [], world.now())
    world.guilds[guild.id] = guild
    world.emit(Event("GUILD_CREATE", {"id": str(guild.id)}, guild))
    return guild


def add_bot(world: World, guild: Guild) -> None:
    """Let the bot into the server again."""
    guild.members[world.bot.id] = Member(world.bot, [], world.now())
    world.emit(Event("GUILD_CREATE", {"id": str(guild.id)}, guild))


def remove_bot(world: World, guild: Guild) -> None:
    """Throw the bot out of the server."""
    del guild.members[world.bot.id]
    world.emit(Event("GUILD_DELETE", {"id": str(guild.id)}, guild, always=True))


def change_guild(world: World, guild: Guild) -> None:
    world.emit(Event("GUILD_UPDATE", guild_json(world, guild), guild))


def add_member(world: World, guild: Guild, user: User, roles: list[Role]) -> Member:
    member = Member(user, roles, world.now())
    guild.members[user.id] = member
    data = member_json(member) | {"guild_id": str(guild.id)}
    world.emit(Event("GUILD_MEMBER_ADD", data, guild))
    return member


def remove_member(world: World, guild: Guild, user: User) -> None:
    del guild.members[user.id]
    data = {"guild_id": str(guild.id), "user": user_json(user)}
    world.emit(Event("GUILD_MEMBER_REMOVE", data, guild))


def tell_member(world: World, guild: Guild, user: User) -> None:
    """Send GUILD_MEMBER_UPDATE; the bot always learns of its own."""
    data = member_json(guild.members[user.id]) | {"guild_id": str(guild.id)}
    world.emit(Event("GUILD_MEMBER_UPDATE", data, guild, always=user is world.bot))


def add_role(world: World, guild: Guild, name: str, permissions: Permission = NONE) -> Role:
    role = Role(world.new_id(), name, permissions, len(guild.roles))
    guild.roles[role.id] = role
    tell_role(world, guild, role, "GUILD_ROLE_CREATE")
    return role


def tell_role(world: World, guild: Guild, role: Role, name: str = "GUILD_ROLE_UPDATE") -> None:
    world.emit(Event(name, {"guild_id": str(guild.id), "role": role_json(role)}, guild))


def remove_role(world: World, guild: Guild, role: Role) -> None:
    del guild.roles[role.id]
    for member in guild.members.values():
        if role in member.roles:
            member.roles.remove(role)
    data = {"guild_id": str(guild.id), "role_id": str(role.id)}
    world.emit(Event("GUILD_ROLE_DELETE", data, guild))


def add_channel(
    world: World,
    guild: Guild,
    name: str,
    kind: ChannelKind = ChannelKind.TEXT,
    *,
    parent: Channel | None = None,
    tags: tuple[str, ...] = (),
    overwrites: dict[int, Overwrite] | None = None,
) -> Channel:
    """Return a new channel of the server; inside a category it begins with the category's overwrites."""
    inherited = dict(parent.overwrites) if parent else {}
    channel = Channel(world.new_id(), kind, name, guild, parent, position=len(guild.channels))
    channel.overwrites = inherited if overwrites is None else overwrites
    channel.tags = {world.new_id(): tag for tag in tags}
    guild.channels[channel.id] = world.channels[channel.id] = channel
    world.emit(Event("CHANNEL_CREATE", channel_json(world, channel), guild, channel))
    return channel


def direct_channel(world: World, user: User) -> Channel:
    """Return the channel of direct messages between the bot and the user."""
    for channel in world.channels.values():
        if channel.recipient is user:
            return channel
    channel = Channel(world.new_id(), ChannelKind.DM, user.name, recipient=user)
    world.channels[channel.id] = channel
    return channel


def add_thread(
    world: World,
    parent: Channel,
    owner: User,
    name: str,
    *,
    kind: ChannelKind = ChannelKind.PUBLIC_THREAD,
    starter: Message | None = None,
    awaits_author: bool = False,
) -> Channel:
    """Return a new thread of the channel; one that hangs on a message has that message's id."""
    number = starter.id if starter else world.new_id()
    state = ThreadState(owner, world.now(), world.now(), starter, awaits_author=awaits_author)
    state.members[owner.id] = world.now()
    thread = Channel(number, kind, name, parent.guild, parent, thread=state)
    assert parent.guild is not None
    parent.guild.channels[thread.id] = world.channels[thread.id] = thread
    if starter is not None:
        starter.thread = thread
        starter.flags |= MessageFlag.HAS_THREAD
    data = thread_json(world, thread) | {"newly_created": True}
    world.emit(Event("THREAD_CREATE", data, thread.guild, thread))
    return thread


def set_thread(
    world: World, thread: Channel, *, archived: bool | None = None, locked: bool | None = None
) -> None:
    """Archive, open, lock or unlock the thread; `None` leaves it as it is."""
    state = thread.thread
    assert state is not None
    if archived is not None and archived is not state.archived:
        state.archived = archived
        state.changed_at = world.now()
    state.locked = state.locked if locked is None else locked
    tell_thread(world, thread)


def tell_thread(world: World, thread: Channel) -> None:
    """Send THREAD_UPDATE."""
    world.tick()
    world.emit(Event("THREAD_UPDATE", thread_json(world, thread), thread.guild, thread))


def tell_channel(world: World, channel: Channel) -> None:
    """Send CHANNEL_UPDATE."""
    world.tick()
    world.emit(Event("CHANNEL_UPDATE", channel_json(world, channel), channel.guild, channel))


def join_thread(world: World, thread: Channel, user: User) -> None:
    """Make the user a member of the thread."""
    assert thread.thread is not None
    assert thread.guild is not None
    if user.id in thread.thread.members:
        return
    thread.thread.members[user.id] = world.now()
    added = [thread_member_json(thread, user.id)]
    if user is world.bot:
        world.emit(Event("THREAD_CREATE", thread_json(world, thread), thread.guild, thread))
    _tell_members(world, thread, {"added_members": added}, own=user is world.bot)


def leave_thread(world: World, thread: Channel, user: User) -> None:
    assert thread.thread is not None
    if thread.thread.members.pop(user.id, None) is not None:
        _tell_members(world, thread, {"removed_member_ids": [str(user.id)]}, own=user is world.bot)


def remove_channel(world: World, channel: Channel) -> None:
    """Delete the channel or thread; a channel takes its threads along."""
    for thread in [child for child in world.channels.values() if child.thread and child.parent is channel]:
        _drop(world, thread)
    data = channel_json(world, channel)
    if channel.thread is not None:
        data = {key: data[key] for key in ("id", "guild_id", "parent_id", "type")}
    name = "THREAD_DELETE" if channel.thread else "CHANNEL_DELETE"
    world.emit(Event(name, data, channel.guild, channel))
    _drop(world, channel)


def _drop(world: World, channel: Channel) -> None:
    channel.deleted = True
    world.channels.pop(channel.id)
    if channel.guild is not None:
        channel.guild.channels.pop(channel.id)
    world.tick()


def _tell_members(world: World, thread: Channel, change: Json, *, own: bool) -> None:
    assert thread.thread is not None
    assert thread.guild is not None
    data = {"id": str(thread.id), "guild_id": str(thread.guild.id)}
    count = {"member_count": len(thread.thread.members)}
    world.emit(Event("THREAD_MEMBERS_UPDATE", data | count | change, thread.guild, thread, always=own))
