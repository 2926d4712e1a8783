"""The index of a notes folder: an SQLite file of its own with full-text search, which may be thrown away.

It shares nothing with the database: it blocks, is called from threads, and nothing in it has to last.
"""

import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from agent_core.vault.markdown import Link
from agent_core.vault.store import Indexed, LinkRow, NoteHit, NoteQuery, Stamp

_FORMAT = 1  # a file of another one is made anew
_BATCH = 400
_SCHEMA = """
CREATE TABLE note (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    link_key TEXT NOT NULL, title TEXT NOT NULL, is_note INTEGER NOT NULL, skipped INTEGER NOT NULL
);
CREATE INDEX note_by_key ON note (link_key);
CREATE INDEX note_skipped ON note (skipped) WHERE skipped;
CREATE VIRTUAL TABLE note_text USING fts5 (
    names, terms, content = '', detail = column, tokenize = "ascii tokenchars '#+'"
);
CREATE TABLE note_term (note INTEGER PRIMARY KEY, names TEXT NOT NULL, terms TEXT NOT NULL);
CREATE TABLE note_tag (note INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (tag, note)) WITHOUT ROWID;
CREATE INDEX note_tag_by_note ON note_tag (note);
CREATE TABLE note_field (note INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL);
CREATE INDEX note_field_by_name ON note_field (name, value);
CREATE INDEX note_field_by_note ON note_field (note);
CREATE TABLE note_link (
    note INTEGER NOT NULL, place INTEGER NOT NULL, link_key TEXT NOT NULL, style TEXT NOT NULL,
    path TEXT NOT NULL, fragment TEXT NOT NULL, alias TEXT NOT NULL, embed INTEGER NOT NULL,
    line INTEGER NOT NULL, PRIMARY KEY (note, place)
) WITHOUT ROWID;
CREATE INDEX note_link_by_key ON note_link (link_key);
"""
_LINKS = (
    "SELECT n.path, l.style, l.path, l.fragment, l.alias, l.embed, l.line FROM note_link l"
    " JOIN note n ON n.id = l.note WHERE {} IN ({}) ORDER BY n.path, l.place"
)


class SqliteNoteIndex:
    """A `NoteIndex` in a file; readers do not wait while others are taken in."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._writer: sqlite3.Connection | None = None
        self._reader: sqlite3.Connection | None = None
        self._writing, self._reading = threading.RLock(), threading.RLock()

    def stamps(self) -> Mapping[str, Stamp]:
        with self._read() as read:
            rows = read.execute("SELECT path, size, mtime_ns FROM note").fetchall()
        return {path: Stamp(size, mtime_ns) for path, size, mtime_ns in rows}

    def put(self, files: Iterable[Indexed]) -> None:
        for some in _in_batches(files):
            with self._write() as write:
                _forget(write, [file.path for file in some])
                for file in some:
                    _add(write, file)

    def drop(self, paths: Collection[str]) -> None:
        with self._write() as write:
            _forget(write, list(paths))

    def named(self, link_key: str) -> tuple[str, ...]:
        with self._read() as read:
            rows = read.execute("SELECT path FROM note WHERE link_key = ? ORDER BY path", (link_key,))
            return tuple(path for (path,) in rows.fetchall())

    def links(self, *, to: Collection[str] = (), of: Collection[str] = ()) -> tuple[LinkRow, ...]:
        found: list[LinkRow] = []
        with self._read() as read:
            for column, wanted in (("l.link_key", to), ("n.path", of)):
                listed = sorted(wanted)
                for at in range(0, len(listed), _BATCH):
                    some = listed[at : at + _BATCH]
                    statement = _LINKS.format(column, ",".join("?" * len(some)))
                    found += map(_link_row, read.execute(statement, some).fetchall())
        return tuple(found)

    def find(self, query: NoteQuery, limit: int = -1) -> tuple[NoteHit, ...]:
        tables, values = _tables(query)
        order = "bm25(note_text, 8.0, 1.0), n.path" if _match(query) else "n.mtime_ns DESC, n.path"
        columns = "n.path, n.title, n.mtime_ns, n.size"
        statement = f"SELECT {columns} FROM {tables} ORDER BY {order} LIMIT :limit"  # noqa: S608  our own words
        with self._read() as read:
            rows = read.execute(statement, {**values, "limit": limit}).fetchall()
        return tuple(NoteHit(*row) for row in rows)

    def count(self, query: NoteQuery) -> int:
        tables, values = _tables(query)
        with self._read() as read:
            return int(read.execute(f"SELECT count(*) FROM {tables}", values).fetchone()[0])  # noqa: S608  ours

    def tags(self, path: str | None = None) -> tuple[tuple[str, int], ...]:
        own = (
            ""
            if path is None
            else (
                " WHERE tag IN (SELECT tag FROM note_tag JOIN note ON note.id = note_tag.note WHERE path = ?)"
            )
        )
        statement = f"SELECT tag, count(*) FROM note_tag{own} GROUP BY tag ORDER BY count(*) DESC, tag"  # noqa: S608  our own words
        with self._read() as read:
            return tuple((tag, count) for tag, count in read.execute(statement, [path] if path else []))

    def skipped(self) -> int:
        with self._read() as read:
            return int(read.execute("SELECT count(*) FROM note WHERE skipped").fetchone()[0])

    def close(self) -> None:
        """Close the file; it is opened again where it is needed."""
        with self._writing, self._reading:
            for connection in (self._writer, self._reader):
                if connection is not None:
                    connection.close()
            self._writer = self._reader = None

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        with self._reading:
            if self._reader is None:
                with self._writing:
                    self._opened()
                self._reader = sqlite3.connect(self._file, check_same_thread=False)
            yield self._reader

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._writing, self._opened() as connection:
            yield connection

    def _opened(self) -> sqlite3.Connection:
        if self._writer is None:
            self._writer = _open(self._file)
        return self._writer


def _open(file: Path) -> sqlite3.Connection:
    file.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(file, check_same_thread=False)
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] == _FORMAT:
            connection.execute("PRAGMA synchronous = OFF")  # what a crash takes is read from the notes again
            return connection
    except sqlite3.DatabaseError:  # no database, or a damaged one
        pass
    connection.close()
    for stale in (file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")):
        stale.unlink(missing_ok=True)
    connection = sqlite3.connect(file, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(f"{_SCHEMA} PRAGMA user_version = {_FORMAT};")
    return connection


def _in_batches(files: Iterable[Indexed]) -> Iterator[list[Indexed]]:
    some: list[Indexed] = []
    for file in files:
        some.append(file)
        if len(some) == _BATCH:
            yield some
            some = []
    if some:
        yield some


def _forget(write: sqlite3.Connection, paths: Sequence[str]) -> None:
    for path in paths:
        row = write.execute("SELECT id FROM note WHERE path = ?", (path,)).fetchone()
        if row is None:
            continue
        kept = write.execute("SELECT names, terms FROM note_term WHERE note = ?", row).fetchone()
        if kept is not None:  # a table without content has to be told what it forgets
            forgotten = "INSERT INTO note_text (note_text, rowid, names, terms) VALUES ('delete', ?, ?, ?)"
            write.execute(forgotten, (*row, *kept))
        for table, column in (
            ("note_term", "note"), ("note_tag", "note"), ("note_field", "note"), ("note_link", "note"),
            ("note", "id"),
        ):  # fmt: skip
            write.execute(f"DELETE FROM {table} WHERE {column} = ?", row)  # noqa: S608  our own words


def _add(write: sqlite3.Connection, file: Indexed) -> None:
    is_note = file.path.lower().endswith(".md")
    row = write.execute(
        "INSERT INTO note (path, size, mtime_ns, link_key, title, is_note, skipped)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (file.path, file.size, file.mtime_ns, file.link_key, file.title, is_note, file.skipped),
    ).lastrowid
    write.execute("INSERT INTO note_term VALUES (?, ?, ?)", (row, file.names, file.terms))
    found_by = (row, file.names, file.terms)
    write.execute("INSERT INTO note_text (rowid, names, terms) VALUES (?, ?, ?)", found_by)
    write.executemany("INSERT OR IGNORE INTO note_tag VALUES (?, ?)", ((row, tag) for tag in file.tags))
    write.executemany("INSERT INTO note_field VALUES (?, ?, ?)", ((row, *field) for field in file.fields))
    write.executemany(
        "INSERT INTO note_link VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (row, place, key, link.style, link.path, link.fragment, link.alias, link.embed, line)
            for place, (key, link, line) in enumerate(file.links)
        ),
    )


def _link_row(row: tuple[str, str, str, str, str, int, int]) -> LinkRow:
    source, style, path, fragment, alias, embed, line = row
    return LinkRow(source, Link(style, path, fragment, alias, bool(embed), 0, 0), line)


def _tables(query: NoteQuery) -> tuple[str, dict[str, str | int]]:
    """Return the tables and conditions of a query, with its values."""
    match = _match(query)
    where = ["n.is_note"]
    if match:
        where.append("note_text MATCH :match")
    if query.no_terms:
        where.append("n.id NOT IN (SELECT rowid FROM note_text WHERE note_text MATCH :none)")
    if query.tag:
        where.append(
            "n.id IN (SELECT note FROM note_tag"
            " WHERE tag = :tag OR substr(tag, 1, length(:tag) + 1) = :tag || '/')"
        )
    if query.field:
        value = " AND value = :value" if query.value else ""
        where.append(f"n.id IN (SELECT note FROM note_field WHERE name = :field{value})")  # noqa: S608  as above
    if query.after_ns:
        where.append("n.mtime_ns >= :after")
    if query.before_ns:
        where.append("n.mtime_ns < :before")
    values: dict[str, str | int] = {"match": match, "none": " OR ".join(map(_quoted, query.no_terms))}
    values |= {"tag": query.tag, "field": query.field, "value": query.value}
    values |= {"after": query.after_ns, "before": query.before_ns}
    table = "note_text f JOIN note n ON n.id = f.rowid" if match else "note n"
    return f"{table} WHERE {' AND '.join(where)}", values


def _match(query: NoteQuery) -> str:
    """Return the expression for the words of a query. Folding leaves no quotation mark in a term."""
    every = " AND ".join(map(_quoted, query.all_terms))
    either = " OR ".join(map(_quoted, query.any_terms))
    return f"{every} AND ({either})" if every and either else every or either


def _quoted(term: str) -> str:
    return f'"{term}"'
