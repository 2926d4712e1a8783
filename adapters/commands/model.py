"""What a command is, and what comes out of reading one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from agent_core.messages import Json
from agent_core.texts import Fact, say


class Kind(StrEnum):
    """What an option holds; platforms choose autocomplete and input by it."""

    ENTRY = "entry"
    NAME = "name"
    ENTRIES = "entries"
    POSITION = "position"
    WHEN = "when"
    MOMENT = "moment"
    TYPE = "type"
    ORDER = "order"
    TOLD = "told"
    FACTS = "facts"
    DETAIL = "detail"
    PERSON = "person"
    ROLE = "role"
    RELATION = "relation"
    NUMBER = "number"
    BOOK = "book"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option. `argument` is the tool's name for it; `place` marks where a write begins to be true."""

    name: str
    kind: Kind
    argument: str
    required: bool = False
    place: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command: `tool` is what it calls, "" for one that the surface itself carries out.

    `fixed` arguments always go along. `name` may be two words: `scene read`. `alone` is the command that is
    meant where it is typed without anything behind it.
    """

    name: str
    tool: str = ""
    options: tuple[Option, ...] = ()
    fixed: Mapping[str, Json] = field(default_factory=dict)
    writes: bool = False
    alone: str = ""

    def option(self, name: str) -> Option | None:
        """Return the option with this name."""
        return next((option for option in self.options if option.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedCommand:
    """A tool call in the tool's own argument names.

    `complete` means that every place of a write is given, or "here"; otherwise its card asks.
    """

    command: Command
    tool: str
    arguments: Mapping[str, Json]
    complete: bool

    @property
    def subject(self) -> str:
        """The entry it is about, for headings; "" if it is about none."""
        entry = self.arguments.get("entityId")
        return entry if isinstance(entry, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A command that the surface carries out: ask, new, cancel, settings, help."""

    name: str
    options: Mapping[str, str]


class CommandError(Exception):
    """A command that can't be read. `reason` is unknown, missing, value or facts."""

    def __init__(self, reason: str, *, command: str = "", **facts: Fact) -> None:
        self.reason = reason
        self.command = command
        self.facts = facts
        super().__init__(f"{reason}: {facts}")

    def text(self, language: str) -> str:
        """Return the sentence for the person, with how the command is written."""
        sentence = say(language, f"command_error.{self.reason}", **self.facts)
        if not self.command:
            return sentence
        return f"{sentence}\n{say(language, f'usage.{self.command}')}"
