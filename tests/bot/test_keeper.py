"""The nightly backup: when it is due, what stays, and that it is in nobody's way."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from agent_core.errors import StoreFailure
from bot.keeper import Keeper, backup_name, newest_nightly
from tests.clock import FakeClock

BOUND_S = 5
BERLIN = ZoneInfo("Europe/Berlin")


@dataclass
class Copier:
    """Writes a small file as backup, or fails."""

    failing: bool = False
    made: list[str] = field(default_factory=list)

    def __call__(self, target: Path, stop: Callable[[], bool]) -> None:
        if self.failing:
            raise StoreFailure(reason="full")
        target.parent.mkdir(exist_ok=True)
        target.write_text("a backup")
        self.made.append(target.name)


async def ignored(_: StoreFailure) -> None:
    """Nobody is told."""


def keeper(
    folder: Path,
    clock: FakeClock,
    copier: Callable[..., object],
    keep: int = 3,
    failed: Callable[[StoreFailure], Awaitable[None]] = ignored,
) -> Keeper:
    return Keeper(
        stem="lore", folder=folder, keep=keep, zone=BERLIN, clock=clock, back_up=copier, failed=failed
    )


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


async def test_first_start_makes_a_backup_and_the_night_the_next(tmp_path: Path) -> None:
    clock, copier = FakeClock(), Copier()
    one = keeper(tmp_path / "backups", clock, copier)

    await one.tick()
    clock.advance(hours=12)  # 02:00 in Berlin
    await one.tick()
    assert copier.made == ["lore.nightly-20260501T120000Z.db"]
    clock.advance(hours=1)
    await one.tick()

    assert copier.made == ["lore.nightly-20260501T120000Z.db", "lore.nightly-20260502T010000Z.db"]


async def test_backup_that_was_missed_is_made_at_the_next_start(tmp_path: Path) -> None:
    clock, copier = FakeClock(), Copier()
    await keeper(tmp_path, clock, copier).tick()
    clock.advance(days=3)

    await keeper(tmp_path, clock, copier).tick()
    await keeper(tmp_path, clock, copier).tick()

    assert copier.made == ["lore.nightly-20260501T120000Z.db", "lore.nightly-20260504T120000Z.db"]


async def test_restart_on_the_same_day_makes_no_second_backup(tmp_path: Path) -> None:
    clock, copier = FakeClock(), Copier()
    await keeper(tmp_path, clock, copier).tick()
    clock.advance(hours=4)

    await keeper(tmp_path, clock, copier).tick()

    assert len(copier.made) == 1


async def test_only_old_nightly_backups_are_thinned_out(tmp_path: Path) -> None:
    clock, copier = FakeClock(), Copier()
    others = ["lore.backup-20200101T000000Z.db", "lore.before-0002.db", "other.nightly-20200101T000000Z.db"]
    for name in [*others, "lore.nightly-yesterday.db", "lore.nightly-20200101T000000Z.db", "novel.docx"]:
        (tmp_path / name).write_text("mine")
    one = keeper(tmp_path, clock, copier, keep=2)

    for _ in range(4):
        await one.tick()
        clock.advance(days=1)

    assert files(tmp_path) == sorted([*others, "lore.nightly-yesterday.db", "novel.docx", *copier.made[-2:]])


async def test_nothing_is_thinned_out_before_the_new_backup_stands(tmp_path: Path) -> None:
    clock, copier = FakeClock(), Copier()
    one = keeper(tmp_path, clock, copier, keep=1)
    await one.tick()
    clock.advance(days=1)
    copier.failing = True

    wait_s = await one.tick()

    assert files(tmp_path) == copier.made
    assert wait_s == 3600
    copier.failing = False
    await one.tick()
    assert files(tmp_path) == copier.made[-1:]


async def test_operators_are_told_of_the_first_of_failures_that_follow_each_other(tmp_path: Path) -> None:
    told: list[object] = []

    async def tell(failure: StoreFailure) -> None:
        told.append(failure.facts["reason"])

    clock, copier = FakeClock(), Copier(failing=True)
    one = keeper(tmp_path, clock, copier, failed=tell)
    for _ in range(3):
        await one.tick()
        clock.advance(hours=1)
    assert told == ["full"]

    copier.failing = False
    await one.tick()
    clock.advance(days=1)
    copier.failing = True
    await one.tick()
    assert told == ["full", "full"]


async def test_backup_from_a_wrong_clock_neither_counts_nor_goes(tmp_path: Path) -> None:
    ahead = "lore.nightly-20990101T000000Z.db"
    (tmp_path / ahead).write_text("made while the clock was wrong")
    copier = Copier()

    await keeper(tmp_path, FakeClock(), copier, keep=1).tick()

    assert files(tmp_path) == [*copier.made, ahead]


async def test_what_a_kill_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "lore.nightly-20260430T010000Z.db.unfinished").write_text("half a backup")
    (tmp_path / "lore.nightly-20260430T010000Z.db.unfinished-journal").write_text("its journal")
    copier = Copier()

    await keeper(tmp_path, FakeClock(), copier).tick()

    assert files(tmp_path) == copier.made


@pytest.mark.parametrize(
    "at", [datetime(2026, 3, 29, 0, 59, tzinfo=UTC), datetime(2026, 10, 25, 1, 59, tzinfo=UTC)]
)
async def test_every_night_has_one_backup_when_the_clocks_change(tmp_path: Path, at: datetime) -> None:
    clock, copier = FakeClock(at - timedelta(days=1)), Copier()
    one = keeper(tmp_path, clock, copier, keep=99)
    await one.tick()

    for _ in range(24 * 5):
        clock.advance(minutes=30)
        await one.tick()

    local = [
        datetime.strptime(name, "lore.nightly-%Y%m%dT%H%M%SZ.db").replace(tzinfo=UTC).astimezone(BERLIN)
        for name in copier.made[1:]
    ]
    assert len({instant.date() for instant in local}) == len(local)
    assert len(local) >= 2


async def test_waits_are_short_so_that_a_sleeping_machine_is_no_excuse(tmp_path: Path) -> None:
    clock = FakeClock()
    one = keeper(tmp_path, clock, Copier())
    assert await one.tick() == 900
    clock.advance(hours=12, minutes=59)  # a minute to three
    assert await one.tick() == 60


async def test_cancelled_keeper_stops_the_copying_at_once(tmp_path: Path) -> None:
    started, ended = threading.Event(), threading.Event()

    def endless(_: Path, stop: Callable[[], bool]) -> None:
        started.set()
        while not stop():
            ended.wait(0.01)
        ended.set()

    async with asyncio.timeout(BOUND_S):
        keeping = asyncio.ensure_future(keeper(tmp_path, FakeClock(), endless).run())
        await asyncio.to_thread(started.wait, BOUND_S)
        keeping.cancel()
        await asyncio.wait({keeping})
        assert await asyncio.to_thread(ended.wait, BOUND_S)

    assert keeping.cancelled()


async def test_loop_goes_on_while_a_backup_is_made(tmp_path: Path) -> None:
    """A70: copying runs beside the loop."""
    release = threading.Event()
    making = asyncio.ensure_future(
        keeper(tmp_path, FakeClock(), lambda target, stop: release.wait(BOUND_S)).tick()
    )
    for _ in range(100):
        await asyncio.sleep(0)
    assert not making.done()
    release.set()
    async with asyncio.timeout(BOUND_S):
        await making


def test_newest_nightly_of_a_missing_folder_is_none(tmp_path: Path) -> None:
    assert newest_nightly(tmp_path / "missing", "lore", FakeClock().now()) is None
    assert backup_name("lore", "backup", FakeClock().now()) == "lore.backup-20260501T120000Z.db"
