"""Backs the notes up every night while a process serves them, and thins the old backups out."""

import asyncio
import glob
import logging
import re
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from agent_core.clock import Clock, SystemClock
from agent_core.errors import StoreFailure
from bot.databases import back_up_database
from bot.settings import Settings

BackUp = Callable[[Path, Callable[[], bool]], object]
Failed = Callable[[StoreFailure], Awaitable[None]]

NIGHT = time(3)
LONGEST_WAIT_S = 900.0
"""Waiting runs on a clock that may stand still while a machine sleeps."""
WAIT_AFTER_FAILURE_S = 3600.0
_STAMP = "%Y%m%dT%H%M%SZ"

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Keeper:
    """Makes a backup at three each night in `zone`; one that was missed is made at the next start.

    `back_up` copies the database to a path, blocking, until the function it is given says that it shall stop.
    The newest `keep` backups stay. Nothing else in the folder is touched. `failed` is called for the first
    of failures that follow each other.
    """

    stem: str
    folder: Path
    keep: int
    zone: ZoneInfo
    clock: Clock
    back_up: BackUp
    failed: Failed
    _is_failing: bool = False

    async def run(self) -> None:
        """Keep on until cancelled."""
        while True:
            try:
                wait_s = await self.tick()
            except Exception:  # a backup that fails ends nothing else
                logger.exception("nightly backup failed")
                wait_s = WAIT_AFTER_FAILURE_S
            await asyncio.sleep(wait_s)

    async def tick(self) -> float:
        """Make the backup if it is due; return the seconds until it is worth looking again."""
        now = self.clock.now()
        newest = await asyncio.to_thread(newest_nightly, self.folder, self.stem, now)
        if newest is None or newest < self._night_before(now):
            try:
                await self._make(now)
            except StoreFailure as failure:
                logger.warning("nightly backup failed", extra={"cause": str(failure)})
                if not self._is_failing:
                    self._is_failing = True
                    await self.failed(failure)
                return WAIT_AFTER_FAILURE_S
            self._is_failing = False
        next_night = self._night_before(now + timedelta(days=1))
        return min(max((next_night - self.clock.now()).total_seconds(), 1.0), LONGEST_WAIT_S)

    async def _make(self, now: datetime) -> None:
        await asyncio.to_thread(self._remove_unfinished)
        stopped = threading.Event()
        try:
            await asyncio.to_thread(
                self.back_up, self.folder / backup_name(self.stem, "nightly", now), stopped.is_set
            )
        finally:
            stopped.set()
        await asyncio.to_thread(self._thin_out, now)

    def _remove_unfinished(self) -> None:
        """Remove what a kill in the middle of a nightly backup has left."""
        for file in self.folder.glob(f"{glob.escape(self.stem)}.nightly-*.db.unfinished*"):
            file.unlink(missing_ok=True)

    def _thin_out(self, now: datetime) -> None:
        nightly = sorted(_nightly(self.folder, self.stem, now), reverse=True)
        for _, file in nightly[self.keep :]:
            file.unlink(missing_ok=True)

    def _night_before(self, now: datetime) -> datetime:
        """Return the newest instant up to `now` at which a backup was due."""
        local = now.astimezone(self.zone)
        due = datetime.combine(local.date(), NIGHT, self.zone)
        if due > local:
            due = datetime.combine(local.date() - timedelta(days=1), NIGHT, self.zone)
        return due.astimezone(UTC)


def keeper_for(settings: Settings, failed: Failed) -> Keeper:
    """Return the keeper of the notes that these settings name."""
    return Keeper(
        stem=settings.database.stem,
        folder=settings.backup_dir,
        keep=settings.backup_keep,
        zone=settings.time_zone,
        clock=SystemClock(),
        back_up=lambda target, stop: back_up_database(settings, target, stop=stop),
        failed=failed,
    )


def backup_name(stem: str, kind: str, instant: datetime) -> str:
    """Return what a backup is called: "lorekeeper.nightly-20260501T030000Z.db"."""
    return f"{stem}.{kind}-{instant.astimezone(UTC).strftime(_STAMP)}.db"


def newest_nightly(folder: Path, stem: str, now: datetime) -> datetime | None:
    """Return when the newest nightly backup in the folder was made, None without one; blocks."""
    return max((instant for instant, _ in _nightly(folder, stem, now)), default=None)


def _nightly(folder: Path, stem: str, now: datetime) -> Iterator[tuple[datetime, Path]]:
    """Yield the nightly backups; one from after `now` comes of a wrong clock and is left alone."""
    name = re.compile(rf"{re.escape(stem)}\.nightly-(\d{{8}}T\d{{6}}Z)\.db")
    for file in folder.iterdir() if folder.is_dir() else ():
        match = name.fullmatch(file.name)
        if match is None:
            continue
        instant = _instant(match[1])
        if instant is not None and instant <= now:
            yield instant, file


def _instant(stamp: str) -> datetime | None:
    try:
        return datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None
