"""The pure rules of time: which rows count, what a reader has been told, what is true where."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from agent_core.lore.active import ActiveRows, counting, is_known
from agent_core.lore.merge import Fold, fold
from agent_core.lore.model import (
    LOG_ORDER,
    Asserted,
    Author,
    Bound,
    Created,
    EntityType,
    JsonObject,
    Merged,
    Named,
    Recorded,
    Told,
    ToldKind,
    Undone,
    When,
)
from agent_core.lore.outline import Outline

_tuple = tuple.__new__  # makes a named tuple without a call of Python for each


class ActiveName(NamedTuple):
    """A name that counts. `at` is the node from which an alias is used, None for always."""

    id: str
    entity: str
    name: str
    alias: bool
    at: str | None
    told: Told
    change: int
    order: int


class ActiveFact(NamedTuple):
    """A fact that counts: withdrawn members are out, an `until` that is gone or not yet told is open.

    `entity` is the one it was recorded on (an absorbed one keeps its id). `note` and the rest as recorded.
    """

    id: str
    entity: str
    patch: JsonObject
    at: str | None
    until: str | None
    told: Told
    scope_book: str | None
    static: bool
    note: str
    change: int
    order: int


class Entry(NamedTuple):
    """An entity as one bound knows it at one record time; `names` primary first, `facts` in fold order.

    `family` is the entity itself and those merged into it that this bound may know of.
    """

    entity: str
    family: frozenset[str]
    type: EntityType
    disambiguator: str
    name: str
    names: tuple[ActiveName, ...]
    facts: tuple[ActiveFact, ...]
    created_change: int
    told: Told


class LostPlace(StrEnum):
    """Which place of a row is gone."""

    FROM = "from"
    UNTIL = "until"
    TOLD = "told"
    SCOPE = "scope"


@dataclass(frozen=True, slots=True)
class Lost:
    """An active row that lost its scene."""

    recorded: Recorded
    row: Created | Named | Asserted
    what: LostPlace


def undone(links: Iterable[Recorded], known: int | None) -> frozenset[int]:
    """Return the numbers of the changes that are undone among those up to `known` (None: all)."""
    targets: dict[int, set[int]] = {}
    for link in links:
        if isinstance(link.row, Undone) and is_known(link, known) and link.row.change < link.change:
            targets.setdefault(link.change, set()).add(link.row.change)
    result: set[int] = set()
    for number in sorted(targets, reverse=True):
        if number not in result:
            result |= targets[number]
    return frozenset(result)


def merges(links: Iterable[Recorded], undone: Collection[int], known: int | None) -> Mapping[str, str]:
    """Return for each entity merged into another the final one; later merges win, circles are ignored."""
    into: dict[str, str] = {}
    for link in counting(links, undone, known):
        if isinstance(row := link.row, Merged) and _final(into, row.into, row.entity) != row.entity:
            into[row.entity] = row.into
    return {entity: _final(into, entity) for entity in into}


def is_told(told: Told, bound: Bound, outline: Outline) -> bool:
    """Return whether someone who sees up to `bound` has been told; a node that is gone tells nothing."""
    if isinstance(bound, Author):
        return True
    if told.kind is ToldKind.START:
        return outline.reach(bound) >= 0
    return told.node is not None and not outline.is_gone(told.node) and outline.sees(bound, told.node)


def resolve(
    rows: Sequence[Recorded],
    *,
    entity: str,
    absorbed: Collection[str],
    frame_undone: Collection[int],
    known: int | None,
    bound: Bound,
    outline: Outline,
) -> Entry | None:
    """Return the entry that the rows of `entity` and of those merged into it give, or None if it is absent.

    Steps 1 to 3 of the read rule. `entity` is a final one (see `merges`). Each of the family is gated by its
    own latest active creation: retired or untold, its names and facts are absent. The shown name of an
    absorbed entity is an alias; without a visible name of its own the entry is absent.
    """
    active = ActiveRows(counting(rows, frame_undone, known))
    family = [
        one
        for one in (entity, *absorbed)
        if one in active.creations and is_told(active.creations[one][1].told, bound, outline)
    ]
    names = _names(active, entity, family, bound, outline)
    if entity not in family or not names:
        return None
    recorded, creation = active.creations[entity]
    return Entry(
        entity=entity,
        family=frozenset(family),
        type=creation.type,
        disambiguator=creation.disambiguator,
        name=names[0].name,
        names=names,
        facts=_facts(active, family, bound, outline),
        created_change=recorded.change,
        told=creation.told,
    )


def at_position(entry: Entry, position: str | None, when: When, outline: Outline) -> tuple[ActiveFact, ...]:
    """Return the facts of `entry` that hold at `position`, in fold order: step 4 of the read rule.

    The scope is the book of `position`. None folds all: every scope counts, what has an `until` has ended.
    """
    if position is None:
        return tuple(fact for fact in entry.facts if fact.until is None)
    story, book = outline.story, outline.book_of(position)
    last = story[position] if when is When.END else story[position] - 1
    return tuple(
        fact
        for fact in entry.facts
        if (fact.scope_book is None or fact.scope_book == book)
        and (fact.at is None or story[fact.at] <= last)
        and (fact.until is None or story[position] < story[fact.until])
    )


def fold_entry(facts: Iterable[ActiveFact]) -> Fold:
    """Return the state that these facts give: step 5 of the read rule."""
    return fold((fact.id, fact.patch) for fact in facts)


def default_position(here: str | None, book: str | None, bound: Bound, outline: Outline) -> str | None:
    """Return the position of a question that names none, or None for "fold all facts".

    The conversation's position `here` if it lives within the bound, else the latest of its book; without a
    book an author asks for all, a reader for the latest of the series.
    """
    if here is not None and not outline.is_gone(here):
        position = outline.last_position(here)
        if outline.sees(bound, position):
            return position
    if book is None and isinstance(bound, Author):
        return None
    return outline.latest(book, bound)


def lost(
    rows: Sequence[Recorded], *, undone: Collection[int], known: int | None, outline: Outline
) -> tuple[Lost, ...]:
    """Return the active rows (of any entities) whose from, until, told or scope is gone, oldest first."""
    active = ActiveRows(counting(rows, undone, known))
    named = [(one, row) for one, row in active.names if row.entity in active.creations]
    asserted = [(one, row) for one, row in active.facts if row.entity in active.creations]
    found: list[tuple[Recorded, Created | Named | Asserted]] = [*active.creations.values(), *named, *asserted]
    return tuple(
        Lost(one, row, what)
        for one, row in sorted(found, key=lambda pair: LOG_ORDER(pair[0]))
        for what, place in _places(row)
        if outline.is_gone(place)
    )


def _names(
    active: ActiveRows, entity: str, family: Collection[str], bound: Bound, outline: Outline
) -> tuple[ActiveName, ...]:
    """Return the visible names, the shown one first; none if `entity` has none of its own to show."""
    shown: dict[str, ActiveName] = {}
    aliases: list[ActiveName] = []
    for one, row in active.names:
        if row.entity not in family or not is_told(row.told, bound, outline) or outline.is_gone(row.at):
            continue
        if row.alias:
            aliases.append(_active_name(one, row, alias=True))
        else:
            shown[row.entity] = _active_name(one, row, alias=row.entity != entity)
    primary = shown.pop(entity, None)
    if primary is None:
        return ()
    others = sorted([*aliases, *shown.values()], key=lambda name: (name.change, name.order))
    by_name: dict[str, ActiveName] = {}
    for name in (primary, *others):
        by_name.setdefault(name.name, name)
    return tuple(by_name.values())


def _active_name(one: Recorded, row: Named, *, alias: bool) -> ActiveName:
    return ActiveName(
        id=row.id,
        entity=row.entity,
        name=row.name,
        alias=alias,
        at=row.at,
        told=row.told,
        change=one.change,
        order=one.order,
    )


def _facts(
    active: ActiveRows, family: Collection[str], bound: Bound, outline: Outline
) -> tuple[ActiveFact, ...]:
    """Return the visible facts in fold order; those of one moment stay in that of the log."""
    if not active.facts:
        return ()
    sees_all = isinstance(bound, Author)
    story, reading = outline.story, outline.reading
    moments = {
        at: (-1, -1) if at is None else (story[at], reading[at])
        for at in {row.at for _, row in active.facts}
        if not outline.is_gone(at)
    }
    found = [
        _tuple(
            ActiveFact,
            (
                row.id,
                row.entity,
                row.patch,
                row.at,
                None
                if row.until is None or _is_open(row.until, outline.reach(bound), outline)
                else row.until,
                row.told,
                row.scope_book,
                row.static,
                row.note,
                one.change,
                one.order,
            ),
        )
        for one, row in active.facts
        if row.entity in family
        and row.at in moments
        and (sees_all or is_told(row.told, bound, outline))
        and (row.scope_book is None or not outline.is_gone(row.scope_book))
    ]
    found.sort(key=lambda fact: moments[fact.at])
    return tuple(found)


def _places(row: Created | Named | Asserted) -> Iterator[tuple[LostPlace, str | None]]:
    if not isinstance(row, Created):
        yield LostPlace.FROM, row.at
    if isinstance(row, Asserted):
        yield LostPlace.UNTIL, row.until
        yield LostPlace.SCOPE, row.scope_book
    yield LostPlace.TOLD, row.told.node


def _is_open(until: str, reach: int, outline: Outline) -> bool:
    return outline.is_gone(until) or outline.reading[until] > reach


def _final(into: Mapping[str, str], entity: str, stop: str | None = None) -> str:
    while entity in into and entity != stop:
        entity = into[entity]
    return entity
