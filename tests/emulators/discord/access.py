"""What somebody may do in a channel, computed from roles and overwrites as Discord does."""

from tests.emulators.discord.model import Channel, Guild, Member, User
from tests.emulators.discord.permission import ALL, IN_DIRECT_MESSAGES, NONE, Permission
from tests.emulators.discord.refusal import Refused


def permissions_in(channel: Channel, user: User) -> Permission:
    """Return what `user` may do in `channel`; nothing without seeing it."""
    guild = channel.guild
    if guild is None:
        return IN_DIRECT_MESSAGES if user is channel.recipient or user.is_bot else NONE
    member = guild.members.get(user.id)
    if member is None:
        return NONE
    held = permissions_of(guild, member)
    if held & Permission.ADMINISTRATOR:
        return ALL
    held = _overwritten(held, channel.ruling, guild, member)
    if not held & Permission.VIEW_CHANNEL or _shut_out(channel, user, held):
        return NONE
    return held


def permissions_of(guild: Guild, member: Member) -> Permission:
    """Return what `member` may do in the whole server."""
    if member.user is guild.owner:
        return ALL
    held = guild.everyone.permissions
    for role in member.roles:
        held |= role.permissions
    return ALL if held & Permission.ADMINISTRATOR else held


def sees(channel: Channel, user: User) -> bool:
    """Return whether `user` can see `channel`."""
    return bool(permissions_in(channel, user) & Permission.VIEW_CHANNEL)


def demand(channel: Channel, user: User, needed: Permission) -> None:
    """Let only those through who see the channel and have what is needed.

    Raises:
        Refused: 50001 or 50013.
    """
    held = permissions_in(channel, user)
    if not held & Permission.VIEW_CHANNEL:
        raise Refused(50001)
    if needed & ~held:
        raise Refused(50013)


def demand_sending(channel: Channel, user: User) -> None:
    """Let only those through who may send messages there.

    Raises:
        Refused: 50001, 50013, or 50083 for a locked thread.
    """
    in_thread = channel.thread is not None
    demand(channel, user, Permission.SEND_MESSAGES_IN_THREADS if in_thread else Permission.SEND_MESSAGES)
    demand_unlocked(channel, user)


def demand_unlocked(channel: Channel, user: User) -> None:
    """Let only moderators into a locked thread.

    Raises:
        Refused: 50083.
    """
    moderates = permissions_in(channel, user) & Permission.MANAGE_THREADS
    if channel.thread is not None and channel.thread.locked and not moderates:
        raise Refused(50083, status=403)


def demand_active(channel: Channel, user: User) -> None:
    """Let nobody change anything in an archived thread, and only moderators in a locked one.

    Raises:
        Refused: 50083.
    """
    demand_unlocked(channel, user)
    if channel.thread is not None and channel.thread.archived:
        raise Refused(50083)


def _overwritten(held: Permission, channel: Channel, guild: Guild, member: Member) -> Permission:
    everyone = channel.overwrites.get(guild.id)
    if everyone is not None:
        held = held & ~everyone.deny | everyone.allow
    of_roles = [channel.overwrites[role.id] for role in member.roles if role.id in channel.overwrites]
    allow, deny = NONE, NONE
    for overwrite in of_roles:
        allow, deny = allow | overwrite.allow, deny | overwrite.deny
    held = held & ~deny | allow
    own = channel.overwrites.get(member.user.id)
    return held & ~own.deny | own.allow if own is not None else held


def _shut_out(channel: Channel, user: User, held: Permission) -> bool:
    """Return whether the channel is a private thread that `user` is not in."""
    is_private = channel.kind.name == "PRIVATE_THREAD"
    is_in = channel.thread is not None and user.id in channel.thread.members
    return is_private and not is_in and not held & Permission.MANAGE_THREADS
