"""Keeps what notes were before each write, outside of their folder, the newest of each note.

All of it blocks and belongs in a thread.
"""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from agent_core.errors import NoteRefusal
from agent_core.vault import paths
from agent_core.vault.folder import version_of

_NAME = re.compile(r"(?P<number>\d{6})-(?P<at>\d{8}T\d{6}Z)-(?P<version>[0-9a-f]{16})")


@dataclass(frozen=True, slots=True)
class Backup:
    """An earlier content of a note; `at` is when it was kept, as ISO UTC."""

    id: str
    at: str
    version: str
    size: int


@dataclass(frozen=True, slots=True)
class Backups:
    """The backups of one notes folder; `keep` of each note."""

    root: Path
    keep: int

    def save(self, path: str, content: bytes, at: datetime) -> None:
        """Keep a content, unless it is that of the newest backup; what is beyond the number kept goes."""
        folder = self._folder(path)
        names = self._names(folder)
        version = version_of(content)
        if names and names[-1].endswith(version):
            return
        folder.mkdir(parents=True, exist_ok=True)
        number = int(names[-1][:6]) + 1 if names else 1
        name = f"{number:06d}-{at:%Y%m%dT%H%M%SZ}-{version}"
        part = folder / f".{name}"
        part.write_bytes(content)
        part.replace(folder / name)
        for old in [*names, name][: -self.keep]:
            (folder / old).unlink(missing_ok=True)

    def all(self, path: str) -> list[Backup]:
        """Return the backups of a note, the newest first."""
        folder = self._folder(path)
        return [_backup(folder / name) for name in reversed(self._names(folder))]

    def content(self, path: str, backup: str) -> bytes:
        """Return a backup by its id, "" being the newest.

        Raises:
            NoteRefusal: reason "no_backups", or "backup" with those that there are.
        """
        names = self._names(self._folder(path))
        if not names:
            raise NoteRefusal(reason="no_backups", path=path)
        chosen = backup or names[-1]
        if chosen not in names:
            raise NoteRefusal(reason="backup", path=path, nearest=tuple(reversed(names[-10:])))
        return (self._folder(path) / chosen).read_bytes()

    def follow(self, old: str, new: str) -> None:
        """Let the backups of a note that has moved go with it, unless there are some of the new path."""
        source, target = self._folder(old), self._folder(new)
        if source.is_dir() and not target.exists():
            source.rename(target)

    def _folder(self, path: str) -> Path:
        return self.root / hashlib.sha256(paths.key(path).encode("utf-8", "replace")).hexdigest()[:32]

    def _names(self, folder: Path) -> list[str]:
        if not folder.is_dir():
            return []
        return sorted(item.name for item in folder.iterdir() if _NAME.fullmatch(item.name))


def _backup(file: Path) -> Backup:
    name = _NAME.fullmatch(file.name)
    assert name is not None  # noqa: S101  only such names are listed
    at = datetime.strptime(name["at"], "%Y%m%dT%H%M%SZ").isoformat()
    return Backup(file.name, f"{at}Z", name["version"], file.stat().st_size)
