"""Plans of the writes that move, delete or rewrite what people made: nothing here changes anything yet.

All of it blocks and belongs in a thread.
"""

import hashlib
from collections.abc import Iterable

import regex

from agent_core.errors import NoteRefusal
from agent_core.vault import paths
from agent_core.vault.folder import Found, Seen
from agent_core.vault.glob import Glob
from agent_core.vault.note import Note
from agent_core.vault.plan import Plan, Rewrite, moves_of, relinks, rewrite
from agent_core.vault.vault import Vault

MAX_REPLACED = 5_000
_REGEX_S = 0.5


def delete_file(vault: Vault, path: str) -> Plan:
    """Plan to put a file into `.trash`."""
    found = vault.folder.find_own(path)
    if found.is_folder:
        raise NoteRefusal(reason="folder", path=found.path)
    content = vault.folder.read(found)
    links = _links_to(vault, [found.path])
    return Plan(
        path=found.path,
        version=_version(content),
        rewrites=(),
        moves={found.path: trashed(vault, found.path)},
        before=content[:4_000].decode("utf-8", "replace") if paths.is_note(found.path) else "",
        facts={"links": links},
    )


def delete_directory(vault: Vault, path: str) -> Plan:
    """Plan to put a folder with all that it holds into `.trash`."""
    found = vault.folder.find_own(path)
    if not found.is_folder:
        raise NoteRefusal(reason="file", path=found.path)
    held = _held(vault, found)
    inside = frozenset(one.path for one in held)
    return Plan(
        path=found.path,
        version=_version_of_all(held),
        moves={found.path: trashed(vault, found.path)},
        facts={
            "notes": sum(paths.is_note(one.path) for one in held),
            "files": len(held),
            "links": _links_to(vault, inside),
        },
    )


def move_path(vault: Vault, path: str, to: str) -> Plan:
    """Plan to move a file or folder to another path, or out of `.trash`; a folder there takes it in."""
    found = vault.folder.find_own(path, hidden=True)
    target = vault.folder.find_maybe(paths.clean(to))
    into = target is not None and target.is_folder and paths.key(target.path) != paths.key(found.path)
    wanted = f"{to.rstrip('/')}/{found.path.rpartition('/')[2]}".lstrip("/") if into else to
    if not into and not found.is_folder and "." not in wanted.rpartition("/")[2]:
        wanted += paths.NOTE_SUFFIX if paths.is_note(found.path) else ""
    return _move(vault, found, wanted)


def rename_file(vault: Vault, path: str, name: str) -> Plan:
    """Plan to give a file another name in its folder; without a suffix it keeps its own."""
    paths.clean_file(name)
    found = vault.folder.find_own(path)
    if found.is_folder:
        raise NoteRefusal(reason="folder", path=found.path)
    suffix = found.path.rpartition("/")[2].rpartition(".")
    own = f".{suffix[2]}" if suffix[1] else ""
    same = own and name.lower().endswith(own.lower())
    return _move(vault, found, _beside(found.path, name if same or _has_suffix(name) else f"{name}{own}"))


def rename_directory(vault: Vault, path: str, name: str) -> Plan:
    """Plan to give a folder another name where it is."""
    found = vault.folder.find_own(path)
    if not found.is_folder:
        raise NoteRefusal(reason="file", path=found.path)
    return _move(vault, found, _beside(found.path, name))


def replace_in_files(
    vault: Vault, pattern: str, replacement: str, glob: str, *, is_regex: bool, case_sensitive: bool
) -> Plan:
    """Plan to replace a text, or what an expression finds, in all notes that the glob fits."""
    if not pattern:
        raise NoteRefusal(reason="empty", path=glob)
    expression = _compiled(pattern, is_regex=is_regex, case_sensitive=case_sensitive)
    fits = Glob(glob).fits
    wanted = sorted(one.path for one in vault.folder.walk() if paths.is_note(one.path) and fits(one.path))
    changed: list[Rewrite] = []
    counts: list[tuple[str, int]] = []
    first: tuple[str, str] = ("", "")
    for note in vault.notes(wanted):
        text, count = _replaced(note, expression, replacement, is_regex=is_regex)
        if count and text != note.text:
            changed.append(rewrite(note, Note(note.path, text, note.marked)))
            counts.append((note.path, count))
            first = first if first[0] else _first_difference(note.text, text)
    if not changed:
        raise NoteRefusal(reason="no_match", path=glob, searched=len(wanted))
    if len(changed) > MAX_REPLACED:
        raise NoteRefusal(reason="too_many", path=glob, found=len(changed), most=MAX_REPLACED)
    listed = ", ".join(f"{path} ({count})" for path, count in counts[:5])
    return Plan(
        path=glob,
        version=_version("\n".join(f"{one.path}:{one.version}" for one in changed).encode()),
        rewrites=tuple(changed),
        before=first[0],
        after=first[1],
        facts={"count": sum(count for _, count in counts), "notes": len(changed), "listed": listed},
    )


def trashed(vault: Vault, path: str, taken: Iterable[str] = ()) -> str:
    """Return where a file goes in `.trash`: its own path there, numbered where that is taken."""
    stem, dot, suffix = path.rpartition(".")
    if not dot or "/" in suffix:
        stem, suffix = path, ""
    number, wanted = 1, f"{paths.TRASH}/{path}"
    while (vault.folder.root / wanted).exists() or wanted in taken:
        number += 1
        wanted = f"{paths.TRASH}/{stem} {number}{dot if suffix else ''}{suffix}"
    return wanted


def _move(vault: Vault, found: Found, to: str) -> Plan:
    new = vault.folder.free(to, besides=found.path)
    if new == found.path:
        raise NoteRefusal(reason="same", path=found.path)
    if new.startswith(f"{found.path}/"):
        raise NoteRefusal(reason="inside", path=found.path)
    held = _held(vault, found) if found.is_folder else []
    files = {one.path: f"{new}{one.path[len(found.path) :]}" for one in held}
    files = files if found.is_folder else {found.path: new}
    from_trash = found.path.startswith(f"{paths.TRASH}/")
    notes = [] if from_trash else relinks(vault, moves_of(vault, files))
    version = _version_of_all(held) if found.is_folder else _version(vault.folder.read(found))
    return Plan(
        path=found.path,
        version=version,
        rewrites=tuple(rewrite(before, after) for before, after, _ in notes),
        moves={found.path: new},
        facts={
            "to": new,
            "files": len(held),
            "links": sum(count for _, _, count in notes),
            "notes": len(notes),
        },
    )


def _held(vault: Vault, found: Found) -> list[Seen]:
    return sorted(vault.folder.walk(found.path), key=lambda one: one.path)


def _links_to(vault: Vault, targets: Iterable[str]) -> int:
    """Return how many links of other notes lead to these files."""
    wanted = frozenset(targets)
    vault.sync()  # a link that another program wrote just now breaks as well
    rows = vault.index.links(to={paths.link_key(one) for one in wanted})
    return sum(row.source not in wanted and vault.resolved(row) in wanted for row in rows)


def _version(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _version_of_all(held: Iterable[Seen]) -> str:
    return _version(
        "\n".join(f"{one.path}:{one.size}:{one.mtime_ns}" for one in held).encode("utf-8", "replace")
    )


def _beside(path: str, name: str) -> str:
    if "/" in name or "\\" in name:
        raise NoteRefusal(reason="path", path=paths.shown(name))
    folder = paths.parent(path)
    return f"{folder}/{name}" if folder else name


def _has_suffix(name: str) -> bool:
    return (
        regex.fullmatch(
            r".+\.(?:md|canvas|png|jpe?g|gif|webp|svg|pdf|mp3|mp4|webm|txt|csv|json)", name.lower()
        )
        is not None
    )


def _compiled(pattern: str, *, is_regex: bool, case_sensitive: bool) -> regex.Pattern[str]:
    flags = regex.MULTILINE | (0 if case_sensitive else regex.IGNORECASE)
    try:
        return regex.compile(pattern if is_regex else regex.escape(pattern, literal_spaces=True), flags)
    except regex.error as error:
        raise NoteRefusal(reason="pattern", path=paths.shown(pattern), cause=str(error)[:100]) from error


def _replaced(
    note: Note, expression: regex.Pattern[str], replacement: str, *, is_regex: bool
) -> tuple[str, int]:
    written = note.in_file(replacement)
    by = written if is_regex else lambda _: written
    try:
        return expression.subn(by, note.text, timeout=_REGEX_S, concurrent=True)
    except TimeoutError as error:
        raise NoteRefusal(reason="pattern", path=note.path, cause="too slow") from error
    except (regex.error, IndexError) as error:
        raise NoteRefusal(reason="pattern", path=paths.shown(replacement), cause=str(error)[:100]) from error


def _first_difference(before: str, after: str) -> tuple[str, str]:
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    return next(((one, other) for one, other in pairs if one != other), ("", ""))
