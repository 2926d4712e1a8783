"""The bot's command menus, per scope and language."""

import re

from tests.emulators.telegram.call import Call
from tests.emulators.telegram.errors import wrong
from tests.emulators.telegram.methods.places import chat_for
from tests.emulators.telegram.wire import Json
from tests.emulators.telegram.world import World

_NAME = re.compile(r"[a-z0-9_]{1,32}")
_LANGUAGE = re.compile(r"(?:[a-z]{2})?")
_PLAIN_SCOPES = ("default", "all_private_chats", "all_group_chats", "all_chat_administrators")
MAX_COMMANDS = 100
MAX_DESCRIPTION = 256


def set_my_commands(world: World, call: Call) -> bool:
    """Set the menu of a scope and language."""
    key = _key(world, call)
    commands = call.shapes("commands")
    if len(commands) > MAX_COMMANDS:
        raise wrong("BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        if not _NAME.fullmatch(str(command.get("command", ""))):
            raise wrong("BOT_COMMAND_INVALID")
        if not 1 <= len(str(command.get("description", ""))) <= MAX_DESCRIPTION:
            raise wrong("BOT_COMMAND_DESCRIPTION_INVALID")
    if len({command["command"] for command in commands}) < len(commands):
        raise wrong("BOT_COMMAND_DUPLICATE")
    world.commands[key] = commands
    world.bell.ring()
    return True


def get_my_commands(world: World, call: Call) -> list[Json]:
    """Return the menu of a scope and language, exactly."""
    return world.commands.get(_key(world, call), [])


def delete_my_commands(world: World, call: Call) -> bool:
    """Forget the menu of a scope and language."""
    world.commands.pop(_key(world, call), None)
    world.bell.ring()
    return True


def _key(world: World, call: Call) -> tuple[str, str]:
    language = call.text("language_code")
    if not _LANGUAGE.fullmatch(language):
        raise wrong("invalid language code specified")
    return _scope(world, call.shape("scope")), language


def _scope(world: World, scope: Json) -> str:
    kind = str(scope.get("type", "default"))
    if kind in _PLAIN_SCOPES:
        return kind
    if kind not in ("chat", "chat_administrators", "chat_member"):
        raise wrong("unsupported scope specified")
    chat = chat_for(world, Call("", scope))
    name = f"{kind}:{chat.id}"
    return f"{name}:{scope.get('user_id')}" if kind == "chat_member" else name


METHODS = {
    "setMyCommands": set_my_commands,
    "getMyCommands": get_my_commands,
    "deleteMyCommands": delete_my_commands,
}
