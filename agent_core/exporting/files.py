"""The forms in which the canon of a place goes out as a file."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agent_core.exporting.lorebook import novelai, world_info
from agent_core.exporting.notes import NoteText, canon_notes
from agent_core.exporting.view import CanonView
from agent_core.vault import paths

_WHEN = (1980, 1, 1, 0, 0, 0)  # so that the same canon gives the same bytes


class CanonFormat(StrEnum):
    """Markdown notes as a zip file, SillyTavern's world info, NovelAI's lorebook."""

    NOTES = "notes"
    LOREBOOK = "lorebook"
    NOVELAI = "novelai"


@dataclass(frozen=True, slots=True)
class CanonFile:
    """A file of the canon; `name` fits any disk."""

    name: str
    media_type: str
    content: bytes


def canon_file(view: CanonView, form: CanonFormat, language: str) -> CanonFile:
    """Return the canon of a place as one file."""
    stem = _stem(view)
    if form is CanonFormat.NOTES:
        return CanonFile(f"{stem}.zip", "application/zip", zipped(canon_notes(view, language)))
    if form is CanonFormat.LOREBOOK:
        return CanonFile(f"{stem}.json", "application/json", world_info(view, language))
    return CanonFile(f"{stem}.lorebook", "application/json", novelai(view, language))


def zipped(notes: Sequence[NoteText]) -> bytes:
    """Return a zip file of notes; the same notes give the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for note in notes:
            archive.writestr(zipfile.ZipInfo(note.path, _WHEN), note.text.encode("utf-8", "replace"))
    return made.getvalue()


def _stem(view: CanonView) -> str:
    place = f" {view.at.label}" if view.at is not None else ""
    plain = "".join(char if char.isalnum() or char in " -_." else " " for char in f"{view.series}{place}")
    return " ".join(plain.split())[: paths.MAX_PART_BYTES // 5].strip(" .") or "canon"
