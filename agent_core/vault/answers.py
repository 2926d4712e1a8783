"""What the notes folders answer. Paths are relative to their folder; lines count from 1."""

from typing import Literal

from agent_core.lore.answers import Answer


class VaultItem(Answer):
    """A notes folder of the series."""

    name: str
    notes: int
    files: int
    writable: bool


class VaultList(Answer):
    """The notes folders of the series; none of them has been missing for `missing`."""

    vaults: tuple[VaultItem, ...]
    missing: tuple[str, ...] = ()


class FileItem(Answer):
    """A file or folder in a listing."""

    path: str
    kind: Literal["note", "file", "folder"]
    bytes: int = 0
    modified: str = ""


class FileList(Answer):
    """Files in the order of their paths, or the newest first; `more` are not listed: narrow the pattern."""

    vault: str
    items: tuple[FileItem, ...]
    more: int = 0


class HeadingItem(Answer):
    """A heading of a note."""

    level: int
    title: str
    line: int


class NoteText(Answer):
    """A note. `version` is what a write may give back, so that nothing is lost that was written since.

    `next_offset` is where to go on, None at the end. `line` is the number of the text's first line;
    where the text is `numbered`, each of its lines begins with its number, which is not of the note.
    """

    vault: str
    path: str
    text: str
    version: str
    offset: int = 0
    line: int = 1
    numbered: bool = False
    total: int
    next_offset: int | None = None
    fields: dict[str, tuple[str, ...]] | None = None
    tags: tuple[str, ...] = ()
    headings: tuple[HeadingItem, ...] = ()
    links: tuple[str, ...] = ()
    line_ends: Literal["lf", "crlf"] = "lf"


class NoteQuote(Answer):
    """A line of a note."""

    line: int
    text: str


class NoteFound(Answer):
    """A note that was found; the first ones come with the lines that fit best."""

    vault: str
    path: str
    title: str
    quotes: tuple[NoteQuote, ...] = ()


class NotesFound(Answer):
    """Notes, the best first. `more` are not listed; `skipped` have a text that can't be searched.

    `loose`: no note holds all the words, these hold some.
    """

    items: tuple[NoteFound, ...]
    total: int
    more: int = 0
    loose: bool = False
    skipped: int = 0
    hint: str = ""


class Backlink(Answer):
    """A line with a link to the note."""

    path: str
    line: int
    text: str
    embed: bool = False


class Backlinks(Answer):
    """Every link that leads to a note."""

    vault: str
    path: str
    items: tuple[Backlink, ...]
    more: int = 0


class GraphNode(Answer):
    """A note in the graph; `links` counts those in and out within it."""

    path: str
    links: int


class GraphLink(Answer):
    """A note that links to another."""

    source: str
    target: str


class Graph(Answer):
    """Notes and their links. `missing` are names that links lead to and no note has.

    `sent` are pictures of it that go to the chat with the answer.
    """

    vault: str
    nodes: tuple[GraphNode, ...]
    links: tuple[GraphLink, ...]
    missing: tuple[str, ...] = ()
    more: int = 0
    sent: tuple[str, ...] = ()
    hint: str = ""
    centre: str = ""


class TagItem(Answer):
    """A tag and how many notes have it."""

    tag: str
    notes: int


class TagList(Answer):
    """Tags, the most used first."""

    vault: str
    items: tuple[TagItem, ...]
    more: int = 0


class TagHint(Answer):
    """A tag that a note may want, and why."""

    tag: str
    why: Literal["named_in_text", "linked_notes", "similar_notes"]
    notes: int


class TagHints(Answer):
    """Tags that a note may want, the likeliest first."""

    vault: str
    path: str
    has: tuple[str, ...]
    items: tuple[TagHint, ...]


class BackupItem(Answer):
    """A backup of a note; `at` is when it was kept."""

    id: str
    at: str
    bytes: int
    is_current: bool = False


class BackupList(Answer):
    """The backups of a note, the newest first."""

    vault: str
    path: str
    items: tuple[BackupItem, ...]


class BackupDiff(Answer):
    """What differs from a backup (-) to the note as it is (+), as a unified diff."""

    vault: str
    path: str
    backup: str
    diff: str
    added: int
    removed: int
    cut: bool = False


class DuplicateGroup(Answer):
    """Notes that say the same; `likeness` is the least between two neighbours, 1 for the same bytes."""

    paths: tuple[str, ...]
    likeness: float


class Duplicates(Answer):
    """Groups of notes that say the same, the most alike first."""

    vault: str
    groups: tuple[DuplicateGroup, ...]
    more: int = 0
    compared: int
