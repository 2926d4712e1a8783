"""What the canon says now of nodes and entries, worked out of our own copy of the log."""

import asyncio
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from agent_core.lore.canon import Canon
from agent_core.lore.frames import FrameCache
from agent_core.lore.model import (
    Asserted,
    Author,
    Created,
    Merged,
    Named,
    Node,
    NodeKind,
    OutlineEdited,
    Retired,
    Row,
    Series,
    TextSet,
    Undone,
    Withdrawn,
)
from agent_core.lore.outline import Outline
from agent_core.lore.store import LoreIndex, LoreStore
from agent_core.lore.timeline import Entry
from agent_core.stores.directus.ids import shown_row
from agent_core.stores.directus.shown import Wanted, gone_entry, wanted_entry, wanted_node


@dataclass(frozen=True, slots=True)
class Touched:
    """What edits are about: entries and nodes by their ids."""

    entities: frozenset[str] = frozenset()
    nodes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Picture:
    """The canon at `head`: its outline, entries that are there, and current texts of scenes."""

    series: str
    head: int
    outline: Outline
    entries: Mapping[str, Entry]
    texts: Mapping[str, str]
    nodes: frozenset[str]
    entities: frozenset[str]
    """What was looked at: nodes and entries, those too that are not there."""

    def wanted(self, nodes: Iterable[str]) -> tuple[Wanted, ...]:
        """Return the rows that should be shown of these nodes, books first, and of the entries."""
        rank = list(NodeKind)
        found = sorted(
            (self.outline.nodes[one] for one in nodes if one in self.outline.nodes),
            key=lambda node: rank.index(node.kind),
        )
        return (
            *(wanted_node(self.series, self.outline, node, self.texts.get(node.id, "")) for node in found),
            *(
                wanted_entry(self.series, self.entries[one])
                if one in self.entries
                else gone_entry(self.series, one)
                for one in sorted(self.entities)
            ),
        )

    def nodes_by_row(self) -> Mapping[str, str]:
        """Return the node that each row shows."""
        return {shown_row(self.series, node): node for node in self.outline.nodes}

    def entries_by_row(self) -> Mapping[str, str]:
        """Return the entry that each row shows."""
        return {shown_row(self.series, one): one for one in self.entities}


class Painter:
    """Draws pictures from a store that is at hand."""

    def __init__(self, store: LoreStore, index: LoreIndex) -> None:
        self._store = store
        self._index = index

    async def of_rows(self, series: str, rows: Collection[str]) -> Picture:
        """Return what the canon says of the nodes and entries that these rows show."""
        read = await self._store.name_rows(series)
        entities = (one.row.entity for one in read.rows if isinstance(one.row, Created))
        found = frozenset(one for one in entities if shown_row(series, one) in rows)
        frame = await self._store.frame(series)
        nodes = frozenset(node.id for node in frame.nodes if shown_row(series, node.id) in rows)
        return await self.picture(series, Touched(found, nodes))

    async def picture(self, series: str, touched: Touched | None = None) -> Picture:
        """Return the canon, or what it says of these nodes and entries."""
        known = Series(id=series, name="", owner="")
        canon = await Canon.open(self._store, self._index, known, FrameCache(1))
        author = Author()
        if touched is None:
            created = [one.row for one in await canon.all_rows() if isinstance(one.row, Created)]
            touched = Touched(frozenset(row.entity for row in created), frozenset(canon.outline.nodes))
        entries = await canon.entries(touched.entities, bound=author)
        own = {one: entry for one, entry in entries.items() if entry.entity == one}
        texts = await canon.texts(touched.nodes)
        return Picture(
            series=series,
            head=canon.head,
            outline=canon.outline,
            entries=own,
            texts={scene: row.text for scene, row in texts.items()},
            nodes=touched.nodes,
            entities=touched.entities,
        )

    async def touched(self, series: str, rows: Iterable[Row]) -> Touched:
        """Return what rows are about; undos are about what they take back."""
        entities: set[str] = set()
        nodes: set[str] = set()
        seen: set[int] = set()
        rest = list(rows)
        while rest:
            row = rest.pop()
            entities |= _entities(row)
            nodes |= _nodes(row)
            if isinstance(row, Undone) and row.change not in seen:
                seen.add(row.change)
                rest += [one.row for one in await self._store.rows_of_changes(series, [row.change])]
        return Touched(frozenset(entities), frozenset(nodes))

    async def siblings(self, series: str, rows: Iterable[Row]) -> frozenset[str]:
        """Return the nodes that stand where nodes came, went or moved: their `sort` may be another now."""
        parents = {
            node.parent
            for row in rows
            if isinstance(row, OutlineEdited)
            and (
                row.before is None
                or (row.before.parent, row.before.rank) != (row.after.parent, row.after.rank)
            )
            for node in (row.before, row.after)
            if node is not None
        }
        if not parents:
            return frozenset()
        frame = await self._store.frame(series)
        outline = await asyncio.to_thread(Outline, frame.nodes)
        return frozenset(one.id for parent in parents for one in outline.children(parent, deleted=True))


def _stand(node: Node) -> tuple[str | None, str]:
    return node.parent, node.rank


def _entities(row: Row) -> set[str]:
    match row:
        case Created() | Named() | Asserted() | Withdrawn() | Retired():
            return {row.entity}
        case Merged():
            return {row.entity, row.into}
        case _:
            return set()


def _nodes(row: Row) -> set[str]:
    match row:
        case OutlineEdited():
            return {row.after.id}
        case TextSet():
            return {row.scene}
        case _:
            return set()
