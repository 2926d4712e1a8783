"""Persons and what they may do and see."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum


class SeriesRole(StrEnum):
    """A person's role in a series: lead, co-author, beta reader, none."""

    OWNER = "owner"
    EDITOR = "editor"
    READER = "reader"
    NONE = "none"


WRITERS = frozenset({SeriesRole.OWNER, SeriesRole.EDITOR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A human being behind one or more identities. `operator` may run the installation."""

    id: str
    name: str
    operator: bool = False


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as a platform knows them."""

    platform: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """A role in a series; `may_destroy` is the granted right to confirm dangerous calls."""

    person: str
    series: str
    role: SeriesRole
    may_destroy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a person has finished reading a series (None: nothing) and how far they may set it."""

    person: str
    series: str
    finished: str | None = None
    ceiling: str | None = None


class CodeKind(StrEnum):
    """What a code is good for: joining two identities, or making the first operator of a platform."""

    LINK = "link"
    PAIR = "pair"


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A single-use code, known by its hash only. `person` asked for it, None for a pairing code."""

    hash: str
    kind: CodeKind
    person: str | None
    expires: datetime


class Door(StrEnum):
    """What an operator lets in: a server with all its chats, one chat, one person."""

    SERVER = "server"
    CHAT = "chat"
    PERSON = "person"


@dataclass(frozen=True, slots=True, order=True)
class Admission:
    """A server, chat or person, by the platform's own id, that is let in."""

    platform: str
    door: Door
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """All roles and reading progress of one person, by series."""

    memberships: tuple[Membership, ...] = ()
    progress: tuple[Progress, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What was used of models that cost something."""

    calls: int = 0
    tokens: int = 0
    cost: Decimal = Decimal(0)
