"""Commands, presses and completions: acknowledged first, before anything that may wait."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import discord
from discord import app_commands

from adapters.chat.desk import Desk
from adapters.chat.model import Called, Heard, Pressed, Spot
from adapters.chat.room import ChatError
from adapters.discord.border import Works
from adapters.discord.extras import Extras
from adapters.discord.homes import Homes
from adapters.discord.inbound import speaker_of, typed_options
from adapters.discord.markup import escaped_within
from adapters.discord.menu import PRIVATE, WHERE
from adapters.discord.offering import Offering
from adapters.discord.refusal import refusals
from adapters.discord.replies import InteractionReply
from adapters.discord.roles import Roles
from adapters.discord.rooms import DiscordRooms
from adapters.discord.spots import find_channel, private_spot, spot_of
from adapters.discord.tree import LoreTree, acknowledged
from adapters.surface import Said, error_text
from agent_core.errors import LoreKeeperError
from agent_core.texts import say

COMPLETED_WITHIN_S = 1.5
ALONE = frozenset({"start", "help", "settings", "cost", "access", "identity code", "members role"})
"""Commands that are answered to the person alone wherever they stand."""
TURNS = frozenset({"ask", "research"})
_MOST_SHOWN = 1900

logger = logging.getLogger(__name__)


class Interactions:
    """Turns what people do with the bot's offers over to the desk."""

    def __init__(
        self,
        client: discord.Client,
        desk: Desk,
        rooms: DiscordRooms,
        works: Works,
        homes: Homes,
        roles: Roles,
        *,
        content: bool,
    ) -> None:
        self._client = client
        self._desk = desk
        self._rooms = rooms
        self._homes = homes
        self._start = works.start
        self._content = content
        self._completing: dict[int, asyncio.Task[None]] = {}
        self._roles = roles
        self._extras = Extras(client, desk, rooms, roles)
        menus = {"save_to_lore": self._save_to_lore, "save_as_scene": self._extras.ask_place}
        self._offering = Offering(LoreTree(client, self._complete), desk, self._invoked, menus)

    async def set_up(self) -> None:
        """Begin to offer commands."""
        await self._offering.set_up()
        self._start(self._offering.run())

    def wake(self) -> None:
        """Look at once which servers are to be offered what."""
        self._offering.wake()

    async def take(self, interaction: discord.Interaction) -> None:
        """Take a press or a filled-in form; commands come by the tree."""
        if interaction.type is discord.InteractionType.component:
            alive = await acknowledged(interaction, thinking=False)
            self._start(self._pressed(interaction, alive=alive))
        elif interaction.type is discord.InteractionType.modal_submit:
            alive = await acknowledged(interaction, thinking=True)
            self._start(self._placed(interaction, alive=alive))

    async def _invoked(
        self, interaction: discord.Interaction, name: str, given: Mapping[str, object]
    ) -> None:
        alone = name in ALONE or given.get(PRIVATE) is True
        alive = await acknowledged(interaction, alone=alone)
        self._start(self._carry_out(interaction, name, given, alive=alive, alone=alone))

    async def _carry_out(
        self,
        interaction: discord.Interaction,
        name: str,
        given: Mapping[str, object],
        *,
        alive: bool,
        alone: bool,
    ) -> None:
        async with self._answering(interaction, alive=alive, alone=alone) as (spot, reply):
            speaker = speaker_of(interaction.user, interaction.locale.value)
            await self._roles.join(speaker, spot)
            if not await self._extras.carry_out(name, given, interaction, spot, reply):
                await self._call(interaction, name, given, spot, reply)
        if name.startswith("access"):
            self.wake()

    async def _call(
        self,
        interaction: discord.Interaction,
        name: str,
        given: Mapping[str, object],
        spot: Spot,
        reply: InteractionReply,
    ) -> None:
        options = typed_options({key: value for key, value in given.items() if key not in (PRIVATE, WHERE)})
        called = Called(
            name=name,
            options=options,
            speaker=speaker_of(interaction.user, interaction.locale.value),
            spot=await self._meant(given.get(WHERE)) or spot,
            update=f"i{interaction.id}",
            private=given.get(PRIVATE) is True,
        )
        if name in TURNS:
            await reply.open_with(
                f"> {escaped_within(' '.join(options.get('question', '').split()), _MOST_SHOWN)}"
            )
        await self._desk.call(called, reply)
        if name == "help" and not self._content:
            await reply.show(Said(markdown=say(reply.plain.language, "discord.no_content")))

    async def _pressed(self, interaction: discord.Interaction, *, alive: bool) -> None:
        data: Mapping[str, Any] = interaction.data or {}  # Any: the payload of a component
        message = interaction.message
        values = tuple(str(value) for value in data.get("values") or ())
        async with self._answering(interaction, alive=alive, pressed=True) as (spot, reply):
            pressed = Pressed(
                id=values[0] if values else str(data.get("custom_id", "")),
                speaker=speaker_of(interaction.user, interaction.locale.value),
                spot=spot,
                ref=f"{interaction.channel_id}/{message.id if message else ''}",
                values=values,
            )
            await self._roles.join(pressed.speaker, spot)
            await self._desk.press(pressed, reply)

    async def _placed(self, interaction: discord.Interaction, *, alive: bool) -> None:
        async with self._answering(interaction, alive=alive) as (spot, reply):
            await self._roles.join(speaker_of(interaction.user, interaction.locale.value), spot)
            await self._extras.save_scene(interaction, spot, reply)

    async def _save_to_lore(self, interaction: discord.Interaction, message: discord.Message) -> None:
        alive = await acknowledged(interaction)
        self._start(self._save(interaction, message, alive=alive))

    async def _save(self, interaction: discord.Interaction, message: discord.Message, *, alive: bool) -> None:
        async with self._answering(interaction, alive=alive) as (spot, reply):
            language = reply.plain.language
            speaker = speaker_of(interaction.user, interaction.locale.value)
            await self._roles.join(speaker, spot)
            await reply.open_with(f"> {say(language, 'discord.menu_save_to_lore')} {message.jump_url}")
            heard = Heard(
                update=f"i{interaction.id}",
                message=f"i{interaction.id}",
                speaker=speaker,
                spot=spot,
                text=say(language, "discord.ask_save_to_lore"),
                at=interaction.created_at,
                original=False,
                quoted=(self._extras.quoted(message),),
            )
            await self._desk.hear(heard, reply)

    async def _complete(self, interaction: discord.Interaction) -> None:
        """Answer what somebody types; what they typed before is asked for no more."""
        current = asyncio.current_task()
        before = self._completing.get(interaction.user.id)
        if before is not None and before is not current:
            before.cancel()
        if current is not None:
            self._completing[interaction.user.id] = current
        try:
            choices = await self._suggested(interaction)
            with refusals():
                await interaction.response.autocomplete(choices)
        except (ChatError, LoreKeeperError) as error:
            logger.info("completion came too late", extra={"reason": str(error)})
        finally:
            if self._completing.get(interaction.user.id) is current:
                del self._completing[interaction.user.id]

    async def _suggested(self, interaction: discord.Interaction) -> list[app_commands.Choice[str]]:
        command = interaction.command
        option, typed = _focused(interaction)
        if not isinstance(command, app_commands.Command) or not option:
            return []
        name = self._offering.meant(command.qualified_name)
        others = typed_options(dict(iter(interaction.namespace)))
        try:
            async with asyncio.timeout(COMPLETED_WITHIN_S):
                spot = await self._spot(interaction)
                speaker = speaker_of(interaction.user, interaction.locale.value)
                found = await self._desk.suggest(name, option, typed, others, speaker, spot)
        except TimeoutError:
            return []
        return [app_commands.Choice(name=label, value=value) for label, value in found]

    @asynccontextmanager
    async def _answering(
        self, interaction: discord.Interaction, *, alive: bool, alone: bool = False, pressed: bool = False
    ) -> AsyncIterator[tuple[Spot, InteractionReply]]:
        """Give the place and the reply; whatever happens then, the person reads something."""
        here = private_spot(interaction.channel_id or 0)
        reply = self._reply(interaction, here, alive=alive, alone=alone, pressed=pressed)
        try:
            spot = await self._spot(interaction)
            reply = self._reply(interaction, spot, alive=alive, alone=alone, pressed=pressed)
            yield spot, reply
        except LoreKeeperError as error:
            await reply.hint(error_text(error, reply.plain.language))
        except Exception as error:  # the border to a platform: one event that goes wrong stops no other
            logger.warning("interaction went wrong", exc_info=not isinstance(error, ChatError))
            await reply.hint(say(reply.plain.language, "error.internal"))
        finally:
            await reply.finish()

    def _reply(
        self,
        interaction: discord.Interaction,
        spot: Spot,
        *,
        alive: bool,
        alone: bool = False,
        pressed: bool = False,
    ) -> InteractionReply:
        room = self._rooms.room_in(int(spot.key), interaction.guild)
        speaker = speaker_of(interaction.user, interaction.locale.value)
        message = interaction.message
        stands_at = str(message.id) if pressed and message is not None else ""
        plain = self._desk.exchange.reply_in(room, speaker, spot, stands_at)
        return InteractionReply(
            interaction=interaction,
            room=room,
            plain=plain,
            alive=alive,
            waits=alive and not pressed,
            alone=alone,
            pressed=pressed,
        )

    async def _meant(self, where: object) -> Spot | None:
        """Return another place that a command is about: a forum, say, in which nobody can type it."""
        if not isinstance(where, app_commands.AppCommandChannel):
            return None
        return spot_of(await find_channel(self._client, where.id))

    async def _spot(self, interaction: discord.Interaction) -> Spot:
        channel_id = interaction.channel_id or 0
        if interaction.guild_id is None:
            return await self._homes.private_spot(channel_id, interaction.user.id)
        if interaction.guild is not None:
            await self._homes.seen(interaction.user.id, interaction.guild)
        known = self._client.get_channel(channel_id) or interaction.channel
        spot = spot_of(known) or spot_of(await find_channel(self._client, channel_id))
        if spot is None:
            raise ChatError("gone", str(channel_id))
        return spot


def _focused(interaction: discord.Interaction) -> tuple[str, str]:
    """Return the option that is being typed into, and what is typed."""
    data: Mapping[str, Any] = interaction.data or {}  # Any: the payload of a command
    options = list(data.get("options") or ())
    while options:
        option = options.pop()
        if option.get("focused"):
            return str(option.get("name", "")), str(option.get("value", ""))
        options += option.get("options") or ()
    return "", ""
