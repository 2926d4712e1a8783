"""Lists when things begin and end to be true, over one entry or all."""

import asyncio
from collections.abc import Iterator
from typing import Literal, TypeAlias

from agent_core.errors import BadInterval
from agent_core.lore.answers import Timeline, TimelineItem
from agent_core.lore.canon import MANY, Canon
from agent_core.lore.lens import Lens, json_value
from agent_core.lore.lookup import find_entry
from agent_core.lore.model import Bound, Mode
from agent_core.lore.timeline import ActiveFact, Entry

Order: TypeAlias = Literal["story", "reading"]
_Sort: TypeAlias = tuple[int, int, int, int]

_BEGINNING = -1


async def timeline_of(
    canon: Canon,
    ref: str | None = None,
    *,
    from_: str | None = None,
    to: str | None = None,
    order: Order = "story",
    bound: Bound,
    limit: int = 200,
    here: str | None = None,
    book: str | None = None,
) -> Timeline:
    """Return what begins and ends, in story or reading order, between two written positions (both included).

    What is true from the beginning comes first, unless `from_` is given.

    Raises:
        UnknownEntity, AmbiguousEntity: as `find_entry`.
        UnknownPosition, AmbiguousPosition: as `Outline.find`.
        BadInterval: it would end before it begins.

    """
    ranks = canon.outline.story if order == "story" else canon.outline.reading
    first = _first(canon, from_, order, bound, here=here, book=book)
    last = _last(canon, to, order, bound, here=here, book=book)
    if last < first:
        raise BadInterval(reason="reversed")
    entries = await canon.all_entries(bound=bound) if ref is None else (await find_entry(canon, ref, bound),)
    lens = Lens(canon, bound)

    def sorted_moments() -> list[tuple[Entry, ActiveFact, str | None, bool]]:
        found = [
            (entry, fact, node, ends)
            for entry in entries
            for fact, node, ends in _moments(entry)
            if first <= (_BEGINNING if node is None else ranks[node]) <= last
        ]
        return sorted(found, key=lambda one: _sort(canon, one[1], one[2], order))

    found = await asyncio.to_thread(sorted_moments) if len(entries) > MANY else sorted_moments()
    return Timeline(
        order=order,
        items=tuple(_item(lens, entry, fact, node, ends=ends) for entry, fact, node, ends in found[:limit]),
        more=max(0, len(found) - limit),
    )


def _first(
    canon: Canon, from_: str | None, order: Order, bound: Bound, *, here: str | None, book: str | None
) -> int:
    node = None if from_ is None else canon.outline.find_place(from_, book=book, here=here, bound=bound)
    if node is None:
        return _BEGINNING
    return canon.outline.story[node] if order == "story" else canon.outline.reading[node]


def _last(
    canon: Canon, to: str | None, order: Order, bound: Bound, *, here: str | None, book: str | None
) -> int:
    if to is None:
        return len(canon.outline.nodes)
    node = canon.outline.find_place(to, book=book, here=here, bound=bound)
    if node is None:
        return _BEGINNING
    if order == "story":
        return canon.outline.story[canon.outline.last_position(node)]
    return canon.outline.reading[canon.outline.finished(node)]


def _moments(entry: Entry) -> Iterator[tuple[ActiveFact, str | None, bool]]:
    """Yield each fact with the node where it begins, and once more where it ends."""
    for fact in entry.facts:
        yield fact, fact.at, False
        if fact.until is not None:
            yield fact, fact.until, True


def _sort(canon: Canon, fact: ActiveFact, node: str | None, order: Order) -> _Sort:
    if node is None:
        return (_BEGINNING, _BEGINNING, fact.change, fact.order)
    story, reading = canon.outline.story[node], canon.outline.reading[node]
    one, other = (story, reading) if order == "story" else (reading, story)
    return (one, other, fact.change, fact.order)


def _item(lens: Lens, entry: Entry, fact: ActiveFact, node: str | None, *, ends: bool) -> TimelineItem:
    return TimelineItem(
        entry=lens.entry(entry),
        at=lens.place(node),
        kind="ends" if ends else _kind(lens, node),
        patch=json_value(fact.patch),
        told=lens.told(fact.told),
        fact=fact.id,
        edit=None if lens.bounded else fact.change,
    )


def _kind(lens: Lens, node: str | None) -> Literal["begins", "always", "flashback"]:
    if node is None:
        return "always"
    return "flashback" if lens.outline.nodes[node].mode is Mode.FLASHBACK else "begins"
