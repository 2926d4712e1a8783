"""What the canon answers: one typed result for models, commands, cards, HTTP and the page.

Labels such as "7.3" or "b2:7.3" are positions in the written grammar; ids are UUIDs. A bounded answer
never holds change numbers, authors, or anything told after the bound.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from agent_core.lore.model import EntityType, Mode, NodeKind, Relation, When


class Answer(BaseModel):
    """A frozen result; fields are snake_case in code and camelCase in JSON (`by_alias`)."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        alias_generator=lambda name: "".join(
            part if i == 0 else part.capitalize() for i, part in enumerate(name.split("_"))
        ),
    )


class Place(Answer):
    """A node as people name it: `label` "b1:7.3" (book part dropped in a series of one book)."""

    id: str
    label: str
    title: str = ""
    kind: NodeKind = NodeKind.SCENE


class EntryRef(Answer):
    """An entry in a list."""

    id: str
    type: EntityType
    name: str
    hint: str = ""
    aliases: tuple[str, ...] = ()


class EntryList(Answer):
    """Entries in the order of their names; `more` counts those that follow, from `next_offset` on.

    With `type` they are those of this kind alone.
    """

    type: EntityType | None = None
    entries: tuple[EntryRef, ...]
    more: int = 0
    next_offset: int | None = None


class Quote(Answer):
    """A passage of a scene around a hit, cut at word borders; `paragraph` counts from 1."""

    scene: Place
    text: str
    paragraph: int


class EntryHit(Answer):
    """An entry that matched. `detail` is the text that did."""

    entry: EntryRef
    why: Literal["name", "alias", "word_in_name", "fact", "scene", "similar"]
    detail: str = ""
    quote: Quote | None = None


class NoEntry(Answer):
    """A name without an entry that stands in scenes."""

    name: str
    scenes: int
    first: Place
    quotes: tuple[Quote, ...] = ()


class SearchResult(Answer):
    """Entries first, then scenes; `more_scenes` counts those not listed.

    `hint` says that the query held no word to look for, or was so long that only its first were.
    """

    query: str
    entries: tuple[EntryHit, ...] = ()
    scenes: tuple[Quote, ...] = ()
    more_entries: int = 0
    more_scenes: int = 0
    no_entry: NoEntry | None = None
    hint: Literal["", "no_words", "cut"] = ""


class Fact(Answer):
    """An active fact: what it says, from and until where, where it comes from.

    `edit`, `by`, `recorded_at` (ISO UTC) are None in a bounded answer. `lost` names the places that are gone.
    """

    id: str
    patch: JsonValue
    from_: Place | None = Field(default=None, alias="from")
    until: Place | None = None
    told: str = ""
    scope_book: Place | None = None
    static: bool = False
    edit: int | None = None
    by: str | None = None
    recorded_at: str | None = None
    note: str = ""


class Source(Answer):
    """Which fact gives the value at `pointer` (RFC 6901) of the state."""

    pointer: str
    fact: str
    from_: Place | None = Field(default=None, alias="from")
    edit: int | None = None


class EntryState(Answer):
    """An entry at one story position, one record time, for one reader.

    `state` is the whole fold (static traits included); `traits` is the part that is always true, shown
    apart. `at` is None when all facts were folded. `known` is the change number asked for, if any.
    """

    entry: EntryRef
    state: dict[str, JsonValue]
    traits: dict[str, JsonValue]
    at: Place | None
    when: When
    known: int | None = None
    known_at: str | None = None
    as_reader: Place | None = None
    bounded: bool
    facts: tuple[Fact, ...] = ()
    sources: tuple[Source, ...] = ()
    earlier: Place | None = None
    later: Place | None = None


class SceneItem(Answer):
    """A scene in a listing; `undated` marks a flashback without a story place."""

    place: Place
    mode: Mode
    story: str = ""
    undated: bool = False
    words: int = 0


class ChapterItem(Answer):
    """A chapter in a listing."""

    place: Place
    number: str
    part: str
    scenes: tuple[SceneItem, ...]


class BookItem(Answer):
    """A book in a listing."""

    place: Place
    chapters: tuple[ChapterItem, ...]


class Contents(Answer):
    """Books, chapters and scenes in reading order; a reader sees those up to the bound."""

    series: str
    books: tuple[BookItem, ...]


class SceneText(Answer):
    """A scene's text; `cut` says "N of M characters, go on at offset N" when it is not whole."""

    place: Place
    title: str
    mode: Mode
    text: str
    offset: int = 0
    total: int
    cut: str = ""


class ChapterScenes(Answer):
    """A chapter's scenes in order; `next_offset` counts over the chapter, None at its end."""

    chapter: Place
    scenes: tuple[SceneText, ...]
    next_offset: int | None = None


class TimelineItem(Answer):
    """Something begins or ends to be true."""

    entry: EntryRef
    at: Place | None
    kind: Literal["begins", "ends", "always", "flashback"]
    patch: JsonValue
    told: str = ""
    fact: str
    edit: int | None = None


class Timeline(Answer):
    """Events in story or reading order."""

    order: Literal["story", "reading"]
    items: tuple[TimelineItem, ...]
    more: int = 0


class HistoryLine(Answer):
    """One row of record history: what an edit did. `kind` is the row's kind."""

    entry: EntryRef | None = None
    kind: Literal[
        "created", "named", "alias", "fact", "struck", "retired", "merged", "undone", "text", "outline"
    ]
    place: Place | None = None
    key: str = ""
    before: JsonValue = None
    after: JsonValue = None


class HistoryItem(Answer):
    """An edit; `undone_by` is the number of the edit that took it back, if it is not active."""

    edit: int
    recorded_at: str
    proposed_by: str
    approved_by: str
    source: str = ""
    undone_by: int | None = None
    lines: tuple[HistoryLine, ...]


class History(Answer):
    """Edits, newest first. Empty for readers, who see no edit numbers."""

    items: tuple[HistoryItem, ...]
    more: int = 0


class Struck(Answer):
    """What a fact said of a detail until an edit struck it out."""

    fact: Fact
    edit: int
    by: str


class Why(Answer):
    """The chain of facts behind one detail, the winning one last, with quotes of scenes that mention it.

    `struck` is what was noted of it and struck out since, oldest first; empty for readers.
    """

    entry: EntryRef
    key: str
    at: Place | None
    value: JsonValue = None
    chain: tuple[Fact, ...]
    struck: tuple[Struck, ...] = ()
    quotes: tuple[Quote, ...] = ()


class LooseEnd(Answer):
    """Something in the canon that wants a look."""

    kind: Literal[
        "lost_from", "lost_until", "lost_told", "lost_scope", "does_not_fit", "undated", "not_revealed"
    ]
    entry: EntryRef | None = None
    fact: Fact | None = None
    scene: Place | None = None


class LooseEnds(Answer):
    """What lost its scene, does not fit, or waits to be placed."""

    items: tuple[LooseEnd, ...]


class KeyChange(Answer):
    """A detail before and after; None stands for "absent".

    `place` is where it reads so; None for the beginning, and for what holds everywhere, such as a name.
    """

    key: str
    before: JsonValue = None
    after: JsonValue = None
    place: Place | None = None
    replaces_edit: int | None = None
    replaces_by: str | None = None


class Warn(Answer):
    """A thing to know before deciding; `code` names a sentence of the text catalogue, `facts` fill it.

    So do `values`: values of details, which each language writes in its own words.
    """

    code: str
    facts: dict[str, str | int] = Field(default_factory=dict)
    values: dict[str, JsonValue] = Field(default_factory=dict)


class OldSaying(Answer):
    """A sentence of a scene that still says the old value."""

    quote: Quote
    key: str
    value: JsonValue


class Choice(Answer):
    """One possible answer to a question on a card. `value` goes back as it is; `place` or `code` names it."""

    value: str
    code: str = ""
    place: Place | None = None


class Question(Answer):
    """What the card leaves open: `at` (from when?) or `kind` (record or retcon)."""

    name: Literal["at", "kind"]
    choices: tuple[Choice, ...]
    chosen: str


class CardLine(Answer):
    """One line of a confirmation card, for every kind of write.

    `kind` selects the sentence; entry, place, until, told, changes and texts fill it.
    """

    kind: Literal[
        "record", "retcon", "create", "scene_new", "scene_edit", "undo", "rename", "alias", "unalias",
        "retire", "told", "hint", "merge", "place", "move", "delete", "link", "progress", "position",
        "members", "identity", "access_open", "access_closed", "import", "notes",
        "note_create", "note_folder", "note_append", "note_edit", "note_restore", "note_delete",
        "note_folder_delete", "note_move", "note_replace", "note_merge", "sheet", "document", "notify",
        "schedule_new", "schedule_delete", "schedule_run", "schedule_pause", "schedule_resume",
        "web", "other",
    ]  # fmt: skip
    entry: EntryRef | None = None
    others: tuple[EntryRef, ...] = ()
    at: Place | None = None
    until: Place | None = None
    told: str = ""
    relation: Relation | None = None
    changes: tuple[KeyChange, ...] = ()
    old_sayings: tuple[OldSaying, ...] = ()
    edit: int | None = None
    title: str = ""
    before_text: str = ""
    after_text: str = ""
    facts: dict[str, str | int] = Field(default_factory=dict)
    warnings: tuple[Warn, ...] = ()
    questions: tuple[Question, ...] = ()
