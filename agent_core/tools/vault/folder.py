"""What the tools of the notes folder share: their arguments, and how a plan becomes a proposal."""

import asyncio
import json
from collections.abc import Callable, Mapping
from os.path import commonprefix
from typing import Literal

from pydantic import Field

from agent_core.errors import NoteRefusal
from agent_core.lore.answers import CardLine, Warn
from agent_core.messages import Json
from agent_core.tools.basis import Based, basis_of
from agent_core.tools.spec import Args, Proposal, ToolContext
from agent_core.vault.plan import Plan
from agent_core.vault.vault import Vault

NoteKind = Literal[
    "note_create", "note_folder", "note_append", "note_edit", "note_restore", "note_delete",
    "note_folder_delete", "note_move", "note_replace", "note_merge",
]  # fmt: skip


MAX_CARD_CHARS = 8_000
AROUND_CHARS = 400


class InVault(Args):
    """Arguments of a tool of one notes folder."""

    vault: str = Field("", description="name of the notes folder; may be empty where there is only one")


class OfPath(InVault):
    """Arguments of a tool of one file or folder."""

    path: str = Field(description="path within the notes folder, parts apart by /")


class Written(Based, OfPath):
    """Arguments of a write."""

    version: str = Field("", description="the version that read_file gave: refused if it changed since")


async def propose(
    context: ToolContext, args: Written, kind: NoteKind, make: Callable[[Vault], Plan]
) -> Proposal:
    """Return the proposal of a plan: it is made anew when it is approved, and has to be the same."""
    vault = context.notes.writable(args.vault)
    plan = await asyncio.to_thread(make, vault)
    context.notes.check(vault, plan, args.version)
    version = args.version or plan.version

    def again() -> Plan:
        """Return the plan as it is due now; what differs may only come from lines before it."""
        now = make(vault)
        if not context.notes.written and now != plan:
            raise NoteRefusal(reason="changed", path=plan.path)
        return now

    async def effect() -> str:
        done = await context.notes.apply(vault, again, version)
        return json.dumps({"status": "done", "path": done.path, **done.facts}, ensure_ascii=False)

    line = card(context, vault, plan, kind)
    resolved: Mapping[str, Json] = {
        **args.model_dump(mode="json", by_alias=True),
        "vault": vault.name,
        "version": version,
        "basis": await asyncio.to_thread(basis_of, line, str(vault.folder.root), *plan.parts()),
    }
    return Proposal(arguments=resolved, card=line, effect=effect)


def card(context: ToolContext, vault: Vault, plan: Plan, kind: NoteKind) -> CardLine:
    """Return the line of a card: the note, before and after, what follows, what differs."""
    before, after = _around_change(plan.before, plan.after)
    facts: dict[str, str | int] = {"vault": vault.name} if len(context.notes.available) > 1 else {}
    facts |= plan.facts
    return CardLine(
        kind=kind,
        title=plan.path,
        before_text=before,
        after_text=after,
        facts=facts,
        warnings=tuple(_warnings(plan, kind)),
    )


def _warnings(plan: Plan, kind: NoteKind) -> list[Warn]:
    links = int(plan.facts.get("links", 0))
    found = []
    if links and kind in {"note_delete", "note_folder_delete"}:
        found.append(Warn(code="links_break", facts={"n": links}))
    if differing := plan.facts.get("differing"):
        found.append(Warn(code="fields_differ", facts={"fields": differing}))
    return found


def _around_change(before: str, after: str) -> tuple[str, str]:
    """Return of two long texts what they differ in, and a little around it: cards are kept, notes large."""
    if max(len(before), len(after)) <= MAX_CARD_CHARS:
        return before, after
    head = len(commonprefix((before, after))) if before and after else 0  # noqa: RUF071  as is meant
    start = max(0, head - AROUND_CHARS)
    return before[start : start + MAX_CARD_CHARS], after[start : start + MAX_CARD_CHARS]
