"""What a person can want from the offline responder: the outcome of reading their sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from agent_core.llm.offline.scope import Scope
from agent_core.messages import Json

Names: TypeAlias = tuple[str, ...]  # one name in the ways it may be spelled, the likeliest first


class Asked(StrEnum):
    """Kinds of questions."""

    ENTRY = "entry"
    DETAIL = "detail"
    WHY = "why"
    SINCE = "since"
    WHEN = "when"
    TIMELINE = "timeline"
    HISTORY = "history"
    CONTENTS = "contents"
    LIST = "list"
    CHAPTER = "chapter"
    SEARCH = "search"
    FIRST = "first"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question. `words` is what is asked about besides the name; `kind` of entry where it was said.

    `whole` is the phrase that may be a name as it stands ("the Order of the Heron"); `instead` is asked if
    its name is an entry's: "Hans Meier", which could also ask for the "Meier" of Han.
    """

    asks: Asked
    names: Names = ()
    words: str = ""
    whole: str = ""
    type: str = ""
    person: str = ""
    scope: Scope = field(default_factory=Scope)
    instead: "Question | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """Nothing was understood but what looks like names."""

    names: Names
    statement: bool = False
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A detail of somebody: `owned` marks a thing that joins what they have (or, with `gone`, leaves it)."""

    names: Names
    key: str
    value: Json
    owned: bool = False
    gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A fact to be noted, true from a place on or, as a retcon, always so.

    `instead` is noted if its name is an entry's, as with questions.
    """

    fact: Fact
    instead: Fact | None = None
    scope: Scope = field(default_factory=Scope)
    retcon: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """A new entry."""

    type: str
    name: str
    traits: Mapping[str, Json] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBack:
    """An edit to be taken back: the last one without a number."""

    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename:
    """A new name for an entry, or another one beside it."""

    names: Names
    new: str
    beside: bool = False
    place: str = ""


Write: TypeAlias = Record | Create | TakeBack | Rename


@dataclass(frozen=True, slots=True, kw_only=True)
class Writes:
    """All that one message asks to write: one proposal."""

    writes: tuple[Write, ...]


class Remark(StrEnum):
    """What is answered without any look-up."""

    HELP = "help"
    THANKS = "thanks"
    MAKE = "make"
    PRONOUN = "pronoun"
    UNCLEAR = "unclear"
    DECISION = "decision"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A remark and the word that caused it."""

    remark: Remark
    word: str = ""


Wish: TypeAlias = Question | Guess | Writes | Said
