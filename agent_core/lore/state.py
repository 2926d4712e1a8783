"""What is true of one entry at one place in the story, and why."""

from pydantic import JsonValue

from agent_core.clock import to_stamp
from agent_core.errors import UnknownEntity, UnknownPosition
from agent_core.lore import fold, merge, sayings, timeline
from agent_core.lore.answers import EntryState, Source, Why
from agent_core.lore.canon import Canon
from agent_core.lore.lens import Lens, json_value
from agent_core.lore.lookup import find_entry, unknown
from agent_core.lore.model import Bound, Nothing, UpTo, When
from agent_core.lore.struck import struck_facts
from agent_core.lore.timeline import ActiveFact, Entry
from agent_core.messages import Json

_QUOTES = 3


async def entry_state(
    canon: Canon,
    ref: str,
    *,
    position: str | None = None,
    when: When = When.END,
    known: int | None = None,
    bound: Bound,
    as_reader: str | None = None,
    here: str | None = None,
    book: str | None = None,
) -> EntryState:
    """Return the entry at a written position, as the notes stood at `known`, for the lower of both bounds.

    Raises:
        UnknownEntity: missing, hidden from the bound, or not there yet at `known`.
        AmbiguousEntity: several entries have the name.
        UnknownPosition: missing or beyond the bound.
        AmbiguousPosition: several places are written so.

    """
    mark = _mark(canon, as_reader, bound, here=here, book=book)
    bound = bound if mark is None else canon.outline.narrower(mark, bound)
    at, when = place_of(canon, position, when, bound, here=here, book=book)
    entry = await _entry_at(canon, ref, bound, known)
    lens = Lens(canon, bound)
    facts = timeline.at_position(entry, at, when, canon.outline)
    folded = timeline.fold_entry(facts)
    changes = {} if lens.bounded else await canon.changes_of(canon.family(entry.entity))
    earlier, later = (None, None) if at is None else canon.outline.neighbours(at, bound=bound)
    return EntryState(
        entry=lens.entry(entry),
        state=_json_object(folded.state),
        traits=_json_object(timeline.fold_entry(fact for fact in entry.facts if fact.static).state),
        at=lens.place(at),
        when=when,
        known=None if lens.bounded else known,
        known_at=None if lens.bounded or known is None else await _stamp(canon, known),
        as_reader=lens.place(mark.node) if isinstance(mark, UpTo) else None,
        bounded=lens.bounded,
        facts=tuple(lens.fact(fact, changes.get(fact.change)) for fact in facts),
        sources=_sources(folded, facts, lens),
        earlier=lens.place(earlier),
        later=lens.place(later),
    )


async def why(
    canon: Canon,
    ref: str,
    key: str,
    *,
    position: str | None = None,
    bound: Bound,
    here: str | None = None,
    book: str | None = None,
) -> Why:
    """Return the facts that say something of one detail at a position, the one that counts last.

    Raises:
        UnknownEntity, AmbiguousEntity, UnknownPosition, AmbiguousPosition: as `entry_state`.

    """
    at, when = place_of(canon, position, When.END, bound, here=here, book=book)
    entry = await find_entry(canon, ref, bound)
    lens = Lens(canon, bound)
    key = _spelled(key, entry)
    facts = timeline.at_position(entry, at, when, canon.outline)
    value = timeline.fold_entry(facts).state.get(key)
    changes = {} if lens.bounded else await canon.changes_of(canon.family(entry.entity))
    return Why(
        entry=lens.entry(entry),
        key=key,
        at=lens.place(at),
        value=json_value(value),
        chain=tuple(lens.fact(fact, changes.get(fact.change)) for fact in facts if key in fact.patch),
        struck=await struck_facts(canon, entry, key, lens, changes),
        quotes=await sayings.quotes_about(canon, entry, key, value, bound, limit=_QUOTES),
    )


def place_of(
    canon: Canon, position: str | None, when: When, bound: Bound, *, here: str | None, book: str | None
) -> tuple[str | None, When]:
    """Return the node and moment meant by a written position; None folds all facts.

    "start" is the moment before the first node of the story.

    Raises:
        UnknownPosition: missing or beyond the bound.
        AmbiguousPosition: several places are written so.

    """
    if position is None:
        return timeline.default_position(here, book, bound, canon.outline), when
    node = canon.outline.find_place(position, book=book, here=here, bound=bound)
    if node is None:
        story = canon.outline.story
        return min(story, key=story.__getitem__, default=None), When.START
    last = canon.outline.last_position(node)
    if not canon.outline.sees(bound, last):
        raise UnknownPosition(position=position)
    return last, when


def _mark(
    canon: Canon, as_reader: str | None, bound: Bound, *, here: str | None, book: str | None
) -> UpTo | Nothing | None:
    if as_reader is None:
        return None
    node = canon.outline.find_place(as_reader, book=book, here=here, bound=bound)
    return Nothing() if node is None else UpTo(canon.outline.finished(node))


async def _entry_at(canon: Canon, ref: str, bound: Bound, known: int | None) -> Entry:
    entry = await find_entry(canon, ref, bound)
    if known is None:
        return entry
    then = await canon.entry(entry.entity, bound=bound, known=known)
    if then is not None:
        return then
    name = entry.name if ref == entry.entity else ref
    if Lens(canon, bound).bounded:
        return await unknown(canon, name, bound)
    raise UnknownEntity(name=name, reason="not_yet")


async def _stamp(canon: Canon, known: int) -> str | None:
    changes = await canon.store.changes(canon.series.id, up_to=known, limit=1)
    return to_stamp(changes[0].at) if changes else None


def _sources(folded: merge.Fold, facts: tuple[ActiveFact, ...], lens: Lens) -> tuple[Source, ...]:
    by_id = {fact.id: fact for fact in facts}
    return tuple(
        Source(
            pointer=pointer,
            fact=fact,
            from_=lens.place(by_id[fact].at),
            edit=None if lens.bounded else by_id[fact].change,
        )
        for pointer, fact in sorted(folded.sources.items())
    )


def _spelled(key: str, entry: Entry) -> str:
    """Return the detail as the entry spells it: "Eyes" asks for "eyes" where that is the only one."""
    spellings = {name for fact in entry.facts for name in fact.patch}
    alike = [name for name in spellings if fold.fold(name) == fold.fold(key)]
    return alike[0] if key not in spellings and len(alike) == 1 else key


def _json_object(state: dict[str, Json]) -> dict[str, JsonValue]:
    return {key: json_value(value) for key, value in state.items()}
