"""Reads what a person names as a bible, whatever format it has."""

from collections.abc import Sequence
from pathlib import Path

from agent_core.errors import ImportFailure
from agent_core.importing.bible.codex import is_codex, read_codex
from agent_core.importing.bible.files import MAPPING_NAMES, BibleFile, files_of
from agent_core.importing.bible.lorebook import read_lorebook
from agent_core.importing.bible.mapping import Mapping_, read_mapping
from agent_core.importing.bible.model import UNREAD, Bible, Remark, Spot
from agent_core.importing.bible.note import ReadNote
from agent_core.importing.bible.notes import bible_of, read_notes
from agent_core.importing.bible.sheets import read_sheet

_NOTES = frozenset({".md", ".markdown"})
_SHEETS = frozenset({".csv", ".tsv", ".xlsx"})
_JSON = frozenset({".json", ".lorebook"})


def read_bible(named: Sequence[Path]) -> Bible:
    """Return what these files and folders tell of. It blocks and belongs in a thread.

    Raises:
        ImportFailure: with the file, and the line where there is one; nothing is returned then.
    """
    files = files_of(named)
    return read_files(files, named[0].name if named else "")


def read_files(files: Sequence[BibleFile], name: str) -> Bible:
    """Return what the files tell of; `name` is what they are called together.

    Raises:
        ImportFailure: as `read_bible`; reason "bible_empty" where nothing tells of the story.
    """
    mapping = read_mapping(next((file for file in files if file.name.lower() in MAPPING_NAMES), None))
    remarks: list[Remark] = []
    notes = _notes(files, mapping, remarks)
    bible = bible_of(notes, mapping, remarks)
    if not bible.entries and not bible.scenes:
        first = next((one for one in remarks if one.code in UNREAD), None)
        if first is not None:
            facts = {"reason": first.code, **first.facts}
            raise ImportFailure(file=first.spot.file, line=first.spot.line, **facts)
        raise ImportFailure(file=name, reason="bible_empty")
    return bible


def _notes(files: Sequence[BibleFile], mapping: Mapping_, remarks: list[Remark]) -> list[ReadNote]:
    if is_codex(files):
        return read_codex(files, mapping, remarks)
    notes: list[ReadNote] = []
    for file in sorted(files, key=lambda file: file.suffix not in _NOTES):
        try:
            notes += _read(file, mapping, remarks)
        except ImportFailure as failure:
            if file.named:
                raise
            remarks.append(_unread(file, failure))
    return notes


def _read(file: BibleFile, mapping: Mapping_, remarks: list[Remark]) -> list[ReadNote]:
    file.check()
    if file.suffix in _NOTES:
        return read_notes([file], mapping, remarks)
    if file.suffix in _SHEETS:
        return read_sheet(file, mapping, remarks)
    return _lorebook(file, mapping, remarks) if file.suffix in _JSON else []


def _unread(file: BibleFile, failure: ImportFailure) -> Remark:
    """Return what is said of one file among many that can't be read."""
    reason, line = str(failure.facts["reason"]), failure.facts.get("line")
    spot = Spot(file.path, line if isinstance(line, int) else 0)
    return Remark(reason if reason in UNREAD else "unreadable", spot, {"reason": reason})


def _lorebook(file: BibleFile, mapping: Mapping_, remarks: list[Remark]) -> list[ReadNote]:
    """Return the notes of a lorebook; a folder may hold other JSON, which is passed over."""
    try:
        found = read_lorebook(file, mapping, remarks)
    except ImportFailure:
        if file.named or file.suffix == ".lorebook":
            raise
        return []
    if found is None and file.named:
        raise ImportFailure(file=file.path, reason="bible_form")
    return found or []
