"""How commands come in: completed by one function, acknowledged before anything that may wait."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import discord
from discord import app_commands

from adapters.discord.border import guarded
from adapters.discord.refusal import chat_error, refusals
from agent_core.texts import say

ACKNOWLEDGED_WITHIN_S = 2.8

logger = logging.getLogger(__name__)


class LoreTree(app_commands.CommandTree[discord.Client]):
    """A command tree that completes options by one function for all commands."""

    def __init__(
        self, client: discord.Client, complete: Callable[[discord.Interaction], Awaitable[None]]
    ) -> None:
        super().__init__(client)
        self._complete = complete

    async def interaction_check(self, interaction: discord.Interaction, /) -> bool:
        if interaction.type is not discord.InteractionType.autocomplete:
            return True
        await self._complete(interaction)
        return False

    async def on_error(
        self, interaction: discord.Interaction, error: app_commands.AppCommandError, /
    ) -> None:
        logger.warning("command not carried out", extra={"error": type(error).__name__})
        await acknowledged(interaction, alone=True)
        await guarded(_say_outdated(interaction))


async def acknowledged(
    interaction: discord.Interaction, *, alone: bool = False, thinking: bool = True
) -> bool:
    """Acknowledge an interaction; return whether it can still be answered."""
    try:
        async with asyncio.timeout(ACKNOWLEDGED_WITHIN_S):
            await interaction.response.defer(ephemeral=alone, thinking=thinking)
    except (discord.HTTPException, TimeoutError, OSError) as error:
        logger.warning("not acknowledged", extra={"reason": str(chat_error(error))})
        return False
    except discord.InteractionResponded:
        return True
    return True


async def _say_outdated(interaction: discord.Interaction) -> None:
    with refusals():
        await interaction.edit_original_response(content=say(interaction.locale.value, "chat.outdated"))
