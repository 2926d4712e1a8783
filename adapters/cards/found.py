"""Cards of what was found: search results, names without an entry, contents, scenes, the timeline."""

from adapters.cards.card import Card, Field, Line, Style, View
from adapters.cards.entry import kind_text
from adapters.cards.values import (
    bound_line,
    head_text,
    part_text,
    patch_text,
    place_text,
    relation_text,
    told_text,
    value_text,
)
from agent_core.lore.answers import (
    BookItem,
    ChapterItem,
    ChapterScenes,
    Contents,
    EntryHit,
    EntryList,
    EntryRef,
    NoEntry,
    Quote,
    SceneItem,
    SceneText,
    SearchResult,
    Timeline,
    TimelineItem,
)
from agent_core.lore.model import Mode
from agent_core.texts import say

_PAIRS = (("„", "“"), ("«", "»"), ("“", "”"))
_QUOTATION_MARKS = '“”„«»"'
MAX_QUERY = 80


def search_card(result: SearchResult, view: View) -> Card:
    """Return the card of a search: a name without an entry, entries, then scenes."""
    language = view.language
    lines: list[Line] = []
    if result.no_entry is not None:
        lines += _no_entry(result.no_entry, language)
    elif not result.entries and not result.scenes:
        lines.append(Line(text=_nothing(result, language)))
    entries = [line for hit in result.entries for line in _entry_hit(hit, language)]
    scenes = [quote_line(quote, language) for quote in result.scenes]
    entries += _more(language, "search.more_entries", result.more_entries)
    scenes += _more(language, "search.more_scenes", result.more_scenes)
    return Card(
        title=say(language, "search.title", query=value_text(language, result.query, max_chars=MAX_QUERY)),
        head=head_text(view),
        lines=tuple(lines),
        fields=_fields(language, ("search.entries", entries), ("search.scenes", scenes)),
        footer=_cut(result, language) + _bounded(view),
    )


def contents_card(contents: Contents, view: View) -> Card:
    """Return the card of the contents: a field a book, chapters with their scenes in order."""
    language = view.language
    fields = tuple(_book(book, language) for book in contents.books)
    empty = () if any(field.lines for field in fields) else (Line(text=say(language, "contents.empty")),)
    return Card(
        title=say(language, "contents.title"),
        head=head_text(view),
        lines=empty,
        fields=tuple(field for field in fields if field.lines),
        footer=_bounded(view),
    )


def entries_card(listed: EntryList, view: View) -> Card:
    """Return the card of a list of entries, a line each."""
    language, kind = view.language, listed.type.value if listed.type else ""
    lines = [_entry(entry, language) for entry in listed.entries]
    if listed.more:
        more = say(language, "entries.more", n=listed.more, offset=listed.next_offset, kind=kind)
        lines.append(Line(text=more, style=Style.NOTE))
    return Card(
        title=say(language, "entries.title", type=kind),
        head=head_text(view),
        lines=tuple(lines) or (Line(text=say(language, "entries.empty")),),
        footer=_bounded(view),
    )


def scenes_card(chapter: ChapterScenes, view: View) -> Card:
    """Return the card of a chapter's text: a field a scene, a line a paragraph."""
    language = view.language
    more = {"place": chapter.chapter.label, "offset": chapter.next_offset}
    footer = (say(language, "scenes.more", **more),) if chapter.next_offset is not None else ()
    return Card(
        title=_as_title(place_text(language, chapter.chapter)),
        head=head_text(view),
        lines=() if chapter.scenes else (Line(text=say(language, "scenes.empty")),),
        fields=tuple(_scene(scene, language) for scene in chapter.scenes),
        footer=footer + _bounded(view),
    )


def timeline_card(timeline: Timeline, view: View, *, name: str = "") -> Card:
    """Return the card of a timeline, of one entry if `name` is given."""
    language = view.language
    lines = [_event(item, language, of_one=bool(name)) for item in timeline.items]
    lines += _more(language, "card.more_lines", timeline.more)
    return Card(
        title=say(language, "timeline.title", name=name),
        head=head_text(view),
        lines=tuple(lines) or (Line(text=say(language, "timeline.empty")),),
        footer=(say(language, f"timeline.{timeline.order}"), *_bounded(view)),
    )


def quote_line(quote: Quote, language: str, *, depth: int = 0) -> Line:
    """Return a quote as a line, its scene and paragraph as the mark; speech has its own quotation marks."""
    speech = any(mark in quote.text for mark in _QUOTATION_MARKS)
    return Line(
        text=_closed(quote.text) if speech else say(language, "quote.plain", text=quote.text),
        mark=say(language, "quote.mark", mark=quote.scene.label, paragraph=quote.paragraph),
        style=Style.QUOTE,
        depth=depth,
    )


def _nothing(result: SearchResult, language: str) -> str:
    if result.hint == "no_words":
        return say(language, "search.no_words")
    query = value_text(language, result.query, max_chars=MAX_QUERY)
    return say(language, "search.nothing", query=query)


def _cut(result: SearchResult, language: str) -> tuple[str, ...]:
    return (say(language, "search.cut"),) if result.hint == "cut" else ()


def _closed(text: str) -> str:
    """Return an excerpt with the speech closed that goes on behind it, or opened that began before it."""
    opening, closing = next((pair for pair in _PAIRS if pair[0] in text), _PAIRS[-1])
    open_there = text.count(opening) - text.count(closing)
    return f"{opening * -open_there}{text}{closing * open_there}"


def _as_title(text: str) -> str:
    return text[:1].upper() + text[1:]


def _no_entry(missing: NoEntry, language: str) -> list[Line]:
    scenes = say(language, "search.scenes_count", n=missing.scenes)
    first = place_text(language, missing.first)
    sentence = say(language, "search.no_entry", scenes=scenes, place=first)
    return [
        Line(label=missing.name, text=sentence),
        *(quote_line(quote, language, depth=1) for quote in missing.quotes),
    ]


def _entry_hit(hit: EntryHit, language: str) -> list[Line]:
    why = say(language, f"why_found.{hit.why}", detail=hit.detail)
    head = Line(label=hit.entry.name, text=f"{kind_text(hit.entry, language)} · {why}")
    return [head] if hit.quote is None else [head, quote_line(hit.quote, language, depth=1)]


def _entry(entry: EntryRef, language: str) -> Line:
    aliases = (say(language, "card.aliases", aliases=entry.aliases),) if entry.aliases else ()
    return Line(label=entry.name, text=" · ".join((kind_text(entry, language), *aliases)))


def _book(book: BookItem, language: str) -> Field:
    lines: list[Line] = []
    part = ""
    for chapter in book.chapters:
        if chapter.part and chapter.part != part:
            lines.append(Line(text=part_text(language, chapter.part), style=Style.NOTE))
        part = chapter.part
        lines += _chapter(chapter, language)
    return Field(title=place_text(language, book.place), lines=tuple(lines))


def _chapter(chapter: ChapterItem, language: str) -> list[Line]:
    head = Line(label=chapter.place.label, text=chapter.place.title)
    if len(chapter.scenes) == 1 and _is_plain(chapter.scenes[0]):
        return [Line(label=head.label, text=head.text, mark=_words(chapter.scenes[0], language))]
    return [head, *(_scene_item(scene, language) for scene in chapter.scenes)]


def _scene_item(scene: SceneItem, language: str) -> Line:
    notes = [scene.place.title] if scene.place.title else []
    if scene.mode is not Mode.LINEAR:
        notes.append(say(language, f"mode.{scene.mode.value}"))
    if scene.undated:
        notes.append(say(language, "contents.undated"))
    elif scene.story:
        notes.append(say(language, "contents.story", story=relation_text(language, scene.story)))
    return Line(label=scene.place.label, text=" · ".join(notes), mark=_words(scene, language), depth=1)


def _is_plain(scene: SceneItem) -> bool:
    return scene.mode is Mode.LINEAR and not scene.undated and not scene.story


def _words(scene: SceneItem, language: str) -> str:
    return say(language, "contents.words", n=scene.words) if scene.words else ""


def _scene(scene: SceneText, language: str) -> Field:
    heading = say(language, "scenes.heading", place=scene.place.label, title=scene.title or scene.place.title)
    if scene.mode is not Mode.LINEAR:
        heading += " · " + say(language, f"mode.{scene.mode.value}")
    return Field(title=heading, lines=tuple(Line(text=line) for line in scene.text.split("\n")))


def _event(item: TimelineItem, language: str, *, of_one: bool) -> Line:
    label = item.at.label if item.at is not None else say(language, "place.always")
    said = patch_text(language, item.patch)
    parts = [said if of_one else f"{item.entry.name} · {said}"]
    if item.kind in {"ends", "flashback"}:
        parts.append(say(language, f"timeline.{item.kind}"))
    if item.told and item.kind != "ends" and (item.at is None or item.told != item.at.label):
        parts.append(told_text(language, item.told))
    return Line(label=label, text=" · ".join(parts))


def _more(language: str, key: str, count: int) -> list[Line]:
    return [Line(text=say(language, key, n=count), style=Style.NOTE)] if count else []


def _fields(language: str, *fields: tuple[str, list[Line]]) -> tuple[Field, ...]:
    return tuple(Field(title=say(language, key), lines=tuple(lines)) for key, lines in fields if lines)


def _bounded(view: View) -> tuple[str, ...]:
    return (bound_line(view),) if view.bounded else ()
