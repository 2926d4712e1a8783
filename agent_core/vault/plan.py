"""What a write would do to a notes folder, and the doing: backups first, whole files, all of it or nothing.

All of it blocks and belongs in a thread.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from agent_core.errors import NoteRefusal
from agent_core.vault import paths
from agent_core.vault.folder import version_of
from agent_core.vault.note import Note
from agent_core.vault.relink import Moves, moves, referring
from agent_core.vault.vault import Vault


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A file that gets other content. `version` is that of what it takes the place of, "" of nothing."""

    path: str
    content: bytes
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a write would do, in this order: folders made, files written, files and folders moved.

    `facts` are counts and names for the card. Notes that go to the trash are moves into it.
    """

    path: str
    version: str = ""
    folders: tuple[str, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    moves: Mapping[str, str] = field(default_factory=dict)
    before: str = ""
    after: str = ""
    facts: Mapping[str, str | int] = field(default_factory=dict)

    def parts(self) -> Iterator[str | bytes]:
        """Yield everything that it does: two plans of the same parts are one."""
        yield from (self.path, self.version, *self.folders)
        for one in self.rewrites:
            yield from (one.path, one.content, one.version)
        for old, new in self.moves.items():
            yield from (old, new)


def apply(vault: Vault, plan: Plan, at: datetime) -> None:
    """Do what was planned; where a part of it fails, what was done before is taken back.

    Raises:
        NoteRefusal: reason "changed" (a file is no longer what was read), or what the disk said.
    """
    with vault.writing:
        earlier = {one.path: _checked(vault, one) for one in plan.rewrites}
        for path, content in earlier.items():
            if content is not None:
                vault.backups.save(path, content, at)
        for old in (old for old, new in plan.moves.items() if _is_trash(new)):
            _keep_trashed(vault, old, at)
        done: list[Rewrite] = []
        moved: list[tuple[str, str]] = []
        try:
            for folder in plan.folders:
                vault.folder.make_folder(folder)
            for one in plan.rewrites:
                vault.folder.write(one.path, one.content)
                done.append(one)
            for old, new in plan.moves.items():
                vault.folder.move(old, new)
                moved.append((old, new))
        except NoteRefusal:
            _take_back(vault, done, earlier, moved)
            raise
        for old, new in plan.moves.items():
            if not _is_trash(new):
                vault.backups.follow(old, new)
    vault.refresh({*earlier, *plan.moves, *plan.moves.values()})


def relinks(vault: Vault, moved: Moves) -> list[tuple[Note, Note, int]]:
    """Return the notes whose links have to follow, as they are and as they will be, and how many links."""
    sources = {row.source for row in vault.index.links(to=moved.keys)}
    sources |= {path for path in moved.to if paths.is_note(path)}
    return referring(vault.notes(sorted(sources)), moved)


def moves_of(vault: Vault, to: Mapping[str, str]) -> Moves:
    """Return the moves of files, as the folder holds the others at this moment."""
    vault.sync()  # a link that another program wrote just now has to follow as well
    return moves(to, vault.index.named)


def rewrite(before: Note, after: Note) -> Rewrite:
    """Return the writing of a note that was read."""
    return Rewrite(before.path, after.content, before.version)


def _is_trash(path: str) -> bool:
    return path.startswith(f"{paths.TRASH}/")


def _keep_trashed(vault: Vault, path: str, at: datetime) -> None:
    """Keep a backup of a note that goes to the trash; a folder lies there as it was."""
    found = vault.folder.find_maybe(path)
    if found and not found.is_folder and paths.is_note(path):
        vault.backups.save(path, vault.folder.read(found), at)


def _checked(vault: Vault, one: Rewrite) -> bytes | None:
    """Return what stands there, if it is what was read."""
    found = vault.folder.find_maybe(one.path)
    content = vault.folder.read(found) if found else None
    if (version_of(content) if content is not None else "") != one.version:
        raise NoteRefusal(reason="changed", path=one.path)
    return content


def _take_back(
    vault: Vault, done: list[Rewrite], earlier: Mapping[str, bytes | None], moved: list[tuple[str, str]]
) -> None:
    with suppress(NoteRefusal):  # the first failure is what is told; backups hold the rest
        for old, new in reversed(moved):
            vault.folder.move(new, old)
        for one in reversed(done):
            content = earlier[one.path]
            if content is not None:
                vault.folder.write(one.path, content)
            else:
                (vault.folder.root / one.path).unlink(missing_ok=True)
