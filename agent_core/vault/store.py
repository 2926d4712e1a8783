"""Where it lasts which notes folders a series has; and the index of one, which can be made anew."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from agent_core.vault.markdown import Link


@dataclass(frozen=True, slots=True)
class Attachment:
    """A notes folder that a series may use, by the name it has in the settings."""

    series: str
    vault: str
    writable: bool


class VaultStore(Protocol):
    """Which notes folders each series has."""

    async def attached(self, series: str) -> tuple[Attachment, ...]:
        """Return the folders of a series by name."""
        ...

    async def attach(self, attachment: Attachment) -> None:
        """Give a series a folder, or change whether it may write there."""
        ...

    async def detach(self, series: str, vault: str) -> None:
        """Take a folder from a series; nothing in it changes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """A file as the index keeps it: what finds it, and what it links to, each link with its line.

    `names` and `terms` are folded documents, `tags` and the names in `fields` keys. `skipped` says that the
    file is too large, or no text, so that its text is not found.
    """

    path: str
    size: int
    mtime_ns: int
    link_key: str
    title: str
    names: str = ""
    terms: str = ""
    tags: tuple[str, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, Link, int], ...] = ()
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells whether a file has changed since it was indexed."""

    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link and where it stands."""

    source: str
    link: Link
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteQuery:
    """What a note has to be. Terms are folded; times are in nanoseconds."""

    all_terms: tuple[str, ...] = ()
    any_terms: tuple[str, ...] = ()
    no_terms: tuple[str, ...] = ()
    tag: str = ""
    field: str = ""
    value: str = ""
    after_ns: int = 0
    before_ns: int = 0


@dataclass(frozen=True, slots=True)
class NoteHit:
    """A note that was found."""

    path: str
    title: str
    mtime_ns: int
    size: int


class NoteIndex(Protocol):
    """The index of one folder. Every method blocks and may be called from any thread; none changes a note."""

    def stamps(self) -> Mapping[str, Stamp]:
        """Return every file of the index."""
        ...

    def put(self, files: Iterable[Indexed]) -> None:
        """Take files in, in place of what was known of them."""
        ...

    def drop(self, paths: Collection[str]) -> None:
        """Forget files."""
        ...

    def named(self, link_key: str) -> tuple[str, ...]:
        """Return the paths of the files that have this link key, in order."""
        ...

    def links(self, *, to: Collection[str] = (), of: Collection[str] = ()) -> tuple[LinkRow, ...]:
        """Return the links whose paths have these link keys, or that stand in these notes, in order."""
        ...

    def find(self, query: NoteQuery, limit: int = -1) -> tuple[NoteHit, ...]:
        """Return the notes that the query fits, the best first, without terms the newest."""
        ...

    def count(self, query: NoteQuery) -> int:
        """Return how many notes the query fits."""
        ...

    def tags(self, path: str | None = None) -> tuple[tuple[str, int], ...]:
        """Return the tags of all notes, or of one, each with how many notes have it, the most used first."""
        ...

    def skipped(self) -> int:
        """Return how many notes have a text that is not found."""
        ...
