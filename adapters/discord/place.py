"""Where Discord is found and what we ask it for."""

from dataclasses import dataclass

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

PERMISSIONS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    create_public_threads=True,
    embed_links=True,
    attach_files=True,
    read_message_history=True,
    add_reactions=True,
    manage_threads=False,
)
"""What the invite link asks for; docs/howto/discord.md says why each is needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordSettings:
    """What the environment says of Discord; addresses are "" for Discord's own.

    All servers are taken to be known when no further one turned up for `settled_s`.
    """

    token: str
    api_base: str = ""
    gateway_url: str = ""
    allowed_bots: frozenset[int] = frozenset()
    settled_s: float = 2.0


def wanted_intents(*, content: bool) -> discord.Intents:
    """Return the intents we ask for; without `content` only mentions and commands can be read."""
    intents = discord.Intents.none()
    intents.guilds = True
    intents.guild_messages = True
    intents.guild_reactions = True
    intents.dm_messages = True
    intents.dm_reactions = True
    intents.message_content = content
    return intents


def point_at(settings: DiscordSettings) -> None:
    """Let discord.py of this process talk to the addresses of the settings, and warn of no missing voice."""
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nobody here speaks
    if settings.api_base:
        Route.BASE = settings.api_base
    if settings.gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(settings.gateway_url)


def invite_link(application: int) -> str:
    """Return the address that invites the bot to a server with the permissions it needs."""
    return discord.utils.oauth_url(
        application, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
    )
