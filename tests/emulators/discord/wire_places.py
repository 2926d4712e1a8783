"""The JSON in which Discord shows servers, channels and threads."""

from tests.emulators.discord.access import permissions_in
from tests.emulators.discord.model import Channel, ChannelKind, Guild, Json, User
from tests.emulators.discord.wire_people import member_json, role_json, time_json, user_json
from tests.emulators.discord.world import World


def channel_json(world: World, channel: Channel) -> Json:
    """Return the channel as REST shows it to the bot."""
    if channel.kind is ChannelKind.DM:
        assert channel.recipient is not None
        return _base(channel) | {"recipients": [user_json(channel.recipient)], "flags": 0}
    return thread_json(world, channel) if channel.thread else _guild_channel(channel)


def thread_json(world: World, channel: Channel) -> Json:
    thread = channel.thread
    assert thread is not None
    assert channel.guild is not None
    assert channel.parent is not None
    messages = len(channel.history)
    seen: Json = _base(channel) | {
        "guild_id": str(channel.guild.id),
        "parent_id": str(channel.parent.id),
        "owner_id": str(thread.owner.id),
        "message_count": messages,
        "total_message_sent": messages,
        "member_count": len(thread.members),
        "rate_limit_per_user": channel.slow_mode_s,
        "flags": 0,
        "thread_metadata": {
            "archived": thread.archived,
            "locked": thread.locked,
            "archive_timestamp": time_json(thread.changed_at),
            "auto_archive_duration": thread.auto_archive_minutes,
            "create_timestamp": time_json(thread.created_at),
        },
    }
    if channel.kind is ChannelKind.PRIVATE_THREAD:
        seen["thread_metadata"]["invitable"] = thread.invitable
    if channel.parent.kind is ChannelKind.FORUM:
        seen["applied_tags"] = [str(tag) for tag in thread.tags]
    if world.bot.id in thread.members:
        seen["member"] = thread_member_json(channel, world.bot.id)
    return seen


def thread_member_json(channel: Channel, user_id: int) -> Json:
    assert channel.thread is not None
    joined = channel.thread.members[user_id]
    return {"id": str(channel.id), "user_id": str(user_id), "join_timestamp": time_json(joined), "flags": 0}


def guild_json(world: World, guild: Guild) -> Json:
    """Return the server as REST shows it."""
    return {
        "id": str(guild.id),
        "name": guild.name,
        "owner_id": str(guild.owner.id),
        "icon": None,
        "splash": None,
        "discovery_splash": None,
        "banner": None,
        "description": None,
        "features": [],
        "emojis": [{"id": str(key), "name": name} for key, name in guild.emojis.items()],
        "stickers": [],
        "roles": [role_json(role) for role in guild.roles.values()],
        "region": "deprecated",
        "afk_channel_id": None,
        "afk_timeout": 300,
        "verification_level": 0,
        "default_message_notifications": 1,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "application_id": None,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "rules_channel_id": None,
        "public_updates_channel_id": None,
        "vanity_url_code": None,
        "premium_tier": 0,
        "preferred_locale": guild.locale,
        "premium_progress_bar_enabled": False,
        "incidents_data": None,
        "nsfw": False,
    }


def guild_create_json(world: World, guild: Guild, *, all_members: bool) -> Json:
    """Return what GUILD_CREATE carries: the server, all its channels, the open threads that the bot sees."""
    places = guild.channels.values()
    threads = [one for one in places if one.thread and not one.thread.archived and world.bot_sees(one)]
    members = guild.members.values() if all_members else [guild.members[world.bot.id]]
    return guild_json(world, guild) | {
        "unavailable": False,
        "large": False,
        "joined_at": time_json(guild.members[world.bot.id].joined_at),
        "member_count": len(guild.members),
        "members": [member_json(member) for member in members],
        "channels": [_guild_channel(channel) for channel in places if channel.thread is None],
        "threads": [thread_json(world, channel) for channel in threads],
        "voice_states": [],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def interaction_channel_json(world: World, channel: Channel, user: User) -> Json:
    """Return the channel as interactions carry it, with what `user` may do there."""
    return channel_json(world, channel) | {"permissions": str(int(permissions_in(channel, user)))}


def _base(channel: Channel) -> Json:
    history = channel.history
    last = str(history[-1].id) if history else None
    return {"id": str(channel.id), "type": int(channel.kind), "name": channel.name, "last_message_id": last}


def _guild_channel(channel: Channel) -> Json:
    assert channel.guild is not None
    seen: Json = _base(channel) | {
        "guild_id": str(channel.guild.id),
        "position": channel.position,
        "permission_overwrites": [
            {
                "id": str(target),
                "type": int(overwrite.is_member),
                "allow": str(int(overwrite.allow)),
                "deny": str(int(overwrite.deny)),
            }
            for target, overwrite in channel.overwrites.items()
        ],
        "nsfw": False,
        "parent_id": str(channel.parent.id) if channel.parent else None,
        "topic": channel.topic,
        "rate_limit_per_user": channel.slow_mode_s,
        "flags": 0,
    }
    if channel.kind is ChannelKind.FORUM:
        seen["available_tags"] = [
            {"id": str(key), "name": name, "moderated": False, "emoji_id": None, "emoji_name": None}
            for key, name in channel.tags.items()
        ]
        seen |= {"default_reaction_emoji": None, "default_sort_order": None, "default_forum_layout": 0}
    return seen
