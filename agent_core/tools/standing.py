"""The tool that says where a thread stands and how far the asker has read."""

from agent_core.lore.answers import Answer, Place
from agent_core.lore.lens import Lens
from agent_core.lore.model import Author
from agent_core.tools.lore_read import canon_of
from agent_core.tools.spec import Family, NoArgs, Risk, Tool, ToolContext


class Standing(Answer):
    """Where a thread stands, and up to where the asker has read; `reads` tells who reads from who writes."""

    position: Place | None = None
    finished: Place | None = None
    reads: bool = False


async def _standing(context: ToolContext, args: NoArgs) -> Standing:
    canon, asker = canon_of(context), context.asker
    progress = await context.people.progress(asker.person.id, canon.series.id)
    lens = Lens(canon, asker.bound)
    position, finished = asker.conversation.position, progress.finished if progress else None
    return Standing(
        position=None if canon.outline.is_gone(position) else lens.place(position),
        finished=lens.place(finished),
        reads=not isinstance(asker.bound, Author),
    )


GET_STANDING = Tool(
    name="get_standing",
    family=Family.PLACE,
    risk=Risk.READ,
    args=NoArgs,
    read=_standing,
    description="Tell where this thread stands in its book, and how far you have finished reading.",
    for_models=False,
    for_readers=True,
)
