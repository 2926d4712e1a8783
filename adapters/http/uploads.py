"""Files that somebody sent, kept until they are imported or a day has passed."""

import asyncio
import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import UploadFile

from adapters.http.problems import Problem, not_found

FOLDER = "uploads"
KEPT_S = 86_400.0
MAX_FILES = 100
_ID = re.compile(r"[0-9a-f-]{8,40}")
_ODD = re.compile(r"[^\w .,'()&+-]")


@dataclass(frozen=True, slots=True)
class Uploads:
    """The folder below the data folder where one person's files lie."""

    folder: Path

    @classmethod
    def of(cls, data_dir: Path, person: str) -> "Uploads":
        """Return the uploads of a person."""
        return cls(data_dir / FOLDER / person)

    async def keep(self, upload: str, files: Sequence[UploadFile]) -> list[Path]:
        """Return the files as they lie on the disk now; what is older than a day is cleared away.

        Raises:
            Problem: 422; there are none, or too many.
        """
        if not files or len(files) > MAX_FILES:
            raise Problem(422, "no_files")
        return await asyncio.to_thread(self._keep, upload, files)

    async def paths(self, upload: str) -> list[Path]:
        """Return the files of an upload.

        Raises:
            Problem: 404; there is none.
        """
        found = await asyncio.to_thread(self._paths, upload) if _ID.fullmatch(upload) else []
        if not found:
            raise not_found()
        return found

    async def drop(self, upload: str) -> None:
        """Delete an upload."""
        await asyncio.to_thread(shutil.rmtree, self.folder / upload, ignore_errors=True)

    async def fresh_file(self, upload: str, name: str) -> Path:
        """Return the path of a file that is to be written and goes within a day."""
        return await asyncio.to_thread(self._made, upload) / name

    def _keep(self, upload: str, files: Sequence[UploadFile]) -> list[Path]:
        folder = self._made(upload)
        kept: list[Path] = []
        for place, file in enumerate(files, 1):
            target = folder / _name(file.filename or "", place)
            if target in kept:
                target = target.with_stem(f"{target.stem} {place}")
            with target.open("xb") as written:
                shutil.copyfileobj(file.file, written)
            kept.append(target)
        return kept

    def _made(self, upload: str) -> Path:
        folder = self.folder / upload
        self._clear()
        folder.mkdir(parents=True, mode=0o700)
        return folder

    def _paths(self, upload: str) -> list[Path]:
        folder = self.folder / upload
        return sorted(folder.iterdir()) if folder.is_dir() else []

    def _clear(self) -> None:
        old = time.time() - KEPT_S
        for folder in self.folder.glob("*"):
            if folder.stat().st_mtime < old:
                shutil.rmtree(folder, ignore_errors=True)


def _name(given: str, place: int) -> str:
    """Return a name that is safe on any disk and keeps how it ends: the format is told by that."""
    last = re.split(r"[/\\]", given)[-1]
    name = _ODD.sub("_", last).strip(" .")[-120:]
    return name or f"file {place}"
