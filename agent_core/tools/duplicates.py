"""The tools that find notes that say the same and make one of them."""

import asyncio
from typing import Literal

from pydantic import Field

from agent_core.tools.spec import Family, Proposal, Risk, Tool, ToolContext
from agent_core.tools.vault.folder import InVault, Written, propose
from agent_core.vault import duplicates
from agent_core.vault.answers import Duplicates


class FindArgs(InVault):
    """Arguments of find_duplicates."""

    threshold: float = Field(0.8, ge=0.3, le=1, description="how alike they are at least; 1 for the same")
    by: Literal["content", "title"] = Field("content", description="compare texts or names")


class MergeArgs(Written):
    """Arguments of merge_duplicate_notes."""

    path: str = Field(alias="keep", description="the note that stays")
    paths: tuple[str, ...] = Field(min_length=1, description="the notes that become part of it")


async def _find(context: ToolContext, args: FindArgs) -> Duplicates:
    vault = context.notes.vault(args.vault)
    return await asyncio.to_thread(duplicates.find_duplicates, vault, args.threshold, args.by)


async def _merge(context: ToolContext, args: MergeArgs) -> Proposal:
    return await propose(
        context, args, "note_merge", lambda vault: duplicates.merge_duplicates(vault, args.paths, args.path)
    )


FIND_DUPLICATES = Tool(
    name="find_duplicates",
    family=Family.DUPLICATES,
    risk=Risk.READ,
    args=FindArgs,
    read=_find,
    description="Find notes that say the same or nearly, by their text or their name.",
    timeout_s=120.0,
)
MERGE_DUPLICATE_NOTES = Tool(
    name="merge_duplicate_notes",
    family=Family.VAULT_WRITE,
    risk=Risk.DANGEROUS,
    args=MergeArgs,
    propose=_merge,
    description="Make one note of several: links follow, frontmatter is united, the others go to .trash.",
    timeout_s=120.0,
)

DUPLICATES = (FIND_DUPLICATES, MERGE_DUPLICATE_NOTES)
