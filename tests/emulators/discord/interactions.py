"""Interactions: somebody used a command, a button, a select or a modal, and the bot answers."""

import secrets
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Final

from tests.emulators.discord.access import permissions_in
from tests.emulators.discord.model import Channel, ChannelKind, Json, Message, MessageFlag, User
from tests.emulators.discord.refusal import Refused
from tests.emulators.discord.wire import message_event_json
from tests.emulators.discord.wire_people import member_json, user_json
from tests.emulators.discord.wire_places import interaction_channel_json
from tests.emulators.discord.world import Event, World

ANSWER_WITHIN: Final = timedelta(seconds=3)
TOKEN_LIVES: Final = timedelta(minutes=15)


class InteractionKind(IntEnum):
    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5


class CallbackKind(IntEnum):
    MESSAGE = 4
    DEFERRED_MESSAGE = 5
    DEFERRED_UPDATE = 6
    UPDATE = 7
    CHOICES = 8
    MODAL = 9


@dataclass(frozen=True, slots=True)
class Choice:
    """A suggestion of an autocomplete."""

    name: str
    value: str | float


@dataclass(eq=False, slots=True)
class Interaction:
    """What somebody did and what the bot answered; `took_s` is the real time until the acknowledgement."""

    id: int
    token: str
    kind: InteractionKind
    user: User
    channel: Channel
    name: str
    at: datetime
    sent_s: float
    message: Message | None = None
    answer: CallbackKind | None = None
    took_s: float | None = None
    original: Message | None = None
    followups: list[Message] = field(default_factory=list)
    modal: Json | None = None
    choices: list[Choice] | None = None
    from_modal: "Interaction | None" = None

    @property
    def acknowledged(self) -> bool:
        return self.answer is not None

    @property
    def replies(self) -> list[Message]:
        """The messages that answer it, without one that still says "thinking"."""
        own = [self.original] if self.original is not None and self.original is not self.message else []
        return [one for one in (*own, *self.followups) if not one.flags & MessageFlag.LOADING]

    @property
    def reply(self) -> Message:
        """The first message that answers it."""
        assert self.replies, f"no message answers {self.name} yet"
        return self.replies[0]

    @property
    def thinking(self) -> bool:
        """Whether the bot has only said that it will answer."""
        return self.original is not None and bool(self.original.flags & MessageFlag.LOADING)


def begin(
    world: World,
    kind: InteractionKind,
    user: User,
    channel: Channel,
    data: Json,
    *,
    name: str,
    message: Message | None = None,
    from_modal: Interaction | None = None,
) -> Interaction:
    """Tell the bot what somebody did and return the record of it."""
    interaction = Interaction(
        id=world.new_id(),
        token=secrets.token_urlsafe(24),
        kind=kind,
        user=user,
        channel=channel,
        name=name,
        at=world.now(),
        sent_s=time.monotonic(),
        message=message,
        from_modal=from_modal,
    )
    world.interactions[interaction.id] = interaction
    world.tick()
    event = _event_json(world, interaction, data)
    world.emit(Event("INTERACTION_CREATE", event, always=True))
    return interaction


def metadata_json(interaction: Interaction) -> Json:
    """Return what a message says about the interaction that it answers."""
    guild = interaction.channel.guild
    seen: Json = {
        "id": str(interaction.id),
        "type": int(interaction.kind),
        "user": user_json(interaction.user),
        "authorizing_integration_owners": {"0": str(guild.id) if guild else "0"},
    }
    if interaction.kind is InteractionKind.COMMAND:
        seen["name"] = interaction.name
        seen["command_type"] = 1
    if interaction.kind is InteractionKind.COMPONENT and interaction.message is not None:
        seen["interacted_message_id"] = str(interaction.message.id)
    if interaction.from_modal is not None:
        seen["triggering_interaction_metadata"] = metadata_json(interaction.from_modal)
    return seen


def unanswered(world: World, interaction_id: int, token: str) -> Interaction:
    """Return the interaction that is to be acknowledged.

    Raises:
        Refused: 10062 when it is unknown or too old, 40060 when it was acknowledged before.
    """
    interaction = world.interactions.get(interaction_id)
    if interaction is None or interaction.token != token:
        raise Refused(10062)
    if interaction.acknowledged:
        raise Refused(40060)
    if world.now() - interaction.at > ANSWER_WITHIN:
        raise Refused(10062)
    return interaction


def by_token(world: World, token: str) -> Interaction:
    """Return the acknowledged interaction whose webhook is used.

    Raises:
        Refused: 10015 when there is none, 50027 when its token has died.
    """
    found = next((one for one in world.interactions.values() if one.token == token), None)
    if found is None or not found.acknowledged:
        raise Refused(10015)
    if world.now() - found.at > TOKEN_LIVES:
        raise Refused(50027)
    return found


def _event_json(world: World, interaction: Interaction, data: Json) -> Json:
    channel, user = interaction.channel, interaction.user
    event: Json = {
        "id": str(interaction.id),
        "application_id": str(world.application_id),
        "type": int(interaction.kind),
        "token": interaction.token,
        "version": 1,
        "data": data,
        "channel_id": str(channel.id),
        "channel": interaction_channel_json(world, channel, user),
        "locale": user.locale,
        "entitlements": [],
        "entitlement_sku_ids": [],
        "attachment_size_limit": channel.guild.upload_limit if channel.guild else 10 * 1024 * 1024,
        "app_permissions": str(int(permissions_in(channel, world.bot))),
        "context": 1 if channel.kind is ChannelKind.DM else 0,
    }
    if interaction.message is not None:
        event["message"] = message_event_json(world, interaction.message, blank=False)
    guild = channel.guild
    if guild is None:
        owners = {"0": "0"}
        return event | {"user": user_json(user), "authorizing_integration_owners": owners}
    member = member_json(guild.members[user.id])
    member["permissions"] = str(int(permissions_in(channel, user)))
    event["guild_id"] = str(guild.id)
    event["guild"] = {"id": str(guild.id), "locale": guild.locale, "features": []}
    event["guild_locale"] = guild.locale
    return event | {"member": member, "authorizing_integration_owners": {"0": str(guild.id)}}
