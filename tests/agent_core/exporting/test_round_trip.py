"""Series go out and come in whole: what comes out again is the same to the byte."""

import asyncio
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.errors import StoreFailure
from agent_core.exporting.bring_in import Arrival, Fate, bring_in, compare_archive
from agent_core.lore.model import Row, Series
from agent_core.stores.sql.sqlite import open_database
from agent_core.stores.sql.transfer import SqlTransferStore
from tests.agent_core.exporting.shelves import OZ, Shelf, open_shelf
from tests.agent_core.lore.random_lore import NAMES, RandomLore, lores
from tests.contracts.lore_rows import ANY_ROW, fact, scene

CHANGES: list[list[Row]] = [
    [scene("s1"), fact("mara", eyes="green")],
    [fact("mara", "f2", eyes="blue")],
    [fact("tom", "f3")],
]


async def moved(old: Shelf, folder: Path) -> tuple[bytes, bytes]:
    """Return an archive of the installation, and one of an empty one that it was brought into."""
    archive = await old.out()
    async with open_shelf(folder) as new:
        await new.take(archive)
        again = await new.out()
        return await content(archive), await content(again)


async def content(file: Path) -> bytes:
    return await asyncio.to_thread(file.read_bytes)


@settings(max_examples=settings().max_examples // 3)
@given(lore=lores())
def test_random_history_comes_out_again_to_the_byte(lore: RandomLore) -> None:
    async def move() -> None:
        with TemporaryDirectory() as name:
            folder = Path(name)
            async with open_shelf(folder) as old:
                await old.fill(lore.changes)
                await old.seat()
                before, after = await moved(old, folder)

        assert before == after

    asyncio.run(move())


@settings(max_examples=settings().max_examples // 3)
@given(rows=st.lists(st.lists(ANY_ROW, min_size=1, max_size=4), max_size=4))
def test_whatever_may_be_stored_comes_out_again_to_the_byte(rows: list[list[Row]]) -> None:
    async def move() -> None:
        with TemporaryDirectory() as name:
            folder = Path(name)
            async with open_shelf(folder) as old:
                await old.fill(rows)
                before, after = await moved(old, folder)

        assert before == after

    asyncio.run(move())


@settings(max_examples=settings().max_examples // 3)
@given(lore=lores(max_changes=4))
def test_everything_is_found_and_told_as_before(lore: RandomLore) -> None:
    async def move() -> None:
        with TemporaryDirectory() as name:
            folder = Path(name)
            async with open_shelf(folder) as old, open_shelf(folder) as new:
                await old.fill(lore.changes)
                await new.take(await old.out())

                assert await new.lore.frame(OZ.id) == await old.lore.frame(OZ.id)
                assert await new.lore.all_rows(OZ.id) == await old.lore.all_rows(OZ.id)
                assert await new.lore.changes(OZ.id) == await old.lore.changes(OZ.id)
                assert await new.lore.touched(OZ.id, since=0) == await old.lore.touched(OZ.id, since=0)
                for word in [*NAMES, "green", "burns"]:
                    key = word.lower()
                    assert await new.index.names(OZ.id, key) == await old.index.names(OZ.id, key)
                    assert set(await new.index.facts(OZ.id, [key])) == set(
                        await old.index.facts(OZ.id, [key])
                    )
                    assert set(await new.index.scenes(OZ.id, [key])) == set(
                        await old.index.scenes(OZ.id, [key])
                    )

    asyncio.run(move())


async def test_archive_is_the_same_whenever_and_wherever_it_is_made(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as one, open_shelf(tmp_path) as other:
        for shelf in (one, other):
            await shelf.fill(CHANGES)
            await shelf.seat()
        archives = [await one.out(), await one.out("again.zip"), await other.out()]
        contents = [await content(archive) for archive in archives]

    assert contents[0] == contents[1] == contents[2]


async def test_export_tells_what_it_holds(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        await shelf.fill(CHANGES)
        exported = await shelf.exported("out.zip")

    assert (exported.series, exported.rows) == ((("Oz", 3),), 4)


async def test_several_series_come_in_at_once_and_in_their_order(tmp_path: Path) -> None:
    river = Series(id="a-river", name="River", owner="ann")
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        await old.fill(CHANGES)
        await old.fill([[fact("neva")]], river)
        await old.seat()
        await new.take(await old.out())

        assert await new.series.all_series() == (OZ, river)


async def test_one_series_is_taken_out_alone_with_its_people(tmp_path: Path) -> None:
    river = Series(id="river", name="River", owner="stranger")
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        await old.fill(CHANGES)
        await old.fill([[fact("neva")]], river)
        await old.seat()
        await new.take(await old.out(series=[OZ.id]))

        assert await new.series.all_series() == (OZ,)
        assert [name for (name,) in await new.select("SELECT name FROM person ORDER BY id")] == ["Ann", "Tim"]


async def test_empty_installation_goes_out_and_in(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as old:
        before, after = await moved(old, tmp_path)

    assert before == after


async def test_series_that_is_here_up_to_some_edit_is_continued(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        await old.fill(CHANGES[:1])
        await old.seat()
        await new.take(await old.out("early.zip"))
        await old.fill(CHANGES[1:])
        later = await old.out()

        foreseen = await compare_archive(new.transfer, later)
        arrived = await new.take(later)

        assert arrived == foreseen == (Arrival("Oz", Fate.CONTINUED, here=1, there=3),)
        assert await asyncio.to_thread((await new.out()).read_bytes) == await asyncio.to_thread(
            later.read_bytes
        )


async def test_what_is_here_already_stays_as_it_is(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        await old.fill(CHANGES)
        early = await old.out("early.zip")
        await new.take(early)
        await new.fill([[fact("mara", "f9", hat="red")]])

        arrived = await new.take(early)

        assert arrived == (Arrival("Oz", Fate.SAME, here=4, there=3),)
        assert (await new.lore.head(OZ.id)).number == 4


async def test_whole_import_is_one_commit(tmp_path: Path) -> None:
    """A kill at any moment leaves nothing or everything."""
    async with open_shelf(tmp_path) as old:
        await old.fill([[fact("mara", f"f{n}-{m}", n=n) for m in range(300)] for n in range(20)])
        await old.seat()
        archive = await old.out()
    commits: list[int] = []

    async with open_database(tmp_path / "new.db", after_commit=commits.append) as database:
        await bring_in(SqlTransferStore(database), archive)

    assert commits == [1]


async def test_file_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        await asyncio.to_thread((shelf.folder / "novel.zip").write_text, "my novel")
        with pytest.raises(StoreFailure) as failure:
            await shelf.out("novel.zip")
        with pytest.raises(StoreFailure):
            await shelf.out("novel.zip/out.zip")
        names = await asyncio.to_thread(os.listdir, shelf.folder)

    assert failure.value.facts["reason"] == "backup_exists"
    assert [name for name in sorted(names) if not name.startswith("lore.db")] == ["novel.zip"]
    assert await content(tmp_path / shelf.folder.name / "novel.zip") == b"my novel"
