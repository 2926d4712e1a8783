"""The command menu that Telegram shows while somebody types, per kind of chat and language."""

import hashlib
import json
import logging
import re
from collections.abc import Iterable, Sequence

from telegram import (
    Bot,
    BotCommand,
    BotCommandScope,
    BotCommandScopeAllChatAdministrators,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    BotCommandScopeDefault,
)
from telegram.constants import BotCommandLimit
from telegram.error import TelegramError

from adapters.commands import COMMANDS
from adapters.telegram import scenes, topics
from adapters.telegram.place import PLATFORM
from agent_core.conversation.store import ChatStore
from agent_core.texts import LANGUAGES, say

_KEY = "menu"
_ALONE = frozenset({"identity code", "identity link"})
_LEADING = frozenset({"members", "members set", "access", "access open", "access close", "cost"})
_OURS = {scenes.COMMAND: "telegram.scene_about", topics.COMMAND: "telegram.topic_about"}
_MOST = 100
_MAX_NAME = int(BotCommandLimit.MAX_COMMAND)
_MAX_ABOUT = int(BotCommandLimit.MAX_DESCRIPTION)

logger = logging.getLogger(__name__)


async def register(bot: Bot, chat: ChatStore) -> None:
    """Set the menus, unless they are set so already; a refusal is logged and keeps nobody from starting."""
    menus = tuple(_menus())
    told = [(scope.to_dict(), language, [one.to_dict() for one in menu]) for scope, language, menu in menus]
    digest = hashlib.sha256(json.dumps([bot.id, told]).encode()).hexdigest()
    if await chat.noted(PLATFORM, _KEY) == digest:
        return
    for scope, language, menu in menus:
        try:
            await bot.set_my_commands(menu, scope=scope, language_code=language or None)
        except TelegramError as error:
            logger.warning("menu refused", extra={"scope": scope.type, "reason": error.message})
            return
    await chat.note(PLATFORM, _KEY, digest)


def menu_names(names: Iterable[str]) -> dict[str, str]:
    """Return for each name one that Telegram takes, no two the same; one without letters is left out."""
    taken: dict[str, str] = {}
    for name in names:
        clean = re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_")[:_MAX_NAME]
        if not clean:
            logger.warning("no name for a menu", extra={"name_given": name})
            continue
        taken[name] = _distinct(clean, frozenset(taken.values()))
    return taken


def _distinct(name: str, taken: frozenset[str]) -> str:
    tries = [name, *(f"{name[: _MAX_NAME - 3]}_{number}" for number in range(2, 100))]
    return next(one for one in tries if one not in taken)


def _menus() -> Iterable[tuple[BotCommandScope, str, Sequence[BotCommand]]]:
    names = [command.name for command in COMMANDS] + [*_OURS]
    scopes: tuple[tuple[BotCommandScope, frozenset[str]], ...] = (
        (BotCommandScopeDefault(), frozenset({"help"})),
        (BotCommandScopeAllPrivateChats(), frozenset(names)),
        (BotCommandScopeAllGroupChats(), frozenset(names) - _ALONE - _LEADING),
        (BotCommandScopeAllChatAdministrators(), frozenset(names) - _ALONE),
    )
    clean = menu_names(names)
    for scope, shown in scopes:
        for language in ("", *(one for one in LANGUAGES if one != "en")):
            entries = [
                BotCommand(clean[name], say(language or "en", _OURS.get(name, f"about.{name}"))[:_MAX_ABOUT])
                for name in names
                if name in shown and name in clean
            ]
            yield scope, language, entries[:_MOST]
