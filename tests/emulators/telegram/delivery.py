"""Which messages and reactions Telegram tells a bot of, with privacy mode and without."""

from typing import TYPE_CHECKING

from tests.emulators.telegram.records import Chat, Message

if TYPE_CHECKING:
    from tests.emulators.telegram.world import World


def hears(world: "World", message: Message) -> bool:
    """Return whether the bot is told of a person's message."""
    chat = message.chat
    if message.sender.is_bot and not message.service:
        return False
    if chat.is_private:
        return not chat.is_blocked
    standing = world.bot_in(chat)
    if not standing.is_in:
        return False
    if not world.manners.has_privacy or standing.is_admin or message.service:
        return True
    return _is_meant(world, message)


def hears_reactions(world: "World", chat: Chat) -> bool:
    """Return whether the bot is told of reactions in a chat."""
    if chat.is_private:
        return world.manners.reactions_in_private and not chat.is_blocked
    return world.bot_in(chat).is_admin


def _is_meant(world: "World", message: Message) -> bool:
    if message.via_bot is world.bot:
        return True
    if message.reply_to is not None and message.reply_to.sender is world.bot and not message.reply_to.service:
        return True
    return any(_names(world, message, kind) for kind in ("bot_command", "mention"))


def _names(world: "World", message: Message, kind: str) -> bool:
    own = f"@{world.bot.username}".lower()
    for part in message.marked(kind):
        if kind == "mention" and world.manners.mentions_pass_privacy and part.lower() == own:
            return True
        if kind == "bot_command" and ("@" not in part or part.lower().endswith(own)):
            return True
    return False
