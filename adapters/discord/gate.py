"""Which messages start something: what addresses us, whose bots may, and where we may answer at all."""

from dataclasses import dataclass, field

import discord

from adapters.discord.inbound import is_by_machine, mentions

MOST_ROUNDS = 3
"""How many messages of bots in a row may start a turn in a channel before a human speaks again."""


@dataclass(slots=True)
class Gate:
    """Lets messages through. `allowed_bots` are the ids of bots and webhooks that may address us."""

    allowed_bots: frozenset[int]
    _rounds: dict[int, int] = field(default_factory=dict)

    def lets_in(self, message: discord.Message, me: discord.abc.Snowflake) -> bool:
        """Return whether a message may start or tell us anything; machines must type our name."""
        channel = message.channel.id
        if not is_by_machine(message):
            self._rounds.pop(channel, None)
            return True
        if message.author.id not in self.allowed_bots or not mentions(message, me):
            return False
        self._rounds[channel] = self._rounds.get(channel, 0) + 1
        return self._rounds[channel] <= MOST_ROUNDS


def missing_right(channel: object) -> str | None:
    """Return the text key of what we lack to answer in a channel, None where we may.

    In a thread it is the right to send in threads that counts, in a channel the right to send messages.
    Cards are embeds, so without the right to them little could be answered.
    """
    if not isinstance(channel, discord.Thread | discord.abc.GuildChannel):
        return None
    try:
        held = channel.permissions_for(channel.guild.me)
    except discord.ClientException:  # the channel around a thread is not known: nobody can tell
        return None
    in_thread = isinstance(channel, discord.Thread)
    if not (held.send_messages_in_threads if in_thread else held.send_messages):
        return "discord.no_send_in_threads" if in_thread else "discord.no_send"
    if isinstance(channel, discord.Thread) and channel.locked and not held.manage_threads:
        return "discord.locked"
    return None if held.embed_links else "discord.no_embeds"
