"""Points an unmodified discord.py at the emulator."""

from collections.abc import Iterator
from contextlib import contextmanager

import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.emulators.discord.server import Discord


@contextmanager
def pointed_at(discord: Discord) -> Iterator[None]:
    """Let discord.py's clients of this process talk to the emulator."""
    base, gateway = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE = discord.api_base
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(discord.gateway_url)
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = base, gateway
