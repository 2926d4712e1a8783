"""The files of a bible as bytes: from a folder, a zip file or a notes folder that is attached."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agent_core.errors import ImportFailure, NoteRefusal
from agent_core.importing.archive import MEGABYTE, Archive, too_large
from agent_core.vault import paths
from agent_core.vault.folder import Folder, Seen
from agent_core.vault.vault import Vault

MAX_FILES = 20_000
MAX_FILE_BYTES = 8 * MEGABYTE
MAX_TOTAL_BYTES = 256 * MEGABYTE
MAPPING_NAMES = frozenset({"lorekeeper.yaml", "lorekeeper.yml"})
SUFFIXES = frozenset({".md", ".markdown", ".csv", ".tsv", ".xlsx", ".json", ".lorebook"})


_ONLY_BIBLES = frozenset({".zip", ".csv", ".tsv", ".xlsx", ".json", ".lorebook"})


def is_bible(names: Iterable[str]) -> bool:
    """Return whether files of these names hold a bible for sure, as manuscripts have other forms."""
    lower = [name.lower() for name in names]
    return any(Path(name).suffix in _ONLY_BIBLES for name in lower) and all(
        Path(name).suffix in _ONLY_BIBLES or name in MAPPING_NAMES for name in lower
    )


@dataclass(frozen=True, slots=True)
class BibleFile:
    """A file by its path within what was named, parts joined by `/`, composed characters as NFC.

    `named`: the person named this file itself, not a folder that it lies in. `lost` is the reason why the
    content of a file in a folder isn't here (too_large, not_found), or "".
    """

    path: str
    content: bytes
    named: bool = False
    lost: str = ""

    @property
    def suffix(self) -> str:
        """How the name ends, in small letters."""
        return Path(self.path).suffix.lower()

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    def check(self) -> None:
        """Pass if the content is here.

        Raises:
            ImportFailure: with the reason why it is not.
        """
        if self.lost:
            raise ImportFailure(file=self.path, reason=self.lost)

    def text(self) -> str:
        """Return the content as text without a byte order mark.

        Raises:
            ImportFailure: as `check`, or reason "not_text", with the line of the first byte that is none.
        """
        self.check()
        content = self.content
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            with suppress(UnicodeDecodeError):
                return content.decode("utf-16")
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content[: error.start].count(b"\n") + 1
            raise ImportFailure(file=self.path, reason="not_text", line=line) from error


def files_of(named: Sequence[Path]) -> list[BibleFile]:
    """Return the files that a person named, those in folders and zip files with them.

    Raises:
        ImportFailure: not_found, too_large, damaged, encrypted or bomb, with the name of the file.
    """
    found = [file for path in named for file in _named(path)]
    if sum(len(file.content) for file in found) > MAX_TOTAL_BYTES:
        raise too_large(named[0].name, MAX_TOTAL_BYTES)
    return found


def files_of_vault(vault: Vault) -> list[BibleFile]:
    """Return the notes and sheets of a notes folder that is attached, but for made files in `exports`."""
    return _of_folder(vault.folder, left_out=paths.EXPORTS)


def _named(path: Path) -> list[BibleFile]:
    if path.is_dir():
        return _of_folder(Folder(path.name, path.resolve()))
    if not path.is_file():
        raise ImportFailure(file=path.name, reason="not_found")
    if path.suffix.lower() == ".zip":
        with Archive(path, MAX_FILE_BYTES) as archive:
            return list(_members(archive))
    if path.suffix.lower() not in SUFFIXES and path.name.lower() not in MAPPING_NAMES:
        raise ImportFailure(file=path.name, reason="bible_form")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise too_large(path.name, MAX_FILE_BYTES)
    try:
        return [BibleFile(_composed(path.name), path.read_bytes(), named=True)]
    except OSError as error:
        raise ImportFailure(file=path.name, reason="not_found") from error


def _of_folder(folder: Folder, *, left_out: str = "") -> list[BibleFile]:
    seen = [
        one
        for one in folder.walk()
        if _is_wanted(one.path) and paths.key(one.path.partition("/")[0]) != left_out
    ]
    if len(seen) > MAX_FILES:
        raise ImportFailure(file=folder.name, reason="too_large", limit=MAX_FILES)
    found = (_in_folder(folder, one) for one in sorted(seen, key=lambda one: paths.key(one.path)))
    return [file for file in found if file is not None]


def _in_folder(folder: Folder, seen: Seen) -> BibleFile | None:
    place, path = folder.listed(seen.path), _composed(seen.path)
    if place is None:
        return None
    if seen.size > MAX_FILE_BYTES:
        return BibleFile(path, b"", lost="too_large")
    try:
        return BibleFile(path, folder.read(place))
    except NoteRefusal:
        return BibleFile(path, b"", lost="not_found")


def _members(archive: Archive) -> Iterator[BibleFile]:
    for name in sorted(archive.names(), key=paths.key):
        parts = name.split("/")
        is_seen = all(map(paths.is_visible, parts)) and "__MACOSX" not in parts
        if is_seen and _is_wanted(name) and (content := archive.read(name)) is not None:
            yield BibleFile(_composed(name), content)


def _is_wanted(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name in MAPPING_NAMES or Path(name).suffix in SUFFIXES


def _composed(path: str) -> str:
    return unicodedata.normalize("NFC", path)
