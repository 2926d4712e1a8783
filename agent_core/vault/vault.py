"""One notes folder with its index and backups. All of it blocks and belongs in a thread."""

import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache

from agent_core.errors import NoteRefusal
from agent_core.lore.fold import document, fold
from agent_core.vault import paths
from agent_core.vault.backups import Backups
from agent_core.vault.folder import Folder, Found, Seen
from agent_core.vault.frontmatter import aliases_of, tags_of, values_of
from agent_core.vault.note import Note
from agent_core.vault.resolution import Candidates, resolve
from agent_core.vault.store import Indexed, LinkRow, NoteIndex, Stamp

MAX_INDEXED_BYTES = 32_000_000
_MAX_VALUE_CHARS = 500
_MANY = 50  # looking through the whole folder is quicker than at so many one by one


@dataclass(slots=True)
class Vault:
    """A notes folder. `writing` is held by whoever changes it."""

    folder: Folder
    index: NoteIndex
    backups: Backups
    writing: threading.RLock = field(default_factory=threading.RLock)
    _syncing: threading.Lock = field(default_factory=threading.Lock)
    _told: bool = False
    _whole: bool = False

    @property
    def name(self) -> str:
        """The name that the folder has in the settings."""
        return self.folder.name

    @property
    def is_told(self) -> bool:
        """Whether changes of other programs are told as they happen."""
        return self._told

    def note(self, path: str, *, hidden: bool = False) -> Note:
        """Return a note or another text file by its path.

        Raises:
            NoteRefusal: as `Folder.find_file` and `Folder.read`, or reason "not_text".
        """
        found = self.folder.find_file(path, hidden=hidden)
        return self.note_at(found)

    def note_at(self, found: Found) -> Note:
        """Return the note that was found."""
        return Note.of(found.path, self.folder.read(found))

    def notes(self, wanted: Iterable[str]) -> Iterator[Note]:
        """Yield those notes of the paths, which the index or a walk gave, that can be read, one at a time."""
        for path in wanted:
            found = self.folder.listed(path)
            if found is not None:
                with suppress(NoteRefusal):
                    yield self.note_at(found)

    def current(self) -> NoteIndex:
        """Return the index as it fits the folder: read whole once, then as changes are told."""
        if not (self._whole and self._told):
            self.sync()
        return self.index

    def told(self, changed: Collection[str]) -> None:
        """Take in what has changed; from now on changes are told as they happen."""
        if not self._told:
            self._whole = False  # what changed before is found by looking once more
            self._told = True
        elif changed and self._whole:
            self.refresh(changed)

    def untold(self) -> None:
        """Note that changes are no longer told."""
        self._told = False

    def sync(self) -> int:
        """Bring the index up to what lies in the folder; return how many files were read or forgotten."""
        with self._syncing:
            known = dict(self.index.stamps())
            changed = [
                seen
                for seen in self.folder.walk()
                if known.pop(seen.path, None) != Stamp(seen.size, seen.mtime_ns)
            ]
            self.index.drop(known)
            self.index.put(map(self._indexed, changed))
            self._whole = True
            return len(changed) + len(known)

    def refresh(self, changed: Iterable[str]) -> None:
        """Take in what has become of some files; a path of a folder stands for all below it."""
        visible = [one for one in changed if all(map(paths.is_visible, one.split("/")))]
        if len(visible) > _MANY:
            self.sync()
        elif visible:
            self._take_in(visible)

    def resolved(self, row: LinkRow, candidates: Candidates | None = None) -> str | None:
        """Return the file that a link leads to."""
        return resolve(row.link.path, row.link.style, row.source, candidates or self.index.named)

    def _take_in(self, changed: Iterable[str]) -> None:
        with self._syncing:
            files: dict[str, Seen] = {}
            gone: list[str] = []
            known = self.index.stamps()
            for path in changed:
                below = [one for one in known if one == path or one.startswith(f"{path}/")]
                there = {seen.path: seen for seen in self._seen(path)}
                files |= there
                gone += [one for one in below if one not in there]
            self.index.drop(gone)
            self.index.put(self._indexed(seen) for seen in files.values())

    def _seen(self, path: str) -> Iterator[Seen]:
        place = self.folder.root / path
        if place.resolve() != place:  # a link of the disk, or below one: a walk leaves it out too
            return
        if place.is_dir():
            yield from self.folder.walk(path)
        else:
            with suppress(OSError):
                status = place.stat(follow_symlinks=False)
                yield Seen(path, status.st_size, status.st_mtime_ns)

    def _indexed(self, seen: Seen) -> Indexed:
        bare = Indexed(
            path=seen.path,
            size=seen.size,
            mtime_ns=seen.mtime_ns,
            link_key=paths.link_key(seen.path),
            title=paths.title(seen.path),
        )
        if not paths.is_note(seen.path):
            return bare
        try:
            if seen.size > MAX_INDEXED_BYTES:
                raise NoteRefusal(reason="too_large", path=seen.path)
            note = self.note_at(Found(seen.path, self.folder.root / seen.path, is_folder=False))
        except NoteRefusal:
            return _with_text(bare, None)
        return _with_text(bare, note)


def _with_text(bare: Indexed, note: Note | None) -> Indexed:
    if note is None:
        return Indexed(
            path=bare.path, size=bare.size, mtime_ns=bare.mtime_ns, link_key=bare.link_key, title=bare.title,
            names=document(bare.title), skipped=True,
        )  # fmt: skip
    values = values_of(note)
    fields = [
        (paths.key(name), paths.key(value)[:_MAX_VALUE_CHARS])
        for name, said in values.items()
        for value in said or ("",)
    ]
    links = tuple((paths.link_key(link.path), link, note.line_at(link.start)) for link in note.markup.links)
    return Indexed(
        path=bare.path,
        size=bare.size,
        mtime_ns=bare.mtime_ns,
        link_key=bare.link_key,
        title=bare.title,
        names=document(" ".join((bare.title, *aliases_of(values)))),
        terms=_document(note.text),
        tags=tuple(dict.fromkeys(map(paths.key, tags_of(note, values)))),
        fields=tuple(fields),
        links=links,
    )


def _document(text: str) -> str:
    """Return the terms that find a long text. Notes of one folder share most of their words."""
    found = dict.fromkeys(fold(text).split())
    return " ".join(dict.fromkeys(term for piece in found for term in _terms(piece)))


@lru_cache(maxsize=50_000)
def _terms(piece: str) -> tuple[str, ...]:
    return tuple(document(piece).split())
