"""An export for a reader is byte for byte that of a copy in which nothing later was written."""

import asyncio

from hypothesis import given, settings

from agent_core.clock import NewId
from agent_core.errors import LoreKeeperError
from agent_core.exporting.files import CanonFormat, canon_file
from agent_core.exporting.view import canon_view
from agent_core.lore.canon import Canon
from agent_core.lore.model import Bound, OutlineEdited, Series
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.sqlite import SqliteDatabase
from tests.agent_core.lore.desk import Desk
from tests.agent_core.lore.test_bounded_answers import Tale, cut, tales
from tests.clock import FakeClock


async def exported(canon: Canon, at: str | None, bound: Bound) -> list[bytes]:
    """Return the files of every form, or the refusal."""
    try:
        view = await canon_view(canon, at=at, known=None, as_reader=None, bound=bound, here=None, book=None)
    except LoreKeeperError as refused:
        return [refused.for_model().encode()]
    return [(await asyncio.to_thread(canon_file, view, form, "en")).content for form in CanonFormat]


@settings(max_examples=max(12, settings().max_examples // 5))
@given(tale=tales())
async def test_every_export_for_a_reader_is_that_of_the_cut_copy(
    database: SqliteDatabase, new_id: NewId, tale: Tale
) -> None:
    found = []
    for one in (tale, cut(tale)):
        series = Series(id=new_id(), name="Vel", owner=new_id())
        await SqlSeriesStore(database).add_series(series)
        desk = Desk(SqlLoreStore(database), SqlLoreIndex(database), series, new_id, FakeClock())
        await desk.append([OutlineEdited(after=node) for node in one.outline.nodes.values()])
        for rows in one.changes:
            await desk.append(rows)
        canon = await desk.canon()
        found.append([await exported(canon, at, one.bound) for at in (None, *tale.outline.nodes)])
    assert found[0] == found[1]
