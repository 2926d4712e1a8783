"""Messages come, change and go, for people and for the bot alike, with the events that tell of it."""

import re
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Final, TypeVar

from tests.emulators.discord.access import permissions_in
from tests.emulators.discord.component_rules import SELECTS, walk
from tests.emulators.discord.model import (
    NO_FLAGS,
    Attachment,
    Channel,
    ChannelKind,
    Guild,
    Json,
    Message,
    MessageFlag,
    MessageKind,
    Reference,
    Role,
    User,
    Version,
)
from tests.emulators.discord.permission import Permission
from tests.emulators.discord.places import add_thread, tell_thread
from tests.emulators.discord.wire import message_event_json
from tests.emulators.discord.world import Event, World

Named = TypeVar("Named", User, Role)
_USER: Final = re.compile(r"<@!?(\d+)>")
_ROLE: Final = re.compile(r"<@&(\d+)>")
_EVERYONE: Final = re.compile(r"@(everyone|here)")


@dataclass(frozen=True, slots=True)
class Allowed:
    """Whom a message may notify; `None` means everybody whom it names."""

    users: frozenset[int] | None = None
    roles: frozenset[int] | None = None
    everyone: bool = True
    replied: bool = True


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be said."""

    content: str = ""
    embeds: list[Json] = field(default_factory=list)
    components: list[Json] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    flags: MessageFlag = NO_FLAGS
    allowed: Allowed = Allowed()
    reply_to: Message | None = None
    reference: Reference | None = None
    forwarded: Message | None = None
    nonce: str | None = None
    kind: MessageKind = MessageKind.DEFAULT


def post(
    world: World,
    channel: Channel,
    author: User,
    draft: Draft,
    *,
    only_for: User | None = None,
    interaction: Json | None = None,
    webhook_id: int | None = None,
    number: int | None = None,
) -> Message:
    """Put a message into the channel and return it; an archived thread opens again."""
    message = Message(
        id=number or world.new_id(),
        channel=channel,
        author=author,
        at=world.now(),
        content=draft.content,
        kind=_kind_of(draft),
        flags=draft.flags | (MessageFlag.EPHEMERAL if only_for else NO_FLAGS),
        embeds=_rich(draft.embeds),
        components=_numbered(draft.components),
        attachments=draft.attachments,
        nonce=draft.nonce,
        reference=draft.reference,
        referenced=draft.forwarded or draft.reply_to,
        only_for=only_for,
        webhook_id=world.application_id if interaction else webhook_id,
        interaction=interaction,
    )
    if draft.forwarded:
        message.flags |= MessageFlag.HAS_SNAPSHOT
    _notify(world, message, draft.allowed)
    _wake_thread(world, channel, author)
    channel.messages[message.id] = message
    _remember(world, message)
    if only_for is None:
        _tell(world, "MESSAGE_CREATE", message)
    world.announce()
    return message


def post_first(world: World, thread: Channel, author: User, draft: Draft) -> Message:
    """Put the first message into a forum post and return it; it has the post's own id."""
    return post(world, thread, author, draft, number=thread.id)


def start_thread(
    world: World,
    parent: Channel,
    owner: User,
    name: str,
    *,
    kind: ChannelKind = ChannelKind.PUBLIC_THREAD,
    starter: Message | None = None,
) -> Channel:
    """Return a new thread, with the messages by which Discord tells of it in the thread or its parent."""
    thread = add_thread(world, parent, owner, name, kind=kind, starter=starter)
    guild_id = parent.guild.id if parent.guild else None
    if starter is not None:
        pointer = Reference(parent.id, starter.id, guild_id)
        draft = Draft(kind=MessageKind.THREAD_STARTER, reference=pointer, reply_to=starter)
        post(world, thread, owner, draft)
        retell(world, starter)
    elif kind is ChannelKind.PUBLIC_THREAD:
        pointer = Reference(thread.id, None, guild_id)
        post(world, parent, owner, Draft(name, kind=MessageKind.THREAD_CREATED, reference=pointer))
    return thread


def change(
    world: World,
    message: Message,
    *,
    content: str | None = None,
    embeds: list[Json] | None = None,
    components: list[Json] | None = None,
    attachments: list[Attachment] | None = None,
    flags: MessageFlag | None = None,
    allowed: Allowed | None = None,
) -> None:
    """Give the message what is not `None`, and remember what it said before."""
    message.content = message.content if content is None else content
    message.embeds = message.embeds if embeds is None else _rich(embeds)
    message.components = message.components if components is None else _numbered(components)
    message.attachments = message.attachments if attachments is None else attachments
    message.flags = message.flags if flags is None else flags
    message.edited_at = world.now()
    if content is not None:
        _notify(world, message, allowed or Allowed())
    _remember(world, message)
    if message.only_for is None:
        _tell(world, "MESSAGE_UPDATE", message)
    world.announce()


def remove(world: World, message: Message) -> None:
    """Take the message away."""
    _forget(world, message)
    if message.only_for is None:
        data = {"id": str(message.id)} | _place(message.channel)
        world.emit(Event("MESSAGE_DELETE", data, message.guild, message.channel))


def remove_many(world: World, channel: Channel, messages: list[Message]) -> None:
    """Take several messages away at once, as moderation bots do."""
    for message in messages:
        _forget(world, message)
    data = {"ids": [str(message.id) for message in messages]} | _place(channel)
    world.emit(Event("MESSAGE_DELETE_BULK", data, channel.guild, channel))


def retell(world: World, message: Message) -> None:
    """Send MESSAGE_UPDATE for a message that changed otherwise than in what it says."""
    _tell(world, "MESSAGE_UPDATE", message)


def _kind_of(draft: Draft) -> MessageKind:
    is_reply = draft.kind is MessageKind.DEFAULT and draft.reference and not draft.forwarded
    return MessageKind.REPLY if is_reply else draft.kind


def _rich(embeds: list[Json]) -> list[Json]:
    """Return the embeds as Discord shows them."""
    shown: list[Json] = [{"type": "rich", **embed} for embed in embeds]
    for embed in shown:
        if embed.get("fields"):
            embed["fields"] = [{"inline": False, **field} for field in embed["fields"]]
    return shown


def _numbered(components: list[Json]) -> list[Json]:
    """Return the components with the numbers that Discord gives those that have none."""
    numbered = deepcopy(components)
    for number, component in enumerate(walk(numbered), start=1):
        component.setdefault("id", number)
        if component["type"] in SELECTS:
            component.update({"min_values": 1, "max_values": 1, **component})
    return numbered


def _tell(world: World, name: str, message: Message) -> None:
    shown = message_event_json(world, message, blank=False)
    blanked = message_event_json(world, message, blank=True)
    world.emit(Event(name, shown, message.guild, message.channel, blanked=blanked))


def _place(channel: Channel) -> Json:
    place: Json = {"channel_id": str(channel.id)}
    return place | {"guild_id": str(channel.guild.id)} if channel.guild else place


def _forget(world: World, message: Message) -> None:
    message.deleted = True
    message.channel.messages.pop(message.id, None)
    world.tick()


def _remember(world: World, message: Message) -> None:
    said = (message.content, tuple(message.embeds), tuple(message.components))
    message.versions.append(Version(world.tick(), *said))


def _wake_thread(world: World, channel: Channel, author: User) -> None:
    thread = channel.thread
    if thread is None:
        return
    if thread.awaits_author and author is thread.owner:
        thread.awaits_author = False
    if thread.archived:
        thread.archived = False
        thread.changed_at = world.now()
        tell_thread(world, channel)


def _notify(world: World, message: Message, allowed: Allowed) -> None:
    guild = message.guild
    named = [world.users[int(key)] for key in _USER.findall(message.content) if int(key) in world.users]
    message.mentions = _some(named, allowed.users)
    replied = message.referenced
    is_reply = message.kind is MessageKind.REPLY and replied is not None
    if is_reply and replied is not None and allowed.replied and replied.author not in message.mentions:
        message.mentions.append(replied.author)
    message.mention_roles = _some(_roles(guild, message.content), allowed.roles) if guild else []
    may_all = bool(permissions_in(message.channel, message.author) & Permission.MENTION_EVERYONE)
    is_place = message.channel.kind is not ChannelKind.DM
    called = bool(_EVERYONE.search(message.content))
    message.mention_everyone = is_place and may_all and allowed.everyone and called


def _roles(guild: Guild, content: str) -> list[Role]:
    return [guild.roles[int(key)] for key in _ROLE.findall(content) if int(key) in guild.roles]


def _some(named: list[Named], allowed: frozenset[int] | None) -> list[Named]:
    kept: list[Named] = []
    for one in named:
        if one not in kept and (allowed is None or one.id in allowed):
            kept.append(one)
    return kept
