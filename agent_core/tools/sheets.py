"""The tools of spreadsheets in the notes folders: thin, the work is in `agent_core.sheets`."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pydantic import Field

from agent_core.errors import NoteRefusal
from agent_core.lore.answers import CardLine, KeyChange, Warn
from agent_core.messages import Json
from agent_core.sheets import cells, figures, reading, structure
from agent_core.sheets.answers import CellsFound, RangeStats, SheetList, SheetText
from agent_core.sheets.outcome import Notice, Outcome
from agent_core.sheets.values import Kind, Scalar
from agent_core.tools.basis import basis_of
from agent_core.tools.spec import Args, Family, Origin, Proposal, Risk, Tool, ToolContext
from agent_core.tools.vault.folder import OfPath, Written
from agent_core.vault.folder import version_of
from agent_core.vault.plan import Plan, Rewrite
from agent_core.vault.vault import Vault

TEXT_SHARE = 0.7  # of a result's characters; the rest is for what else is said of a range, and JSON
MAX_CELLS = 2_000
MAX_ROWS = 1_000
MAX_CHANGES = 40  # on a card
LARGE_S = 120.0


class OfSheet(OfPath):
    """Arguments of a tool of one sheet."""

    sheet: str = Field("", description="name of the sheet; may be empty where there is only one")


class MarkdownArgs(OfSheet):
    """Arguments of xlsx_to_markdown."""

    range: str = Field("", description="such as A1:F40, A:C or 2:50; empty for all that is used")
    formulas: bool = Field(False, description="show formulas instead of their values")


class SearchArgs(OfSheet):
    """Arguments of search_workbook."""

    query: str = Field(description="words that all stand in one cell, in any form of case and accents")
    sheet: str = Field("", description="only this sheet; all if empty")
    limit: int = Field(50, ge=1, le=500, description="at most so many cells")


class AnalyzeArgs(OfSheet):
    """Arguments of analyze_range."""

    range: str = Field("", description="such as B2:D40 or B:D; empty for all that is used")
    header: bool = Field(False, description="the first row of the range holds names and is not counted")


class SheetWrite(Written):
    """Arguments of a write to a workbook."""

    version: str = Field(
        "", description="the version that a look at the file gave: refused if it changed since"
    )
    as_copy: str = Field(
        "", description="path of a new .xlsx file that gets the change instead, where the file itself can't"
    )


class CellArgs(Args):
    """A value for a cell."""

    cell: str = Field(description="such as B7")
    value: Scalar = Field(None, description="text, number, true or false; left out, the cell is emptied")
    type: Kind = Field(
        Kind.AUTO,
        description="auto keeps text as text, also what begins with =; formula has English names and commas;"
        " date is an ISO date or time",
    )


class UpdateArgs(SheetWrite):
    """Arguments of update_xlsx_cells."""

    sheet: str = Field("", description="name of the sheet; may be empty where there is only one")
    cells: tuple[CellArgs, ...] = Field(
        min_length=1, max_length=MAX_CELLS, description="all of them are written, or none"
    )


class AppendArgs(SheetWrite):
    """Arguments of append_xlsx_rows."""

    sheet: str = Field("", description="name of the sheet; may be empty where there is only one")
    rows: tuple[tuple[Scalar, ...], ...] = Field(
        min_length=1, max_length=MAX_ROWS, description="rows of values, in the order of the columns"
    )
    column: str = Field("", description="letters of the first column; empty for where the last row begins")
    formulas: bool = Field(False, description="texts that begin with = are formulas")
    dates: bool = Field(False, description="texts that are ISO dates are dates")


class StructureArgs(SheetWrite):
    """Arguments of edit_xlsx_structure."""

    action: structure.Action = Field(description="what is done; deleting asks for the right to destroy")
    sheet: str = Field("", description="the sheet it is done to; may be empty where there is only one")
    at: str = Field(
        "", description="number of the row or letters of the column before which, or from which on"
    )
    count: int = Field(1, ge=1, le=structure.MAX_LINES, description="how many rows or columns")
    name: str = Field("", description="name of the new sheet, or the new name")


async def _sheets(context: ToolContext, args: OfPath) -> SheetList:
    def look(vault: Vault) -> SheetList:
        path, content = _content(vault, args.path)
        return reading.list_sheets(vault.name, path, content, version_of(content))

    return await asyncio.to_thread(look, context.notes.vault(args.vault))


async def _markdown(context: ToolContext, args: MarkdownArgs) -> SheetText:
    most = int(context.max_chars * TEXT_SHARE)

    def look(vault: Vault) -> SheetText:
        path, content = _content(vault, args.path)
        return reading.to_markdown(
            vault.name,
            path,
            content,
            version_of(content),
            args.sheet,
            args.range,
            formulas=args.formulas,
            most=most,
        )

    return await asyncio.to_thread(look, context.notes.vault(args.vault))


async def _search(context: ToolContext, args: SearchArgs) -> CellsFound:
    def look(vault: Vault) -> CellsFound:
        path, content = _content(vault, args.path)
        return reading.search(vault.name, path, content, args.query, args.sheet, args.limit)

    return await asyncio.to_thread(look, context.notes.vault(args.vault))


async def _analyze(context: ToolContext, args: AnalyzeArgs) -> RangeStats:
    def look(vault: Vault) -> RangeStats:
        path, content = _content(vault, args.path)
        return figures.analyze(vault.name, path, content, args.sheet, args.range, header=args.header)

    return await asyncio.to_thread(look, context.notes.vault(args.vault))


async def _update(context: ToolContext, args: UpdateArgs) -> Proposal:
    given = [cells.Given(one.cell, one.value, one.type) for one in args.cells]
    return await _propose(
        context,
        args,
        lambda path, content: cells.update(path, content, args.sheet, given, as_copy=bool(args.as_copy)),
    )


async def _append(context: ToolContext, args: AppendArgs) -> Proposal:
    rows = cells.Rows(args.rows, args.column, formulas=args.formulas, dates=args.dates)
    return await _propose(
        context,
        args,
        lambda path, content: cells.append(path, content, args.sheet, rows, as_copy=bool(args.as_copy)),
    )


async def _restructure(context: ToolContext, args: StructureArgs) -> Proposal:
    task = structure.Task(args.action, args.sheet, args.at, args.count, args.name)
    return await _propose(
        context,
        args,
        lambda path, content: structure.restructure(path, content, task, as_copy=bool(args.as_copy)),
    )


def _risk(args: StructureArgs, origin: Origin) -> Risk:
    return Risk.DANGEROUS if args.action in structure.DELETING else Risk.WRITE


async def _propose(context: ToolContext, args: SheetWrite, work: Callable[[str, bytes], Outcome]) -> Proposal:
    """Return the proposal of an edit: made anew when it is approved, and refused if the file changed."""
    vault = context.notes.writable(args.vault)

    def make() -> tuple[Plan, Outcome]:
        return _planned(vault, args, work)

    plan, outcome = await asyncio.to_thread(make)
    context.notes.check(vault, plan, args.version)
    version = args.version or plan.version

    async def effect() -> str:
        done = await context.notes.apply(vault, lambda: make()[0], version)
        for one in done.rewrites:  # so that the next line of this proposal may go on from here
            context.notes.written.setdefault((vault.name, one.path), {})[one.version] = version_of(
                one.content
            )
        told = {"status": "done", "path": done.path, "sheet": outcome.sheet, **outcome.facts}
        return json.dumps(told, ensure_ascii=False)

    card = _card(context, vault, args, plan, outcome)
    resolved: Mapping[str, Json] = {
        **args.model_dump(mode="json", by_alias=True),
        "vault": vault.name,
        "version": version,
        "basis": basis_of(card, str(vault.folder.root), plan.path, plan.version),
    }
    return Proposal(arguments=resolved, card=card, effect=effect)


def _planned(vault: Vault, args: SheetWrite, work: Callable[[str, bytes], Outcome]) -> tuple[Plan, Outcome]:
    path, content = _content(vault, args.path)
    target = _new_path(vault, args.as_copy) if args.as_copy else path
    outcome = work(path, content)
    if not args.as_copy and _is_open(vault, path):
        outcome = replace(outcome, notices=(Notice("sheet_open", {}), *outcome.notices))
    version = version_of(content)
    rewrite = Rewrite(target, outcome.content, "" if args.as_copy else version)
    return Plan(path=target, version=version, rewrites=(rewrite,)), outcome


def _new_path(vault: Vault, path: str) -> str:
    """Return where a copy goes: nowhere where something is."""
    free = vault.folder.free(path)
    if not free.lower().endswith(".xlsx"):
        raise NoteRefusal(reason="sheet_kind", path=free)
    return free


def _content(vault: Vault, path: str) -> tuple[str, bytes]:
    """Return a file as it is spelled, and what is in it."""
    found = vault.folder.find_file(path)
    return found.path, vault.folder.read(found)


def _card(context: ToolContext, vault: Vault, args: SheetWrite, plan: Plan, outcome: Outcome) -> CardLine:
    facts: dict[str, str | int] = {"vault": vault.name} if len(context.notes.available) > 1 else {}
    facts |= {"sheet": outcome.sheet, **outcome.facts}
    if args.as_copy:
        facts["source"] = args.path
    return CardLine(
        kind="sheet",
        title=plan.path,
        changes=tuple(
            KeyChange(key=one.place, before=one.before or None, after=one.after or None)
            for one in outcome.changes[:MAX_CHANGES]
        ),
        before_text=outcome.before,
        facts=facts,
        warnings=tuple(_warnings(outcome)),
    )


def _is_open(vault: Vault, path: str) -> bool:
    """Return whether a spreadsheet program says that it has the file open, and so may write over it."""
    place = vault.folder.root / path
    marks = (f"~${place.name}", f".~lock.{place.name}#")
    return any(place.with_name(mark).exists() for mark in marks)


def _warnings(outcome: Outcome) -> Sequence[Warn]:
    found = [Warn(code=one.code, facts=dict(one.facts)) for one in outcome.notices]
    more = len(outcome.changes) - MAX_CHANGES
    return [*found, Warn(code="sheet_more", facts={"n": more})] if more > 0 else found


LIST_XLSX_SHEETS = Tool(
    name="list_xlsx_sheets",
    family=Family.SHEETS,
    risk=Risk.READ,
    args=OfPath,
    read=_sheets,
    description="List the sheets of a spreadsheet (.xlsx, .csv) with their used ranges and formulas.",
    timeout_s=LARGE_S,
)
XLSX_TO_MARKDOWN = Tool(
    name="xlsx_to_markdown",
    family=Family.SHEETS,
    risk=Risk.READ,
    args=MarkdownArgs,
    read=_markdown,
    description="Read a sheet or a range of it as a Markdown table with row numbers and column letters.",
    timeout_s=LARGE_S,
)
SEARCH_WORKBOOK = Tool(
    name="search_workbook",
    family=Family.SHEETS,
    risk=Risk.READ,
    args=SearchArgs,
    read=_search,
    description="Find the cells of a spreadsheet that hold words, in all its sheets.",
    timeout_s=LARGE_S,
)
ANALYZE_RANGE = Tool(
    name="analyze_range",
    family=Family.SHEETS,
    risk=Risk.READ,
    args=AnalyzeArgs,
    read=_analyze,
    description="Count, sum, mean, min, max, median, distinct and blanks of each column of a range.",
    timeout_s=LARGE_S,
)
UPDATE_XLSX_CELLS = Tool(
    name="update_xlsx_cells",
    family=Family.SHEETS,
    risk=Risk.WRITE,
    args=UpdateArgs,
    propose=_update,
    description="Put values into cells of an .xlsx file, all of them or none.",
    timeout_s=LARGE_S,
)
APPEND_XLSX_ROWS = Tool(
    name="append_xlsx_rows",
    family=Family.SHEETS,
    risk=Risk.WRITE,
    args=AppendArgs,
    propose=_append,
    description="Put rows below the last row of a sheet of an .xlsx file.",
    timeout_s=LARGE_S,
)
EDIT_XLSX_STRUCTURE = Tool(
    name="edit_xlsx_structure",
    family=Family.SHEETS,
    risk=Risk.WRITE,
    args=StructureArgs,
    propose=_restructure,
    escalate=_risk,
    description="Insert or delete rows or columns, or add, copy, rename or delete a sheet; formulas follow.",
    timeout_s=LARGE_S,
)

SHEETS = (
    LIST_XLSX_SHEETS,
    XLSX_TO_MARKDOWN,
    SEARCH_WORKBOOK,
    ANALYZE_RANGE,
    UPDATE_XLSX_CELLS,
    APPEND_XLSX_ROWS,
    EDIT_XLSX_STRUCTURE,
)
