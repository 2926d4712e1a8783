"""Files that people sent, each person's apart, kept until they were imported or a week has passed."""

import asyncio
import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from agent_core.errors import ImportFailure

KEPT_S = 8 * 86_400.0
"""A day longer than a card stays open."""
MAX_EACH = 20
"""How many uploads of one person are kept; the oldest go first."""
_ID = re.compile(r"[0-9A-Za-z-]{1,60}")
_ODD = re.compile(r"[^\w .,'()&+-]")


@dataclass(frozen=True, slots=True)
class Uploads:
    """The folder below which uploads lie, one folder a person and upload."""

    folder: Path

    async def keep(self, person: str, upload: str, files: Sequence[tuple[str, BinaryIO]]) -> list[Path]:
        """Store files (name, what gives the content) and return where: all of them, or none is kept."""
        return await asyncio.to_thread(self._keep, person, upload, files)

    async def fresh_file(self, person: str, upload: str, name: str) -> Path:
        """Return the path of a file that is to be written, and goes with its upload."""
        return await asyncio.to_thread(self._made, person, upload) / name

    async def paths(self, person: str, upload: str) -> list[Path]:
        """Return the files of a person's upload.

        Raises:
            ImportFailure: reason "gone"; there is none, or no longer.
        """
        found = await asyncio.to_thread(self._paths, person, upload)
        if not found:
            raise ImportFailure(file="", reason="gone")
        return found

    async def drop(self, person: str, upload: str) -> None:
        """Delete an upload."""
        await asyncio.to_thread(shutil.rmtree, self.folder / person / upload, ignore_errors=True)

    def _keep(self, person: str, upload: str, files: Sequence[tuple[str, BinaryIO]]) -> list[Path]:
        folder = self._made(person, upload)
        try:
            return _written(folder, files)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _made(self, person: str, upload: str) -> Path:
        """Return the new folder of an upload; what is old, or too much of its person, is cleared away."""
        self._clear(person)
        folder = self.folder / person / upload
        folder.mkdir(parents=True, mode=0o700)
        return folder

    def _paths(self, person: str, upload: str) -> list[Path]:
        if not (_ID.fullmatch(person) and _ID.fullmatch(upload)):
            return []
        folder = self.folder / person / upload
        return sorted(folder.iterdir()) if folder.is_dir() else []

    def _clear(self, person: str) -> None:
        old = time.time() - KEPT_S
        gone = [folder for folder in self.folder.glob("*/*") if folder.stat().st_mtime < old]
        own = sorted((self.folder / person).glob("*"), key=lambda folder: folder.stat().st_mtime)
        for folder in {*gone, *own[: max(len(own) - MAX_EACH + 1, 0)]}:
            shutil.rmtree(folder, ignore_errors=True)


def safe_name(given: str, place: int) -> str:
    """Return a name that is safe on any disk and keeps how it ends: the format is told by that."""
    last = re.split(r"[/\\]", given)[-1]
    name = _ODD.sub("_", last).strip(" .")[-120:]
    return name or f"file {place}"


def _written(folder: Path, files: Sequence[tuple[str, BinaryIO]]) -> list[Path]:
    kept: list[Path] = []
    for place, (name, content) in enumerate(files, 1):
        target = folder / safe_name(name, place)
        if target in kept:
            target = target.with_stem(f"{target.stem} {place}")
        with target.open("xb") as written:
            shutil.copyfileobj(content, written)
        kept.append(target)
    return kept
