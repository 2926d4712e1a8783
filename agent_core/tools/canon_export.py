"""The tool that sends the canon of a place as notes or as a lorebook."""

import asyncio

from pydantic import Field

from agent_core.exporting.files import CanonFormat, canon_file
from agent_core.exporting.view import canon_view
from agent_core.lore.answers import Answer, Place
from agent_core.tools.lore_read import POSITION, canon_of, known_at, where
from agent_core.tools.spec import Args, Family, Risk, Tool, ToolContext


class CanonExportArgs(Args):
    """Arguments of export_canon."""

    format: CanonFormat = Field(
        CanonFormat.NOTES, description="notes (Markdown), lorebook (SillyTavern) or novelai"
    )
    as_of: str | None = Field(None, description=f"the story position to export; {POSITION}")
    known_at: str | None = Field(None, description="as the notes stood then: a date or an edit number")
    as_reader: str | None = Field(None, description=f"as a reader who has finished this; {POSITION}")


class CanonExport(Answer):
    """A file that was made and sent."""

    name: str
    entries: int
    at: Place | None = None


async def _export(context: ToolContext, args: CanonExportArgs) -> CanonExport:
    view = await canon_view(
        canon_of(context),
        at=args.as_of,
        known=await known_at(context, args.known_at),
        as_reader=args.as_reader,
        bound=context.asker.bound,
        **where(context),
    )
    made = await asyncio.to_thread(canon_file, view, args.format, context.asker.language)
    await context.attach(made.name, made.media_type, made.content)
    return CanonExport(name=made.name, entries=len(view.entries), at=view.at)


EXPORT_CANON = Tool(
    name="export_canon",
    family=Family.LORE,
    risk=Risk.READ,
    args=CanonExportArgs,
    read=_export,
    description="Send the canon as of a story position as a file: Markdown notes or a lorebook.",
    for_models=False,
    timeout_s=120.0,
)
