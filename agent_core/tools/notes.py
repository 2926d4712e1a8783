"""The tools by which an operator gives a series its notes folders."""

import json
from typing import Literal

from pydantic import Field

from agent_core.errors import NoteRefusal
from agent_core.lore.answers import CardLine
from agent_core.tools.access import check_operator
from agent_core.tools.basis import Based, basis_of
from agent_core.tools.lore_read import canon_of
from agent_core.tools.spec import Family, Proposal, Risk, Tool, ToolContext
from agent_core.vault.store import Attachment


class NotesArgs(Based):
    """Arguments of attach_notes."""

    name: str = Field(description="name of a notes folder of the settings")
    access: Literal["read", "write", "none"] = Field(
        "write", description="what the team may do there; none takes the folder from the series"
    )


async def _attach(context: ToolContext, args: NotesArgs) -> Proposal:
    check_operator(context)  # the folders of this machine are no matter of a series
    series = canon_of(context).series
    attached = {one.vault for one in context.notes.attached}
    known = attached if args.access == "none" else set(context.vaults.vaults)
    if args.name not in known:
        raise NoteRefusal(reason="vault", path=args.name[:80], nearest=tuple(sorted(known)))

    async def effect() -> str:
        if args.access == "none":
            await context.vaults.store.detach(series.id, args.name)
        else:
            await context.vaults.store.attach(Attachment(series.id, args.name, args.access == "write"))
        return json.dumps({"status": "done", "notes": args.name, "access": args.access})

    card = CardLine(kind="notes", title=args.name, facts={"access": args.access, "series": series.name})
    there = [f"{one.vault}:{one.writable}" for one in context.notes.attached if one.vault == args.name]
    folder = context.vaults.vaults.get(args.name)
    basis = basis_of(card, *there, str(folder.folder.root) if folder else "")
    arguments = {**args.model_dump(mode="json", by_alias=True), "basis": basis}
    return Proposal(arguments=arguments, card=card, effect=effect)


ATTACH_NOTES = Tool(
    name="attach_notes",
    family=Family.PLACE,
    risk=Risk.WRITE,
    args=NotesArgs,
    propose=_attach,
    description="Give this series a notes folder of the settings, or take it away. Operators only.",
    for_models=False,
)
