"""REST: channels, threads and forum posts, direct messages."""

from datetime import datetime
from typing import Final

from tests.emulators.discord.access import demand, demand_sending, permissions_in
from tests.emulators.discord.model import Channel, ChannelKind, Json, ThreadState, User
from tests.emulators.discord.permission import Permission
from tests.emulators.discord.places import (
    add_thread,
    direct_channel,
    join_thread,
    leave_thread,
    remove_channel,
    set_thread,
    tell_channel,
)
from tests.emulators.discord.posting import post_first, start_thread
from tests.emulators.discord.refusal import Form, Refused
from tests.emulators.discord.rest import NOTHING, Call, Reply, Route
from tests.emulators.discord.rest_messages import draft_of, read
from tests.emulators.discord.wire import message_json
from tests.emulators.discord.wire_places import channel_json, thread_json, thread_member_json
from tests.emulators.discord.world import World

_ARCHIVE_MINUTES: Final = frozenset({60, 1440, 4320, 10080})


def get_channel(world: World, call: Call) -> Reply:
    return Reply(channel_json(world, _seen(world, call)))


def edit_channel(world: World, call: Call) -> Reply:
    channel = _seen(world, call)
    if channel.guild is None:
        raise Refused(50003)
    if channel.thread is not None:
        _edit_thread(world, channel, channel.thread, call.fields)
        return Reply(thread_json(world, channel))
    demand(channel, world.bot, Permission.MANAGE_CHANNELS)
    body = call.fields
    if "name" in body:
        _check_name(body)
    channel.name = body.get("name", channel.name)
    channel.topic = body.get("topic", channel.topic)
    tell_channel(world, channel)
    return Reply(channel_json(world, channel))


def delete_channel(world: World, call: Call) -> Reply:
    channel = _seen(world, call)
    if channel.guild is None:
        return Reply(channel_json(world, channel))
    needed = Permission.MANAGE_THREADS if channel.thread else Permission.MANAGE_CHANNELS
    demand(channel, world.bot, needed)
    shown = channel_json(world, channel)
    remove_channel(world, channel)
    return Reply(shown)


def thread_from_message(world: World, call: Call) -> Reply:
    channel, message = read(world, call)
    _check_name(call.fields)
    if channel.kind is not ChannelKind.TEXT:
        raise Refused(50024)
    demand(channel, world.bot, Permission.CREATE_PUBLIC_THREADS | Permission.READ_MESSAGE_HISTORY)
    if message.thread is not None and not message.thread.deleted:
        raise Refused(160004)
    thread = start_thread(world, channel, world.bot, call.fields["name"], starter=message)
    _set_archiving(thread, call.fields)
    return Reply(thread_json(world, thread), 201)


def thread_in_channel(world: World, call: Call) -> Reply:
    channel = _seen(world, call)
    body = call.fields
    _check_name(body)
    if channel.kind is ChannelKind.FORUM:
        return _forum_post(world, call, channel)
    if channel.kind is not ChannelKind.TEXT:
        raise Refused(50024)
    kind = ChannelKind(int(body.get("type") or ChannelKind.PRIVATE_THREAD))
    is_public = kind is ChannelKind.PUBLIC_THREAD
    demand(
        channel,
        world.bot,
        Permission.CREATE_PUBLIC_THREADS if is_public else Permission.CREATE_PRIVATE_THREADS,
    )
    thread = start_thread(world, channel, world.bot, body["name"], kind=kind)
    _set_archiving(thread, body)
    return Reply(thread_json(world, thread), 201)


def active_threads(world: World, call: Call) -> Reply:
    guild = world.guild(call.number("guild_id"))
    threads = [
        channel
        for channel in guild.channels.values()
        if channel.thread and not channel.thread.archived and world.bot_sees(channel)
    ]
    return Reply(_listed(world, threads))


def archived_public(world: World, call: Call) -> Reply:
    return _archived(world, call, ChannelKind.PUBLIC_THREAD, own=False)


def archived_private(world: World, call: Call) -> Reply:
    demand(_seen(world, call), world.bot, Permission.MANAGE_THREADS)
    return _archived(world, call, ChannelKind.PRIVATE_THREAD, own=False)


def archived_joined(world: World, call: Call) -> Reply:
    return _archived(world, call, ChannelKind.PRIVATE_THREAD, own=True)


def list_thread_members(world: World, call: Call) -> Reply:
    channel, thread = _thread(world, call)
    return Reply([thread_member_json(channel, key) for key in thread.members])


def join(world: World, call: Call) -> Reply:
    channel, thread = _thread(world, call)
    if thread.archived:
        raise Refused(50083)
    join_thread(world, channel, _member(world, call))
    return NOTHING


def leave(world: World, call: Call) -> Reply:
    channel, thread = _thread(world, call)
    user = _member(world, call)
    if thread.archived:
        raise Refused(50083)
    if user is not world.bot and thread.owner is not world.bot:
        demand(channel, world.bot, Permission.MANAGE_THREADS)
    leave_thread(world, channel, user)
    return NOTHING


def open_direct(world: World, call: Call) -> Reply:
    user = world.users.get(int(call.fields.get("recipient_id", 0)))
    if user is None:
        raise Refused(10013)
    if user.is_bot:
        raise Refused(50007)
    return Reply(channel_json(world, direct_channel(world, user)))


def _seen(world: World, call: Call) -> Channel:
    channel = world.channel(call.number("channel_id"))
    demand(channel, world.bot, Permission.VIEW_CHANNEL)
    return channel


def _thread(world: World, call: Call) -> tuple[Channel, ThreadState]:
    channel = _seen(world, call)
    if channel.thread is None:
        raise Refused(50024)
    return channel, channel.thread


def _member(world: World, call: Call) -> User:
    if "user_id" not in call.params:
        return world.bot
    user = world.users.get(call.number("user_id"))
    if user is None:
        raise Refused(10013)
    return user


def _check_name(body: Json) -> None:
    form = Form()
    form.length("name", body.get("name"), 1, 100)
    form.close()


def _set_archiving(channel: Channel, body: Json) -> None:
    minutes = body.get("auto_archive_duration")
    if minutes is None or channel.thread is None:
        return
    form = Form()
    form.choice("auto_archive_duration", minutes, _ARCHIVE_MINUTES)
    form.close()
    channel.thread.auto_archive_minutes = int(minutes)


def _edit_thread(world: World, channel: Channel, thread: ThreadState, body: Json) -> None:
    held = permissions_in(channel, world.bot)
    moderates = bool(held & Permission.MANAGE_THREADS)
    if thread.locked and not moderates:
        raise Refused(50083, status=403)
    if thread.archived and body.get("archived", True):
        raise Refused(50083)
    only_opens = set(body) == {"archived"} and not body["archived"]
    if only_opens:
        demand_sending(channel, world.bot)
    elif not moderates and (thread.owner is not world.bot or "locked" in body):
        raise Refused(50013)
    if "name" in body:
        _check_name(body)
        channel.name = body["name"]
    _set_archiving(channel, body)
    set_thread(world, channel, archived=body.get("archived"), locked=body.get("locked"))


def _forum_post(world: World, call: Call, forum: Channel) -> Reply:
    body = call.fields
    demand(forum, world.bot, Permission.SEND_MESSAGES)
    draft = draft_of(world, call, body.get("message") or {}, forum)
    tags = [int(tag) for tag in body.get("applied_tags") or []]
    if len(tags) > 5 or any(tag not in forum.tags for tag in tags):
        detail = {"code": "INVALID_FORUM_TAG", "message": "One or more tags are not available."}
        raise Refused(50035, errors={"applied_tags": {"_errors": [detail]}})
    thread = add_thread(world, forum, world.bot, body["name"])
    assert thread.thread is not None
    thread.thread.tags = tags
    _set_archiving(thread, body)
    message = post_first(world, thread, world.bot, draft)
    return Reply(thread_json(world, thread) | {"message": message_json(world, message)}, 201)


def _archived(world: World, call: Call, kind: ChannelKind, *, own: bool) -> Reply:
    parent = _seen(world, call)
    demand(parent, world.bot, Permission.READ_MESSAGE_HISTORY)
    threads = [
        channel
        for channel in world.channels.values()
        if channel.parent is parent and channel.kind is kind and channel.thread and channel.thread.archived
    ]
    if own:
        threads = [one for one in threads if one.thread and world.bot.id in one.thread.members]
    threads.sort(key=_changed_at, reverse=True)
    before = call.query.get("before")
    if before and not own:
        limit_at = datetime.fromisoformat(before)
        threads = [one for one in threads if _changed_at(one) < limit_at]
    elif before:
        threads = [one for one in threads if one.id < int(before)]
    limit = int(call.query.get("limit", 50))
    page = threads[:limit]
    return Reply(_listed(world, page) | {"has_more": len(threads) > limit})


def _changed_at(channel: Channel) -> datetime:
    assert channel.thread is not None
    return channel.thread.changed_at


def _listed(world: World, threads: list[Channel]) -> Json:
    joined = [one for one in threads if one.thread and world.bot.id in one.thread.members]
    return {
        "threads": [thread_json(world, thread) for thread in threads],
        "members": [thread_member_json(thread, world.bot.id) for thread in joined],
    }


_ONE = "/channels/{channel_id}"
_MEMBERS = "/channels/{channel_id}/thread-members"
ROUTES: Final = (
    Route("GET", _ONE, get_channel),
    Route("PATCH", _ONE, edit_channel),
    Route("DELETE", _ONE, delete_channel),
    Route("POST", f"{_ONE}/messages/{{message_id}}/threads", thread_from_message),
    Route("POST", f"{_ONE}/threads", thread_in_channel),
    Route("GET", f"{_ONE}/threads/archived/public", archived_public),
    Route("GET", f"{_ONE}/threads/archived/private", archived_private),
    Route("GET", f"{_ONE}/users/@me/threads/archived/private", archived_joined),
    Route("GET", _MEMBERS, list_thread_members),
    Route("PUT", f"{_MEMBERS}/@me", join),
    Route("DELETE", f"{_MEMBERS}/@me", leave),
    Route("PUT", f"{_MEMBERS}/{{user_id}}", join),
    Route("DELETE", f"{_MEMBERS}/{{user_id}}", leave),
    Route("GET", "/guilds/{guild_id}/threads/active", active_threads),
    Route("POST", "/users/@me/channels", open_direct),
)
