"""Cards about the notes themselves: edits, the reasons behind a detail, loose ends."""

from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from adapters.cards.card import Card, Colour, Field, Line, Style, View
from adapters.cards.found import quote_line
from adapters.cards.values import (
    bound_line,
    from_text,
    head_text,
    key_text,
    moment_text,
    patch_text,
    place_text,
    relation_text,
    told_text,
    until_text,
    value_text,
)
from agent_core.lore.answers import Fact, History, HistoryItem, HistoryLine, LooseEnd, LooseEnds, Struck, Why
from agent_core.texts import say

MAX_LINES = 20


def history_card(history: History, view: View, *, name: str = "") -> Card:
    """Return the card of edits, newest first: a field an edit, a line a thing it did."""
    language = view.language
    empty = () if history.items else (Line(text=say(language, "history.empty")),)
    more = (say(language, "card.more_lines", n=history.more),) if history.more else ()
    return Card(
        title=say(language, "history.of", name=name) if name else say(language, "history.title"),
        head=head_text(view),
        lines=empty,
        fields=tuple(_edit(item, view) for item in history.items),
        footer=more + _bounded(view),
    )


def why_card(why: Why, view: View) -> Card:
    """Return the card of a detail's reasons: its value, the facts behind it, quotes that mention it."""
    language = view.language
    chain = tuple(line for fact in why.chain for line in _fact(fact, view))
    struck = tuple(line for one in why.struck for line in _struck(one, view))
    quotes = tuple(quote_line(quote, language) for quote in why.quotes)
    fields = (
        Field(title=say(language, "why.chain"), lines=chain),
        Field(title=say(language, "why.struck"), lines=struck),
        Field(title=say(language, "why.quotes"), lines=quotes),
    )
    return Card(
        title=say(language, "why.title", name=why.entry.name, key=key_text(why.key)),
        head=head_text(view),
        colour=Colour(why.entry.type.value),
        lines=(_value(why, language),),
        fields=tuple(field for field in fields if field.lines),
        footer=_as_of(why, language) + _bounded(view),
    )


def loose_ends_card(ends: LooseEnds, view: View) -> Card:
    """Return the card of what lost its scene, doesn't fit or waits for a place: a field a kind.

    An entry has one line in it, with all that is loose of it.
    """
    language = view.language
    kinds = dict.fromkeys(item.kind for item in ends.items)
    return Card(
        title=say(language, "loose.title"),
        head=head_text(view),
        lines=() if ends.items else (Line(text=say(language, "loose.empty")),),
        fields=tuple(
            Field(
                title=say(language, f"loose.{kind}"),
                lines=tuple(_loose(items, view) for items in _by_subject(ends, kind)),
            )
            for kind in kinds
        ),
    )


def _edit(item: HistoryItem, view: View) -> Field:
    language = view.language
    by = item.proposed_by
    if item.approved_by and item.approved_by != by:
        by = say(language, "history.proposed", proposed=by, approved=item.approved_by)
    said = tuple(dict.fromkeys(_done(line, language) for line in item.lines))  # a correction strikes and sets
    lines, more = list(said[:MAX_LINES]), len(said) - MAX_LINES
    if more > 0:
        lines.append(Line(text=say(language, "card.more_lines", n=more), style=Style.NOTE))
    if item.undone_by is not None:
        undone = say(language, "history.undone", edit=item.undone_by)
        lines.insert(0, Line(text=undone, style=Style.NOTE))
    date = moment_text(view, item.recorded_at)
    return Field(title=say(language, "history.edit", edit=item.edit, date=date, by=by), lines=tuple(lines))


def _done(line: HistoryLine, language: str) -> Line:
    name = line.entry.name if line.entry is not None else ""
    what, before, after = _said(line, language)
    mark = line.place.label if line.place else ""
    if line.kind == "outline":
        name, mark = mark, ""
    if not (before or after):
        return Line(label=name or mark, text=what, mark=mark if name else "")
    label = " · ".join(part for part in (name, what) if part)
    return Line(label=label, before=before, text=after, mark=mark)


def _said(line: HistoryLine, language: str) -> tuple[str, str, str]:
    """Return what was done, and the values before and after, in words."""
    if line.kind == "outline":
        before, after = (_aspect(line.key, value, language) for value in (line.before, line.after))
        return say(language, f"aspect.{line.key}"), before, after
    before = "" if line.before is None else value_text(language, line.before)
    if line.kind == "undone":
        return say(language, "history.undone_edit"), "", say(language, "card.edit", edit=str(line.after))
    if line.kind == "struck" and line.after is None:
        return key_text(line.key), before, say(language, "history.struck")
    if line.kind in {"fact", "struck"}:
        return key_text(line.key), before, value_text(language, line.after)
    after = "" if line.after is None else value_text(language, line.after)
    return say(language, f"history.{line.kind}"), before, after


def _aspect(key: str, value: JsonValue, language: str) -> str:
    if value is None or value == "":
        return ""
    if key == "mode":
        return say(language, f"mode.{value}")
    if key == "place":
        return relation_text(language, str(value))
    return value_text(language, value)


def _value(why: Why, language: str) -> Line:
    if not why.chain:
        return Line(text=say(language, "why.absent"))
    return Line(label=key_text(why.key), text=value_text(language, why.value))


def _as_of(why: Why, language: str) -> tuple[str, ...]:
    return () if why.at is None else (say(language, "card.as_of_end", place=place_text(language, why.at)),)


def _fact(fact: Fact, view: View) -> list[Line]:
    language = view.language
    places = [from_text(language, fact.from_), until_text(language, fact.until)]
    if fact.from_ is None or fact.told != fact.from_.label:
        places.append(told_text(language, fact.told))
    if fact.scope_book is not None:
        places.append(say(language, "place.scope", book=place_text(language, fact.scope_book)))
    lines = [
        Line(text=patch_text(language, fact.patch)),
        Line(text=" · ".join(part for part in places if part), style=Style.NOTE, depth=1),
    ]
    if fact.edit is not None:
        lines.append(Line(text=_recorded(fact, view), style=Style.NOTE, depth=1))
    if fact.note:
        lines.append(Line(text=fact.note, style=Style.NOTE, depth=1))
    return lines


def _struck(struck: Struck, view: View) -> list[Line]:
    by = say(view.language, "why.struck_by", edit=struck.edit, by=struck.by)
    return [*_fact(struck.fact, view), Line(text=by, style=Style.NOTE, depth=1)]


def _recorded(fact: Fact, view: View) -> str:
    edit = say(view.language, "source.edit_by", edit=fact.edit, by=fact.by)
    return f"{edit} · {moment_text(view, fact.recorded_at)}" if fact.recorded_at else edit


def _by_subject(ends: LooseEnds, kind: str) -> Iterable[Sequence[LooseEnd]]:
    found: dict[str, list[LooseEnd]] = {}
    for place, item in enumerate(ends.items):
        if item.kind == kind:
            found.setdefault(item.entry.id if item.entry is not None else str(place), []).append(item)
    return found.values()


def _loose(items: Sequence[LooseEnd], view: View) -> Line:
    language, entry = view.language, items[0].entry
    facts = [item.fact for item in items if item.fact is not None]
    edits = dict.fromkeys(fact.edit for fact in facts if fact.edit is not None)
    return Line(
        label=entry.name if entry is not None else "",
        text=" · ".join(_lacking(item, language) for item in items),
        mark=" · ".join(say(language, "card.edit", edit=edit) for edit in edits),
    )


def _lacking(item: LooseEnd, language: str) -> str:
    if item.fact is not None:
        return patch_text(language, item.fact.patch)
    return place_text(language, item.scene) if item.scene is not None else say(language, "loose.whole")


def _bounded(view: View) -> tuple[str, ...]:
    return (bound_line(view),) if view.bounded else ()
