"""A notes folder on the disk: finds what paths name without ever leaving it, reads, and writes atomically.

All of it blocks and belongs in a thread.
"""

import errno
import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import process

from agent_core.errors import NoteRefusal
from agent_core.vault import paths

MAX_FILE_BYTES = 64_000_000
_TEMPORARY = ".lorekeeper-"


@dataclass(frozen=True, slots=True)
class Found:
    """Something in the folder: `path` as it is written there, `place` where it really lies."""

    path: str
    place: Path
    is_folder: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """A file that a walk met, with what tells whether it has changed."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Folder:
    """A notes folder by its name; `root` is where it really lies."""

    name: str
    root: Path

    def find(self, path: str, *, hidden: bool = False) -> Found:
        """Return what the path names, by the spelling on the disk; names differ by composition at most.

        Raises:
            NoteRefusal: reason "path", "unknown" (with the nearest names), "outside" or "circular".
        """
        found = self.find_maybe(paths.clean(path, hidden=hidden))
        if found is None:
            raise NoteRefusal(reason="unknown", path=path, nearest=self._near(path))
        return found

    def listed(self, path: str) -> Found | None:
        """Return a file whose path a walk gave, or None where it is gone or no longer lies there itself."""
        place = os.path.join(self.root, path)
        if os.path.realpath(place) != place or not os.path.isfile(place):
            return None
        return Found(path, Path(place), is_folder=False)

    def find_file(self, path: str, *, hidden: bool = False) -> Found:
        """Return the file that the path names.

        Raises:
            NoteRefusal: as `find`, or reason "folder".
        """
        found = self.find(paths.clean_file(path, hidden=hidden), hidden=hidden)
        if found.is_folder:
            raise NoteRefusal(reason="folder", path=path)
        return found

    def find_folder(self, path: str, *, hidden: bool = False) -> Found:
        """Return the folder that the path names.

        Raises:
            NoteRefusal: as `find`, or reason "file".
        """
        found = self.find(path, hidden=hidden)
        if not found.is_folder:
            raise NoteRefusal(reason="file", path=path)
        return found

    def find_own(self, path: str, *, hidden: bool = False) -> Found:
        """Return what the path names, if it lies there itself and is no link to something else.

        Raises:
            NoteRefusal: as `find`, or reason "link": what a link leads to is not deleted or moved by it.
        """
        cleaned = paths.clean_file(path, hidden=hidden)
        found = self.find(cleaned, hidden=hidden)
        if paths.key(found.path) != paths.key(cleaned):
            raise NoteRefusal(reason="link", path=path)
        return found

    def free(self, path: str, *, besides: str = "") -> str:
        """Return the path of something new, its folders as they are spelled on the disk.

        Raises:
            NoteRefusal: reason "path", "name", "outside", "file" (a folder of it is one), or "exists":
                names that differ by case or composition only are one. `besides` may stand there: itself.
        """
        cleaned = paths.clean_new(path)
        done = ""
        for part in paths.parent(cleaned).split("/") if paths.parent(cleaned) else ():
            twin = self._twin(done, part)
            found = self.find_maybe(_join(done, twin)) if twin else None
            if found is not None and not found.is_folder:
                raise NoteRefusal(reason="file", path=found.path)
            done = _join(done, twin or part)
        name = cleaned.rpartition("/")[2]
        twin = self._twin(done, name)
        if twin and _join(done, twin) != besides:
            raise NoteRefusal(reason="exists", path=_join(done, twin))
        return _join(done, name)

    def read(self, found: Found) -> bytes:
        """Return the content of a file.

        Raises:
            NoteRefusal: reason "not_a_file", "too_large" or "unreadable".
        """
        try:
            with open(os.open(found.place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):
                    raise NoteRefusal(reason="not_a_file", path=found.path)
                if status.st_size > MAX_FILE_BYTES:
                    raise NoteRefusal(reason="too_large", path=found.path, bytes=status.st_size)
                return file.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            raise unreadable(found.path, error) from error

    def write(self, path: str, content: bytes) -> None:
        """Put the content in the place of the file at once: readers see the old or the new, never a part.

        Raises:
            NoteRefusal: reason "outside", "unreadable" or "disk".
        """
        found = self.find_maybe(path)
        target = found.place if found else self.root / path
        self._check_inside(path, target.parent)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            self._check_inside(path, target.parent)
            _replace(target, content)
        except OSError as error:
            raise unreadable(path, error) from error

    def make_folder(self, path: str) -> None:
        """Make a folder and those that it lies in."""
        self._check_inside(path, self.root / path)
        try:
            (self.root / path).mkdir(parents=True)
        except OSError as error:
            raise unreadable(path, error) from error

    def move(self, old: str, new: str) -> None:
        """Move a file or folder to where nothing is; also where only the case of its name changes.

        Raises:
            NoteRefusal: reason "exists", "outside" or "unreadable".
        """
        source, target = self.root / old, self.root / new
        self._check_inside(new, target.parent)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            self._check_inside(new, target.parent)
            if target.exists() and not target.samefile(source):
                raise NoteRefusal(reason="exists", path=new)
            source.rename(target)
        except OSError as error:
            raise unreadable(old, error) from error
        _sync_folder(target.parent)

    def walk(self, path: str = "") -> Iterator[Seen]:
        """Yield every file below a folder that a path can name; links are left out: nothing comes twice."""
        waiting = [path]
        while waiting:
            inside = waiting.pop()
            with suppress(OSError), os.scandir(self.root / inside) as entries:
                for entry in entries:
                    if not paths.is_visible(entry.name) or entry.is_symlink():
                        continue
                    own = _join(inside, entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(own)
                    elif entry.is_file(follow_symlinks=False):
                        with suppress(OSError):
                            status = entry.stat(follow_symlinks=False)
                            yield Seen(own, status.st_size, status.st_mtime_ns)

    def names(self, path: str) -> list[Found]:
        """Return what lies directly in a folder and can be named, folders first, then by name."""
        made = []
        for name in self._listed(path):
            if paths.is_visible(name):
                with suppress(NoteRefusal):  # a link that leads nowhere or outside
                    if (found := self.find_maybe(_join(path, name))) is not None:
                        made.append(Found(_join(path, name), found.place, found.is_folder))
        return sorted(made, key=lambda one: (not one.is_folder, paths.key(one.path)))

    def find_maybe(self, path: str) -> Found | None:
        """Return what a cleaned path names, or None.

        Raises:
            NoteRefusal: reason "outside" or "circular".
        """
        spelled = ""
        for part in path.split("/") if path else ():
            name = self._spelling(spelled, part)
            if name is None:
                self._real(spelled)
                return None
            spelled = _join(spelled, name)
        place = self._real(spelled)
        inside = "" if place == self.root else place.relative_to(self.root).as_posix()
        if place != self.root / spelled and not all(paths.is_visible(part) for part in inside.split("/")):
            raise NoteRefusal(reason="outside", path=path)
        try:
            return Found(inside, place, stat.S_ISDIR(place.lstat().st_mode))
        except OSError:
            return None

    def _real(self, path: str) -> Path:
        try:
            place = (self.root / path).resolve(strict=False)
        except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links, before Python 3.13
            raise NoteRefusal(reason="circular", path=path) from error
        if not place.is_relative_to(self.root):
            raise NoteRefusal(reason="outside", path=path)
        if place.is_symlink():  # Python 3.13 leaves a loop as it is
            raise NoteRefusal(reason="circular", path=path)
        return place

    def _spelling(self, folder: str, part: str) -> str | None:
        """Return how a name is spelled in a folder on the disk: it may be composed in another way."""
        with suppress(OSError):
            (self.root / folder / part).lstat()
            return part
        if part.isascii():
            return None
        wanted = unicodedata.normalize("NFC", part)
        return next(
            (name for name in self._listed(folder) if unicodedata.normalize("NFC", name) == wanted), None
        )

    def _twin(self, folder: str, part: str) -> str | None:
        """Return the name in a folder that some disk takes for the same: itself first, then by case."""
        spelled = self._spelling(folder, part)
        wanted = paths.key(part)
        return spelled or next((name for name in self._listed(folder) if paths.key(name) == wanted), None)

    def _listed(self, folder: str) -> list[str]:
        try:
            return os.listdir(self.root / folder)
        except OSError:
            return []

    def _near(self, path: str) -> tuple[str, ...]:
        names = {one.path: paths.key(paths.title(one.path)) for one in self.walk()}
        wanted = paths.key(paths.title(path))
        return tuple(item[2] for item in process.extract(wanted, names, limit=3, score_cutoff=70))

    def _check_inside(self, path: str, place: Path) -> None:
        """Pass if the nearest folder that exists above a place lies in this one."""
        while not place.exists() and not place.is_symlink():
            place = place.parent
        if not place.resolve().is_relative_to(self.root):
            raise NoteRefusal(reason="outside", path=path)


def version_of(content: bytes) -> str:
    """Return what tells one content of a file from another."""
    return hashlib.sha256(content).hexdigest()[:16]


def unreadable(path: str, error: OSError) -> NoteRefusal:
    """Return a refusal for what the disk said, without any path of this machine."""
    if error.errno in {errno.ELOOP}:
        return NoteRefusal(reason="circular", path=path)
    reason = "disk" if error.errno in {errno.ENOSPC, errno.EROFS, errno.EDQUOT} else "unreadable"
    return NoteRefusal(reason=reason, path=path, cause=os.strerror(error.errno or errno.EIO))


def _replace(target: Path, content: bytes) -> None:
    temporary = target.with_name(f"{_TEMPORARY}{os.getpid()}-{version_of(target.name.encode())}")
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # not every system syncs folders
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
