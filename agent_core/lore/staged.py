"""The index with the names and texts of proposed rows, which no store knows yet."""

from collections.abc import Iterable, Sequence

from agent_core.lore import fold
from agent_core.lore.model import Named, Recorded, TextSet
from agent_core.lore.store import FactHit, LoreIndex, NameHit, TextHit


class StagedIndex:
    """A `LoreIndex` that also finds staged rows by exact name and by the words of a scene.

    That is what planning a later line asks for; the other look-ups find stored rows only.
    """

    def __init__(self, stored: LoreIndex, staged: Iterable[Recorded]) -> None:
        rows = [one.row for one in staged]
        self._stored = stored
        self._names = [row for row in rows if isinstance(row, Named)]
        self._texts = [row for row in rows if isinstance(row, TextSet)]

    async def names(self, series: str, key: str) -> tuple[NameHit, ...]:
        staged = (
            NameHit(row.entity, row.id, row.name) for row in self._names if key in fold.name_keys(row.name)
        )
        return (*await self._stored.names(series, key), *staged)

    async def name_terms(self, series: str, terms: Sequence[str]) -> tuple[NameHit, ...]:
        return await self._stored.name_terms(series, terms)

    async def similar_names(self, series: str, key: str, limit: int = 200) -> tuple[NameHit, ...]:
        return await self._stored.similar_names(series, key, limit)

    async def facts(self, series: str, terms: Sequence[str]) -> tuple[FactHit, ...]:
        return await self._stored.facts(series, terms)

    async def scenes(self, series: str, terms: Sequence[str]) -> tuple[TextHit, ...]:
        wanted = frozenset(terms)
        held = ((row, wanted.intersection(fold.document(row.text).split())) for row in self._texts)
        staged = (TextHit(row.scene, row.id, found) for row, found in held if found)
        return (*await self._stored.scenes(series, terms), *staged)
