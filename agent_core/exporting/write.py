"""Takes series out: one archive, written member by member while the store is read."""

import errno
import hashlib
import os
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from agent_core.errors import StoreCause, StoreFailure
from agent_core.exporting.archive import (
    MANIFEST,
    PEOPLE,
    Manifest,
    Member,
    MemberLine,
    PersonLine,
    ProgressLine,
    SeriesLine,
    change_lines,
    folder_of,
)
from agent_core.exporting.store import Snapshot, TransferStore
from agent_core.lore.model import Series

_NO_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_PRIVATE_FILE = 0o100600 << 16
_PIECE = 256 * 1024


@dataclass(frozen=True, slots=True)
class Exported:
    """What an archive holds: each series' name with its number of edits, and rows in all."""

    series: tuple[tuple[str, int], ...]
    rows: int


async def write_archive(store: TransferStore, target: Path, series: Sequence[str] | None = None) -> Exported:
    """Return what was written to `target`: all series, or those of these ids, as they stand at one moment.

    Raises:
        StoreFailure: reason "backup_exists" (with `file`) where the file is there already; "full" and the
            like. No half-written file is left.

    """
    return await store.read(lambda snapshot: _write(snapshot, target, series))


def _write(snapshot: Snapshot, target: Path, wanted: Sequence[str] | None) -> Exported:
    if target.exists():
        raise StoreFailure(reason="backup_exists", file=target.name)
    chosen = [one for one in snapshot.series() if wanted is None or one.id in wanted]
    unfinished = target.with_name(target.name + ".unfinished")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(unfinished, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as file:
            exported = _write_all(snapshot, file, chosen)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        raise StoreFailure(reason=StoreCause.FULL if full else StoreCause.READ_ONLY) from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return exported


def _write_all(snapshot: Snapshot, file: BinaryIO, chosen: Sequence[Series]) -> Exported:
    edits = {one.id: snapshot.edits(one.id) for one in chosen}
    lines = 0
    with zipfile.ZipFile(file, "w") as archive:
        members = [_write_member(archive, PEOPLE, _people(snapshot, list(edits)))]
        for place, one in enumerate(chosen, 1):
            folder = folder_of(place)
            changes = _write_member(
                archive, f"{folder}changes.jsonl", _changes(snapshot, one.id, edits[one.id])
            )
            lines += changes.lines - edits[one.id]
            members += [
                changes,
                _write_member(archive, f"{folder}nodes.jsonl", snapshot.nodes(one.id)),
                _write_member(archive, f"{folder}members.jsonl", _members(snapshot, one.id)),
                _write_member(archive, f"{folder}progress.jsonl", _progress(snapshot, one.id)),
            ]
        listed = [
            SeriesLine(id=one.id, name=one.name, owner=one.owner, edits=edits[one.id]) for one in chosen
        ]
        _write_member(archive, MANIFEST, [Manifest(series=listed, members=members).text()])
    return Exported(tuple((one.name, edits[one.id]) for one in chosen), lines)


def _people(snapshot: Snapshot, series: Sequence[str]) -> Iterator[str]:
    return (PersonLine.of(person).text() for person in snapshot.people(series))


def _changes(snapshot: Snapshot, series: str, up_to: int) -> Iterator[str]:
    return (line for written in snapshot.changes(series, up_to) for line in change_lines(written))


def _members(snapshot: Snapshot, series: str) -> Iterator[str]:
    return (MemberLine.of(membership).text() for membership in snapshot.members(series))


def _progress(snapshot: Snapshot, series: str) -> Iterator[str]:
    return (ProgressLine.of(progress).text() for progress in snapshot.progress(series))


def _write_member(archive: zipfile.ZipFile, name: str, lines: Iterable[str]) -> Member:
    """Write a member line by line; return what the manifest says of it."""
    info = zipfile.ZipInfo(name, _NO_DATE)
    info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, _UNIX, _PRIVATE_FILE
    digest, size, count = hashlib.sha256(), 0, 0
    with archive.open(info, "w", force_zip64=True) as member:
        for piece, lines_in_it in _pieces(lines):
            digest.update(piece)
            member.write(piece)
            size += len(piece)
            count += lines_in_it
    return Member(name=name, bytes=size, lines=count, sha256=digest.hexdigest())


def _pieces(lines: Iterable[str]) -> Iterator[tuple[bytes, int]]:
    """Yield the lines joined to pieces that are worth a call each."""
    piece: list[bytes] = []
    size = 0
    for line in lines:
        piece.append(line.encode() + b"\n")
        size += len(piece[-1])
        if size > _PIECE:
            yield b"".join(piece), len(piece)
            piece, size = [], 0
    yield b"".join(piece), len(piece)
