"""A Discord on loopback: gateway and REST for one bot, and people whom the test plays.

It answers over real sockets what Discord answers, and refuses what Discord refuses, with the same bodies. A
request that is refused **fails the test when the emulator closes**, even if the bot swallowed the error,
unless the test said `discord.expects(50083)`. Times that matter for rules (3 s for an answer, 15 min of an
interaction's token, edits after an hour) follow `discord.clock`, which stands still until `advance`.

    async def test_question_is_answered() -> None:
        async with Discord() as discord:
            ana = discord.user("Ana")
            channel = discord.channel(discord.guild("Writers", ana), "book-one")
            ... run the bot with discord.token against discord.api_base and discord.gateway_url ...
            question = discord.say(ana, channel, f"{discord.bot.mention} who is Mara?")
            answer = await discord.reply(question)
            await discord.until(lambda: "grey" in answer.content)
            assert answer.contents[0] != answer.contents[-1]      # it was edited while it grew

`stage` sets the scene (guild, channel, forum, thread, role, permit, archive, lock, kick), `talk` speaks and
looks (say, edit, delete, react; messages, seen_by, reply), `press` uses commands and buttons (slash,
autocomplete, menu, click, choose, submit; answered). `fault` lets requests meet a `TooMany`, `Refuse`,
`Broken`, `Drop` or `Hold`; `gateway` can `drop`, `reconnect`, `invalidate`, `forget_sessions`, `hold`.
`requests` is the log, in the order (`sequence`) of everything that happened.

discord.py in the test's own process is pointed here by `library.pointed_at(discord)`. The file that
LOREKEEPER_DISCORD_OPENAPI names, Discord's own OpenAPI description, checks every request besides.
"""

from tests.emulators.discord.faults import Broken, Drop, Hold, Refuse, TooMany
from tests.emulators.discord.gateway_words import Intent
from tests.emulators.discord.interactions import Choice, Interaction
from tests.emulators.discord.model import Channel, Guild, Message, Role, User
from tests.emulators.discord.permission import Permission
from tests.emulators.discord.server import Discord

__all__ = [
    "Broken",
    "Channel",
    "Choice",
    "Discord",
    "Drop",
    "Guild",
    "Hold",
    "Intent",
    "Interaction",
    "Message",
    "Permission",
    "Refuse",
    "Role",
    "TooMany",
    "User",
]
