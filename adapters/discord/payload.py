"""Parts as discord.py's objects. Views are stopped before they are sent: presses are read from raw events."""

import io
from collections.abc import Sequence

import discord

from adapters.chat.model import Document
from adapters.discord.part import Choice, Key, Panel, Pick, Row, Tone

NOBODY = discord.AllowedMentions.none()

_STYLES = {
    Tone.GOOD: discord.ButtonStyle.success,
    Tone.BAD: discord.ButtonStyle.danger,
    Tone.QUIET: discord.ButtonStyle.secondary,
}


def embeds_of(panel: Panel | None) -> list[discord.Embed]:
    """Return the embeds of a message: one or none."""
    if panel is None:
        return []
    embed = discord.Embed(title=panel.title, description=panel.description or None, colour=panel.colour)
    for title, text in panel.fields:
        embed.add_field(name=title, value=text, inline=False)
    if panel.footer:
        embed.set_footer(text=panel.footer)
    return [embed]


def view_of(rows: Sequence[Row]) -> discord.ui.View | None:
    """Return the components of a message, None where it has none; needs a running event loop."""
    if not rows:
        return None
    view = discord.ui.View(timeout=None)
    for number, row in enumerate(rows):
        if isinstance(row, Pick):
            view.add_item(_select(row, number))
        else:
            for key in row:
                view.add_item(_button(key, number))
    view.stop()
    return view


def file_of(document: Document) -> discord.File:
    """Return a document ready to be uploaded."""
    return discord.File(io.BytesIO(document.content), filename=document.name)


def _button(key: Key, row: int) -> discord.ui.Button[discord.ui.View]:
    return discord.ui.Button(label=key.label, custom_id=key.id, style=_STYLES[key.tone], row=row)


def _select(pick: Pick, row: int) -> discord.ui.Select[discord.ui.View]:
    options = [_option(choice) for choice in pick.choices]
    return discord.ui.Select(custom_id=pick.id, placeholder=pick.prompt, options=options, row=row)


def _option(choice: Choice) -> discord.SelectOption:
    return discord.SelectOption(label=choice.label, value=choice.value, description=choice.about or None)
