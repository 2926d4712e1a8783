"""Lists what in the canon wants a look: facts whose scene is gone, that do not fit, that wait for a place."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias, TypeGuard

from agent_core.lore import merge, timeline
from agent_core.lore.answers import LooseEnd, LooseEnds
from agent_core.lore.before_after import facts_at
from agent_core.lore.canon import Canon
from agent_core.lore.lens import Lens
from agent_core.lore.losses import lost_rows
from agent_core.lore.model import NOT_REVEALED, Asserted, Author, Bound, Change, Created, Row, When
from agent_core.lore.timeline import Entry, LostPlace
from agent_core.messages import Json

_Lost: TypeAlias = Literal["lost_from", "lost_until", "lost_told", "lost_scope"]

_LOST: dict[LostPlace, _Lost] = {
    LostPlace.FROM: "lost_from",
    LostPlace.UNTIL: "lost_until",
    LostPlace.TOLD: "lost_told",
    LostPlace.SCOPE: "lost_scope",
}


async def loose_ends(canon: Canon, *, bound: Bound) -> LooseEnds:
    """Return what lost its scene, does not fit, or waits to be placed; nothing for readers."""
    if not isinstance(bound, Author):
        return LooseEnds(items=())
    lens = Lens(canon, bound)
    rows = await canon.all_rows()
    suspects = await asyncio.to_thread(
        lambda: list(dict.fromkeys(one.row.entity for one in rows if _is_suspect(one.row)))
    )
    found = await canon.entries(suspects, bound=bound)
    entries = list({entry.entity: entry for entry in found.values()}.values())
    changes = {one.number: one for one in await canon.store.changes(canon.series.id, up_to=canon.head)}
    return LooseEnds(
        items=(
            *await _lost(canon, lens, changes),
            *(end for entry in entries for end in _misfits(canon, lens, entry, changes)),
            *(LooseEnd(kind="undated", scene=lens.place(node.id)) for node in canon.outline.undated()),
            *(end for entry in entries for end in _not_revealed(lens, entry, changes)),
        )
    )


def _is_suspect(row: Row) -> TypeGuard[Created | Asserted]:
    """Return whether the entry of this row may not be revealed or may not fit."""
    if isinstance(row, Created):
        return row.told == NOT_REVEALED
    return isinstance(row, Asserted) and (row.told == NOT_REVEALED or _edits_lists(row.patch))


async def _lost(canon: Canon, lens: Lens, changes: dict[int, Change]) -> list[LooseEnd]:
    lost = await lost_rows(canon)
    entries = await canon.entries([one.row.entity for one in lost], bound=lens.bound)
    return [
        LooseEnd(
            kind=_LOST[one.what],
            entry=lens.entry(entries[one.row.entity]),
            fact=lens.fact(one.row, changes.get(one.recorded.change))
            if isinstance(one.row, Asserted)
            else None,
        )
        for one in lost
        if one.row.entity in entries
    ]


def _misfits(canon: Canon, lens: Lens, entry: Entry, changes: dict[int, Change]) -> Iterator[LooseEnd]:
    """Yield the facts whose list edits meet no list at their own place or after everything has ended."""
    at_last = timeline.fold_entry(timeline.at_position(entry, None, When.END, canon.outline)).misfits
    for fact in entry.facts:
        if _edits_lists(fact.patch):
            at_place = timeline.fold_entry(facts_at(entry, fact.at, canon.outline)).misfits
            if fact.id in {one for one, _ in (*at_place, *at_last)}:
                yield LooseEnd(
                    kind="does_not_fit",
                    entry=lens.entry(entry),
                    fact=lens.fact(fact, changes.get(fact.change)),
                )


def _edits_lists(value: Json) -> bool:
    members = value.values() if isinstance(value, Mapping) else ()
    return merge.is_list_edit(value) or any(map(_edits_lists, members))


def _not_revealed(lens: Lens, entry: Entry, changes: dict[int, Change]) -> Iterator[LooseEnd]:
    if entry.told == NOT_REVEALED:
        yield LooseEnd(kind="not_revealed", entry=lens.entry(entry))
    for fact in entry.facts:
        if fact.told == NOT_REVEALED:
            yield LooseEnd(
                kind="not_revealed",
                entry=lens.entry(entry),
                fact=lens.fact(fact, changes.get(fact.change)),
            )
