"""Plans of the writes that add to notes: nothing here changes anything. All of it blocks; for threads."""

from agent_core.errors import NoteRefusal
from agent_core.vault import paths
from agent_core.vault.folder import version_of
from agent_core.vault.note import Note
from agent_core.vault.plan import Plan, Rewrite, rewrite
from agent_core.vault.vault import Vault


def create_file(vault: Vault, path: str, text: str) -> Plan:
    """Plan a new text file; without a suffix it is a note."""
    cleaned = paths.clean_file(path)
    given = cleaned if "." in cleaned.rpartition("/")[2] else f"{cleaned}{paths.NOTE_SUFFIX}"
    _check_text_file(given)
    new = vault.folder.free(given)
    note = Note(new, text)
    return Plan(path=new, rewrites=(Rewrite(new, note.content, ""),), after=text)


def create_directory(vault: Vault, path: str) -> Plan:
    """Plan a new folder with those that it lies in."""
    new = vault.folder.free(path)
    return Plan(path=new, folders=(new,))


def append_to_file(vault: Vault, path: str, text: str, heading: str) -> Plan:
    """Plan to put a text at the end of a note, or of a section of it."""
    if not text:
        raise NoteRefusal(reason="empty", path=path)
    note = vault.note(path)
    return _changed(note, note.appended(text, heading), after=text)


def edit_file(vault: Vault, path: str, old: str, new: str, expected: int) -> Plan:
    """Plan to replace a passage of a note, taken literally, that stands there as often as expected."""
    note = vault.note(path)
    return _changed(note, note.edited(old, new, expected), before=old, after=new, count=expected)


def restore_backup(vault: Vault, path: str, backup: str) -> Plan:
    """Plan to put a backup in the place of a note, or where it was."""
    cleaned = paths.clean_file(path)
    found = vault.folder.find_maybe(cleaned)
    if found is not None and found.is_folder:
        raise NoteRefusal(reason="folder", path=cleaned)
    spelled = found.path if found else vault.folder.free(cleaned)
    content = vault.backups.content(spelled, backup)
    current = vault.folder.read(found) if found else None
    if current == content:
        raise NoteRefusal(reason="same", path=spelled)
    version = version_of(current) if current is not None else ""
    return Plan(
        path=spelled,
        version=version,
        rewrites=(Rewrite(spelled, content, version),),
        before=_text(current),
        after=_text(content),
    )


def newest_backup(vault: Vault, path: str) -> str:
    """Return the id of the newest backup of a note, "" where none is kept."""
    cleaned = paths.clean_file(path)
    found = vault.folder.find_maybe(cleaned)
    kept = vault.backups.all(found.path if found else cleaned)
    return kept[0].id if kept else ""


def _changed(note: Note, new: Note, *, before: str = "", after: str = "", count: int = 1) -> Plan:
    return Plan(
        path=note.path,
        version=note.version,
        rewrites=(rewrite(note, new),),
        before=before,
        after=after,
        facts={"count": count} if count > 1 else {},
    )


def _text(content: bytes | None) -> str:
    """Return what a card can show of a file: of one that is no text, nothing."""
    return content.decode("utf-8", "replace") if content and b"\0" not in content else ""


def _check_text_file(path: str) -> None:
    """Pass if what a model writes can be a file of this kind: text alone."""
    suffix = path.rpartition(".")[2].lower()
    if suffix not in {"md", "txt", "csv", "json", "canvas", "yaml", "yml", "fountain", "base", "css"}:
        raise NoteRefusal(reason="kind", path=paths.shown(path))
