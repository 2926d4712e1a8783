"""REST: reactions."""

from typing import Final

from tests.emulators.discord.access import demand, demand_active
from tests.emulators.discord.emoji import key_of
from tests.emulators.discord.model import Channel
from tests.emulators.discord.permission import Permission
from tests.emulators.discord.reacting import add_reaction, clear_reactions, reactors, remove_reaction
from tests.emulators.discord.refusal import Refused
from tests.emulators.discord.rest import NOTHING, Call, Reply, Route
from tests.emulators.discord.rest_messages import read
from tests.emulators.discord.wire_people import user_json
from tests.emulators.discord.world import World


def react(world: World, call: Call) -> Reply:
    channel, message = read(world, call)
    key = key_of(call.params["emoji_name"], channel.guild)
    demand_active(channel, world.bot)
    needed = Permission.READ_MESSAGE_HISTORY
    if not reactors(message, key):
        needed |= Permission.ADD_REACTIONS
    demand(channel, world.bot, needed)
    add_reaction(world, message, world.bot, key)
    return NOTHING


def unreact(world: World, call: Call) -> Reply:
    channel, message = read(world, call)
    key = key_of(call.params["emoji_name"], channel.guild)
    demand_active(channel, world.bot)
    remove_reaction(world, message, world.bot, key)
    return NOTHING


def unreact_other(world: World, call: Call) -> Reply:
    channel, message = read(world, call)
    key = key_of(call.params["emoji_name"], channel.guild)
    user = world.users.get(call.number("user_id"))
    if user is None:
        raise Refused(10013)
    _demand_moderating(world, channel)
    remove_reaction(world, message, user, key)
    return NOTHING


def clear(world: World, call: Call) -> Reply:
    channel, message = read(world, call)
    key = key_of(call.params["emoji_name"], channel.guild) if "emoji_name" in call.params else None
    _demand_moderating(world, channel)
    clear_reactions(world, message, key)
    return NOTHING


def list_reactors(world: World, call: Call) -> Reply:
    channel, message = read(world, call)
    key = key_of(call.params["emoji_name"], channel.guild)
    demand(channel, world.bot, Permission.READ_MESSAGE_HISTORY)
    return Reply([user_json(user) for user in reactors(message, key)])


def _demand_moderating(world: World, channel: Channel) -> None:
    if channel.guild is None:
        raise Refused(50003)
    demand(channel, world.bot, Permission.MANAGE_MESSAGES)
    demand_active(channel, world.bot)


_ALL = "/channels/{channel_id}/messages/{message_id}/reactions"
_ONE = "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}"
ROUTES: Final = (
    Route("PUT", f"{_ONE}/@me", react),
    Route("DELETE", f"{_ONE}/@me", unreact),
    Route("DELETE", f"{_ONE}/{{user_id}}", unreact_other),
    Route("GET", _ONE, list_reactors),
    Route("DELETE", _ONE, clear),
    Route("DELETE", _ALL, clear),
)
