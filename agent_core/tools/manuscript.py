"""The tool that brings whole books in: one import is one edit, taken back whole."""

import asyncio
from pathlib import Path
from typing import Literal

from pydantic import Field

from agent_core.importing.again import plan_books
from agent_core.importing.manuscript import Manuscript
from agent_core.tools.access import check_operator
from agent_core.tools.basis import Based, basis_of
from agent_core.tools.lore_read import canon_of
from agent_core.tools.spec import Family, Proposal, Risk, Tool, ToolContext


class ImportArgs(Based):
    """Arguments of import_manuscript. Files are read again, and have to be the same, when it is approved."""

    source: Literal["files", "sample", "upload"] = Field(
        "files", description="files, the sample that ships with us, or what the person sent"
    )
    upload: str = Field("", description="which files that the person sent")
    paths: tuple[str, ...] = Field((), description="files and folders on this machine")
    titles: tuple[str, ...] = Field((), description="only the books of these titles; all if empty")
    series_names: tuple[str, ...] = Field((), description="with titles: the series names that the files give")
    delete_gone: bool = Field(
        False, description="scenes that the files no longer hold leave their book; else they stay"
    )


async def _import(context: ToolContext, args: ImportArgs) -> Proposal:
    if args.source == "files":  # what this machine holds is no matter of a series
        check_operator(context)
    books = await _books(context, args)
    if args.titles:
        books = [book for book in books if book.title in args.titles and book.series in args.series_names]
    plan = await plan_books(canon_of(context), books, delete_gone=args.delete_gone, new_id=context.new_id)
    basis = await asyncio.to_thread(lambda: basis_of(plan.card, *map(repr, books)))
    return Proposal(
        arguments={**args.model_dump(mode="json", by_alias=True), "basis": basis},
        card=plan.card,
        rows=plan.rows,
        keys=plan.keys,
        overwrites=True,
    )


async def _books(context: ToolContext, args: ImportArgs) -> list[Manuscript]:
    # Readers of file formats are slow to import and most processes never need them.
    if args.source == "sample":
        from agent_core.importing.sample import sample_manuscripts  # noqa: PLC0415  see above

        return list(await asyncio.to_thread(sample_manuscripts))
    from agent_core.importing.reading import read_manuscripts  # noqa: PLC0415  see above

    if args.source == "upload":
        return await read_manuscripts(await context.uploads.paths(context.asker.person.id, args.upload))
    return await read_manuscripts([Path(path) for path in args.paths])


IMPORT_MANUSCRIPT = Tool(
    name="import_manuscript",
    family=Family.LORE,
    risk=Risk.WRITE,
    args=ImportArgs,
    propose=_import,
    description="Bring books of this machine's files into the series as one edit: new ones whole, those"
    " that are there by what differs. Scenes keep their ids. Files: operators only.",
    in_canon=True,
    for_models=False,
    timeout_s=300,
)
