"""Persons and what they may do and see."""

from dataclasses import dataclass
from enum import StrEnum


class SeriesRole(StrEnum):
    """A person's role in a series: lead, co-author, beta reader, none."""

    OWNER = "owner"
    EDITOR = "editor"
    READER = "reader"
    NONE = "none"


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
