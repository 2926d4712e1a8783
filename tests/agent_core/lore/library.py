"""A series in a real database, to look things up in."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agent_core.lore.canon import Canon
from agent_core.lore.frames import FrameCache
from agent_core.lore.model import (
    START,
    Asserted,
    ChangeDraft,
    Created,
    EntityType,
    JsonObject,
    Named,
    OutlineEdited,
    Row,
    Series,
    TextSet,
    Told,
)
from agent_core.lore.outline import Outline
from agent_core.lore.store import LoreIndex, LoreStore
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.sqlite import open_database
from tests.clock import NOON, counting_ids

_tokens = counting_ids("token")


@dataclass
class Library:
    """One series that changes are recorded in; `record` returns the number of its change."""

    store: LoreStore
    index: LoreIndex
    series: Series = field(default_factory=lambda: Series(id="oz", name="Oz", owner="p1"))

    async def record(self, *rows: Row) -> int:
        draft = ChangeDraft(
            series=self.series.id, rows=rows, since=0, keys=frozenset(), proposed_by="p1", approved_by="p1"
        )
        return (await self.store.append(draft, _tokens(), NOON)).number

    async def lay_out(self, outline: Outline) -> None:
        await self.record(*(OutlineEdited(after=node) for node in outline.nodes.values()))

    async def canon(self, known: int | None = None) -> Canon:
        return await Canon.open(self.store, self.index, self.series, FrameCache(), known=known)


@asynccontextmanager
async def open_library(path: Path | str) -> AsyncIterator[Library]:
    """Give an empty library in a fresh file."""
    async with open_database(Path(path)) as database:
        library = Library(SqlLoreStore(database), SqlLoreIndex(database))
        await SqlSeriesStore(database).add_series(library.series)
        yield library


def entry(
    entity: str,
    name: str,
    *aliases: str,
    told: Told = START,
    kind: EntityType = EntityType.CHARACTER,
    patch: JsonObject | None = None,
) -> list[Row]:
    """Return the rows that create an entry with a name, aliases and always true details."""
    rows: list[Row] = [Created(entity=entity, type=kind, told=told), named(entity, name, told=told)]
    rows += [named(entity, alias, told=told, alias=True) for alias in aliases]
    if patch:
        rows.append(Asserted(id=f"{entity} is", entity=entity, patch=patch, told=told, static=True))
    return rows


def named(entity: str, name: str, *, told: Told = START, alias: bool = False) -> Named:
    return Named(id=f"{entity} called {name}", entity=entity, name=name, told=told, alias=alias)


def texts(**by_scene: str) -> Sequence[TextSet]:
    """Return the first texts of scenes; a leading "s" of a key is dropped."""
    return [
        TextSet(id=f"text of {key}", scene=key.removeprefix("s"), text=text) for key, text in by_scene.items()
    ]
