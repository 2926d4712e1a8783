"""The words of the canon: nodes, places, bounds and the rows that changes are made of.

Rows are append-only facts; what they mean together is decided by `timeline` alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from agent_core.messages import Json

JsonObject: TypeAlias = Mapping[str, Json]


class NodeKind(StrEnum):
    """Levels of the outline."""

    BOOK = "book"
    CHAPTER = "chapter"
    SCENE = "scene"


class Mode(StrEnum):
    """How a scene stands to the story's now."""

    LINEAR = "linear"
    FLASHBACK = "flashback"
    FLASHFORWARD = "flashforward"


class Relation(StrEnum):
    """How a story place relates to its node; `with` means at the same time."""

    BEFORE = "before"
    AFTER = "after"
    WITH = "with"


class EntityType(StrEnum):
    """Kinds of entries."""

    CHARACTER = "character"
    LOCATION = "location"
    FACTION = "faction"
    OBJECT = "object"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class StoryPlace:
    """Where a node happens in the story when that isn't where it is read."""

    relation: Relation
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A book, chapter or scene. `rank` orders siblings as text; `number`, `part`, `title` are labels.

    A deleted node keeps its place as a tombstone.
    """

    id: str
    kind: NodeKind
    parent: str | None
    rank: str
    title: str = ""
    number: str = ""
    part: str = ""
    mode: Mode = Mode.LINEAR
    place: StoryPlace | None = None
    deleted: bool = False


class ToldKind(StrEnum):
    """When the reader learns a fact, apart from a node."""

    START = "start"
    NODE = "node"
    NOT_REVEALED = "not_revealed"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Told:
    """When the reader learns something; `node` is set exactly for `ToldKind.NODE`."""

    kind: ToldKind
    node: str | None = None

    @classmethod
    def at(cls, node: str) -> "Told":
        """Return "told in this node"."""
        return cls(ToldKind.NODE, node)


START = Told(ToldKind.START)
NOT_REVEALED = Told(ToldKind.NOT_REVEALED)
NEVER = Told(ToldKind.NEVER)


@dataclass(frozen=True, slots=True)
class Author:
    """Sees everything."""


@dataclass(frozen=True, slots=True)
class UpTo:
    """Has finished reading up to this node, in the reading order."""

    node: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """Has read nothing: sees not even what is told at the start."""


Bound = Author | UpTo | Nothing


class When(StrEnum):
    """Whether a state is asked for before a scene begins or after it has ended."""

    START = "start"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """An entry exists. The latest active creation of an entity gives its type, hint and told."""

    entity: str
    type: EntityType
    told: Told
    disambiguator: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A name of an entity; the latest active one that is not an alias is shown."""

    id: str
    entity: str
    name: str
    told: Told
    alias: bool = False
    at: str | None = None


@dataclass(frozen=True, kw_only=True)
class Asserted:
    """A fact: `patch` is true from `at` (None: from the beginning) until `until`, in the story order.

    `static` marks the traits an entry was created with; they are shown apart. It has no slots, so that a
    store can give it its members at once (`Asserted.of`).
    """

    id: str
    entity: str
    patch: JsonObject
    told: Told
    at: str | None = None
    until: str | None = None
    scope_book: str | None = None
    static: bool = False
    note: str = ""

    @classmethod
    def of(cls, members: dict[str, Any]) -> "Asserted":  # Any: the members differ in type
        """Return the fact with these members, which it keeps as they are; those left out have their default.

        Costs a quarter of the constructor, which sets each member of a frozen class by a call.
        """
        fact = object.__new__(cls)
        object.__setattr__(fact, "__dict__", members)
        return fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """One member of an earlier row is struck out. `pointer` is a JSON pointer; "" means the whole row."""

    entity: str
    target: str
    pointer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retired:
    """An entry leaves the canon with all its facts."""

    entity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """From now on the names and facts of `entity` are those of `into`."""

    entity: str
    into: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """An earlier change is taken back."""

    change: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSet:
    """A revision of a scene's text."""

    id: str
    scene: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineEdited:
    """A node as it was and as it is; `before` is None where the node is new. Acts at every record time."""

    after: Node
    before: Node | None = None


Row = (
    Created | Named | Asserted | Withdrawn | Retired | Merged | Undone | TextSet | OutlineEdited
)  # fmt: skip


class Recorded(NamedTuple):
    """A row with the change it came with and its order in that change (from 0).

    A tuple, as there are thousands of them in an answer and a tuple is made in half the time.
    """

    change: int
    order: int
    row: Row


LOG_ORDER = itemgetter(0, 1)
"""Sorts recorded rows as the log has them: by (change, order)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A universe. `id` is a UUID; `name` is what people call it."""

    id: str
    name: str
    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One confirmed batch. Numbers strictly increase within a series, instants never go back."""

    series: str
    number: int
    at: datetime
    proposed_by: str
    approved_by: str
    source: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeDraft:
    """A change that has no number yet.

    `since` is the number of the change it was made against; `keys` are the conflict keys it touches
    (see `conflict`), `summary` a short line for listings.
    """

    series: str
    rows: tuple[Row, ...]
    since: int
    keys: frozenset[str]
    proposed_by: str
    approved_by: str
    source: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """The newest change number of a series, and the newest that touched outline, undos or merges."""

    number: int = 0
    frame: int = 0


@dataclass(frozen=True, slots=True)
class Frame:
    """What every read of a series needs: all nodes (tombstones too), undos and merges, as of `head`."""

    head: Head
    nodes: tuple[Node, ...] = field(default=())
    links: tuple[Recorded, ...] = field(default=())
