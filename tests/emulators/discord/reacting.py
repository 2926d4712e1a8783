"""Reactions come and go, with the raw events that tell of it."""

from tests.emulators.discord.emoji import emoji_json, same_emoji
from tests.emulators.discord.model import Json, Message, User
from tests.emulators.discord.refusal import Refused
from tests.emulators.discord.wire_people import member_json
from tests.emulators.discord.world import Event, World

_MOST_KINDS = 20


def add_reaction(world: World, message: Message, user: User, key: str) -> None:
    """Put the user's reaction on the message; a second one of the same kind changes nothing.

    Raises:
        Refused: 30010, for the twenty-first kind.
    """
    known = _known(message, key)
    if known is None and len(message.reactions) >= _MOST_KINDS:
        raise Refused(30010)
    users = message.reactions.setdefault(known or key, [])
    if user in users:
        return
    users.append(user)
    world.tick()
    data = _data(message, known or key) | {"user_id": str(user.id), "burst": False, "type": 0}
    data["message_author_id"] = str(message.author.id)
    if message.guild is not None and user.id in message.guild.members:
        data["member"] = member_json(message.guild.members[user.id])
    world.emit(Event("MESSAGE_REACTION_ADD", data, message.guild, message.channel))


def remove_reaction(world: World, message: Message, user: User, key: str) -> None:
    """Take the user's reaction away, if there is one."""
    known = _known(message, key)
    if known is None or user not in message.reactions[known]:
        return
    message.reactions[known].remove(user)
    if not message.reactions[known]:
        del message.reactions[known]
    world.tick()
    data = _data(message, known) | {"user_id": str(user.id), "burst": False, "type": 0}
    world.emit(Event("MESSAGE_REACTION_REMOVE", data, message.guild, message.channel))


def clear_reactions(world: World, message: Message, key: str | None = None) -> None:
    """Take all reactions away, or those of one emoji."""
    if key is None:
        message.reactions.clear()
        world.tick()
        world.emit(Event("MESSAGE_REACTION_REMOVE_ALL", _data(message), message.guild, message.channel))
        return
    known = _known(message, key)
    if known is not None:
        del message.reactions[known]
        world.tick()
        data = _data(message, known)
        world.emit(Event("MESSAGE_REACTION_REMOVE_EMOJI", data, message.guild, message.channel))


def reactors(message: Message, key: str) -> list[User]:
    """Return who reacted with the emoji, in order."""
    known = _known(message, key)
    return list(message.reactions[known]) if known is not None else []


def _known(message: Message, key: str) -> str | None:
    return next((known for known in message.reactions if same_emoji(known, key)), None)


def _data(message: Message, key: str | None = None) -> Json:
    data: Json = {"message_id": str(message.id), "channel_id": str(message.channel.id)}
    if message.guild is not None:
        data["guild_id"] = str(message.guild.id)
    return data | {"emoji": emoji_json(key)} if key is not None else data
