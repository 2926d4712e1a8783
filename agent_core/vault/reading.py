"""Answers about the files of a notes folder. All of it blocks and belongs in a thread."""

import difflib
from collections.abc import Iterable
from datetime import UTC, datetime

from agent_core.vault import paths
from agent_core.vault.answers import (
    BackupDiff,
    BackupItem,
    BackupList,
    FileItem,
    FileList,
    HeadingItem,
    NoteText,
)
from agent_core.vault.folder import Seen, version_of
from agent_core.vault.frontmatter import tags_of, values_of
from agent_core.vault.glob import Glob
from agent_core.vault.note import Note
from agent_core.vault.vault import Vault

MAX_FILES = 1_000
MAX_HEADINGS = 200
_DIFF_LINES = 4_000


def directory(vault: Vault, path: str) -> FileList:
    """Return what lies directly in a folder, or in `.trash`."""
    folder = vault.folder.find_folder(path, hidden=True)
    items = [
        FileItem(path=one.path, kind="folder")
        if one.is_folder
        else _item(Seen(one.path, one.place.stat().st_size, one.place.stat().st_mtime_ns))
        for one in vault.folder.names(folder.path)
    ]
    return _listed(vault, items)


def all_files(vault: Vault, glob: str) -> FileList:
    """Return every file whose path fits the pattern."""
    fits = Glob(glob).fits
    seen = sorted((one for one in vault.folder.walk() if fits(one.path)), key=lambda one: paths.key(one.path))
    return _listed(vault, map(_item, seen))


def recent(vault: Vault, n: int) -> FileList:
    """Return the notes that changed last."""
    notes = (one for one in vault.folder.walk() if paths.is_note(one.path))
    newest = sorted(notes, key=lambda one: (-one.mtime_ns, one.path))
    shown = tuple(map(_item, newest[:n]))
    return FileList(vault=vault.name, items=shown, more=len(newest) - len(shown))


def file(vault: Vault, path: str, offset: int, max_chars: int, *, numbered: bool = False) -> NoteText:
    """Return a note, from a character on, with what stands in it."""
    note = vault.note(path, hidden=True)
    front = note.markup.frontmatter
    values = values_of(note)
    headings = tuple(
        HeadingItem(level=one.level, title=one.title, line=note.line_at(one.start))
        for one in note.markup.headings[:MAX_HEADINGS]
    )
    links = dict.fromkeys(f"{link.path}{link.fragment}" for link in note.markup.links)
    piece = _piece(vault, note, offset, max_chars)
    if numbered:
        piece = piece.model_copy(update={"text": _numbered(piece.text, piece.line), "numbered": True})
    return piece.model_copy(
        update={
            "fields": dict(values) if front else None,
            "tags": tags_of(note, values),
            "headings": headings,
            "links": tuple(links)[:MAX_HEADINGS],
        }
    )


def raw(vault: Vault, path: str, offset: int, max_chars: int) -> NoteText:
    """Return the text of a file, from a character on, and nothing else."""
    return _piece(vault, vault.note(path, hidden=True), offset, max_chars)


def backups(vault: Vault, path: str) -> BackupList:
    """Return the backups of a note, which may be gone."""
    cleaned = paths.clean_file(path)
    found = vault.folder.find_maybe(cleaned)
    spelled = found.path if found else cleaned
    current = version_of(vault.folder.read(found)) if found and not found.is_folder else ""
    items = tuple(
        BackupItem(id=one.id, at=one.at, bytes=one.size, is_current=one.version == current)
        for one in vault.backups.all(spelled)
    )
    return BackupList(vault=vault.name, path=spelled, items=items)


def backup_diff(vault: Vault, path: str, backup: str) -> BackupDiff:
    """Return what differs between a backup and the note as it is; a note that is gone is empty."""
    cleaned = paths.clean_file(path)
    found = vault.folder.find_maybe(cleaned)
    spelled = found.path if found else cleaned
    before = Note.of(spelled, vault.backups.content(spelled, backup))
    after = vault.note_at(found) if found else Note(spelled, "")
    old, new = before.text.splitlines(), after.text.splitlines()
    head = _same(old, new)
    tail = _same(old[head:][::-1], new[head:][::-1])
    start = max(0, head - 3)
    old, new = old[start : len(old) - max(0, tail - 3)], new[start : len(new) - max(0, tail - 3)]
    cut = len(old) > _DIFF_LINES or len(new) > _DIFF_LINES
    lines = list(difflib.unified_diff(old[:_DIFF_LINES], new[:_DIFF_LINES], lineterm="", n=3))[2:]
    return BackupDiff(
        vault=vault.name,
        path=spelled,
        backup=backup or vault.backups.all(spelled)[0].id,
        diff="\n".join(_shifted(line, start) for line in lines),
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
        cut=cut,
    )


def moment(ns: int) -> str:
    """Return a time of the disk as ISO UTC."""
    return datetime.fromtimestamp(ns // 1_000_000_000, UTC).isoformat().replace("+00:00", "Z")


def _piece(vault: Vault, note: Note, offset: int, max_chars: int) -> NoteText:
    end = min(offset + max_chars, len(note.text))
    return NoteText(
        vault=vault.name,
        path=note.path,
        text=note.text[offset:end].replace("\r\n", "\n"),
        version=note.version,
        offset=offset,
        line=1 + note.text.count("\n", 0, offset),
        total=len(note.text),
        next_offset=end if end < len(note.text) else None,
        line_ends="crlf" if note.line_end == "\r\n" else "lf",
    )


def _numbered(text: str, first: int) -> str:
    return "\n".join(f"{number}: {line}" for number, line in enumerate(text.split("\n"), first))


def _item(seen: Seen) -> FileItem:
    kind = "note" if paths.is_note(seen.path) else "file"
    return FileItem(path=seen.path, kind=kind, bytes=seen.size, modified=moment(seen.mtime_ns))


def _listed(vault: Vault, items: Iterable[FileItem]) -> FileList:
    all_items = tuple(items)
    return FileList(vault=vault.name, items=all_items[:MAX_FILES], more=max(0, len(all_items) - MAX_FILES))


def _same(old: list[str], new: list[str]) -> int:
    pairs = zip(old, new, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(old), len(new)))


def _shifted(line: str, by: int) -> str:
    """Return a line of a diff; those that give places count from the beginning of the whole file."""
    if not line.startswith("@@"):
        return line
    _, old, new, _ = line.split(" ", 3)
    moved = []
    for span in (old, new):
        start, comma, count = span[1:].partition(",")
        moved.append(f"{span[0]}{int(start) + by}{comma}{count}")
    return f"@@ {moved[0]} {moved[1]} @@"
