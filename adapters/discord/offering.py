"""Which commands Discord lists where: two everywhere, all in servers that were let in; sent when changed."""

import asyncio
import json
import logging
from collections.abc import Mapping
from hashlib import sha256

import discord

from adapters.chat.desk import Desk
from adapters.chat.room import ChatError
from adapters.discord.menu import FORMS, OnMessage, Run, Texts, Tree, everywhere, for_servers
from adapters.discord.refusal import limited, refusals
from adapters.discord.spots import PLATFORM
from agent_core.people.model import Door

LOOK_EVERY_S = 60.0
_MEANT = {form.name: form.meant for form in FORMS}

logger = logging.getLogger(__name__)


class Offering:
    """Keeps Discord's lists of commands as they should be."""

    def __init__(self, tree: Tree, desk: Desk, run: Run, menus: Mapping[str, OnMessage]) -> None:
        self._tree = tree
        self._desk = desk
        self._everywhere = everywhere(run)
        self._for_servers = for_servers(run, menus)
        self._filled: set[int] = set()
        self._woken = asyncio.Event()

    def meant(self, name: str) -> str:
        """Return what the command table calls a command that Discord lists by this name."""
        return _MEANT.get(name, name)

    async def set_up(self) -> None:
        """Let the tree know its commands and translations; nothing is sent yet."""
        await self._tree.set_translator(Texts())
        for command in self._everywhere:
            self._tree.add_command(command)

    def wake(self) -> None:
        """Look at once."""
        self._woken.set()

    async def run(self) -> None:
        """Send what changed, at each wake and every minute, until cancelled."""
        while True:
            try:
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._woken.wait()
            except TimeoutError:
                pass
            self._woken.clear()
            if self._tree.client.is_ready():
                await self._look()

    async def _look(self) -> None:
        pairing = self._desk.exchange.reception.pairing
        admissions = await pairing.operators.admissions(PLATFORM)
        open_servers = {one.key for one in admissions if one.door is Door.SERVER}
        await self._offer(None, is_open=True)
        for guild in list(self._tree.client.guilds):
            await self._offer(guild, is_open=str(guild.id) in open_servers)

    async def _offer(self, guild: discord.Guild | None, *, is_open: bool) -> None:
        """Send the list of one place if it is another one than was sent last."""
        chat = self._desk.exchange.core.chat
        key = f"commands:{guild.id if guild else 'all'}"
        if guild is not None and guild.id not in self._filled:
            self._filled.add(guild.id)
            for command in self._for_servers:
                self._tree.add_command(command, guild=guild)
        wanted = await self._digest(guild) if is_open else ""
        if (await chat.noted(PLATFORM, key) or "") == wanted:
            return
        try:
            with refusals():
                async with limited():
                    await self._send(guild, is_open=is_open)
        except ChatError as error:
            logger.warning("commands not listed", extra={"place": key, "reason": str(error)})
            return
        await chat.note(PLATFORM, key, wanted)

    async def _send(self, guild: discord.Guild | None, *, is_open: bool) -> None:
        if is_open:
            await self._tree.sync(guild=guild)
        elif guild is not None:
            client = self._tree.client
            await client.http.bulk_upsert_guild_commands(client.application_id or 0, guild.id, payload=[])

    async def _digest(self, guild: discord.Guild | None) -> str:
        translator = self._tree.translator
        payloads = [
            await command.get_translated_payload(self._tree, translator)
            if translator
            else command.to_dict(self._tree)
            for command in self._tree.get_commands(guild=guild)
        ]
        return sha256(json.dumps(payloads, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
