"""The canon at one place in the story, as known at one edit and for one bound: what exports are made of."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from agent_core.lore import timeline
from agent_core.lore.answers import EntryRef, Place
from agent_core.lore.canon import Canon
from agent_core.lore.fold import name_key
from agent_core.lore.lens import Lens
from agent_core.lore.merge import split_pointer
from agent_core.lore.model import Bound, Nothing, UpTo, When
from agent_core.lore.state import place_of
from agent_core.messages import Json


@dataclass(frozen=True, slots=True)
class CanonSource:
    """From where what stands at a path is true, and by which edit; readers see no edits."""

    path: tuple[str, ...]
    from_: Place | None = None
    edit: int | None = None


@dataclass(frozen=True, slots=True)
class CanonEntry:
    """An entry with its details as they are, and the source of each."""

    entry: EntryRef
    state: Mapping[str, Json]
    sources: Sequence[CanonSource] = field(default=())


@dataclass(frozen=True)
class CanonView:
    """Entries as they are at a place, in the order of their names; hidden ones are not there at all.

    `known` is the edit that was asked for, `reader` the place that a reader has finished.
    """

    series: str
    entries: tuple[CanonEntry, ...]
    at: Place | None
    known: int | None
    reader: Place | None

    def named(self, name: str) -> EntryRef | None:
        """Return the entry of exactly this name, if only one has it."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> Mapping[str, EntryRef | None]:
        found: dict[str, EntryRef | None] = {}
        for one in self.entries:
            found[one.entry.name] = None if one.entry.name in found else one.entry
        return found


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
    if as_reader is not None:
        node = canon.outline.find_place(as_reader, book=book, here=here, bound=bound)
        mark = Nothing() if node is None else UpTo(canon.outline.finished(node))
        bound = canon.outline.narrower(mark, bound)
    position, when = place_of(canon, at, When.END, bound, here=here, book=book)
    there = await canon.all_entries(bound=bound, known=known)
    lens = Lens(canon, bound)

    def told() -> tuple[CanonEntry, ...]:
        made = (_entry(entry, position, when, lens, canon) for entry in there)
        return tuple(sorted(made, key=lambda one: (name_key(one.entry.name), one.entry.hint, one.entry.id)))

    return CanonView(
        series=canon.series.name,
        entries=await asyncio.to_thread(told),
        at=lens.place(position),
        known=None if lens.bounded else known,
        reader=lens.place(bound.node) if as_reader is not None and isinstance(bound, UpTo) else None,
    )


def sources_of(one: CanonEntry, key: str) -> Iterator[CanonSource]:
    """Yield the source of each value of a detail."""
    return (source for source in one.sources if source.path[:1] == (key,))


def kinds(view: CanonView) -> Sequence[str]:
    """Return the kinds of entries that there are, each once."""
    return tuple(dict.fromkeys(one.entry.type.value for one in view.entries))


def _entry(entry: timeline.Entry, position: str | None, when: When, lens: Lens, canon: Canon) -> CanonEntry:
    facts = timeline.at_position(entry, position, when, canon.outline)
    folded = timeline.fold_entry(facts)
    by_id = {fact.id: fact for fact in facts}
    sources = tuple(
        CanonSource(
            path=split_pointer(pointer),
            from_=lens.place(by_id[fact].at),
            edit=None if lens.bounded else by_id[fact].change,
        )
        for pointer, fact in sorted(folded.sources.items())
    )
    return CanonEntry(lens.entry(entry), folded.state, sources)
