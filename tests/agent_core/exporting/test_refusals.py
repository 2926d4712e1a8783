"""What an archive may not be: each ends in one reason, and nothing is written."""

import asyncio
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.errors import ImportFailure, StoreFailure
from agent_core.exporting.bring_in import compare_archive
from agent_core.lore.model import Series
from tests.agent_core.exporting.shelves import OZ, Shelf, members, open_shelf, rebuilt
from tests.contracts.lore_rows import fact, scene

CHANGES = "series-1/changes.jsonl"
Lines = dict[str, list[str]]
TABLES = ("series", "person", "change", "lore_row", "node", "membership", "search_fact", "search_name")


async def written(shelf: Shelf) -> Path:
    await shelf.fill([[scene("s1"), fact("mara", eyes="green")], [fact("mara", "f2", eyes="blue")]])
    await shelf.seat()
    return await shelf.out()


async def refusal(shelf: Shelf, archive: Path) -> str:
    """Return the reason for which an archive is refused by an installation that stays as it is."""
    before = await holdings(shelf)
    with pytest.raises(ImportFailure) as failure:
        await shelf.take(archive)
    assert await holdings(shelf) == before
    return str(failure.value.facts["reason"])


async def holdings(shelf: Shelf) -> list[object]:
    counts = "SELECT count(*) FROM "
    return [await shelf.select(counts + table) for table in TABLES]


def replace_in(member: str, line: int, old: str, new: str) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        assert old in lines[member][line]
        lines[member][line] = lines[member][line].replace(old, new)

    return change


def add(member: str, line: str) -> Callable[[Lines], None]:
    return lambda lines: lines[member].append(line)


@pytest.mark.parametrize(
    "change",
    [
        replace_in(CHANGES, 0, '"change":1', '"change":2'),
        replace_in(CHANGES, 0, '"rows":2', '"rows":3'),
        replace_in(CHANGES, 0, '"rows":2', '"rows":1'),
        replace_in(CHANGES, 0, '"at":"2026', '"at":"soon 2026'),
        replace_in(CHANGES, 3, '"at":"2026', '"at":"2025'),
        replace_in(CHANGES, 0, '"token":', '"Token":'),
        replace_in(CHANGES, 2, '"asserted"', '"invented"'),
        replace_in(CHANGES, 2, '"patch":{', '"patch":["'),
        replace_in(CHANGES, 2, '"patch":{"eyes":"green"}', '"patch":"green"'),
        replace_in(CHANGES, 2, '"told":"start"', '"told":7'),
        replace_in(CHANGES, 2, '"told":"start"', '"told":"sometime"'),
        replace_in(CHANGES, 2, '"id":"f1"', '"id":null'),
        replace_in(CHANGES, 2, '"id":"f1"', '"id":"f1","colour":"green"'),
        replace_in(CHANGES, 2, '"green"', "[" * 40 + "]" * 40),
        replace_in(CHANGES, 2, '"green"', "[" * 100_000 + "]" * 100_000),
        replace_in(CHANGES, 2, '"green"', "NaN-"),
        replace_in(CHANGES, 1, '"rank":"a"', '"rank":1'),
        replace_in(CHANGES, 1, '"parent":"ch1"', '"parent":"ch1","place":["beside","s1"]'),
        replace_in("series-1/nodes.jsonl", 0, '"rank":"a"', '"rank":"b"'),
        add("series-1/nodes.jsonl", "{}"),
        replace_in("series-1/members.jsonl", 0, '"owner"', '"operator"'),
        replace_in("series-1/members.jsonl", 0, '"ann"', '"nobody"'),
        replace_in("series-1/progress.jsonl", 0, '"tim"', '"nobody"'),
        replace_in("people.jsonl", 0, '[["terminal","local"]]', '[["terminal"]]'),
        replace_in("people.jsonl", 0, '"unitedWith":null', '"unitedWith":"nobody"'),
        replace_in("people.jsonl", 0, '"Ann"', '"\\ud800"'),
        add(CHANGES, "not JSON"),
        replace_in("manifest.json", 0, '"edits":2', '"edits":1'),
        replace_in("manifest.json", 0, '"edits":2', '"edits":"two"'),
        replace_in("manifest.json", 0, "people.jsonl", "../people.jsonl"),
    ],
)
async def test_content_that_makes_no_sense_is_damage(tmp_path: Path, change: Callable[[Lines], None]) -> None:
    """Sizes and checksums fit: whoever made it meant it."""
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        archive = await written(old)
        broken = await asyncio.to_thread(broken_copy, archive, change)

        assert await refusal(new, broken) == "archive_damaged"


def broken_copy(archive: Path, change: Callable[[Lines], None]) -> Path:
    manifest = change.__closure__ and any(
        cell.cell_contents == "manifest.json" for cell in change.__closure__
    )
    return rebuilt_manifest(archive, change) if manifest else rebuilt(archive, change)


def rebuilt_manifest(archive: Path, change: Callable[[Lines], None]) -> Path:
    lines = members(archive)
    change(lines)
    target = archive.with_name("rebuilt.zip")
    with zipfile.ZipFile(target, "w") as opened:
        for name, kept in lines.items():
            opened.writestr(name, "".join(f"{line}\n" for line in kept))
    return target


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    async def make() -> bytes:
        async with open_shelf(tmp_path_factory.mktemp("sound")) as shelf:
            archive = await written(shelf)
            return await asyncio.to_thread(archive.read_bytes)

    return asyncio.run(make())


@given(place=st.integers(0, 100_000), value=st.integers(1, 255))
def test_no_flipped_byte_brings_in_anything_else(
    tmp_path: Path, sound: bytes, place: int, value: int
) -> None:
    """A byte that says nothing (a date, a file's mode) may differ; then all that came in is as it was."""
    flipped = bytearray(sound)
    flipped[place % len(sound)] ^= value
    path = tmp_path / "flipped.zip"
    path.write_bytes(flipped)

    async def take() -> bytes:
        async with open_shelf(tmp_path) as shelf:
            try:
                await shelf.take(path)
            except ImportFailure:
                assert await shelf.select("SELECT id FROM series") == []
                return sound
            return await asyncio.to_thread((await shelf.out()).read_bytes)

    assert asyncio.run(take()) == sound


@given(cut=st.integers(0, 100_000))
def test_no_part_of_an_archive_passes_for_the_whole(tmp_path: Path, sound: bytes, cut: int) -> None:
    path = tmp_path / "cut.zip"
    path.write_bytes(sound[: cut % len(sound)])

    async def take() -> None:
        async with open_shelf(tmp_path) as shelf:
            assert await refusal(shelf, path) in {"archive_damaged", "archive_foreign"}

    asyncio.run(take())


def _zip(path: Path, content: dict[str, str]) -> None:
    with zipfile.ZipFile(path, "w") as opened:
        for name, text in content.items():
            opened.writestr(name, text)


def _manifest(path: Path, **head: object) -> None:
    _zip(path, {"manifest.json": json.dumps(head)})


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda path: path.write_text("Dear diary"), "archive_damaged"),
        (lambda path: path.write_bytes(b""), "archive_damaged"),
        (lambda path: None, "not_found"),
        (lambda path: path.mkdir(), "not_found"),
        (lambda path: _zip(path, {"mimetype": "application/epub+zip"}), "archive_foreign"),
        (lambda path: _zip(path, {"manifest.json": "[]"}), "archive_foreign"),
        (lambda path: _zip(path, {"manifest.json": "no JSON"}), "archive_damaged"),
        (lambda path: _zip(path, {"manifest.json": "[" * 200_000}), "archive_damaged"),
        (lambda path: _manifest(path, format="another"), "archive_foreign"),
        (lambda path: _manifest(path, format="lorekeeper-series", version=2), "archive_newer"),
        (lambda path: _manifest(path, format="lorekeeper-series", version="1"), "archive_damaged"),
        (lambda path: _manifest(path, format="lorekeeper-series", version=1), "archive_damaged"),
    ],
)
async def test_what_is_no_archive_of_ours_is_refused(
    tmp_path: Path, make: Callable[[Path], object], expected: str
) -> None:
    path = tmp_path / "given.zip"
    await asyncio.to_thread(make, path)

    async with open_shelf(tmp_path) as shelf:
        assert await refusal(shelf, path) == expected


async def test_bomb_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    await asyncio.to_thread(_bomb, path, claimed=1 << 27)

    async with open_shelf(tmp_path) as shelf:
        assert await refusal(shelf, path) == "bomb"


async def test_bomb_that_claims_to_be_small_is_stopped_where_its_claim_ends(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    await asyncio.to_thread(_bomb, path, claimed=1000)

    async with open_shelf(tmp_path) as shelf:
        assert await refusal(shelf, path) == "archive_damaged"


def _bomb(path: Path, claimed: int) -> None:
    """An archive without series whose persons are 128 MB of zeros, said to be `claimed` bytes."""
    person = {"name": "people.jsonl", "bytes": claimed, "lines": 0, "sha256": "0" * 64}
    head = {"format": "lorekeeper-series", "version": 1, "series": [], "members": [person]}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("manifest.json", json.dumps(head))
        with opened.open("people.jsonl", "w") as member:
            for _ in range(128):
                member.write(bytes(1 << 20))
    if claimed < 1 << 27:
        data = path.read_bytes()
        real = (1 << 27).to_bytes(4, "little")
        path.write_bytes(data.replace(real, claimed.to_bytes(4, "little")))


async def test_series_that_went_another_way_is_refused_with_the_edit(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        await written(old)
        await new.take(await old.out("early.zip"))
        await new.fill([[fact("mara", "mine")]])
        await old.fill([[fact("mara", "theirs")], [fact("mara", "more")]])
        archive = await old.out("late.zip")

        assert await refusal(new, archive) == "archive_differs"
        with pytest.raises(ImportFailure) as failure:
            await compare_archive(new.transfer, archive)
        assert (failure.value.facts["series"], failure.value.facts["edit"]) == ("Oz", 3)


async def test_one_refused_series_keeps_the_others_out(tmp_path: Path) -> None:
    river = Series(id="river", name="River", owner="ann")
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        await old.fill([[fact("neva")]], river)
        await written(old)
        await new.fill([[fact("mara", "other")]])

        assert await refusal(new, await old.out("both.zip")) == "archive_differs"
        assert await new.series.all_series() == (OZ,)


async def test_another_series_of_that_name_and_lead_is_in_the_way(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        archive = await written(old)
        await new.fill([[fact("mara")]], Series(id="other", name="oz", owner="ann"))

        assert await refusal(new, archive) == "archive_name_taken"


async def test_token_that_made_two_changes_is_refused(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        archive = await written(old)
        twice = await asyncio.to_thread(
            rebuilt, archive, replace_in(CHANGES, 3, '"token":"token 2"', '"token":"token 1"')
        )
        with pytest.raises((ImportFailure, StoreFailure)):
            await new.take(twice)

        assert await new.select("SELECT id FROM series") == []
