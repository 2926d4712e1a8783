"""The tool that lists where notes and canon disagree; the canon answers."""

import asyncio

from pydantic import Field

from agent_core.importing.bible.differences import NoteDifferences, note_differences
from agent_core.lore.model import Author, When
from agent_core.lore.state import place_of
from agent_core.tools.lore_read import POSITION, canon_of, where
from agent_core.tools.spec import Family, Risk, Tool, ToolContext
from agent_core.tools.vault.folder import InVault


class CompareArgs(InVault):
    """Arguments of compare_notes."""

    as_of: str | None = Field(None, description=f"the story position to compare at; {POSITION}")


async def _compare(context: ToolContext, args: CompareArgs) -> NoteDifferences:
    from agent_core.importing.bible.files import files_of_vault  # noqa: PLC0415  slow, rarely needed
    from agent_core.importing.bible.reading import read_files  # noqa: PLC0415  see above

    canon, vault = canon_of(context), context.notes.vault(args.vault)
    bible = await asyncio.to_thread(lambda: read_files(files_of_vault(vault), vault.name))
    at = None
    if args.as_of is not None:
        at, _ = place_of(canon, args.as_of, When.END, Author(), **where(context))
    return await note_differences(canon, bible, vault=vault.name, at=at)


COMPARE_NOTES = Tool(
    name="compare_notes",
    family=Family.VAULT,
    risk=Risk.READ,
    args=CompareArgs,
    read=_compare,
    description="List where the frontmatter of notes says something else than the canon, which is right.",
    timeout_s=120.0,
)
