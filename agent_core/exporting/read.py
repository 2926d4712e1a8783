"""Reads an archive as a stream, with limits: nothing in it is believed before it was checked."""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from agent_core.errors import ImportFailure
from agent_core.exporting.archive import (
    FORMAT,
    MANIFEST,
    MAX_LINE_BYTES,
    PEOPLE,
    VERSION,
    Line,
    Manifest,
    Member,
    folder_of,
)
from agent_core.importing.archive import directory_bytes

L = TypeVar("L", bound=Line)

MAX_TOTAL_BYTES = 16 * 1024**3
"""Fifty times a series of a million facts."""
MAX_RATIO = 200
"""Facts shrink to a tenth, the most alike that tests could make to a sixtieth."""
_RATIO_COUNTS_FROM = 64 * 1024**2
_MAX_DIRECTORY_BYTES = 16 * 1024**2
_MAX_MANIFEST_BYTES = 16 * 1024**2
_PIECE = 256 * 1024


class Archive:
    """An archive whose members are as the manifest says."""

    def __init__(self, file: str, opened: zipfile.ZipFile, manifest: Manifest, stack: ExitStack) -> None:
        self.file = file
        self.manifest = manifest
        self._zip = opened
        self._stack = stack

    def lines(self, name: str) -> Iterator[str]:
        """Yield the lines of a member, without their ends.

        Raises:
            ImportFailure: reason "archive_damaged".

        """
        with _damage(self.file):
            # Whoever reads may stop before the end; the member is closed with the archive at the latest.
            member = self._stack.enter_context(self._zip.open(name))
            reader = io.BufferedReader(member, _PIECE)  # type: ignore[type-var]  # it reads, which is enough
            while line := reader.readline(MAX_LINE_BYTES):
                if not line.endswith(b"\n"):
                    raise ValueError("a line without an end")
                yield line[:-1].decode()

    def parsed(self, name: str, kind: type[L]) -> Iterator[L]:
        """Yield the lines of a member as what they stand for.

        Raises:
            ImportFailure: reason "archive_damaged".

        """
        for line in self.lines(name):
            with _damage(self.file):
                parsed = kind.model_validate_json(line)
            yield parsed

    def damaged(self) -> ImportFailure:
        """Return the failure that says so."""
        return ImportFailure(file=self.file, reason="archive_damaged")


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Give the archive after reading all of it once: sizes, lines and checksums are right.

    Raises:
        ImportFailure: reason "not_found", "archive_foreign", "archive_newer", "archive_damaged" or "bomb".

    """
    try:
        if directory_bytes(path) > _MAX_DIRECTORY_BYTES:
            raise ImportFailure(file=path.name, reason="bomb")
        opened = zipfile.ZipFile(path)
    except OSError as error:
        raise ImportFailure(file=path.name, reason="not_found") from error
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise ImportFailure(file=path.name, reason="archive_damaged") from error
    with opened, ExitStack() as stack:
        manifest = _manifest(path.name, opened)
        archive = Archive(path.name, opened, manifest, stack)
        _check_claims(archive, opened)
        for member in manifest.members:
            with _damage(path.name):
                _check(opened, member)
        yield archive


@contextmanager
def _damage(file: str) -> Iterator[None]:
    """Let whatever a damaged file can lead to be that failure."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        LookupError,
    ) as error:
        raise ImportFailure(file=file, reason="archive_damaged") from error


def _manifest(file: str, opened: zipfile.ZipFile) -> Manifest:
    if MANIFEST not in opened.namelist():
        raise ImportFailure(file=file, reason="archive_foreign")
    with _damage(file), opened.open(MANIFEST) as member:
        text = member.read(_MAX_MANIFEST_BYTES)
        head = json.loads(text)
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise ImportFailure(file=file, reason="archive_foreign")
    version = head.get("version")
    if isinstance(version, int) and version > VERSION:
        raise ImportFailure(file=file, reason="archive_newer")
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        raise ImportFailure(file=file, reason="archive_damaged") from error


def _check_claims(archive: Archive, opened: zipfile.ZipFile) -> None:
    """Refuse other members than the series of the manifest have, and sizes that are out of proportion."""
    if [member.name for member in archive.manifest.members] != list(_names(archive.manifest)):
        raise archive.damaged()
    infos = {info.filename: info for info in opened.infolist()}
    if any(
        (info := infos.get(member.name)) is None or info.file_size != member.bytes
        for member in archive.manifest.members
    ):
        raise archive.damaged()
    total = sum(info.file_size for info in infos.values())
    packed = sum(info.compress_size for info in infos.values())
    if total > MAX_TOTAL_BYTES or (total > _RATIO_COUNTS_FROM and total > MAX_RATIO * packed):
        raise ImportFailure(file=archive.file, reason="bomb")


def _names(manifest: Manifest) -> Iterator[str]:
    yield PEOPLE
    for place in range(1, len(manifest.series) + 1):
        for name in ("changes", "nodes", "members", "progress"):
            yield f"{folder_of(place)}{name}.jsonl"


def _check(opened: zipfile.ZipFile, expected: Member) -> None:
    digest, size, lines = hashlib.sha256(), 0, 0
    with opened.open(expected.name) as member:
        while piece := member.read(_PIECE):
            digest.update(piece)
            size += len(piece)
            lines += piece.count(b"\n")
            if size > expected.bytes:
                raise ValueError("longer than it says")
    if (size, lines, digest.hexdigest()) != (expected.bytes, expected.lines, expected.sha256):
        raise ValueError("not what it says")
