"""The tools that look things up in notes folders."""

import asyncio
from datetime import UTC, datetime
from typing import TypeVar

from pydantic import Field

from agent_core.errors import InvalidArguments
from agent_core.lore.fold import terms
from agent_core.tools.spec import Args, Family, NoArgs, Read, Risk, Tool, ToolContext
from agent_core.tools.vault.folder import InVault, OfPath
from agent_core.vault import finding, paths, reading
from agent_core.vault.answers import (
    Backlinks,
    BackupDiff,
    BackupList,
    FileList,
    Graph,
    NotesFound,
    NoteText,
    TagHints,
    TagList,
    VaultItem,
    VaultList,
)
from agent_core.vault.drawing import draw
from agent_core.vault.store import NoteQuery
from agent_core.vault.vault import Vault

A = TypeVar("A", bound=Args)

TEXT_SHARE = 0.7  # of a result's characters; the rest is for what else is said of a note, and JSON


class DirectoryArgs(InVault):
    """Arguments of list_directory."""

    path: str = Field(
        "", description='the folder; empty for the whole notes folder, ".trash" for what was deleted'
    )


class FilesArgs(InVault):
    """Arguments of list_all_files."""

    glob: str = Field("**", description="pattern such as Characters/**/*.md; * stays within a folder")


class RawArgs(OfPath):
    """Arguments of read_file_raw."""

    offset: int = Field(0, ge=0, description="go on at this character of a long note")


class FileArgs(RawArgs):
    """Arguments of read_file."""

    numbered: bool = Field(False, description="put its number before each line, to name lines as sources")


class SearchArgs(InVault):
    """Arguments of search_fulltext."""

    query: str = Field(description="words to look for, in any form of case and accents")
    vault: str = Field("", description="only this notes folder; all if empty")
    limit: int = Field(20, ge=1, le=100, description="at most so many notes")


class AdvancedArgs(InVault):
    """Arguments of search_advanced: what is given has to fit."""

    vault: str = Field("", description="only this notes folder; all if empty")
    all_terms: tuple[str, ...] = Field((), description="words that all stand in the note")
    any_terms: tuple[str, ...] = Field((), description="words of which one stands in the note")
    none_terms: tuple[str, ...] = Field((), description="words that do not stand in the note")
    tag: str = Field("", description="has this tag, or one below it")
    glob: str = Field("", description="its path fits this pattern")
    field: str = Field("", description="its frontmatter has this key")
    value: str = Field("", description="with field: the key has this value")
    modified_after: str = Field("", description="changed at or after this ISO date or time")
    modified_before: str = Field("", description="changed before this ISO date or time")
    limit: int = Field(20, ge=1, le=100, description="at most so many notes")


class PatternArgs(InVault):
    """Arguments of search_paths."""

    pattern: str = Field(description="a pattern with * or **, or words of the path")


class GraphArgs(InVault):
    """Arguments of get_graph."""

    centre: str = Field("", description="path of the note to begin at; empty for the whole notes folder")
    depth: int = Field(1, ge=1, le=4, description="with centre: how many links away")
    picture: bool = Field(False, description="also send it to the chat as a picture, PNG and SVG")


class RecentArgs(InVault):
    """Arguments of list_recent."""

    n: int = Field(10, ge=1, le=200, description="how many notes")


class DiffArgs(OfPath):
    """Arguments of diff_backup."""

    backup: str = Field("", description="id from list_backups; empty for the newest")


async def _vaults(context: ToolContext, args: NoArgs) -> VaultList:
    def item(vault: Vault, *, writable: bool) -> VaultItem:
        files = [seen.path for seen in vault.folder.walk()]
        notes = sum(map(paths.is_note, files))
        return VaultItem(name=vault.name, notes=notes, files=len(files), writable=writable)

    there = context.notes.available
    writable = {one.vault: one.writable for one in context.notes.attached}
    items = [await asyncio.to_thread(item, vault, writable=writable[name]) for name, vault in there.items()]
    missing = tuple(one.vault for one in context.notes.attached if one.vault not in there)
    return VaultList(vaults=tuple(items), missing=missing)


async def _directory(context: ToolContext, args: DirectoryArgs) -> FileList:
    return await asyncio.to_thread(reading.directory, context.notes.vault(args.vault), args.path)


async def _all_files(context: ToolContext, args: FilesArgs) -> FileList:
    return await asyncio.to_thread(reading.all_files, context.notes.vault(args.vault), args.glob)


async def _file(context: ToolContext, args: FileArgs) -> NoteText:
    most = int(context.max_chars * TEXT_SHARE)
    vault = context.notes.vault(args.vault)
    return await asyncio.to_thread(reading.file, vault, args.path, args.offset, most, numbered=args.numbered)


async def _raw(context: ToolContext, args: RawArgs) -> NoteText:
    most = int(context.max_chars * TEXT_SHARE)
    return await asyncio.to_thread(reading.raw, context.notes.vault(args.vault), args.path, args.offset, most)


async def _fulltext(context: ToolContext, args: SearchArgs) -> NotesFound:
    return await asyncio.to_thread(finding.search, context.notes.some(args.vault), args.query, args.limit)


async def _advanced(context: ToolContext, args: AdvancedArgs) -> NotesFound:
    query = NoteQuery(
        all_terms=_folded(args.all_terms),
        any_terms=_folded(args.any_terms),
        no_terms=_folded(args.none_terms),
        tag=paths.key(args.tag.strip().lstrip("#").strip("/")),
        field=paths.key(args.field),
        value=paths.key(args.value),
        after_ns=_moment("modifiedAfter", args.modified_after),
        before_ns=_moment("modifiedBefore", args.modified_before),
    )
    if query == NoteQuery() and not args.glob:
        problem = "say what to look for: words, a tag, a pattern, a field or a time"
        raise InvalidArguments(tool="search_advanced", problems=(problem,))
    vaults = context.notes.some(args.vault)
    return await asyncio.to_thread(finding.search_where, vaults, query, args.glob, args.limit)


async def _paths(context: ToolContext, args: PatternArgs) -> FileList:
    return await asyncio.to_thread(finding.search_paths, context.notes.vault(args.vault), args.pattern)


async def _graph(context: ToolContext, args: GraphArgs) -> Graph:
    found = await asyncio.to_thread(finding.graph, context.notes.vault(args.vault), args.centre, args.depth)
    return await _drawn(context, found) if args.picture else found


async def _drawn(context: ToolContext, found: Graph) -> Graph:
    """Return the graph, its picture sent."""
    drawing = await asyncio.to_thread(draw, found)
    name = paths.title(found.centre) or found.vault
    files = {
        f"{name}.png": ("image/png", drawing.png),
        f"{name}.svg": ("image/svg+xml", drawing.svg.encode()),
    }
    sent = {file: what for file, what in files.items() if what[1]}
    for file, what in sent.items():
        await context.attach(file, *what)
    hint = "" if drawing.png else "no font is installed here, so there is no PNG"
    return found.model_copy(update={"sent": tuple(sent), "hint": hint})


async def _backlinks(context: ToolContext, args: OfPath) -> Backlinks:
    return await asyncio.to_thread(finding.backlinks, context.notes.vault(args.vault), args.path)


async def _tags(context: ToolContext, args: InVault) -> TagList:
    return await asyncio.to_thread(finding.list_tags, context.notes.vault(args.vault))


async def _tag_hints(context: ToolContext, args: OfPath) -> TagHints:
    return await asyncio.to_thread(finding.suggest_tags, context.notes.vault(args.vault), args.path)


async def _recent(context: ToolContext, args: RecentArgs) -> FileList:
    return await asyncio.to_thread(reading.recent, context.notes.vault(args.vault), args.n)


async def _backups(context: ToolContext, args: OfPath) -> BackupList:
    return await asyncio.to_thread(reading.backups, context.notes.vault(args.vault), args.path)


async def _diff(context: ToolContext, args: DiffArgs) -> BackupDiff:
    vault = context.notes.vault(args.vault)
    return await asyncio.to_thread(reading.backup_diff, vault, args.path, args.backup)


def _folded(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(term for word in words for term in terms(word))[: finding.MAX_TERMS]


def _moment(name: str, text: str) -> int:
    if not text:
        return 0
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        problem = f"{name}: an ISO date such as 2026-03-01"
        raise InvalidArguments(tool="search_advanced", problems=(problem,)) from error
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1_000_000_000)


def _tool(name: str, args: type[A], read: Read[A], description: str, timeout_s: float = 30.0) -> Tool[A]:
    return Tool(
        name=name,
        family=Family.VAULT,
        risk=Risk.READ,
        args=args,
        read=read,
        description=description,
        timeout_s=timeout_s,
    )


INDEXED_S = 120.0  # the first question to a folder reads all of it

READS = (
    _tool("list_vaults", NoArgs, _vaults, "List the notes folders of this series."),
    _tool("list_directory", DirectoryArgs, _directory, "List what lies directly in a folder of the notes."),
    _tool("list_all_files", FilesArgs, _all_files, "List every file of the notes whose path fits a pattern."),
    _tool(
        "read_file",
        FileArgs,
        _file,
        "Read a note with its frontmatter fields, tags, headings and links.",
    ),
    _tool("read_file_raw", RawArgs, _raw, "Read the bare text of a note or another text file."),
    _tool(
        "search_fulltext",
        SearchArgs,
        _fulltext,
        "Find notes by words; answers with the lines that hold them.",
        INDEXED_S,
    ),
    _tool(
        "search_advanced",
        AdvancedArgs,
        _advanced,
        "Find notes by words, tag, path, frontmatter and time together.",
        INDEXED_S,
    ),
    _tool("search_paths", PatternArgs, _paths, "Find files by pattern or by words of their path.", INDEXED_S),
    _tool("get_graph", GraphArgs, _graph, "Return notes and the links between them.", INDEXED_S),
    _tool("get_backlinks", OfPath, _backlinks, "List every link that leads to a note.", INDEXED_S),
    _tool("list_tags", InVault, _tags, "List all tags with how many notes have each.", INDEXED_S),
    _tool("suggest_tags", OfPath, _tag_hints, "Suggest tags in use here that a note may want.", INDEXED_S),
    _tool("list_recent", RecentArgs, _recent, "List the notes that changed last."),
    _tool("list_backups", OfPath, _backups, "List the earlier contents that are kept of a note."),
    _tool("diff_backup", DiffArgs, _diff, "Show what differs between a backup and the note as it is."),
)
