"""The console we print to: colours, width and characters that this terminal or file can take."""

import io
import shutil
from typing import TextIO

from rich.console import Console
from rich.theme import Theme

_THEME = Theme(
    {
        "lore.title": "bold",
        "lore.head": "dim",
        "lore.field": "bold dim",
        "lore.label": "cyan",
        "lore.before": "red",
        "lore.after": "green",
        "lore.mark": "dim",
        "lore.note": "dim",
        "lore.quote": "italic",
        "lore.warning": "yellow",
        "lore.question": "magenta",
        "lore.step": "dim",
        "lore.trouble": "red",
        "lore.done": "green",
    }
)


def terminal_console(stream: TextIO, *, width: int | None = None, is_terminal: bool | None = None) -> Console:
    """Return a console that writes to the stream; what it cannot encode is replaced, never an error.

    Colour follows the terminal, `NO_COLOR` and `TERM`; a pipe or file gets plain text.
    """
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
    console = Console(
        file=stream,
        width=width,
        force_terminal=is_terminal,
        theme=_THEME,
        highlight=False,
        markup=False,
        emoji=False,
    )
    if width is None and stream.isatty() and console.is_dumb_terminal:
        console.width = shutil.get_terminal_size().columns  # rich takes every dumb terminal for 80 columns
    return console


def plain_console(width: int) -> Console:
    """Return a console that writes plain text into memory."""
    return Console(file=io.StringIO(), width=width, theme=_THEME, highlight=False, color_system=None)
