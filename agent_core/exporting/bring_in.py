"""Brings series in from an archive: all of them or nothing, and none that differs from what is here.

A series that is not here is added. One that is here, the same up to its newest edit, is continued with the
archive's later edits. If the archive holds nothing newer it stays as it is. If the two went different ways
nothing is written.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import chain
from pathlib import Path

from agent_core.errors import DuplicateEntity, ImportFailure
from agent_core.exporting.archive import (
    PEOPLE,
    ChangeLine,
    MemberLine,
    PersonLine,
    ProgressLine,
    SeriesLine,
    change_lines,
    folder_of,
)
from agent_core.exporting.read import Archive, open_archive
from agent_core.exporting.store import GivenChange, GivenRow, Ledger, Snapshot, TransferStore


class Fate(StrEnum):
    """What an archive means for a series; also the end of its text key."""

    NEW = "new"
    CONTINUED = "continued"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A series of an archive: the newest edit `here` (0 where it is new) and in the archive (`there`)."""

    name: str
    fate: Fate
    here: int
    there: int


async def compare_archive(store: TransferStore, path: Path) -> tuple[Arrival, ...]:
    """Return what bringing the archive in would do; nothing is written.

    Raises:
        ImportFailure: as `bring_in`.
        StoreFailure: the notes can't be read.

    """

    def compare(snapshot: Snapshot) -> tuple[Arrival, ...]:
        with open_archive(path) as archive:
            return tuple(
                _compare(snapshot, archive, place, series)[0]
                for place, series in enumerate(archive.manifest.series, 1)
            )

    return await store.read(compare)


async def bring_in(store: TransferStore, path: Path) -> tuple[Arrival, ...]:
    """Return what was brought in, in one step: a kill, a full disk or a fault leaves the notes as they were.

    Raises:
        ImportFailure: the file is no sound archive (see `open_archive`); reason "archive_differs" (`series`,
            `edit`) where a series went another way here; "archive_name_taken" (`series`).
        StoreFailure: the notes can't be written.

    """
    return await store.write(partial(_bring_in, path))


def _bring_in(path: Path, ledger: Ledger) -> tuple[Arrival, ...]:
    with open_archive(path) as archive:
        try:
            return _write(archive, ledger)
        except (ValueError, LookupError, RecursionError) as error:
            raise archive.damaged() from error


def _write(archive: Archive, ledger: Ledger) -> tuple[Arrival, ...]:
    standing: Mapping[str, str] | None = None
    arrivals = []
    for place, line in enumerate(archive.manifest.series, 1):
        arrival, rest = _compare(ledger, archive, place, line)
        arrivals.append(arrival)
        if arrival.fate is Fate.SAME:
            continue
        if standing is None:
            standing = ledger.add_people(person.known() for person in archive.parsed(PEOPLE, PersonLine))
        if arrival.fate is Fate.NEW:
            _add(ledger, archive, line)
        ledger.append(line.id, _given(line.id, rest))
        if ledger.edits(line.id) != line.edits or not _same_outline(ledger, archive, place, line):
            raise archive.damaged()
        _add_rights(ledger, archive, place, line.id, standing)
    return tuple(arrivals)


def _compare(
    snapshot: Snapshot, archive: Archive, place: int, line: SeriesLine
) -> tuple[Arrival, Iterator[str]]:
    """Return what becomes of a series, and the lines of the changes that are not here."""
    there = archive.lines(f"{folder_of(place)}changes.jsonl")
    if all(one.id != line.id for one in snapshot.series()):
        return Arrival(line.name, Fate.NEW, 0, line.edits), there
    here = snapshot.edits(line.id)
    for written in snapshot.changes(line.id, min(here, line.edits)):
        for text in change_lines(written):
            if next(there, None) != text:
                edit = written.change.number
                raise ImportFailure(file=archive.file, reason="archive_differs", series=line.name, edit=edit)
    fate = Fate.CONTINUED if here < line.edits else Fate.SAME
    return Arrival(line.name, fate, here, line.edits), there


def _add(ledger: Ledger, archive: Archive, line: SeriesLine) -> None:
    try:
        ledger.add_series(line.series())
    except DuplicateEntity as error:
        raise ImportFailure(file=archive.file, reason="archive_name_taken", series=line.name) from error


def _given(series: str, lines: Iterator[str]) -> Iterator[GivenChange]:
    for head in lines:
        line = ChangeLine.model_validate_json(head)
        rows = tuple(_row(next(lines, "")) for _ in range(line.rows))
        yield GivenChange(line.as_change(series), line.token, tuple(line.keys), rows)


def _row(line: str) -> GivenRow:
    kind, subject, body = json.loads(line)
    if not (isinstance(kind, str) and isinstance(subject, str) and isinstance(body, dict)):
        raise ValueError("no row")
    return GivenRow(kind, subject, body)


def _same_outline(snapshot: Snapshot, archive: Archive, place: int, line: SeriesLine) -> bool:
    """Return whether the changes led to the outline that the archive says they led to."""
    there = archive.lines(f"{folder_of(place)}nodes.jsonl")
    here = snapshot.nodes(line.id)
    return all(one == next(there, None) for one in chain(here, (None,)))


def _add_rights(
    ledger: Ledger, archive: Archive, place: int, series: str, standing: Mapping[str, str]
) -> None:
    folder = folder_of(place)
    for member in archive.parsed(f"{folder}members.jsonl", MemberLine):
        ledger.add_member(member.membership(series, standing[member.person]))
    for line in archive.parsed(f"{folder}progress.jsonl", ProgressLine):
        ledger.add_progress(line.progress(series, standing[line.person]))
