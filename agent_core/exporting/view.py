"""The canon at one place in the story, as known at one edit and for one bound: what exports are made of."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent_core.errors import UnknownEntity
from agent_core.lore import query
from agent_core.lore.answers import EntryRef, EntryState, Place
from agent_core.lore.canon import Canon
from agent_core.lore.fold import name_key
from agent_core.lore.model import Bound


@dataclass(frozen=True, slots=True)
class CanonView:
    """Entries as they are at a place, in the order of their names; hidden ones are not there at all.

    `known` is the edit that was asked for, `reader` the place that a reader has finished.
    """

    series: str
    states: tuple[EntryState, ...]
    at: Place | None
    known: int | None
    reader: Place | None

    def named(self, name: str) -> EntryRef | None:
        """Return the entry of exactly this name, if only one has it."""
        found = [state.entry for state in self.states if state.entry.name == name]
        return found[0] if len(found) == 1 else None


async def canon_view(
    canon: Canon,
    *,
    at: str | None,
    known: int | None,
    as_reader: str | None,
    bound: Bound,
    here: str | None,
    book: str | None,
) -> CanonView:
    """Return all entries at a written position, for the lower of both bounds.

    Raises:
        UnknownPosition: missing or beyond the bound.
        AmbiguousPosition: several places are written so.
    """
    states: list[EntryState] = []
    for entry in await canon.roster(bound=bound):
        try:
            state = await query.entry_state(
                canon,
                entry.entity,
                position=at,
                known=known,
                bound=bound,
                as_reader=as_reader,
                here=here,
                book=book,
            )
        except UnknownEntity:  # hidden from the reader, or not there yet at that edit
            continue
        states.append(state)
    ordered = sorted(states, key=lambda one: (name_key(one.entry.name), one.entry.hint, one.entry.id))
    first = next(iter(ordered), None)
    return CanonView(
        series=canon.series.name,
        states=tuple(ordered),
        at=first.at if first else None,
        known=known,
        reader=first.as_reader if first else None,
    )


def sources_of(state: EntryState, key: str) -> Iterator[tuple[str, Place | None, int | None]]:
    """Yield (what of the detail, from where it is true, by which edit) for each fact behind a detail."""
    for source in state.sources:
        parts = [part.replace("~1", "/").replace("~0", "~") for part in source.pointer.split("/")[1:]]
        if parts and parts[0] == key:
            yield ".".join(parts), source.from_, source.edit


def kinds(view: CanonView) -> Sequence[str]:
    """Return the kinds of entries that there are, each once."""
    return tuple(dict.fromkeys(state.entry.type.value for state in view.states))
