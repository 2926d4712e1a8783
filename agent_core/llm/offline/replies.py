"""Puts what look-ups answered into words."""

from collections.abc import Iterator, Mapping, Sequence

from agent_core.llm.offline.concepts import best_key, speaks_of
from agent_core.llm.offline.plain import word_key
from agent_core.llm.offline.results import (
    ChapterScenes,
    Contents,
    Edit,
    Entry,
    EntryList,
    EntryState,
    Happening,
    History,
    HistoryLine,
    Hit,
    NoEntry,
    Place,
    Search,
    Timeline,
    Why,
)
from agent_core.llm.offline.voice import Voice, blocks, leaves, spaced
from agent_core.messages import Json
from agent_core.texts.catalogue import has

MAX_LINES = 20
MAX_SCENES = 5
MAX_TEXT_CHARS = 6000


def entry_reply(state: EntryState, voice: Voice) -> str:
    """Return all that holds for an entry: what is true there, and apart what is always true."""
    always = {source.pointer for source in state.sources if source.fact in _static(state)}
    lines = list(_state_lines(state, voice))
    here = [line for pointer, line in lines if pointer not in always]
    timeless = [line for pointer, line in lines if pointer in always]
    return blocks(
        headline(state.entry, voice),
        as_of(state, voice),
        "" if lines else voice.say("offline.no_facts", name=state.entry.name),
        _list(here, voice),
        voice.say("offline.reply.always_true") if timeless else "",
        _list(timeless, voice),
    )


def headline(entry: Entry, voice: Voice) -> str:
    """Return who or what an entry is, in one line."""
    facts = {"name": entry.name, "type": entry.type, "hint": entry.hint}
    return voice.say("offline.entry", **facts, aliases=entry.aliases)


def as_of(state: EntryState, voice: Voice) -> str:
    """Return the line that says for which place, notes and reader this holds; "" if for all."""
    parts = []
    if state.at is not None:
        key = "card.as_of_start" if state.when == "start" else "offline.as_of"
        parts.append(voice.say(key, place=voice.place(state.at)))
    if state.known is not None:
        day = f" ({voice.day(state.known_at)})" if state.known_at else ""
        parts.append(f"{voice.say('card.known_edit', edit=str(state.known))}{day}")
    if state.as_reader is not None:
        parts.append(voice.say("offline.reply.as_reader", place=voice.place(state.as_reader)))
    return f"_{' · '.join(part.rstrip('.') for part in parts)}_" if parts else ""


def details_of(state: EntryState, asked: str) -> Mapping[str, Json]:
    """Return the details of a state that the words ask for, by readable name; {} if there are none."""
    named = dict(leaves(state.state))
    top = best_key(asked, list(state.state))
    if top is not None:
        return dict(leaves({top: state.state[top]}))
    inner = best_key(asked, list(named)) or best_key(asked, [name.rsplit(" ", 1)[-1] for name in named])
    found = {name: value for name, value in named.items() if inner in (name, name.rsplit(" ", 1)[-1])}
    return found or {name: value for name, value in named.items() if says(value, asked)}


def detail_reply(state: EntryState, details: Mapping[str, Json], voice: Voice) -> str:
    """Return one sentence for each of the details, with the place from which it holds."""
    places = _places(state)
    lines = [
        voice.say(
            "offline.detail",
            name=state.entry.name,
            key=name,
            value=voice.value(value),
            place=voice.label(places.get(name)),
        )
        for name, value in details.items()
    ]
    return blocks(*lines, as_of(state, voice))


def missing_detail(state: EntryState, asked: str, voice: Voice) -> str:
    """Return that nothing is noted about a detail, and which details are."""
    keys = tuple(spaced(key) for key in state.state)
    missing = voice.say("offline.no_detail", name=state.entry.name, key=asked)
    noted = voice.say("offline.reply.keys", keys=keys) if keys else ""
    return blocks(f"{missing} {noted}".strip(), as_of(state, voice))


def since_reply(state: EntryState, details: Mapping[str, Json], voice: Voice) -> str:
    """Return since which place each of the details has held."""
    places = _places(state)
    lines = []
    for name, value in details.items():
        place = places.get(name)
        facts = {"name": state.entry.name, "key": name, "value": voice.value(value)}
        if place is None:
            lines.append(voice.say("offline.reply.since_always", **facts))
        else:
            lines.append(voice.say("offline.reply.since", **facts, place=voice.place(place)))
    return blocks(*lines)


def why_reply(why: Why, voice: Voice) -> str:
    """Return the facts behind a detail, the one that counts last, and passages that speak of it."""
    lines = []
    for fact in why.chain:
        value = fact.patch.get(why.key) if isinstance(fact.patch, Mapping) else fact.patch
        by = "" if fact.edit is None else f" · {voice.say('card.edit', edit=str(fact.edit))}"
        place = voice.mark(fact.from_) or f" ({voice.say('place.always')})"
        lines.append(f"- {voice.value(value)}{place}{by}")
    return blocks(
        voice.say("why.title", name=f"**{why.entry.name}**", key=spaced(why.key)),
        _list(lines, voice) or voice.say("why.absent"),
        voice.say("why.quotes") if why.quotes else "",
        *(voice.quote(quote) for quote in why.quotes),
    )


def timeline_reply(found: Timeline, name: str, words: Sequence[str], voice: Voice) -> str:
    """Return what begins and ends, in story order; with `words` what speaks of them, if anything does."""
    items = [item for item in found.items if speaks_of(voice.patch(item.patch), words)] if words else []
    if not found.items:
        return voice.say("timeline.empty")
    head = [voice.say("offline.timeline", name=name) if name else voice.say("offline.timeline_all")]
    if words and not items:
        head.insert(0, voice.say("offline.reply.no_moment", name=name))
    lines = [_happening(item, voice, named=not name) for item in items or found.items]
    return blocks(*head, _list(lines, voice, more=0 if items else found.more))


def history_reply(found: History, name: str, voice: Voice) -> str:
    """Return the edits, newest first, and what each did."""
    if not found.items:
        return voice.say("history.empty")
    lines = [_edit(item, name, voice) for item in found.items]
    return blocks(voice.say("offline.history"), _list(lines, voice, more=found.more))


def contents_reply(found: Contents, voice: Voice) -> str:
    """Return the chapters of each book with the number of their scenes."""
    parts = [voice.say("offline.contents")]
    for book in found.books:
        counts = [voice.say("search.scenes_count", n=len(chapter.scenes)) for chapter in book.chapters]
        lines = [
            f"- {voice.place(one.place)} ({count})" for one, count in zip(book.chapters, counts, strict=True)
        ]
        parts += [f"**{book.place.title or voice.place(book.place)}**", "\n".join(lines)]
    return blocks(*parts) if found.books else voice.say("contents.empty")


def entries_reply(found: EntryList, voice: Voice) -> str:
    """Return the entries by name, and how many more there are."""
    if not found.entries:
        return voice.say("entries.empty")
    lines = [f"- {_listed(entry, voice)}" for entry in found.entries[:MAX_LINES]]
    left = len(found.entries) - len(lines) + found.more
    if left:
        lines.append(f"- {voice.say('entries.more', n=left, offset=str(len(lines)), kind=found.type)}")
    return blocks(voice.say("offline.entries"), "\n".join(lines))


def chapter_reply(found: ChapterScenes, asked: str, voice: Voice) -> str:
    """Return the text of a chapter, or of the one scene that was asked for, up to a length."""
    wanted = [one for one in found.scenes if _is_asked(one.place, asked)] or list(found.scenes)
    starts = _starts(found)
    parts = [voice.say("offline.chapter", place=voice.place(found.chapter))]
    left = MAX_TEXT_CHARS
    for scene in wanted:
        parts += [f"**{voice.place(scene.place)}**", scene.text[:left].strip()]
        if len(scene.text) > left:
            offset = str(starts[scene.place.label] + left)
            parts.append(voice.say("scenes.more", place=found.chapter.label, offset=offset))
            break
        left -= len(scene.text)
    return blocks(*parts) if found.scenes else voice.say("scenes.empty")


def search_reply(found: Search, voice: Voice) -> str:
    """Return entries and passages that were found, or that there are none."""
    parts = [no_entry_reply(found.no_entry, voice)] if found.no_entry else []
    if found.entries:
        parts.append(voice.say("offline.found", n=len(found.entries) + found.more_entries, query=found.query))
        parts.append(_list([_hit(hit, voice) for hit in found.entries], voice, more=found.more_entries))
    shown = [hit.quote.text for hit in found.entries if hit.quote]
    quotes = [voice.quote(quote) for quote in found.scenes if quote.text not in shown]
    if quotes and not found.no_entry:
        parts.append(voice.say("offline.passages", n=len(found.scenes) + found.more_scenes))
        parts += quotes[:MAX_SCENES]
    return blocks(*parts) or voice.say("offline.nothing", query=found.query)


def no_entry_reply(found: NoEntry, voice: Voice) -> str:
    """Return that a name has no entry yet, where it stands, and passages."""
    scenes = voice.say("search.scenes_count", n=found.scenes)
    line = voice.say("offline.no_entry", name=found.name, scenes=scenes, place=found.first.label)
    return blocks(line, *(voice.quote(quote) for quote in found.quotes[:MAX_SCENES]))


def choices_reply(name: str, entries: Sequence[Entry], voice: Voice) -> str:
    """Return the entries among which a name does not choose."""
    listed = tuple(f"{one.name} ({voice.say('card.kind', type=one.type, hint=one.hint)})" for one in entries)
    return voice.say("error.ambiguous_entity", name=name, candidates=listed)


def says(value: Json, asked: str) -> bool:
    """Tell whether a value holds the words that are asked for."""
    return isinstance(value, str) and asked != "" and f" {word_key(asked)} " in f" {word_key(value)} "


def _static(state: EntryState) -> frozenset[str]:
    return frozenset(fact.id for fact in state.facts if fact.static)


def _state_lines(state: EntryState, voice: Voice) -> Iterator[tuple[str, str]]:
    places = _places(state)
    pointers = {_name(source.pointer): source.pointer for source in state.sources}
    for name, value in leaves(state.state):
        place = voice.label(places.get(name))
        line = voice.say("offline.entry_line", key=name, value=voice.value(value), place=place)
        yield pointers.get(name, ""), f"- {line}"


def _places(state: EntryState) -> Mapping[str, Place | None]:
    return {_name(source.pointer): source.from_ for source in state.sources}


def _name(pointer: str) -> str:
    """Return the readable name of the detail at a JSON pointer."""
    keys = [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]
    return " ".join(map(spaced, keys))


def _happening(item: Happening, voice: Voice, *, named: bool) -> str:
    who = f"{item.entry.name} · " if named else ""
    kind = "" if item.kind == "begins" else f" [{voice.say(f'offline.reply.{item.kind}')}]"
    place = f"{item.at.label}: " if item.at else ""
    return f"- {place}{who}{voice.patch(item.patch)}{kind}"


def _edit(item: Edit, name: str, voice: Voice) -> str:
    head = f"- {voice.say('card.edit', edit=str(item.edit))} · {voice.day(item.recorded_at)}"
    undone = f" · {voice.say('history.undone', edit=str(item.undone_by))}" if item.undone_by else ""
    lines = _list([f"  {_history_line(line, name, voice)}" for line in item.lines], voice)
    by = f" · {item.proposed_by}" if item.proposed_by else ""
    return f"{head}{by}{undone}\n{lines}"


def _history_line(line: HistoryLine, name: str, voice: Voice) -> str:
    who = f"{line.entry.name} · " if line.entry and line.entry.name != name else ""
    key = _touched(line, voice)
    if line.before is None and line.after is None:
        return f"- {who}{key}{voice.mark(line.place)}"
    before = f"{voice.value(line.before)} → " if line.before is not None else ""
    return f"- {who}{key}: {before}{voice.value(line.after)}{voice.mark(line.place)}"


def _touched(line: HistoryLine, voice: Voice) -> str:
    """Return what a row of an edit is about, in words."""
    if line.kind == "outline":
        aspect = f"aspect.{line.key}"
        return voice.say(aspect if has(aspect) else "aspect.other")
    kind = "undone_edit" if line.kind == "undone" else line.kind
    return spaced(line.key) or voice.say(f"history.{kind}")


def _list(lines: Sequence[str], voice: Voice, more: int = 0) -> str:
    """Return the lines that are shown, and how many are not."""
    left = max(0, len(lines) - MAX_LINES) + more
    return "\n".join([*lines[:MAX_LINES], *([f"- {voice.say('card.more_lines', n=left)}"] if left else [])])


def _is_asked(place: Place, asked: str) -> bool:
    scene = asked.rpartition("scene ")[2] if asked.startswith("scene ") else ""
    if scene:
        return place.label.endswith(f".{scene}")
    return place.label.rpartition(":")[2] == asked.rpartition(":")[2]


def _starts(found: ChapterScenes) -> Mapping[str, int]:
    """Return where in the chapter the shown text of each scene begins."""
    starts: dict[str, int] = {}
    before = 0
    for scene in found.scenes:
        starts[scene.place.label] = before + scene.offset
        before += scene.total
    return starts


def _listed(entry: Entry, voice: Voice) -> str:
    kind = voice.say("card.kind", type=entry.type, hint=entry.hint)
    aliases = (voice.say("card.aliases", aliases=entry.aliases),) if entry.aliases else ()
    return " · ".join((f"**{entry.name}**", kind, *aliases))


def _hit(hit: Hit, voice: Voice) -> str:
    found = f" – {hit.detail}" if hit.detail and hit.why in {"fact", "alias"} else ""
    quote = f"\n  {voice.quote(hit.quote)}" if hit.quote else ""
    return f"- {headline(hit.entry, voice)}{found}{quote}"
