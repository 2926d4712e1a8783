"""setMessageReaction, with the emoji that Telegram lets bots use."""

from tests.emulators.telegram.call import Call
from tests.emulators.telegram.errors import refused, wrong
from tests.emulators.telegram.methods.places import chat_for
from tests.emulators.telegram.world import World

_EMOJI = (
    "❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 "
    "🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 "
    "🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡"
)
# some of them are in use with a variation selector as well
_VARIANTS = ("\u2764\ufe0f\u200d\U0001f525", "\U0001f937\u200d\u2642\ufe0f", "\U0001f937\u200d\u2640\ufe0f")
ALLOWED = frozenset((*_EMOJI.split(), *_VARIANTS))


def set_message_reaction(world: World, call: Call) -> bool:
    """Set or take away the bot's one reaction to a message."""
    call.passed_over("is_big")
    chat = chat_for(world, call)
    message = world.found(call.integer("message_id"), chat, "message to react")
    wanted = call.shapes("reaction")
    if len(wanted) > 1:
        raise wrong("REACTIONS_TOO_MANY")
    emoji = tuple(str(reaction.get("emoji", "")) for reaction in wanted)
    if any(one not in ALLOWED for one in emoji):
        raise wrong("REACTION_INVALID")
    if chat.allowed_reactions is not None and not chat.allowed_reactions.issuperset(emoji):
        raise refused("REACTION_INVALID")
    if not emoji and world.bot.id not in message.reactions:
        raise refused("REACTION_EMPTY")
    message.reactions[world.bot.id] = emoji
    if not emoji:
        del message.reactions[world.bot.id]
    world.bell.ring()
    return True


METHODS = {"setMessageReaction": set_message_reaction}
