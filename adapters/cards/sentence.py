"""One proposed write in words: its sentence, its details before and after, its warnings."""

from collections.abc import Callable

from pydantic import JsonValue

from adapters.cards.card import Line, Style
from adapters.cards.excerpts import excerpts
from adapters.cards.found import quote_line
from adapters.cards.schedule import schedule_sentence
from adapters.cards.values import from_text, key_text, place_text, told_text, until_text, value_text
from agent_core.lore.answers import CardLine, KeyChange, OldSaying, Warn
from agent_core.texts import say

MAX_SAYINGS = 3
MAX_BRIEF = 80
_TOLD_KINDS = frozenset({"record", "retcon", "create", "alias", "rename", "told"})
_TOLD_WARNINGS = frozenset({"not_revealed", "readers_from"})


def call_sentence(card: CardLine, language: str) -> str:
    """Return what a line would do, with its place, end and when readers learn it."""
    parts = [_SENTENCES.get(card.kind, _plain)(card, language)]
    if card.kind in {"record", "retcon"}:
        parts.append(until_text(language, card.until, str(card.facts.get("last", ""))))
    if card.kind in _TOLD_KINDS and not any(one.code in _TOLD_WARNINGS for one in card.warnings):
        parts.append(_told(card, language))
    if "book" in card.facts and card.kind in {"record", "retcon"}:
        parts.append(say(language, "place.scope", book=card.facts["book"]))
    return " · ".join(part for part in parts if part)


def change_lines(card: CardLine, language: str) -> list[Line]:
    """Return the details before → after, whose fact each replaces, and what still says the old value."""
    lines = [_change(change, card, language) for change in card.changes]
    if not card.changes and card.kind in {"record", "retcon"}:
        lines.append(Line(text=say(language, "proposal.no_change"), style=Style.NOTE, depth=1))
    lines += _texts(card, language)
    lines += [_saying(saying, language) for saying in card.old_sayings[:MAX_SAYINGS]]
    more = len(card.old_sayings) - MAX_SAYINGS
    if more > 0:
        lines.append(Line(text=say(language, "proposal.more_sayings", n=more), style=Style.NOTE, depth=1))
    return lines


def warning_lines(card: CardLine, language: str) -> list[Line]:
    """Return the warnings of a line, each a sentence."""
    return [Line(text=warning_text(warning, language), style=Style.WARNING) for warning in card.warnings]


def warning_text(warning: Warn, language: str) -> str:
    """Return the sentence of a warning."""
    told = {"told": told_text(language, str(warning.facts["told"]))} if "told" in warning.facts else {}
    values = {name: _brief(value, language) for name, value in warning.values.items()}
    return say(language, f"warn.{warning.code}", **{**warning.facts, **told, **values})


def _brief(value: JsonValue, language: str) -> str:
    return value_text(language, value, max_chars=MAX_BRIEF)


def _key_label(key: str, kind: str, language: str) -> str:
    """Return a detail's name; those of entries and scenes themselves are our words, not people's."""
    if kind in {"scene_new", "scene_edit", "place", "move", "delete"}:
        return say(language, f"aspect.{key}")
    if kind == "rename" and key == "name":
        return say(language, "history.named")
    if kind == "sheet":
        return say(language, "proposal.sheet_row", row=key) if key.isdigit() else key
    return key_text(key)


def _change(change: KeyChange, card: CardLine, language: str) -> Line:
    """Return a detail before → after, with its place where that is not the line's own."""
    marks = []
    if change.place is not None and change.place != card.at:
        marks.append(say(language, "place.from", place=change.place.label))
    if change.replaces_edit is not None:
        facts = {"edit": change.replaces_edit, "by": change.replaces_by}
        marks.append(say(language, "proposal.replaces", **facts))
    return Line(
        label=_key_label(change.key, card.kind, language),
        before="" if change.before is None else value_text(language, change.before),
        text=_after(change.after, card.kind, language),
        mark=" · ".join(marks),
        depth=1,
    )


def _after(value: JsonValue, kind: str, language: str) -> str:
    """Return the new value; what taking back leaves without a fact is not noted, it hasn't ended."""
    if value is None and kind == "undo":
        return say(language, "value.not_noted")
    if value is None and kind == "sheet":
        return say(language, "proposal.sheet_empty")
    return value_text(language, value)


def _saying(saying: OldSaying, language: str) -> Line:
    quote = quote_line(saying.quote, language)
    return Line(
        text=say(language, "proposal.still_says", value=_brief(saying.value, language), quote=quote.text),
        mark=quote.mark,
        style=Style.QUOTE,
        depth=1,
    )


def _texts(card: CardLine, language: str) -> list[Line]:
    if card.kind == "members":
        return []
    if card.kind == "notify":  # who lets it out reads all of it
        return [Line(text=card.after_text, style=Style.QUOTE, depth=1)]
    before, after = excerpts(card.before_text, card.after_text)
    texts = (("before_text", before), ("after_text", after))
    return [
        Line(label=say(language, f"proposal.{name}"), text=text, style=Style.QUOTE, depth=1)
        for name, text in texts
        if text
    ]


def _told(card: CardLine, language: str) -> str:
    if card.at is not None and card.told == card.at.label:
        return ""
    return told_text(language, card.told)


def _fact(card: CardLine, language: str) -> str:
    if card.kind == "record" and card.at is None:
        return from_text(language, card.at)
    return f"{from_text(language, card.at)} · {say(language, f'proposal.{card.kind}')}"


def _create(card: CardLine, language: str) -> str:
    kind = card.entry.type.value if card.entry is not None else str(card.facts.get("type", "object"))
    return say(
        language,
        "proposal.create",
        type=kind,
        hint=card.entry.hint if card.entry is not None else "",
        aliases=card.entry.aliases if card.entry is not None else (),
    )


def _scene(card: CardLine, language: str) -> str:
    words = card.facts.get("words")
    size = say(language, "proposal.words", n=words) if words is not None else ""
    return say(language, f"proposal.{card.kind}", place=_place(card, language), title=card.title, size=size)


def _named(card: CardLine, language: str) -> str:
    return say(language, f"proposal.{card.kind}", title=card.title, place=_place(card, language))


def _undo(card: CardLine, language: str) -> str:
    facts = _counted(card, language, scenes="proposal.undo_scenes", nodes="proposal.undo_nodes")
    return say(language, "proposal.undo", edit=card.edit, facts=facts)


def _merge(card: CardLine, language: str) -> str:
    facts = _counted(card, language, facts="result.facts")
    others = tuple(other.name for other in card.others)
    return say(language, "proposal.merge", others=others, facts=facts)


def _placed(card: CardLine, language: str) -> str:
    place, mode, anchor = _place(card, language), card.facts.get("mode"), card.facts.get("anchor")
    parts = []
    if card.relation is not None and anchor:
        where = say(language, f"place.{card.relation.value}", place=anchor)
        parts.append(say(language, "proposal.place", place=place, where=where))
    if mode:
        parts.append(say(language, "proposal.place_mode", place=place, mode=mode))
    if not parts and card.changes:
        parts.append(say(language, "proposal.retitle", place=place, title=card.title))
    return _with_order(card, parts or [say(language, "proposal.unplaced", place=place)], language)


def _moved(card: CardLine, language: str) -> str:
    place, after = _place(card, language), card.facts.get("after")
    if after:
        return _with_order(card, [say(language, "proposal.move", place=place, after=after)], language)
    return _with_order(card, [say(language, "proposal.move_first", place=place)], language)


def _with_order(card: CardLine, parts: list[str], language: str) -> str:
    """Return the parts with how many more nodes go along, and the neighbours in the story."""
    more = int(card.facts.get("nodes", 1)) - 1
    if more > 0:
        parts.append(say(language, "proposal.and_more", n=more))
    around = {name: card.facts.get(name, "") for name in ("earlier", "later")}
    if any(around.values()):
        parts.append(say(language, "proposal.between", **around))
    return " · ".join(parts)


def _deleted(card: CardLine, language: str) -> str:
    return say(language, "proposal.delete", place=_place(card, language))


def _imported(card: CardLine, language: str) -> str:
    units = ("entries", "facts", "books", "chapters", "scenes", "words")
    facts = _counted(card, language, **{unit: f"import_report.{unit}" for unit in units})
    return say(language, "proposal.import", title=card.title, facts=facts)


def _counted(card: CardLine, language: str, **keys: str) -> tuple[str, ...]:
    return tuple(say(language, key, n=card.facts[name]) for name, key in keys.items() if card.facts.get(name))


def _link(card: CardLine, language: str) -> str:
    key = "proposal.link_new" if card.facts.get("series_is_new") else "proposal.link"
    people = card.facts.get("people")
    role = say(language, f"role.{people}") if people else ""
    return say(language, key, title=card.title, book=card.facts.get("book", ""), role=role)


def _progress(card: CardLine, language: str) -> str:
    if card.at is None:
        return say(language, "proposal.progress_nothing")
    return say(language, "proposal.progress", place=_place(card, language))


def _members(card: CardLine, language: str) -> str:
    key = "proposal.members_destroy" if card.facts.get("may_destroy") else "proposal.members"
    return say(language, key, title=card.title, before=card.before_text, after=card.after_text)


def _about_people(card: CardLine, language: str) -> str:
    return say(language, f"proposal.{card.kind}", title=card.title, **card.facts)


def _note(card: CardLine, language: str) -> str:
    facts = card.facts
    key = (
        f"proposal.{card.kind}_many"
        if card.kind == "note_edit" and "count" in facts
        else f"proposal.{card.kind}"
    )
    files, links = int(facts.get("files", 0)), int(facts.get("links", 0))
    return say(
        language,
        key,
        title=card.title,
        to=facts.get("to", ""),
        count=facts.get("count", 0),
        listed=facts.get("listed", ""),
        held=say(language, "proposal.note_files", n=files) if files else "",
        links=say(language, "proposal.note_links", n=links) if links else "",
    )


def _note_replace(card: CardLine, language: str) -> str:
    return say(
        language,
        "proposal.note_replace",
        places=say(language, "proposal.note_places", n=card.facts["count"]),
        held=say(language, "proposal.note_notes", n=card.facts["notes"]),
        listed=card.facts["listed"],
    )


def _notes(card: CardLine, language: str) -> str:
    return say(
        language, f"proposal.notes_{card.facts['access']}", title=card.title, series=card.facts["series"]
    )


def _sheet(card: CardLine, language: str) -> str:
    facts = card.facts
    follow, held = int(facts.get("moved", 0)), int(facts.get("cells", 0))
    sentence = say(
        language,
        f"proposal.sheet_{facts['action']}",
        title=card.title,
        n=facts.get("count", 1),
        follow=say(language, "proposal.sheet_follow", n=follow) if follow else "",
        held=say(language, "proposal.sheet_held", n=held) if held else "",
        **{name: facts.get(name, "") for name in ("sheet", "at", "name", "was", "wanted")},
    )
    if "source" in facts:
        return f"{sentence} · {say(language, 'proposal.sheet_copied', source=facts['source'])}"
    return sentence


def _document(card: CardLine, language: str) -> str:
    facts = card.facts
    size = [
        say(language, f"proposal.document_{name}", n=facts[name])
        for name in ("pages", "about_pages", "rows", "sheets", "chapters", "words")
        if name in facts
    ]
    return say(
        language, "proposal.document", title=card.title, size=", ".join(size), folder=facts.get("folder", "")
    )


def _message(card: CardLine, language: str) -> str:
    site, parts = card.facts.get("site", ""), card.facts.get("parts", "")
    return say(language, "proposal.notify", title=card.title, site=site, parts=parts)


def _web(card: CardLine, language: str) -> str:
    key = "proposal.web_pages" if "pages" in card.facts else "proposal.web"
    return say(language, key, title=card.title, n=card.facts.get("pages", 1))


def _plain(card: CardLine, language: str) -> str:
    return say(language, "proposal.other", title=card.title)


def _place(card: CardLine, language: str) -> str:
    return place_text(language, card.at) if card.at is not None else ""


_NAMED = ("rename", "alias", "unalias", "retire", "told", "hint", "position")
SCHEDULE_KINDS = ("schedule_new", "schedule_delete", "schedule_run", "schedule_pause", "schedule_resume")
NOTE_KINDS = frozenset({
    "note_create", "note_folder", "note_append", "note_edit", "note_restore", "note_delete",
    "note_folder_delete", "note_move", "note_replace", "note_merge",
})  # fmt: skip
_SENTENCES: dict[str, Callable[[CardLine, str], str]] = {
    **dict.fromkeys(_NAMED, _named),
    "record": _fact,
    "retcon": _fact,
    "create": _create,
    "scene_new": _scene,
    "scene_edit": _scene,
    "undo": _undo,
    "place": _placed,
    "move": _moved,
    "delete": _deleted,
    "import": _imported,
    "merge": _merge,
    "link": _link,
    "progress": _progress,
    "members": _members,
    **dict.fromkeys(NOTE_KINDS, _note),
    "note_replace": _note_replace,
    "notes": _notes,
    "notify": _message,
    "web": _web,
    "document": _document,
    "sheet": _sheet,
    **dict.fromkeys(SCHEDULE_KINDS, schedule_sentence),
    **dict.fromkeys(("identity", "access_open", "access_closed"), _about_people),
}
