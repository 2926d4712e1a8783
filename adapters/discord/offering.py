"""Which commands Discord lists where: two everywhere, all in servers that were let in; sent when changed."""

import asyncio
import json
import logging
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import discord

from adapters.chat.desk import Desk
from adapters.chat.room import ChatError
from adapters.discord.menu import FORMS, AppCommand, OnMessage, Run, Texts, Tree, everywhere, for_servers
from adapters.discord.refusal import limited, refusals
from adapters.discord.spots import PLATFORM
from agent_core.errors import LoreKeeperError
from agent_core.people.model import Door

LOOK_EVERY_S = 5.0
_MEANT = {form.name: form.meant for form in FORMS}

logger = logging.getLogger(__name__)


class Offering:
    """Keeps Discord's lists of commands as they should be."""

    def __init__(self, tree: Tree, desk: Desk, run: Run, menus: Mapping[str, OnMessage]) -> None:
        self._tree = tree
        self._desk = desk
        self._everywhere = everywhere(run)
        self._for_servers = for_servers(run, menus)
        self._texts = Texts()
        self._offered: tuple[frozenset[str], frozenset[int]] | None = None
        self._woken = asyncio.Event()

    def meant(self, name: str) -> str:
        """Return what the command table calls a command that Discord lists by this name."""
        return _MEANT.get(name, name)

    async def set_up(self) -> None:
        """Let the tree know its commands and translations; nothing is sent yet."""
        await self._tree.set_translator(self._texts)
        for command in (*self._everywhere, *self._for_servers):
            self._tree.add_command(command)  # where each of them is offered is up to us

    def wake(self) -> None:
        """Look at once."""
        self._woken.set()

    async def run(self) -> None:
        """Send what changed, at each wake and every few seconds, until cancelled."""
        while True:
            try:
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._woken.wait()
            except TimeoutError:
                pass
            self._woken.clear()
            try:
                if self._tree.client.is_ready():
                    await self._look()
            except LoreKeeperError:
                logger.warning("commands not looked after", exc_info=True)

    async def _look(self) -> None:
        pairing = self._desk.exchange.reception.pairing
        admissions = await pairing.operators.admissions(PLATFORM)
        open_servers = frozenset(one.key for one in admissions if one.door is Door.SERVER)
        guilds = list(self._tree.client.guilds)
        wanted = (open_servers, frozenset(guild.id for guild in guilds))
        if wanted == self._offered:
            return
        sent = [await self._offer(None, is_open=True)]
        sent += [await self._offer(guild, is_open=str(guild.id) in open_servers) for guild in guilds]
        self._offered = wanted if all(sent) else None

    async def _offer(self, guild: discord.Guild | None, *, is_open: bool) -> bool:
        """Send the list of one place if it is another one than was sent last; return whether it stands."""
        chat = self._desk.exchange.core.chat
        key = f"commands:{guild.id if guild else 'all'}"
        commands = (self._everywhere if guild is None else self._for_servers) if is_open else []
        payloads = [await self._payload(command) for command in commands]
        wanted = sha256(json.dumps(payloads, sort_keys=True).encode()).hexdigest() if payloads else ""
        if (await chat.noted(PLATFORM, key) or "") == wanted:
            return True
        client = self._tree.client
        us = client.application_id or 0
        try:
            with refusals():
                async with limited():
                    if guild is None:
                        await client.http.bulk_upsert_global_commands(us, payload=payloads)
                    else:
                        await client.http.bulk_upsert_guild_commands(us, guild.id, payload=payloads)
        except ChatError as error:
            logger.warning("commands not listed", extra={"place": key, "reason": str(error)})
            return False
        await chat.note(PLATFORM, key, wanted)
        return True

    async def _payload(self, command: AppCommand) -> dict[str, Any]:  # Any: as discord.py writes it
        return await command.get_translated_payload(self._tree, self._texts)
