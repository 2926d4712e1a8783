"""REST: messages."""

from datetime import timedelta
from typing import Final, TypedDict

from tests.emulators.discord.access import demand, demand_active, demand_sending, permissions_in
from tests.emulators.discord.model import (
    SETTABLE_FLAGS,
    Attachment,
    Channel,
    ChannelKind,
    Json,
    Message,
    MessageFlag,
    MessageKind,
    Reference,
)
from tests.emulators.discord.permission import Permission
from tests.emulators.discord.posting import Allowed, Draft, change, post, remove, remove_many
from tests.emulators.discord.refusal import Refused
from tests.emulators.discord.rest import NOTHING, Call, Reply, Route, attachments_of
from tests.emulators.discord.rules import check_message, is_empty, shown_text
from tests.emulators.discord.wire import message_json
from tests.emulators.discord.world import World

_HOUR: Final = timedelta(hours=1)
_LATE_EDITS: Final = 2
_SYSTEM: Final = frozenset({MessageKind.THREAD_CREATED, MessageKind.THREAD_STARTER})


class _Referring(TypedDict, total=False):
    reference: Reference
    reply_to: Message
    forwarded: Message


def list_messages(world: World, call: Call) -> Reply:
    channel = world.channel(call.number("channel_id"))
    demand(channel, world.bot, Permission.VIEW_CHANNEL)
    if not permissions_in(channel, world.bot) & Permission.READ_MESSAGE_HISTORY:
        return Reply([])
    limit = int(call.query.get("limit", 50))
    if not 1 <= limit <= 100:
        raise Refused(
            50035, errors={"limit": {"_errors": [{"code": "NUMBER_TYPE_MAX", "message": "1..100"}]}}
        )
    chosen = _page(channel.history, call, limit)
    return Reply([_shown(world, message) for message in reversed(chosen)])


def get_message(world: World, call: Call) -> Reply:
    channel, message = read(world, call)
    demand(channel, world.bot, Permission.READ_MESSAGE_HISTORY)
    return Reply(_shown(world, message))


def create_message(world: World, call: Call) -> Reply:
    channel = world.channel(call.number("channel_id"))
    body = call.fields
    if channel.kind in (ChannelKind.FORUM, ChannelKind.CATEGORY):
        raise Refused(50008)
    demand_sending(channel, world.bot)
    if channel.recipient is not None and not channel.recipient.takes_messages:
        raise Refused(50007)
    if channel.thread is not None and channel.thread.awaits_author:
        raise Refused(40058)
    draft = draft_of(world, call, body, channel)
    known = _same_nonce(world, channel, body)
    message = known or post(world, channel, world.bot, draft)
    return Reply(message_json(world, message))


def edit_message(world: World, call: Call) -> Reply:
    channel, message = read(world, call)
    body = call.fields
    if message.kind in _SYSTEM:
        raise Refused(50021)
    if message.author is not world.bot:
        raise Refused(50005)
    demand_active(channel, world.bot)
    _count_late_edit(world, message)
    apply_edit(world, call, message, body)
    return Reply(message_json(world, message))


def delete_message(world: World, call: Call) -> Reply:
    channel, message = read(world, call)
    demand_active(channel, world.bot)
    if message.author is not world.bot:
        if channel.guild is None:
            raise Refused(50003)
        demand(channel, world.bot, Permission.MANAGE_MESSAGES)
    remove(world, message)
    return NOTHING


def bulk_delete(world: World, call: Call) -> Reply:
    channel = world.channel(call.number("channel_id"))
    demand(channel, world.bot, Permission.MANAGE_MESSAGES)
    keys = [int(key) for key in call.fields.get("messages", [])]
    remove_many(world, channel, [channel.messages[key] for key in keys if key in channel.messages])
    return NOTHING


def type_in(world: World, call: Call) -> Reply:
    channel = world.channel(call.number("channel_id"))
    demand_sending(channel, world.bot)
    world.typing.append((world.tick(), channel))
    return NOTHING


def read(world: World, call: Call) -> tuple[Channel, Message]:
    """Return the channel and the message of the path, if the bot sees the channel.

    Raises:
        Refused: 10003, 50001 or 10008.
    """
    channel = world.channel(call.number("channel_id"))
    demand(channel, world.bot, Permission.VIEW_CHANNEL)
    return channel, world.message(channel, call.number("message_id"))


def draft_of(
    world: World,
    call: Call,
    body: Json,
    channel: Channel,
    *,
    by_webhook: bool = False,
    kind: MessageKind = MessageKind.DEFAULT,
) -> Draft:
    """Return the checked body of a new message.

    Raises:
        Refused: What is wrong with it.
    """
    check_message(body)
    attachments = attachments_of(world, call, body.get("attachments"))
    _check_sizes(channel, attachments)
    draft = Draft(
        content=shown_text(body.get("content")),
        embeds=body.get("embeds") or [],
        components=body.get("components") or [],
        attachments=attachments,
        flags=MessageFlag(int(body.get("flags") or 0)) & SETTABLE_FLAGS,
        allowed=allowed_of(body.get("allowed_mentions")),
        kind=kind,
        nonce=str(body["nonce"]) if body.get("nonce") is not None else None,
        **_reference(world, channel, body.get("message_reference")),
    )
    if not (draft.embeds or attachments or draft.components or draft.forwarded) and is_empty(draft.content):
        raise Refused(50006)
    if not by_webhook:
        _demand_parts(world, channel, draft)
    return draft


def apply_edit(world: World, call: Call, message: Message, body: Json) -> None:
    """Change the message as the body says.

    Raises:
        Refused: What is wrong with it.
    """
    check_message(body | {"flags": int(body.get("flags") or 0) | int(message.flags)})
    uploaded = attachments_of(world, call, body.get("attachments"))
    _check_sizes(message.channel, uploaded)
    kept = _kept(message, body.get("attachments")) if "attachments" in body else message.attachments
    content = shown_text(body.get("content")) if "content" in body else message.content
    embeds = (body["embeds"] or []) if "embeds" in body else message.embeds
    components = (body["components"] or []) if "components" in body else message.components
    if is_empty(content) and not (embeds or components or kept or uploaded):
        raise Refused(50006)
    flags = None
    if body.get("flags") is not None:
        kept_flags = message.flags & ~MessageFlag.SUPPRESS_EMBEDS
        flags = kept_flags | MessageFlag(int(body["flags"])) & SETTABLE_FLAGS
    change(
        world,
        message,
        content=content if "content" in body else None,
        embeds=embeds if "embeds" in body else None,
        components=components if "components" in body else None,
        attachments=[*kept, *uploaded],
        flags=flags,
        allowed=allowed_of(body.get("allowed_mentions")),
    )


def allowed_of(body: Json | None) -> Allowed:
    """Return whom `allowed_mentions` lets a message notify."""
    if body is None:
        return Allowed()
    parse = body.get("parse") or []
    users, roles = (
        None if kind in parse else frozenset(int(key) for key in body.get(kind) or [])
        for kind in ("users", "roles")
    )
    return Allowed(users, roles, "everyone" in parse, bool(body.get("replied_user", False)))


def _page(history: list[Message], call: Call, limit: int) -> list[Message]:
    """Return the page that is asked for, oldest first."""
    if "around" in call.query:
        middle = int(call.query["around"])
        before = [message for message in history if message.id < middle][-(limit // 2) :]
        return before + [message for message in history if message.id >= middle][: limit - len(before)]
    if "after" in call.query:
        return [message for message in history if message.id > int(call.query["after"])][:limit]
    if "before" in call.query:
        history = [message for message in history if message.id < int(call.query["before"])]
    return history[-limit:]


def _shown(world: World, message: Message) -> Json:
    return message_json(world, message, blank=not world.shows_content)


def _reference(world: World, channel: Channel, body: Json | None) -> _Referring:
    if body is None:
        return {}
    forwarded = body.get("type") == 1
    place = world.channel(int(body.get("channel_id") or channel.id))
    target = place.messages.get(int(body["message_id"]))
    if target is None and body.get("fail_if_not_exists", True):
        detail = {"code": "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "message": "Unknown message"}
        raise Refused(50035, errors={"message_reference": {"_errors": [detail]}})
    if target is None:
        return {}
    guild = place.guild.id if place.guild else None
    reference = Reference(place.id, target.id, guild, forwarded=forwarded)
    if forwarded:
        return {"reference": reference, "forwarded": target}
    return {"reference": reference, "reply_to": target}


def _same_nonce(world: World, channel: Channel, body: Json) -> Message | None:
    if not body.get("enforce_nonce") or body.get("nonce") is None:
        return None
    nonce = str(body["nonce"])
    own = (message for message in channel.history if message.author is world.bot)
    return next((message for message in own if message.nonce == nonce), None)


def _count_late_edit(world: World, message: Message) -> None:
    now = world.now()
    if now - message.at < _HOUR:
        return
    message.late_edits = [at for at in message.late_edits if now - at < _HOUR]
    if len(message.late_edits) >= _LATE_EDITS:
        raise Refused(30046)
    message.late_edits.append(now)


def _demand_parts(world: World, channel: Channel, draft: Draft) -> None:
    needed = Permission(0)
    if draft.embeds:
        needed |= Permission.EMBED_LINKS
    if draft.attachments:
        needed |= Permission.ATTACH_FILES
    demand(channel, world.bot, needed)
    if draft.reference and not permissions_in(channel, world.bot) & Permission.READ_MESSAGE_HISTORY:
        raise Refused(160002)


def _check_sizes(channel: Channel, attachments: list[Attachment]) -> None:
    limit = channel.guild.upload_limit if channel.guild else 10 * 1024 * 1024
    if any(len(attachment.content) > limit for attachment in attachments):
        raise Refused(40005)


def _kept(message: Message, listed: list[Json] | None) -> list[Attachment]:
    keys = {str(item.get("id")) for item in listed or []}
    return [attachment for attachment in message.attachments if str(attachment.id) in keys]


_ALL = "/channels/{channel_id}/messages"
_ONE = "/channels/{channel_id}/messages/{message_id}"
ROUTES: Final = (
    Route("GET", _ALL, list_messages),
    Route("POST", _ALL, create_message),
    Route("POST", f"{_ALL}/bulk-delete", bulk_delete),
    Route("GET", _ONE, get_message),
    Route("PATCH", _ONE, edit_message),
    Route("DELETE", _ONE, delete_message),
    Route("POST", "/channels/{channel_id}/typing", type_in),
)
