"""Messages of Discord as what was heard: who, where, in which words, answering what."""

import re
from collections.abc import Mapping, Sequence

import discord

from adapters.chat.model import Attached, Heard, Quoted, Speaker, Spot
from adapters.commands import BY_NAME, is_command
from adapters.discord.spots import PLATFORM

MOST_FILES = 10
_INLINE = re.compile(r"\[\[[^\[\]\n]{1,100}\]\]")
_REFERENCE = re.compile(r"<(?:@(?P<user>!?\d+)|@&(?P<role>\d+)|#(?P<channel>\d+)|a?:(?P<emoji>\w+):\d+)>")
_OURS = frozenset({name.partition(" ")[0] for name in BY_NAME} | {"start", "import"})
_SAID = frozenset({discord.MessageType.default, discord.MessageType.reply})


def is_said(message: discord.Message) -> bool:
    """Tell whether a message is one that somebody wrote, not one about a pin or a thread."""
    return message.type in _SAID


def is_by_machine(message: discord.Message) -> bool:
    """Tell whether another bot or a webhook wrote it."""
    return message.author.bot or message.webhook_id is not None


def mentions(message: discord.Message, me: discord.abc.Snowflake) -> bool:
    """Tell whether somebody typed our name in it; a reply that only pings us doesn't count."""
    if me.id in message.raw_mentions:
        return True
    return any(_is_our_role(role, me) for role in message.role_mentions)


def calls_us(message: discord.Message, me: discord.abc.Snowflake) -> bool:
    """Tell whether a message addresses us wherever it stands: a mention, a reply to us, a command."""
    if mentions(message, me):
        return True
    answered = _answered(message)
    if isinstance(answered, discord.Message) and answered.author.id == me.id:
        return True
    return _is_ours(message.content)


def names_entries(message: discord.Message) -> bool:
    """Tell whether a message holds `[[a name]]`."""
    return _INLINE.search(message.content) is not None


def heard_of(message: discord.Message, spot: Spot, me: discord.abc.Snowflake) -> Heard:
    """Return the message: only our own mention is removed, all others become names with their ids."""
    forwarded = message.message_snapshots
    return Heard(
        update=f"m{message.id}",
        message=str(message.id),
        speaker=speaker_of(message.author),
        spot=spot,
        text=readable(forwarded[0].content if forwarded else message.content, message, me),
        at=message.created_at,
        original=not forwarded and not is_by_machine(message),
        answers=_answers(message, me),
        quoted=quoted_by(message, me),
        files=files_of([*message.attachments, *(one for shot in forwarded for one in shot.attachments)]),
    )


def speaker_of(author: discord.User | discord.Member, language: str = "") -> Speaker:
    """Return who speaks, with the roles they have in the server."""
    roles = author.roles if isinstance(author, discord.Member) else []
    return Speaker(
        user=str(author.id),
        name=author.display_name,
        language=language,
        roles=tuple(str(role.id) for role in roles),
    )


def readable(text: str, message: discord.Message, me: discord.abc.Snowflake) -> str:
    """Return a text without our own mention, others written as names: "@Edda (4242)", "#drafts (77)".

    In a command people stand as commands take them.
    """
    is_typed = is_command(_REFERENCE.sub("", text))
    names = {user.id: user.display_name for user in message.mentions}
    ours = {role.id for role in message.role_mentions if _is_our_role(role, me)}

    def named(match: re.Match[str]) -> str:
        if match["user"]:
            user = int(match["user"].removeprefix("!"))
            if user == me.id:
                return ""
            return _account(user) if is_typed else _with_id("@", names.get(user, ""), user)
        if match["role"]:
            return "" if int(match["role"]) in ours else _role(message, int(match["role"]))
        if match["channel"]:
            return _channel(message, int(match["channel"]))
        return f":{match['emoji']}:"

    return re.sub(r"[ \t]{2,}", " ", _REFERENCE.sub(named, text)).strip()


def quoted_by(message: discord.Message, me: discord.abc.Snowflake) -> tuple[Quoted, ...]:
    """Return what a message answers; one that is gone has no text."""
    if message.reference is None or message.message_snapshots:
        return ()
    answered = _answered(message)
    if isinstance(answered, discord.Message):
        return (quoted(answered, me),)
    return (Quoted(author="", text=None),)


def quoted(message: discord.Message, me: discord.abc.Snowflake) -> Quoted:
    """Return a message as somebody quotes it: its text, or what stands in its embed."""
    text = readable(message.content, message, me) or "\n".join(_embedded(message.embeds))
    return Quoted(author=message.author.display_name, text=text)


def files_of(attachments: Sequence[discord.Attachment]) -> tuple[Attached, ...]:
    """Return the files that came with a message."""
    return tuple(
        Attached(
            name=one.filename,
            size=one.size,
            media_type=(one.content_type or "application/octet-stream").partition(";")[0],
            ref=one.url,
        )
        for one in attachments[:MOST_FILES]
    )


def edited_text(message: discord.Message, me: discord.abc.Snowflake) -> str | None:
    """Return what a message says after its author edited it, None where only its preview changed."""
    return readable(message.content, message, me) if message.edited_at is not None else None


def typed_options(values: Mapping[str, object]) -> dict[str, str]:
    """Return the options of a form as if they had been typed; those left out are absent."""
    return {name: _typed(value) for name, value in values.items() if value not in (None, "")}


def _is_ours(text: str) -> bool:
    """Tell whether a text begins with a command of ours; other bots have some that look the same."""
    return is_command(text) and re.split(r"[\s_@]", text.strip()[1:].lower())[0] in _OURS


def _typed(value: object) -> str:
    if isinstance(value, discord.User | discord.Member):
        return _account(value.id)
    return str(value)


def _account(user: int) -> str:
    """Return a person as the commands take one who may not be known by name."""
    return f"{PLATFORM}:{user}"


def _answered(message: discord.Message) -> discord.Message | discord.DeletedReferencedMessage | None:
    reference = message.reference
    return reference.resolved if reference is not None else None


def _answers(message: discord.Message, me: discord.abc.Snowflake) -> str:
    answered = _answered(message)
    if isinstance(answered, discord.Message) and answered.author.id == me.id:
        return f"{message.channel.id}/{answered.id}"
    return ""


def _is_our_role(role: discord.Role, me: discord.abc.Snowflake) -> bool:
    return role.tags is not None and role.tags.bot_id == me.id


def _embedded(embeds: Sequence[discord.Embed]) -> list[str]:
    return [
        text
        for embed in embeds
        for text in (
            embed.title,
            embed.description,
            *(f"{field.name}: {field.value}" for field in embed.fields),
        )
        if text
    ]


def _role(message: discord.Message, role_id: int) -> str:
    role = message.guild.get_role(role_id) if message.guild else None
    return _with_id("@", role.name if role else "", role_id)


def _channel(message: discord.Message, channel_id: int) -> str:
    channel = message.guild.get_channel_or_thread(channel_id) if message.guild else None
    return _with_id("#", channel.name if channel else "", channel_id)


def _with_id(sign: str, name: str, id_: int) -> str:
    return f"{sign}{name} ({id_})" if name else f"{sign}{id_}"
