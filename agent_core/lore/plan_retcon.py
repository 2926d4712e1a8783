"""Plans "it was always so": strikes out what says otherwise in a range and asserts the right value."""

from collections.abc import Iterator, Mapping, Sequence

from agent_core.clock import NewId
from agent_core.errors import NothingToDo
from agent_core.lore import conflict, merge, sayings
from agent_core.lore.answers import KeyChange, OldSaying, Warn
from agent_core.lore.before_after import key_changes, state_at
from agent_core.lore.canon import Canon
from agent_core.lore.fact_card import check_fits, check_patch, fact_card, reader_warnings
from agent_core.lore.lens import Lens, json_value
from agent_core.lore.lookup import find_entry
from agent_core.lore.model import Asserted, Author, Change, JsonObject, Told, Withdrawn
from agent_core.lore.near_keys import near_key_warnings
from agent_core.lore.outline import Outline
from agent_core.lore.plan import Plan
from agent_core.lore.replaced import GroupKey, Replaced, grouped, leaves, replaced_by
from agent_core.lore.span import Span, span_arguments, span_of, span_warnings
from agent_core.lore.timeline import Entry
from agent_core.lore.told import default_told, earliest, told_argument, told_from_text
from agent_core.messages import Json

_SAYINGS_PER_VALUE = 5


async def plan_retcon(
    canon: Canon,
    *,
    entity: str,
    patch: JsonObject,
    chapter: str | None = None,
    scene: str | None = None,
    until: str | None = None,
    told: str | None = None,
    note: str = "",
    here: str | None = None,
    book: str | None = None,
    new_id: NewId,
) -> Plan:
    """Return the plan of a correction from a place (none: the beginning) until another (none: for good).

    A null in the patch strikes out without a new value.

    Raises:
        UnknownEntity, AmbiguousEntity: as `find_entry`.
        UnknownPosition, AmbiguousPosition, UnknownScene, BadInterval: as `span_of`.
        BadPatch: malformed.
        NothingToDo: reason "same_fact".

    """
    check_patch(patch)
    entry = await find_entry(canon, entity, Author())
    chapter = "start" if chapter is None and scene is None else chapter
    span = span_of(canon.outline, chapter=chapter, scene=scene, until=until, here=here, book=book)
    given = None if told is None else told_from_text(told, canon.outline, book=book, here=here)
    replaced = replaced_by(patch, entry.facts, span.at, span.until, canon.outline)
    struck = tuple(
        Withdrawn(entity=entity, target=target, pointer=pointer)
        for entity, target, pointer in dict.fromkeys(
            (one.fact.entity, one.fact.id, one.pointer) for one in replaced
        )
    )
    asserted = tuple(_assertions(entry, patch, replaced, span, given, note, canon.outline, new_id))
    after = await canon.fork((*struck, *asserted)).entry(entry.entity, bound=Author())
    for row in asserted:
        check_fits(after, row, canon.outline)
    changes = await _changes(canon, entry, after, replaced, span, patch)
    if not struck and not changes:
        raise NothingToDo(reason="same_fact")
    shown = asserted[0] if asserted else _nothing_new(entry, patch, span)
    card = fact_card(
        canon,
        entry,
        shown,
        retcon=True,
        changes=changes,
        old_sayings=await _old_sayings(canon, entry, replaced),
        warnings=(
            *await near_key_warnings(canon, entry.type, entry, patch),
            *_split_warnings(asserted, span, canon.outline),
            *_gap_warnings(entry, after, span, patch, canon.outline),
            *span_warnings(canon.outline, span),
            *(reader_warnings(entry.told, shown.told, canon.outline) if asserted else ()),
        ),
    )
    return Plan(
        rows=(*struck, *asserted),
        keys=conflict.keys_of((*struck, *asserted))
        | {conflict.detail_key(entry.entity, key) for key in patch},
        card=card,
        resolved=_arguments(entry, patch, span, given, note, canon.outline),
        overwrites=bool(struck) or any(key in state_at(entry, span.at, canon.outline) for key in patch),
    )


def _arguments(
    entry: Entry, patch: JsonObject, span: Span, given: Told | None, note: str, outline: Outline
) -> Mapping[str, Json]:
    """Return the resolved arguments; told is left to what is replaced unless somebody gave it."""
    told: Mapping[str, Json] = {"toldAt": told_argument(given)} if given else {}
    noted: Mapping[str, Json] = {"note": note} if note else {}
    span_given = span_arguments(outline, span)
    return {"entityId": entry.entity, "statePatch": patch, "retcon": True, **span_given, **told, **noted}


def _assertions(
    entry: Entry,
    patch: JsonObject,
    replaced: Sequence[Replaced],
    span: Span,
    given: Told | None,
    note: str,
    outline: Outline,
    new_id: NewId,
) -> Iterator[Asserted]:
    """Yield the right values, one assertion for each end and scope among the replaced facts."""
    pointers = {leaf for leaf, _ in leaves(patch)}
    empty = {leaf for leaf, value in leaves(patch) if value is None}
    groups = sorted(grouped(patch, replaced, span.until, outline).items(), key=_widest_first)
    for (until, scope, _), group in groups:
        right = merge.withdraw(patch, (pointers - group.leaves) | empty)
        if right is not None:
            inherited = earliest(group.tolds, outline) if group.tolds else default_told(span.at)
            yield Asserted(
                id=new_id(),
                entity=entry.entity,
                patch=right,
                told=given or inherited,
                at=span.at,
                until=until,
                scope_book=scope,
                static=group.static and span.at is None and until is None and scope is None,
                note=note,
            )


def _widest_first(item: tuple[GroupKey, object]) -> tuple[bool, bool, bool]:
    (until, scope, plain), _ = item
    return (plain, scope is not None, until is not None)


def _nothing_new(entry: Entry, patch: JsonObject, span: Span) -> Asserted:
    """Return the fact that the card of a mere strike-out is about; it is never recorded."""
    return Asserted(id="", entity=entry.entity, patch=patch, told=entry.told, at=span.at, until=span.until)


async def _changes(
    canon: Canon,
    entry: Entry,
    after: Entry | None,
    replaced: Sequence[Replaced],
    span: Span,
    patch: JsonObject,
) -> tuple[KeyChange, ...]:
    """Return what differs at the beginning of the range and where each replaced fact begins."""
    changes: Mapping[int, Change] = await canon.changes_of(canon.family(entry.entity))
    places, lens = dict.fromkeys([span.at, *(one.fact.at for one in replaced)]), Lens(canon, Author())
    return tuple(change for at in places for change in key_changes(entry, after, at, patch, lens, changes))


async def _old_sayings(canon: Canon, entry: Entry, replaced: Sequence[Replaced]) -> tuple[OldSaying, ...]:
    found: dict[str, OldSaying] = {}
    for one in replaced:
        quotes = await sayings.quotes_about(
            canon, entry, one.key, one.value, Author(), limit=_SAYINGS_PER_VALUE
        )
        for quote in quotes:
            saying = OldSaying(quote=quote, key=one.key, value=json_value(one.value))
            found.setdefault(saying.model_dump_json(), saying)
    return tuple(found.values())


def _split_warnings(asserted: Sequence[Asserted], span: Span, outline: Outline) -> Iterator[Warn]:
    """Yield the ends and books that assertions take over from what they replace."""
    for row in asserted:
        if row.until is not None and row.until != span.until:
            yield Warn(code="keeps_end", facts={"place": outline.label(row.until)})
        if row.scope_book is not None:
            yield Warn(code="keeps_book", facts={"book": outline.label(row.scope_book)})


def _gap_warnings(
    entry: Entry, after: Entry | None, span: Span, patch: JsonObject, outline: Outline
) -> Iterator[Warn]:
    """Yield the details that would have no value any more once the range has ended."""
    if span.until is None:
        return
    old, new = state_at(entry, span.until, outline), state_at(after, span.until, outline)
    for key in patch:
        if key in old and key not in new:
            yield Warn(code="no_value_after", facts={"key": key, "place": outline.label(span.until)})
