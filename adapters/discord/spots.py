"""Channels, threads and private chats of Discord as spots; those that the cache lacks are asked for once."""

import discord

from adapters.chat.model import Spot
from adapters.discord.refusal import limited, refusals

PLATFORM = "discord"

Place = discord.abc.Messageable | discord.abc.GuildChannel | discord.abc.PrivateChannel | discord.Thread


def spot_of(channel: object) -> Spot | None:
    """Return the spot of a channel, None for one whose kind isn't known yet."""
    if isinstance(channel, discord.DMChannel):
        return Spot(platform=PLATFORM, key=str(channel.id), private=True)
    if isinstance(channel, discord.Thread):
        return Spot(
            platform=PLATFORM,
            key=str(channel.id),
            private=False,
            title=channel.name,
            server=str(channel.guild.id),
            chat=str(channel.parent_id),
            parents=(str(channel.parent_id),),
        )
    if isinstance(channel, discord.abc.GuildChannel):
        return Spot(
            platform=PLATFORM,
            key=str(channel.id),
            private=False,
            title=channel.name,
            server=str(channel.guild.id),
            chat=str(channel.id),
        )
    return None


def private_spot(channel_id: int) -> Spot:
    """Return the spot of a private chat, which is in no cache after a restart."""
    return Spot(platform=PLATFORM, key=str(channel_id), private=True)


async def find_channel(client: discord.Client, channel_id: int) -> object:
    """Return a channel, from the cache or asked for.

    Raises:
        ChatError: it is gone or closed to us.
    """
    known = client.get_channel(channel_id)
    if known is not None:
        return known
    with refusals():
        async with limited():
            return await client.fetch_channel(channel_id)
