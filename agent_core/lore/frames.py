"""Keeps between look-ups what is worked out of a series: its outline, its keys, rows of its entries."""

import asyncio
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass

from agent_core.lore.kept_rows import KeptRows
from agent_core.lore.key_census import KeyCensus
from agent_core.lore.model import Head, Recorded
from agent_core.lore.outline import Outline
from agent_core.lore.roster import KeptRosters
from agent_core.lore.store import LoreStore


@dataclass(frozen=True, slots=True)
class ParsedFrame:
    """A frame with its outline worked out."""

    head: Head
    outline: Outline
    links: tuple[Recorded, ...]


class FrameCache:
    """Keeps what is worked out once for each series, the least used series dropped first."""

    def __init__(self, max_series: int = 64) -> None:
        self.rows = KeptRows()
        self.rosters = KeptRosters()
        self._max_series = max_series
        self._frames: OrderedDict[str, ParsedFrame] = OrderedDict()
        self._censuses: dict[str, KeyCensus] = {}

    async def newest(self, store: LoreStore, series: str, about: Collection[str] = ()) -> ParsedFrame:
        """Return the frame as of now; one store hop where the outline, undos and merges stand as before.

        The same hop reads and keeps the rows of the entities `about` that are not kept yet.
        """
        kept = self._frames.get(series)
        if kept is not None:
            head = await self._head(store, series, about)
            if head.frame == kept.head.frame:
                self._frames.move_to_end(series)
                return ParsedFrame(head, kept.outline, kept.links)
        frame = await store.frame(series)
        outline = await asyncio.to_thread(Outline, frame.nodes)
        parsed = ParsedFrame(frame.head, outline, frame.links)
        self._keep(series, parsed)
        return parsed

    async def census(self, store: LoreStore, series: str, head: int) -> KeyCensus:
        """Return the keys in use in the series up to `head`."""
        census = self._censuses.setdefault(series, KeyCensus())
        await census.read(store, series, head)
        return census

    async def _head(self, store: LoreStore, series: str, about: Collection[str]) -> Head:
        missing = [entity for entity in about if not self.rows.has(series, entity)]
        if not missing:
            return await store.head(series)
        read = await store.rows(series, missing)
        self.rows.put_all(series, missing, read)
        return read.head

    def _keep(self, series: str, parsed: ParsedFrame) -> None:
        kept = self._frames.get(series)
        if kept is None or kept.head.frame < parsed.head.frame:
            self._frames[series] = parsed
        self._frames.move_to_end(series)
        while len(self._frames) > self._max_series:
            dropped, _ = self._frames.popitem(last=False)
            self._censuses.pop(dropped, None)
