"""The tool that brings a story bible in, from files or from the notes: one import is one edit."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field

from agent_core.importing.bible.files import BibleFile
from agent_core.tools.access import check_operator
from agent_core.tools.basis import Based, basis_of
from agent_core.tools.lore_read import canon_of
from agent_core.tools.spec import Family, Proposal, Risk, Tool, ToolContext


class BibleArgs(Based):
    """Arguments of import_bible. Everything is read again, and has to be the same, when it is approved."""

    source: Literal["files", "upload", "notes"] = Field(
        "files", description="files of this machine, what the person sent, or the series' notes folder"
    )
    upload: str = Field("", description="which files that the person sent")
    paths: tuple[str, ...] = Field((), description="files and folders on this machine")
    vault: str = Field("", description="which notes folder, where the series has several")


async def _import(context: ToolContext, args: BibleArgs) -> Proposal:
    from agent_core.importing.bible.plan import nothing_new, plan_bible  # noqa: PLC0415  slow, rarely needed
    from agent_core.importing.bible.reading import read_files  # noqa: PLC0415  see above

    if args.source == "files":  # what this machine holds is no matter of a series
        check_operator(context)
    canon = canon_of(context)
    name, files = await _files(context, args)
    bible = await asyncio.to_thread(read_files, files, name)
    planned = await plan_bible(canon, bible, name=canon.series.name, new_id=context.new_id)
    if planned.plan is None:
        raise nothing_new(planned.review)
    read = [part for file in files for part in (file.path, file.content)]
    basis = await asyncio.to_thread(basis_of, planned.plan.card, *read)
    return Proposal(
        arguments={**args.model_dump(mode="json", by_alias=True), "basis": basis},
        card=planned.plan.card,
        rows=planned.plan.rows,
        keys=planned.plan.keys,
        overwrites=True,
    )


async def _files(context: ToolContext, args: BibleArgs) -> tuple[str, Sequence[BibleFile]]:
    """Return what the files are called together, and the files."""
    from agent_core.importing.bible.files import files_of, files_of_vault  # noqa: PLC0415  see above

    if args.source == "notes":
        vault = context.notes.vault(args.vault)
        return vault.name, await asyncio.to_thread(files_of_vault, vault)
    paths = [Path(path) for path in args.paths]
    if args.source == "upload":
        paths = await context.uploads.paths(context.asker.person.id, args.upload)
    return paths[0].name if paths else "", await asyncio.to_thread(files_of, paths)


IMPORT_BIBLE = Tool(
    name="import_bible",
    family=Family.LORE,
    risk=Risk.WRITE,
    args=BibleArgs,
    propose=_import,
    description="Bring entries and scenes of notes, sheets or a lorebook into the series as one edit."
    " What the canon has stays as it is; differences are listed. Files: operators only.",
    in_canon=True,
    for_models=False,
    timeout_s=300,
)
