"""The entry card: an entry at one story position, as our notes stood at one time, for one reader."""

from collections.abc import Iterable, Mapping

from adapters.cards.card import Action, Button, Card, Colour, Field, Line, View
from adapters.cards.groups import GROUPS, group_of
from adapters.cards.values import bound_line, head_text, key_text, moment_text, place_text, value_text
from agent_core.lore.answers import EntryRef, EntryState, Fact, Source
from agent_core.lore.model import When
from agent_core.messages import Json
from agent_core.texts import say


def entry_card(state: EntryState, view: View) -> Card:
    """Return the card of an entry: what changes by group, what is always true apart."""
    language = view.language
    fields = _fields(state, language)
    return Card(
        title=say(language, "card.entry", name=state.entry.name),
        head=head_text(view),
        colour=Colour(state.entry.type.value),
        lines=_intro(state, language, empty=not fields),
        fields=fields,
        footer=_footer(state, view),
        buttons=_buttons(state, language),
    )


def kind_text(entry: EntryRef, language: str) -> str:
    """Return what kind of entry it is, with its hint: "character · the elder"."""
    return say(language, "card.kind", type=entry.type.value, hint=entry.hint)


def _intro(state: EntryState, language: str, *, empty: bool) -> tuple[Line, ...]:
    lines = [Line(text=kind_text(state.entry, language))]
    if state.entry.aliases:
        lines.append(Line(text=say(language, "card.aliases", aliases=state.entry.aliases)))
    if empty:
        lines.append(Line(text=say(language, "card.no_facts")))
    return tuple(lines)


def _fields(state: EntryState, language: str) -> tuple[Field, ...]:
    always = {key: value for key, value in state.traits.items() if state.state.get(key) == value}
    changing = {key: value for key, value in state.state.items() if key not in always}
    marks = _marks(state.sources)
    groups: dict[str, list[Line]] = {"always": _lines(always, {}, language)}
    for group in GROUPS:
        members = {key: value for key, value in changing.items() if group_of(key) == group}
        groups[group] = _lines(members, marks, language)
    return tuple(
        Field(title=say(language, f"group.{name}"), lines=tuple(lines))
        for name, lines in groups.items()
        if lines
    )


def _lines(values: Mapping[str, Json], marks: Mapping[str, str], language: str) -> list[Line]:
    return [
        Line(label=key_text(key), text=value_text(language, value), mark=marks.get(key, ""))
        for key, value in values.items()
    ]


def _marks(sources: Iterable[Source]) -> dict[str, str]:
    """Return by top-level detail the scenes its parts come from."""
    found: dict[str, list[str]] = {}
    for source in sources:
        key = source.pointer.lstrip("/").split("/")[0].replace("~1", "/").replace("~0", "~")
        places = found.setdefault(key, [])
        if source.from_ is not None and source.from_.label not in places:
            places.append(source.from_.label)
    return {key: ", ".join(places) for key, places in found.items()}


def _footer(state: EntryState, view: View) -> tuple[str, ...]:
    language = view.language
    lines = [_as_of(state, language)]
    edit = _newest_edit(state.facts)
    if edit is not None and not state.bounded:
        lines[0] += " · " + say(language, "card.edit", edit=edit)
    if state.known_at is not None:
        lines.append(say(language, "card.known", date=moment_text(view, state.known_at)))
    elif state.known is not None:
        lines.append(say(language, "card.known_edit", edit=state.known))
    if state.bounded or view.bounded:
        lines.append(bound_line(view))
    return tuple(lines)


def _as_of(state: EntryState, language: str) -> str:
    if state.at is None:
        return say(language, "card.as_of_all")
    key = "card.as_of_start" if state.when is When.START else "card.as_of_end"
    return say(language, key, place=place_text(language, state.at))


def _newest_edit(facts: Iterable[Fact]) -> int | None:
    return max((fact.edit for fact in facts if fact.edit is not None), default=None)


def _buttons(state: EntryState, language: str) -> tuple[Button, ...]:
    moves = ((Action.EARLIER, state.earlier), (Action.LATER, state.later))
    return tuple(
        Button(
            action=action,
            label=say(language, f"button.{action.value}", place=place.label),
            name=state.entry.name,
            value=place.label,
        )
        for action, place in moves
        if place is not None
    )
