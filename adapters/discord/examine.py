"""Looks at a Discord bot without starting it: is the token good, what was granted, how is it invited."""

from dataclasses import dataclass

import discord

from adapters.chat.room import ChatError
from adapters.discord.place import DiscordSettings, invite_link, point_at, wanted_intents
from adapters.discord.refusal import limited, refusals


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A bot: `reads_content` tells whether the portal grants it what messages say."""

    name: str
    invite: str
    reads_content: bool


async def examine(settings: DiscordSettings) -> Examined:
    """Return what Discord says about the bot.

    Raises:
        ChatError: reason "token" where it is refused, another one where Discord can't be reached.
    """
    point_at(settings)
    async with discord.Client(intents=wanted_intents(content=False)) as client:
        try:
            with refusals():
                async with limited():
                    await client.login(settings.token)
                    about = await client.application_info()
        except discord.LoginFailure as error:
            raise ChatError("token") from error
    flags = about.flags
    return Examined(
        name=about.name,
        invite=invite_link(about.id),
        reads_content=flags.gateway_message_content or flags.gateway_message_content_limited,
    )
