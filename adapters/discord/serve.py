"""Runs the bot on Discord until it is told to stop."""

import asyncio
import logging
import threading
from contextlib import suppress

import aiohttp
import discord
from discord.gateway import KeepAliveHandler

from adapters.chat.desk import Desk
from adapters.discord.border import Works
from adapters.discord.client import LoreClient
from adapters.discord.masked import mask_logs
from adapters.discord.place import DiscordSettings, point_at
from adapters.discord.rooms import DiscordRooms

STOPS_WITHIN_S = 8.0
"""After that long open calls are cut off, and what they said is said at the next start."""
TOKEN_REFUSED = 4004
"""With this code the gateway closes on a token that is not valid any more."""
HEARTBEAT_ENDS_WITHIN_S = 2.0
FIRST_WAIT_S, LONGEST_WAIT_S = 2.0, 60.0

logger = logging.getLogger(__name__)


async def serve_discord(desk: Desk, rooms: DiscordRooms, settings: DiscordSettings) -> None:
    """Serve until cancelled; a token that Discord refuses ends it with a line in the log.

    Where the message content is not granted it goes on without: mentions and commands still work.
    """
    point_at(settings)
    mask_logs()
    content, wait_s = True, FIRST_WAIT_S
    while True:
        try:
            await _serve(desk, rooms, settings, content=content)
        except discord.PrivilegedIntentsRequired:
            content = False
            logger.warning(
                "Discord withholds the content of messages: only mentions, replies and commands can be read. "
                "Switch the Message Content Intent on in the developer portal, under Bot, and start anew."
            )
        except (aiohttp.ClientError, discord.DiscordException, OSError) as error:
            if _is_refused(error):
                logger.error("Discord refuses the token: put a valid one into LOREKEEPER_DISCORD_TOKEN.")
                return
            logger.warning("no connection to discord", extra={"error": type(error).__name__})
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * 2, LONGEST_WAIT_S)


async def _serve(desk: Desk, rooms: DiscordRooms, settings: DiscordSettings, *, content: bool) -> None:
    """Serve with one client until it ends; the error that ended it comes out bare."""
    failure: Exception | None = None
    async with asyncio.TaskGroup() as tasks:
        works = Works(tasks)
        client = LoreClient(desk, rooms, settings, works, content=content)
        rooms.begin(client, works)
        works.start(client.marks.keep())
        try:
            await client.start(settings.token)
        except Exception as error:
            failure = error
        finally:
            await works.end(within_s=STOPS_WITHIN_S)
            if failure is None:
                await _settled(client, settings.settled_s)
            await client.close()
            await asyncio.to_thread(_end_heartbeats)
    if failure is not None:
        raise failure


def _is_refused(error: Exception) -> bool:
    """Tell whether the token was refused, at the log-in or, once it was reset, while we were connected."""
    is_closed_for_it = isinstance(error, discord.ConnectionClosed) and error.code == TOKEN_REFUSED
    return is_closed_for_it or isinstance(error, discord.LoginFailure)


def _end_heartbeats() -> None:
    """End the library's threads that send heartbeats, also of a connection that was just being made.

    The loop that they call must outlive them.
    """
    for thread in threading.enumerate():
        if isinstance(thread, KeepAliveHandler):
            thread.stop()
            thread.join(HEARTBEAT_ENDS_WITHIN_S)


async def _settled(client: LoreClient, settled_s: float) -> None:
    """Let a client that has just connected become ready: the library's task for that outlives its end."""
    with suppress(TimeoutError, RuntimeError):  # the latter where it never logged in
        async with asyncio.timeout(settled_s + 1):
            await client.wait_until_ready()
