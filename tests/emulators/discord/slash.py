"""What Discord's client sends for a command: options found in the registered tree, checked, resolved."""

from collections.abc import Mapping
from typing import Any, Final

from tests.emulators.discord.command_rules import (
    ATTACHMENT,
    BOOLEAN,
    CHANNEL,
    GROUP,
    INTEGER,
    MENTIONABLE,
    NUMBER,
    ROLE,
    STRING,
    SUBCOMMAND,
    USER,
)
from tests.emulators.discord.model import Channel, ChannelKind, Guild, Json, Message, Role, User
from tests.emulators.discord.rest_commands import Command
from tests.emulators.discord.wire import attachment_json, message_event_json
from tests.emulators.discord.wire_people import member_json, role_json, user_json
from tests.emulators.discord.wire_places import channel_json
from tests.emulators.discord.world import World

Typed = str | float | User | Role | Channel | tuple[str, bytes]
_PLAIN: Final[dict[int, tuple[type, ...]]] = {
    STRING: (str,),
    INTEGER: (int,),
    BOOLEAN: (bool,),
    NUMBER: (int, float),
}


def slash_data(
    world: World, command: Command, below: list[str], given: Mapping[str, Typed], *, focus: str | None = None
) -> Json:
    """Return the `data` of a slash command; with `focus` of an autocomplete on that option."""
    data = _head(command)
    declared: list[Json] = command.body.get("options") or []
    place = data
    for name in below:
        nested = _named(declared, name, command)
        assert nested["type"] in (SUBCOMMAND, GROUP), f"{name} is an option of {command.name}"
        inner: Json = {"name": name, "type": nested["type"], "options": []}
        place["options"] = [inner]
        place, declared = inner, nested.get("options") or []
    assert not any(one["type"] in (SUBCOMMAND, GROUP) for one in declared), (
        f"{command.name} needs a subcommand"
    )
    resolved: Json = {}
    place["options"] = []
    for written, value in given.items():
        option = _named(declared, written.removesuffix("_"), command)
        sent = _option_json(world, option, value, resolved, command, checked=focus is None)
        if option["name"] == (focus or "").removesuffix("_"):
            assert option.get("autocomplete"), f"{option['name']} has no autocomplete"
            sent["focused"] = True
        place["options"].append(sent)
    if focus is None:
        _demand_required(declared, place["options"], command)
    return data | {"resolved": resolved} if resolved else data


def menu_data(world: World, command: Command, target: Message | User, channel: Channel) -> Json:
    """Return the `data` of a message's or user's menu entry."""
    data = _head(command) | {"target_id": str(target.id)}
    if isinstance(target, Message):
        shown = message_event_json(world, target, blank=False)
        return data | {"resolved": {"messages": {str(target.id): shown}}}
    resolved: Json = {}
    _resolve_user(resolved, target, channel.guild)
    return data | {"resolved": resolved}


def _head(command: Command) -> Json:
    head: Json = {"id": str(command.id), "name": command.name, "type": command.kind}
    return head | {"guild_id": str(command.guild_id)} if command.guild_id else head


def _named(declared: list[Json], name: str, command: Command) -> Json:
    for option in declared:
        if option["name"] == name:
            return option
    raise AssertionError(f"{command.name} has no {name!r}, only {[option['name'] for option in declared]}")


def _option_json(
    world: World, option: Json, value: Typed, resolved: Json, command: Command, *, checked: bool
) -> Json:
    kind, name = option["type"], option["name"]
    sent: Any = value  # any JSON
    if kind in _PLAIN:
        if checked:
            _check_plain(option, value)
    else:
        sent = _resolve(world, kind, value, resolved, command)
    return {"name": name, "type": kind, "value": sent}


def _check_plain(option: Json, value: Typed) -> None:
    kind, name = option["type"], option["name"]
    fits = isinstance(value, _PLAIN[kind]) and (kind == BOOLEAN or not isinstance(value, bool))
    assert fits, f"{name} takes no {value!r}"
    choices = option.get("choices") or []
    if choices:
        assert value in [choice["value"] for choice in choices], f"{value!r} is no choice of {name}"
    size = len(value) if isinstance(value, str) else value
    if kind in (STRING, INTEGER, NUMBER) and isinstance(size, int | float):
        suffix = "length" if kind == STRING else "value"
        assert size >= option.get(f"min_{suffix}", size), f"{value!r} is too small for {name}"
        assert size <= option.get(f"max_{suffix}", min(size, 6000) if kind == STRING else size), (
            f"{name} too long"
        )


def _resolve(world: World, kind: int, value: Typed, resolved: Json, command: Command) -> str:
    guild = world.guilds.get(command.guild_id or 0)
    if kind == ATTACHMENT and isinstance(value, tuple):
        stored = world.store(*value)
        shown = attachment_json(world, Channel(0, ChannelKind.TEXT, ""), stored)
        resolved.setdefault("attachments", {})[str(stored.id)] = shown | {"ephemeral": True}
        return str(stored.id)
    if kind in (USER, MENTIONABLE) and isinstance(value, User):
        _resolve_user(resolved, value, guild or _guild_of(world, value))
        return str(value.id)
    if kind in (ROLE, MENTIONABLE) and isinstance(value, Role):
        resolved.setdefault("roles", {})[str(value.id)] = role_json(value)
        return str(value.id)
    assert kind == CHANNEL, f"an option of type {kind} takes no {value!r}"
    assert isinstance(value, Channel), f"a channel is needed, not {value!r}"
    shown = channel_json(world, value) | {"permissions": "0"}
    resolved.setdefault("channels", {})[str(value.id)] = shown
    return str(value.id)


def _resolve_user(resolved: Json, user: User, guild: Guild | None) -> None:
    resolved.setdefault("users", {})[str(user.id)] = user_json(user)
    if guild is not None and user.id in guild.members:
        member = member_json(guild.members[user.id], with_user=False) | {"permissions": "0"}
        resolved.setdefault("members", {})[str(user.id)] = member


def _guild_of(world: World, user: User) -> Guild | None:
    return next((guild for guild in world.guilds.values() if user.id in guild.members), None)


def _demand_required(declared: list[Json], sent: list[Json], command: Command) -> None:
    names = {option["name"] for option in sent}
    missing = [one["name"] for one in declared if one.get("required") and one["name"] not in names]
    assert not missing, f"{command.name} needs {missing}"
