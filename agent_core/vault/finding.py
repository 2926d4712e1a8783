"""Answers from the index of a notes folder: words, paths, tags, links. All of it blocks; for threads."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Literal

from agent_core.errors import NoteRefusal
from agent_core.lore.fold import fold, terms
from agent_core.vault import paths
from agent_core.vault.answers import (
    Backlink,
    Backlinks,
    FileItem,
    FileList,
    Graph,
    GraphLink,
    GraphNode,
    NoteFound,
    NoteQuote,
    NotesFound,
    TagHint,
    TagHints,
    TagItem,
    TagList,
)
from agent_core.vault.glob import Glob
from agent_core.vault.note import Note
from agent_core.vault.reading import MAX_FILES, moment
from agent_core.vault.store import LinkRow, NoteHit, NoteQuery
from agent_core.vault.vault import Vault

MAX_TERMS = 32
MAX_BACKLINKS = 500
MAX_NODES = 300
MAX_TAGS = 500
QUOTES = 3
QUOTED = 5  # notes; who wants more of the others reads them
MAX_LINE_CHARS = 300
_QUOTED_BYTES = 4_000_000
_LINES_OF_TERM = 200


def search(vaults: Sequence[Vault], query: str, limit: int) -> NotesFound:
    """Return the notes that hold all the words, or if there are none, some of them."""
    wanted = terms(query)[:MAX_TERMS]
    if not wanted:
        return NotesFound(items=(), total=0, hint="the query holds no word to look for")
    found = _found(vaults, NoteQuery(all_terms=wanted), wanted, limit)
    if found.total or len(wanted) == 1:
        return found
    some = _found(vaults, NoteQuery(any_terms=wanted), wanted, limit)
    return some.model_copy(update={"loose": some.total > 0})


def search_where(vaults: Sequence[Vault], query: NoteQuery, glob: str, limit: int) -> NotesFound:
    """Return the notes that the query and the pattern fit."""
    wanted = (*query.all_terms, *query.any_terms)
    if not glob:
        return _found(vaults, query, wanted, limit)
    fits = Glob(glob).fits
    hits = [(vault, hit) for vault in vaults for hit in vault.current().find(query) if fits(hit.path)]
    return _shown(vaults, hits[:limit], len(hits), wanted)


def search_paths(vault: Vault, pattern: str) -> FileList:
    """Return the files whose path fits the pattern, or without any sign of one, holds its words."""
    stamps = vault.current().stamps()
    if any(sign in pattern for sign in "*?"):
        found = sorted(filter(Glob(pattern).fits, stamps), key=paths.key)
    else:
        words = fold(pattern).split()
        found = sorted(
            (one for one in stamps if words and _holds(one, words)), key=lambda one: (len(one), one)
        )
    items = tuple(
        FileItem(
            path=one,
            kind="note" if paths.is_note(one) else "file",
            bytes=stamps[one].size,
            modified=moment(stamps[one].mtime_ns),
        )
        for one in found[:MAX_FILES]
    )
    return FileList(vault=vault.name, items=items, more=len(found) - len(items))


def backlinks(vault: Vault, path: str) -> Backlinks:
    """Return every link that leads to a file."""
    target = vault.folder.find_file(path).path
    named = lru_cache(vault.current().named)
    rows = [
        row for row in vault.index.links(to=[paths.link_key(target)]) if vault.resolved(row, named) == target
    ]
    items, note = [], Note("", "")
    for row in rows[:MAX_BACKLINKS]:
        if row.source != note.path:
            note = next(vault.notes([row.source]), Note(row.source, ""))
        text = ""
        with suppress(IndexError):  # the note has changed since
            text = note.line(row.line)
        items.append(Backlink(path=row.source, line=row.line, text=_short(text), embed=row.link.embed))
    return Backlinks(vault=vault.name, path=target, items=tuple(items), more=len(rows) - len(items))


def graph(vault: Vault, centre: str, depth: int) -> Graph:
    """Return the notes around one, so many links away, or the most linked of all."""
    index = vault.current()
    if centre:
        path = _named(vault, centre)
        return _around(vault, path, depth).model_copy(update={"centre": path})
    everything = index.links(of=index.stamps())
    pairs, missing = _pairs(vault, everything)
    return _drawn(vault, [*index.stamps()], pairs, missing)


def list_tags(vault: Vault) -> TagList:
    """Return all tags, the most used first."""
    found = vault.current().tags()
    items = tuple(TagItem(tag=tag, notes=notes) for tag, notes in found[:MAX_TAGS])
    return TagList(vault=vault.name, items=items, more=len(found) - len(items))


def suggest_tags(vault: Vault, path: str, limit: int = 10) -> TagHints:
    """Return tags of the folder that a note does not have: named in it, or those of notes linked or alike."""
    note = vault.note(path)
    index = vault.current()
    has = tuple(tag for tag, _ in index.tags(note.path))
    used = dict(index.tags())
    words = frozenset(terms(note.markup.plain))
    hints = [
        TagHint(tag=tag, why="named_in_text", notes=count)
        for tag, count in used.items()
        if (parts := terms(tag.replace("/", " ").replace("-", " "))) and words.issuperset(parts)
    ]
    near = _neighbours(vault, note.path)
    hints += _of_others(vault, near, "linked_notes", used)
    alike = index.find(NoteQuery(any_terms=terms(paths.title(note.path))[:MAX_TERMS]))
    hints += _of_others(
        vault, [hit.path for hit in alike[:20] if hit.path != note.path], "similar_notes", used
    )
    kept: dict[str, TagHint] = {}
    for hint in hints:
        if hint.tag not in has:
            kept.setdefault(hint.tag, hint)
    return TagHints(vault=vault.name, path=note.path, has=has, items=tuple(kept.values())[:limit])


def _found(vaults: Sequence[Vault], query: NoteQuery, wanted: Sequence[str], limit: int) -> NotesFound:
    hits: list[tuple[Vault, NoteHit]] = []
    total = 0
    for vault in vaults:
        own = vault.current().find(query, limit)
        hits += [(vault, hit) for hit in own]
        total += len(own) if len(own) < limit else vault.index.count(query)
    return _shown(vaults, hits[:limit], total, wanted)


def _shown(
    vaults: Sequence[Vault], hits: Sequence[tuple[Vault, NoteHit]], total: int, wanted: Sequence[str]
) -> NotesFound:
    items = tuple(
        NoteFound(
            vault=vault.name,
            path=hit.path,
            title=hit.title,
            quotes=_quotes(vault, hit, wanted) if place < QUOTED else (),
        )
        for place, (vault, hit) in enumerate(hits)
    )
    skipped = sum(vault.index.skipped() for vault in vaults)
    more = total - len(items)
    hint = "narrow it by more words, a tag or a path" if more else ""
    return NotesFound(items=items, total=total, more=more, skipped=skipped, hint=hint)


def _quotes(vault: Vault, hit: NoteHit, wanted: Sequence[str]) -> tuple[NoteQuote, ...]:
    """Return the lines that hold the most of the words, in their order."""
    note = next(vault.notes([hit.path]), None) if wanted and hit.size <= _QUOTED_BYTES else None
    if note is None:
        return ()
    held = _held_by_line(note.text, wanted)
    best = sorted(sorted(held, key=lambda number: (-held[number], number))[:QUOTES])
    return tuple(NoteQuote(line=number, text=_short(note.line(number))) for number in best)


def _held_by_line(text: str, wanted: Sequence[str]) -> dict[int, int]:
    """Return how many of the words each line holds that holds one."""
    folded = text.lower() if text.isascii() else "\n".join(map(fold, text.split("\n")))
    held: Counter[int] = Counter()
    for term in wanted:
        lines: set[int] = set()
        at, number, counted = folded.find(term), 1, 0
        while at >= 0 and len(lines) < _LINES_OF_TERM:
            number += folded.count("\n", counted, at)
            counted = at
            lines.add(number)
            at = folded.find(term, at + 1)
        held.update(lines)
    return held


def _holds(path: str, words: Iterable[str]) -> bool:
    folded = fold(path)
    return all(word in folded for word in words)


def _short(line: str) -> str:
    text = line.strip()
    return text if len(text) <= MAX_LINE_CHARS else f"{text[:MAX_LINE_CHARS]}…"


def _pairs(vault: Vault, rows: Iterable[LinkRow]) -> tuple[list[tuple[str, str]], list[str]]:
    named = lru_cache(maxsize=None)(vault.index.named)
    pairs: dict[tuple[str, str], None] = {}
    missing: dict[str, None] = {}
    for row in rows:
        target = vault.resolved(row, named)
        if target is None:
            missing[row.link.path] = None
        elif target != row.source:
            pairs[row.source, target] = None
    return list(pairs), list(missing)


def _named(vault: Vault, note: str) -> str:
    """Return the note of a path, or the only one of a name."""
    try:
        return vault.folder.find_file(note).path
    except NoteRefusal as refusal:
        named = vault.index.named(paths.link_key(note)) if refusal.facts["reason"] == "unknown" else ()
        if len(named) != 1:
            raise
        return named[0]


def _around(vault: Vault, centre: str, depth: int) -> Graph:
    nodes: dict[str, None] = {centre: None}
    pairs: dict[tuple[str, str], None] = {}
    missing: dict[str, None] = {}
    edge = [centre]
    for _ in range(depth):
        rows = vault.index.links(of=edge, to=[paths.link_key(one) for one in edge])
        found, lost = _pairs(vault, rows)
        met = {one: None for pair in found if not nodes.keys().isdisjoint(pair) for one in pair}
        pairs |= dict.fromkeys(pair for pair in found if not nodes.keys().isdisjoint(pair))
        missing |= dict.fromkeys(lost)
        edge = [one for one in met if one not in nodes]
        nodes |= met
        if not edge or len(nodes) > MAX_NODES:
            break
    own = {row.link.path for row in vault.index.links(of=nodes)}
    return _drawn(vault, list(nodes), list(pairs), [one for one in missing if one in own])


def _drawn(vault: Vault, nodes: list[str], pairs: list[tuple[str, str]], missing: list[str]) -> Graph:
    degree = Counter(one for pair in pairs for one in pair)
    order = {path: place for place, path in enumerate(nodes)}
    shown = sorted(nodes, key=lambda one: (order[one] > 0, -degree[one], one))[:MAX_NODES]
    kept = frozenset(shown)
    return Graph(
        vault=vault.name,
        nodes=tuple(GraphNode(path=one, links=degree[one]) for one in shown),
        links=tuple(GraphLink(source=a, target=b) for a, b in pairs if a in kept and b in kept),
        missing=tuple(missing[:MAX_NODES]),
        more=len(nodes) - len(shown),
    )


def _neighbours(vault: Vault, path: str) -> list[str]:
    pairs, _ = _pairs(vault, vault.index.links(of=[path], to=[paths.link_key(path)]))
    return list(dict.fromkeys(one for pair in pairs if path in pair for one in pair if one != path))


def _of_others(
    vault: Vault, others: Iterable[str], why: Literal["linked_notes", "similar_notes"], used: dict[str, int]
) -> list[TagHint]:
    counted = Counter(tag for other in others for tag, _ in vault.index.tags(other))
    return [TagHint(tag=tag, why=why, notes=used[tag]) for tag, _ in counted.most_common()]
