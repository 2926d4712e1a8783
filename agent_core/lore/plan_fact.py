"""Plans "true from here on": one fact, with what it changes at its place."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent_core.clock import NewId
from agent_core.errors import NothingToDo
from agent_core.lore import conflict, merge
from agent_core.lore.answers import Choice, Question, Warn
from agent_core.lore.before_after import facts_at, key_changes, state_at
from agent_core.lore.canon import Canon
from agent_core.lore.fact_card import (
    check_fits,
    check_patch,
    fact_card,
    reader_warnings,
    scope_of,
)
from agent_core.lore.lens import Lens, json_value
from agent_core.lore.lookup import find_entry
from agent_core.lore.model import Asserted, Author, JsonObject
from agent_core.lore.near_keys import near_key_warnings
from agent_core.lore.outline import Outline
from agent_core.lore.plan import Plan
from agent_core.lore.span import Span, span_arguments, span_of, span_warnings
from agent_core.lore.timeline import ActiveFact, Entry
from agent_core.lore.told import default_told, told_argument, told_from_text
from agent_core.messages import Json


async def plan_record(
    canon: Canon,
    *,
    entity: str,
    patch: JsonObject,
    chapter: str | None = None,
    scene: str | None = None,
    until: str | None = None,
    told: str | None = None,
    only_in: str | None = None,
    note: str = "",
    here: str | None = None,
    book: str | None = None,
    new_id: NewId,
) -> Plan:
    """Return the plan of one fact that becomes true at a place; `only_in` is the book it is limited to.

    Raises:
        UnknownEntity, AmbiguousEntity: as `find_entry`.
        UnknownPosition, AmbiguousPosition, UnknownScene, BadInterval: as `span_of`.
        BadPatch: malformed, or it edits a list where there is none.
        NothingToDo: reason "same_fact".

    """
    check_patch(patch)
    entry = await find_entry(canon, entity, Author())
    outline = canon.outline
    span = span_of(outline, chapter=chapter, scene=scene, until=until, here=here, book=book)
    row = Asserted(
        id=new_id(),
        entity=entry.entity,
        patch=patch,
        told=default_told(span.at) if told is None else told_from_text(told, outline, book=book, here=here),
        at=span.at,
        until=span.until,
        scope_book=scope_of(outline, only_in, here=here),
        note=note,
    )
    after = await canon.fork([row]).entry(entry.entity, bound=Author())
    check_fits(after, row, outline)
    lens = Lens(canon, Author())
    changes = key_changes(
        entry, after, span.at, patch, lens, await canon.changes_of(canon.family(entry.entity))
    )
    if not changes and _stands_already(entry, row, any_told=told is None):
        raise NothingToDo(reason="same_fact")
    later = list(_later(entry, row, outline))
    held = state_at(entry, span.at, outline)
    card = fact_card(
        canon,
        entry,
        row,
        retcon=False,
        changes=changes,
        warnings=(
            *await near_key_warnings(canon, entry.type, entry, patch),
            *_later_warnings(later, patch, outline),
            *span_warnings(outline, span),
            *reader_warnings(entry.told, row.told, outline),
        ),
        questions=(*_place_question(span, lens, book), *_kind_question(entry, row, outline)),
    )
    return Plan(
        rows=(row,),
        keys=conflict.keys_of((row,)),
        card=card,
        resolved=_arguments(row, span, outline),
        overwrites=bool(later) or any(key in held for key in patch),
    )


def _arguments(row: Asserted, span: Span, outline: Outline) -> Mapping[str, Json]:
    optional = {"onlyInBook": row.scope_book, "note": row.note}
    return {
        "entityId": row.entity,
        "statePatch": row.patch,
        "retcon": False,
        **span_arguments(outline, span),
        "toldAt": told_argument(row.told),
        **{name: value for name, value in optional.items() if value},
    }


def _stands_already(entry: Entry, row: Asserted, *, any_told: bool) -> bool:
    return any(
        merge.same(fact.patch, row.patch)
        and (fact.at, fact.until, fact.scope_book) == (row.at, row.until, row.scope_book)
        and (any_told or fact.told == row.told)
        for fact in entry.facts
    )


def _later(entry: Entry, row: Asserted, outline: Outline) -> Iterator[ActiveFact]:
    """Yield the facts of the same details that begin later in the story, in that order."""
    begins = -1 if row.at is None else outline.story[row.at]
    for fact in entry.facts:
        if fact.at is not None and outline.story[fact.at] > begins and row.patch.keys() & fact.patch.keys():
            yield fact


def _later_warnings(later: Sequence[ActiveFact], keys: Iterable[str], outline: Outline) -> Iterator[Warn]:
    for key in keys:
        fact = next((one for one in later if key in one.patch), None)
        if fact is not None and fact.at is not None:
            facts, value = {"key": key, "place": outline.label(fact.at)}, json_value(fact.patch[key])
            yield Warn(code="later_value", facts=facts, values={"value": value})


def _place_question(span: Span, lens: Lens, book: str | None) -> Iterator[Question]:
    """Ask from when, where nobody said: from here, always, or from where the book has got to."""
    if not span.assumed:
        return
    place, latest = lens.place(span.at), lens.place(lens.outline.latest(book, lens.bound))
    here = [Choice(value=place.id, code="here", place=place)] if place else []
    now = [Choice(value=latest.id, code="now", place=latest)] if latest and latest != place else []
    choices = (*here, Choice(value="start", code="start"), *now)
    yield Question(name="at", choices=choices, chosen=choices[0].value)


def _kind_question(entry: Entry, row: Asserted, outline: Outline) -> Iterator[Question]:
    """Ask whether it changed in the story where an earlier fact still gives a value at the place."""
    if row.at is None:
        return
    begins = outline.story[row.at]
    held = state_at(entry, row.at, outline)
    before = (
        fact
        for fact in facts_at(entry, row.at, outline)
        if fact.at is None or outline.story[fact.at] < begins
    )
    earlier = {key for fact in before for key in fact.patch}
    if any(key in earlier and key in held for key in row.patch):
        choices = (Choice(value="record", code="record"), Choice(value="retcon", code="retcon"))
        yield Question(name="kind", choices=choices, chosen="record")
