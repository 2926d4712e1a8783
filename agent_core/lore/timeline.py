"""The pure rules of time: which rows count, what a reader has been told, what is true where."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from agent_core.lore.merge import Fold
from agent_core.lore.model import (
    Asserted,
    Bound,
    Created,
    EntityType,
    JsonObject,
    Named,
    Recorded,
    Told,
    When,
)
from agent_core.lore.outline import Outline


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveName:
    """A name that counts. `at` is the node from which an alias is used, None for always."""

    id: str
    entity: str
    name: str
    alias: bool
    at: str | None
    told: Told
    change: int
    order: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveFact:
    """A fact that counts: withdrawn members are out, an `until` that is gone or not yet told is open.

    `entity` is the one it was recorded on (an absorbed one keeps its id). `note` and the rest as recorded.
    """

    id: str
    entity: str
    patch: JsonObject
    at: str | None
    until: str | None
    told: Told
    scope_book: str | None
    static: bool
    note: str
    change: int
    order: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entity as one bound knows it at one record time; `names` primary first, `facts` in fold order."""

    entity: str
    type: EntityType
    disambiguator: str
    name: str
    names: tuple[ActiveName, ...]
    facts: tuple[ActiveFact, ...]
    created_change: int
    told: Told


class LostPlace(StrEnum):
    """Which place of a row is gone."""

    FROM = "from"
    UNTIL = "until"
    TOLD = "told"
    SCOPE = "scope"


@dataclass(frozen=True, slots=True)
class Lost:
    """An active row that lost its scene."""

    recorded: Recorded
    row: Created | Named | Asserted
    what: LostPlace


def undone(links: Iterable[Recorded], known: int | None) -> frozenset[int]:
    """Return the numbers of the changes that are undone among those up to `known` (None: all)."""
    raise NotImplementedError


def merges(links: Iterable[Recorded], undone: Collection[int], known: int | None) -> Mapping[str, str]:
    """Return for each entity merged into another the final one; later merges win, circles are ignored."""
    raise NotImplementedError


def is_told(told: Told, bound: Bound, outline: Outline) -> bool:
    """Return whether someone who sees up to `bound` has been told."""
    raise NotImplementedError


def resolve(
    rows: Sequence[Recorded],
    *,
    entity: str,
    absorbed: Collection[str],
    frame_undone: Collection[int],
    known: int | None,
    bound: Bound,
    outline: Outline,
) -> Entry | None:
    """Return the entry that the rows of `entity` and of those merged into it give, or None if it is absent.

    Steps 1 to 3 of the read rule. `entity` is a final one (see `merges`); rows of others are passed over.
    Each entity is gated by its own latest active creation: untold or retired, its names and facts are absent.
    """
    raise NotImplementedError


def at_position(entry: Entry, position: str | None, when: When, outline: Outline) -> tuple[ActiveFact, ...]:
    """Return the facts of `entry` that hold at `position`, in fold order: step 4 of the read rule.

    The scope is the book of `position`. None folds all: every scope counts, what has an `until` has ended.
    """
    raise NotImplementedError


def fold_entry(facts: Iterable[ActiveFact]) -> Fold:
    """Return the state that these facts give: step 5 of the read rule."""
    raise NotImplementedError


def default_position(here: str | None, book: str | None, bound: Bound, outline: Outline) -> str | None:
    """Return the position of a question that names none, or None for "fold all facts".

    The conversation's position `here` if it lives within the bound, else the latest of its book.
    """
    raise NotImplementedError


def lost(
    rows: Sequence[Recorded], *, undone: Collection[int], known: int | None, outline: Outline
) -> tuple[Lost, ...]:
    """Return the active rows (of any entities) whose from, until, told or scope is gone."""
    raise NotImplementedError
