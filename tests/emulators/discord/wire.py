"""The JSON in which Discord shows messages."""

from urllib.parse import quote

from tests.emulators.discord.emoji import emoji_json
from tests.emulators.discord.model import (
    Attachment,
    Channel,
    ChannelKind,
    Json,
    Message,
    User,
)
from tests.emulators.discord.wire_people import member_json, time_json, user_json
from tests.emulators.discord.wire_places import thread_json
from tests.emulators.discord.world import World


def message_json(world: World, message: Message, *, blank: bool = False, nested: bool = False) -> Json:
    """Return the message as REST shows it; `blank` leaves out what needs the message content intent."""
    hidden = blank and not _always_shown(world, message)
    attachments = [attachment_json(world, message.channel, item) for item in message.attachments]
    seen: Json = {
        "id": str(message.id),
        "type": int(message.kind),
        "channel_id": str(message.channel.id),
        "author": user_json(message.author),
        "content": "" if hidden else message.content,
        "timestamp": time_json(message.at),
        "edited_timestamp": time_json(message.edited_at) if message.edited_at else None,
        "tts": False,
        "mention_everyone": message.mention_everyone,
        "mentions": [user_json(user) for user in message.mentions],
        "mention_roles": [str(role.id) for role in message.mention_roles],
        "attachments": [] if hidden else attachments,
        "embeds": [] if hidden else message.embeds,
        "components": [] if hidden else message.components,
        "pinned": message.pinned,
        "flags": int(message.flags),
    }
    if message.reactions:
        seen["reactions"] = [_reaction_json(world, key, users) for key, users in message.reactions.items()]
    if message.nonce is not None:
        seen["nonce"] = message.nonce
    if message.webhook_id is not None:
        seen["webhook_id"] = str(message.webhook_id)
    if message.interaction:
        seen["application_id"] = str(world.application_id)
        seen["interaction_metadata"] = message.interaction
    if message.thread is not None and not message.thread.deleted:
        seen["thread"] = thread_json(world, message.thread)
    if not nested:
        seen |= _reference_json(world, message, blank=blank)
    return seen


def message_event_json(world: World, message: Message, *, blank: bool) -> Json:
    """Return the message as MESSAGE_CREATE and MESSAGE_UPDATE show it."""
    seen = message_json(world, message, blank=blank)
    seen["channel_type"] = int(message.channel.kind)
    guild = message.guild
    if guild is not None:
        seen["guild_id"] = str(guild.id)
        member = guild.members.get(message.author.id)
        if member is not None:
            seen["member"] = member_json(member, with_user=False)
        for user in seen["mentions"]:
            known = guild.members.get(int(user["id"]))
            if known is not None:
                user["member"] = member_json(known, with_user=False)
    return seen


def attachment_json(world: World, channel: Channel, attachment: Attachment) -> Json:
    url = f"{world.cdn}/attachments/{channel.id}/{attachment.id}/{quote(attachment.filename)}"
    seen: Json = {
        "id": str(attachment.id),
        "filename": attachment.filename,
        "size": len(attachment.content),
        "url": f"{url}?ex=0&is=0&hm=0",
        "proxy_url": f"{url}?ex=0&is=0&hm=0",
        "content_type": attachment.content_type,
    }
    if attachment.description is not None:
        seen["description"] = attachment.description
    return seen


def _always_shown(world: World, message: Message) -> bool:
    direct = message.channel.kind is ChannelKind.DM
    return direct or message.author is world.bot or world.bot in message.mentions


def _reaction_json(world: World, key: str, users: list[User]) -> Json:
    return {
        "emoji": emoji_json(key),
        "count": len(users),
        "count_details": {"normal": len(users), "burst": 0},
        "me": world.bot in users,
        "me_burst": False,
        "burst_colors": [],
    }


def _reference_json(world: World, message: Message, *, blank: bool) -> Json:
    reference = message.reference
    if reference is None:
        return {}
    seen: Json = {
        "message_reference": {
            "type": int(reference.forwarded),
            "channel_id": str(reference.channel_id),
        }
    }
    if reference.message_id is None:
        return seen
    seen["message_reference"]["message_id"] = str(reference.message_id)
    if reference.guild_id is not None:
        seen["message_reference"]["guild_id"] = str(reference.guild_id)
    referenced = message.referenced
    if reference.forwarded:
        assert referenced is not None
        return seen | {"message_snapshots": [{"message": _snapshot(world, referenced, blank=blank)}]}
    gone = referenced is None or referenced.deleted
    seen["referenced_message"] = (
        None if gone or referenced is None else message_json(world, referenced, blank=blank, nested=True)
    )
    return seen


def _snapshot(world: World, message: Message, *, blank: bool) -> Json:
    whole = message_json(world, message, blank=blank, nested=True)
    kept = ("type", "content", "embeds", "attachments", "timestamp", "edited_timestamp", "flags")
    return {key: whole[key] for key in (*kept, "mentions", "mention_roles", "components")}
