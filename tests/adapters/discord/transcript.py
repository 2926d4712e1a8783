"""What people saw in places of the emulated Discord, as Markdown for the documentation."""

from collections.abc import Iterator

from tests.emulators.discord import Channel, Discord, Message


def transcript(discord: Discord, *places: Channel) -> str:
    """Return what was said in the places, message by message, with cards, buttons and reactions."""
    lines: list[str] = []
    for place in places:
        lines += [f"### #{place.name}", ""]
        for message in discord.messages(place):
            lines += [*_message(discord, message), ""]
    return "\n".join(lines)


def _message(discord: Discord, message: Message) -> Iterator[str]:
    answers = f" (to {message.referenced.author.display_name})" if message.referenced else ""
    text = message.content.replace(discord.bot.mention, f"@{discord.bot.display_name}")
    yield f"**{message.author.display_name}**{answers}: {text}"
    for embed in message.embeds:
        yield f"> **{embed['title']}**"
        for part in (
            embed.get("description", ""),
            *(f"**{one['name']}**\n{one['value']}" for one in embed.get("fields", [])),
        ):
            yield from (f"> {line}" for line in part.split("\n") if line)
        if embed.get("footer"):
            yield from (f"> {line}" for line in embed["footer"]["text"].split("\n"))
    if labels := discord.labels(message):
        yield " ".join(f"`{label}`" for label in labels)
    if reactions := discord.reactions(message):
        yield " ".join(f"{emoji} {len(users)}" for emoji, users in reactions.items())
