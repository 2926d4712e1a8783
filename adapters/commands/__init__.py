"""The commands: one set, one grammar in signs and plain words, for every platform."""

from adapters.commands.markers import position_of
from adapters.commands.model import Command, CommandError, Control, Kind, Option, ParsedCommand
from adapters.commands.parse import build, is_command, parse
from adapters.commands.table import BY_NAME, COMMANDS

__all__ = [
    "BY_NAME",
    "COMMANDS",
    "Command",
    "CommandError",
    "Control",
    "Kind",
    "Option",
    "ParsedCommand",
    "build",
    "is_command",
    "parse",
    "position_of",
]
