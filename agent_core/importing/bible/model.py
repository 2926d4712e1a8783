"""What a story bible holds, the same for every format: nothing here knows Markdown, CSV or JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent_core.errors import Fact
from agent_core.lore.model import EntityType, Mode, Relation
from agent_core.messages import Json

UNREAD = frozenset({"frontmatter", "not_text", "too_large", "unreadable"})
"""Codes of the remarks on files that can't be read."""

Path = tuple[str, ...]
"""Where a value stands in an entry: ("home", "city")."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file. `line` counts from 1, 0 where the format has none."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Remark:
    """Something the person should know: `code` names a sentence of the catalogue (`bible.<code>`)."""

    code: str
    spot: Spot
    facts: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Detail:
    """One value as it was written. A `relation` is the name of another entry, or a list of such names."""

    value: Json
    spot: Spot
    relation: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BibleEntry:
    """An entry as a file tells of it. `told` are the top keys that readers learn with the entry.

    `assumed`: the file says nothing of its kind.
    """

    kind: EntityType
    name: str
    spot: Spot
    aliases: tuple[str, ...] = ()
    hint: str = ""
    details: Mapping[Path, Detail] = field(default_factory=dict)
    told: frozenset[str] = frozenset()
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class When:
    """Where in the story a scene happens, by the title or name of another one's note."""

    relation: Relation
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BibleScene:
    """A scene as a note tells of it. `number`, `part` are labels of its chapter, `order` sorts in the book.

    `names` are all by which other notes may mean it; `date` sorts as text, "" where nothing is said.
    """

    title: str
    text: str
    spot: Spot
    book: str = ""
    number: str = ""
    chapter: str = ""
    part: str = ""
    order: tuple[float, ...] = ()
    mode: Mode = Mode.LINEAR
    when: When | None = None
    date: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Labels:
    """What a work calls its parts and chapters, each from 1; () where it says nothing."""

    parts: tuple[str, ...] = ()
    chapters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bible:
    """Everything that was read, in the order of the files. `title` is what the work calls itself, or ""."""

    title: str = ""
    labels: Labels = Labels()
    entries: tuple[BibleEntry, ...] = ()
    scenes: tuple[BibleScene, ...] = ()
    remarks: tuple[Remark, ...] = ()
