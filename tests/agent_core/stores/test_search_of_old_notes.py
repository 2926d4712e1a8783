"""Notes from before there was a search are found by it once they are brought up to date."""

import asyncio
from pathlib import Path

from agent_core.lore.model import START, Named, Series, TextSet
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.sqlite import open_database
from tests.clock import NOON
from tests.contracts.lore_rows import draft, fact
from tests.scenarios.first_schema import as_first_schema


async def test_names_facts_and_texts_of_the_first_schema_are_found(tmp_path: Path) -> None:
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    named = Named(id="n1", entity="mara", name="Mara", told=START)
    text = TextSet(id="t1", scene="s1", text="The Heron sails at dusk.")
    async with open_database(new) as database:
        change = draft(named, fact("mara", eyes="green"), text)
        series = change.series
        await SqlSeriesStore(database).add_series(Series(id=series, name="Oz", owner="p1"))
        await SqlLoreStore(database).append(change, "token", NOON)
        index = SqlLoreIndex(database)
        found = [await index.names(series, "mara"), await index.facts(series, ["green"])]
        scenes = await index.scenes(series, ["heron"])
    await asyncio.to_thread(as_first_schema, new, old)

    async with open_database(old) as database:
        index = SqlLoreIndex(database)
        again = [await index.names(series, "mara"), await index.facts(series, ["green"])]

        assert all(found)
        assert again == found
        assert scenes
        assert await index.scenes(series, ["heron"]) == scenes
