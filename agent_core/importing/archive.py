"""Zip files from strangers, read member by member into memory and never onto the disk.

EPUB and DOCX are zip files. Sizes in a zip are claims, so each member is unpacked in small pieces and the
unpacking stops at the limit, whatever the directory says.
"""

import posixpath
import struct
import zipfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import unquote

from agent_core.errors import ImportFailure

MEGABYTE = 1024 * 1024
MAX_ENTRIES = 10_000
"""An illustrated book has some hundred files; reading a directory of 10,000 takes 0.1 s."""
_MAX_DIRECTORY_BYTES = MAX_ENTRIES * 256
_END_RECORD = struct.Struct("<4s4H2LH")
_END_MARK = b"PK\x05\x06"
_LONGEST_COMMENT = 65_535
MAX_TOTAL_BYTES = 128 * MEGABYTE
"""All members that were read. Thirty times the text of the longest novels; pictures are not read."""
MAX_RATIO = 150
"""Prose and its markup shrink to a third or a tenth, the most repetitive real table to a fiftieth."""
_RATIO_COUNTS_FROM = MEGABYTE
_PIECE = 64 * 1024


class Archive:
    """A zip file whose members are read with limits; a context manager."""

    def __init__(self, path: Path, max_member_bytes: int) -> None:
        """Open the file and read its directory.

        Raises:
            ImportFailure: not_found, damaged, or bomb (too many members).
        """
        self.file = path.name
        self._max_member_bytes = max_member_bytes
        self._left = MAX_TOTAL_BYTES
        try:
            if directory_bytes(path) > _MAX_DIRECTORY_BYTES:
                raise ImportFailure(file=self.file, reason="bomb", limit=MAX_ENTRIES)
            self._zip = zipfile.ZipFile(path)
        except OSError as error:
            raise ImportFailure(file=self.file, reason="not_found") from error
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise ImportFailure(file=self.file, reason="damaged") from error
        self._members = {info.filename: info for info in self._zip.infolist()}
        if len(self._zip.infolist()) > MAX_ENTRIES:
            self._zip.close()
            raise ImportFailure(file=self.file, reason="bomb", limit=MAX_ENTRIES)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def names(self) -> tuple[str, ...]:
        """Return the names of all members as the archive gives them."""
        return tuple(self._members)

    def read(self, name: str) -> bytes | None:
        """Return a member unpacked, or None where the archive has none of that name.

        Raises:
            ImportFailure: too_large, bomb, encrypted or damaged.
        """
        info = self._members.get(name)
        if info is None:
            return None
        self._check_claims(info)
        try:
            return self._unpack(info)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
            raise ImportFailure(file=self.file, reason="damaged", part=name) from error

    def check_all(self) -> None:
        """Unpack every member once, so that a library may trust the sizes and checksums in the directory.

        Raises:
            ImportFailure: as `read`.
        """
        for name in self._members:
            self.read(name)

    def _check_claims(self, info: zipfile.ZipInfo) -> None:
        if info.flag_bits & 0x1:
            raise ImportFailure(file=self.file, reason="encrypted", part=info.filename)
        shrunk = info.file_size / max(info.compress_size, 1)
        if info.file_size > _RATIO_COUNTS_FROM and shrunk > MAX_RATIO:
            raise ImportFailure(file=self.file, reason="bomb", part=info.filename)

    def _unpack(self, info: zipfile.ZipInfo) -> bytes:
        pieces = bytearray()
        allowed = min(self._max_member_bytes, self._left)
        with self._zip.open(info) as member:
            while piece := member.read(_PIECE):
                pieces += piece
                if len(pieces) > allowed:
                    raise too_large(self.file, allowed, part=info.filename)
        self._left -= len(pieces)
        return bytes(pieces)


def directory_bytes(path: Path) -> int:
    """Return what the zip says of its directory's size, since `ZipFile` reads it whole at once."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _END_RECORD.size - _LONGEST_COMMENT))
        tail = file.read()
    start = tail.rfind(_END_MARK)
    if start < 0 or len(tail) - start < _END_RECORD.size:
        return 0
    directory_bytes: int = _END_RECORD.unpack_from(tail, start)[5]
    return directory_bytes


def too_large(file: str, limit_bytes: int, part: str | None = None) -> ImportFailure:
    """Return the failure that names the limit in megabytes."""
    return ImportFailure(file=file, reason="too_large", part=part, limit_mb=round(limit_bytes / MEGABYTE, 1))


def member_name(base: str, href: str) -> tuple[str, str]:
    """Return (name of the member, fragment) for a link in the member `base`.

    The name is relative to the root of the archive and is "" for a link that leaves it.
    """
    path, _, fragment = href.partition("#")
    path = unquote(path)
    if not path:
        return base, unquote(fragment)
    name = posixpath.normpath(posixpath.join(posixpath.dirname(base), path))
    leaves = name.startswith(("../", "/")) or name == ".." or "://" in path
    return ("" if leaves else name), unquote(fragment)
