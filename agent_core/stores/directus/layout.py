"""Which collections and columns the canon has in Directus: what `init` makes, `check` looks for, we ask for.

`lore_changes`, `lore_states` and `scene_revisions` are the log, to which rows are only ever added. `series`,
`books`, `chapters`, `scenes` and `lore_entities` show what it means now, for people to read and edit.
"""

from dataclasses import dataclass

MARK = "LoreKeeper"
"""How the note of a collection begins that we have made."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `to` is the collection whose rows it names, `back` the list of those who name a row there."""

    name: str
    type: str
    nullable: bool = True
    unique: bool = False
    indexed: bool = False
    special: tuple[str, ...] = ()
    to: str = ""
    back: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection; `sort` is the column that people order its rows by. Copies of long texts are not kept."""

    name: str
    note: str
    columns: tuple[Column, ...]
    shows: str = ""
    sort: str = ""
    is_log: bool = False
    keeps_copies: bool = True

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)


def _id() -> Column:
    return Column("id", "uuid", nullable=False, special=("uuid",), hidden=True)


def _of(column: str, to: str, back: str, *, nullable: bool = True) -> Column:
    return Column(column, "uuid", nullable=nullable, indexed=True, special=("m2o",), to=to, back=back)


def _text(name: str, *, hidden: bool = False) -> Column:
    return Column(name, "text", hidden=hidden)


_KNOWN = (
    _text("known", hidden=True),
    Column("changed_at", "timestamp", indexed=True, special=("date-created", "date-updated"), hidden=True),
)
_NODE = (
    _text("title"),
    _text("number"),
    Column("sort", "integer"),
    Column("deleted", "boolean", special=("cast-boolean",)),
    _text("part"),
    _text("mode"),
    _text("place_relation"),
    _text("place_node"),
    *_KNOWN,
)

SERIES = Collection(
    "series",
    "universes",
    (
        _id(),
        _text("name"),
        Column("key", "string", hidden=True),
        Column("owner", "string", hidden=True),
        Column("owner_key", "string", unique=True, hidden=True),
        Column("ord", "integer", unique=True, hidden=True),
    ),
    shows="{{name}}",
)
BOOKS = Collection(
    "books",
    "books of a series",
    (_id(), _of("series", "series", "books", nullable=False), *_NODE),
    shows="{{title}}",
    sort="sort",
)
CHAPTERS = Collection(
    "chapters",
    "chapters of a book",
    (
        _id(),
        _of("series", "series", "chapters", nullable=False),
        _of("book", "books", "chapters"),
        *_NODE,
    ),
    shows="{{number}} {{title}}",
    sort="sort",
)
SCENES = Collection(
    "scenes",
    "scenes of a chapter and their texts",
    (
        _id(),
        _of("series", "series", "scenes", nullable=False),
        _of("chapter", "chapters", "scenes"),
        _text("text"),
        *_NODE,
    ),
    shows="{{title}}",
    sort="sort",
    keeps_copies=False,
)
ENTITIES = Collection(
    "lore_entities",
    "entries: who and what there is",
    (
        _id(),
        _of("series", "series", "entities", nullable=False),
        _text("type"),
        _text("name"),
        _text("hint"),
        Column("aliases", "json", special=("cast-json",)),
        Column("traits", "json", special=("cast-json",)),
        Column("deleted", "boolean", special=("cast-boolean",)),
        *_KNOWN,
    ),
    shows="{{name}}",
)
CHANGES = Collection(
    "lore_changes",
    "edits: never change or delete them",
    (
        _id(),
        _of("series", "series", "changes", nullable=False),
        Column("seq_key", "string", nullable=False, unique=True),
        Column("token", "string", nullable=False, unique=True),
        Column("number", "integer", nullable=False, indexed=True),
        Column("recorded_at", "string", nullable=False, indexed=True),
        _text("proposed_by"),
        _text("approved_by"),
        _text("source"),
        _text("summary"),
        _text("touched"),
        _text("undoes"),
        Column("size", "integer", nullable=False),
    ),
    shows="{{number}} {{summary}}",
    is_log=True,
)
REVISIONS = Collection(
    "scene_revisions",
    "texts that scenes have had: never change or delete them",
    (
        _id(),
        _of("series", "series", "revisions", nullable=False),
        Column("scene", "uuid", indexed=True),
        _text("text"),
    ),
    is_log=True,
    keeps_copies=False,
)
STATES = Collection(
    "lore_states",
    "what edits say: never change or delete it",
    (
        _id(),
        _of("change", "lore_changes", "states"),
        Column("ord", "integer", nullable=False),
        Column("kind", "string", nullable=False),
        Column("subject", "string", indexed=True),
        _text("body"),
        _of("revision", "scene_revisions", "states"),
    ),
    is_log=True,
    keeps_copies=False,
)

ALL = (SERIES, BOOKS, CHAPTERS, SCENES, ENTITIES, CHANGES, REVISIONS, STATES)
"""In the order in which they can be made: a collection stands behind those that it names."""

SHOWN = (BOOKS, CHAPTERS, SCENES, ENTITIES)
"""What people edit, and what a change is shown in after it was recorded."""
