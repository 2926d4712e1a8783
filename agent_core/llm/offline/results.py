"""What look-ups answer, as far as the responder reads it; defaults are left out, cuts leave notes."""

from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.alias_generators import to_camel

R = TypeVar("R", bound="Result")


class Result(BaseModel):
    """A part of an answer; what the responder does not read is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel)


T = TypeVar("T")


def _whole(items: object, read: ValidatorFunctionWrapHandler) -> Any:  # Any: the tuple that `read` gives
    """Read a list without the note that says where it was cut, and without the item that was cut there."""
    if not isinstance(items, list):
        return read([])
    kept = [one for one in items if isinstance(one, dict)]
    try:
        return read(kept)
    except ValidationError:
        return read(kept[:-1])


Items = Annotated[tuple[T, ...], WrapValidator(_whole)]


class Place(Result):
    """A place in the book."""

    label: str
    title: str = ""
    kind: str = "scene"


class Entry(Result):
    """An entry."""

    id: str
    type: str
    name: str
    hint: str = ""
    aliases: tuple[str, ...] = ()


class Quote(Result):
    """A passage."""

    scene: Place
    text: str
    paragraph: int = 0


class Hit(Result):
    """An entry that matched, and why."""

    entry: Entry
    why: str
    detail: str = ""
    quote: Quote | None = None


class NoEntry(Result):
    """A name that stands in scenes only."""

    name: str
    scenes: int
    first: Place
    quotes: Items[Quote] = ()


class Search(Result):
    """What search_lore found."""

    query: str
    entries: Items[Hit] = ()
    scenes: Items[Quote] = ()
    more_entries: int = 0
    more_scenes: int = 0
    no_entry: NoEntry | None = None


class Fact(Result):
    """A fact behind a state."""

    id: str
    patch: JsonValue = None
    from_: Place | None = Field(default=None, alias="from")
    until: Place | None = None
    static: bool = False
    edit: int | None = None
    by: str | None = None


class Source(Result):
    """The fact that gives a value."""

    pointer: str
    fact: str
    from_: Place | None = Field(default=None, alias="from")


class EntryState(Result):
    """What get_entity_state found."""

    entry: Entry
    state: dict[str, JsonValue] = {}
    at: Place | None = None
    when: str = "end"
    known: int | None = None
    known_at: str | None = None
    as_reader: Place | None = None
    facts: Items[Fact] = ()
    sources: Items[Source] = ()


class Scene(Result):
    """A scene in a listing."""

    place: Place


class Chapter(Result):
    """A chapter in a listing."""

    place: Place
    scenes: Items[Scene] = ()


class Book(Result):
    """A book in a listing."""

    place: Place
    chapters: Items[Chapter] = ()


class Contents(Result):
    """What list_chapters found."""

    series: str = ""
    books: Items[Book] = ()


class EntryList(Result):
    """What list_entries found."""

    type: str | None = None
    entries: Items[Entry] = ()
    more: int = 0


class SceneText(Result):
    """A scene with its text, or a part of it."""

    place: Place
    title: str = ""
    text: str = ""
    offset: int = 0
    total: int = 0


class ChapterScenes(Result):
    """What fetch_chapter_scenes found."""

    chapter: Place
    scenes: Items[SceneText] = ()
    next_offset: int | None = None


class Happening(Result):
    """A line of a timeline."""

    entry: Entry
    at: Place | None = None
    kind: str
    patch: JsonValue = None


class Timeline(Result):
    """What get_timeline found."""

    items: Items[Happening] = ()
    more: int = 0


class HistoryLine(Result):
    """What one row of an edit did."""

    entry: Entry | None = None
    kind: str
    place: Place | None = None
    key: str = ""
    before: JsonValue = None
    after: JsonValue = None


class Edit(Result):
    """An edit."""

    edit: int
    recorded_at: str
    proposed_by: str = ""
    undone_by: int | None = None
    lines: Items[HistoryLine] = ()


class History(Result):
    """What get_history found."""

    items: Items[Edit] = ()
    more: int = 0


class Why(Result):
    """What why found."""

    entry: Entry
    key: str
    at: Place | None = None
    value: JsonValue = None
    chain: Items[Fact] = ()
    quotes: Items[Quote] = ()
