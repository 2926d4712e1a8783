"""How a made file becomes a proposal: its card, its place in the notes folder, its way to who asked."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import Field

from agent_core.conversation.files import MAX_BYTES
from agent_core.documents.exports import plan_export, stem_of
from agent_core.documents.model import Made
from agent_core.errors import FileTooLarge
from agent_core.lore.answers import CardLine, Warn
from agent_core.messages import Json
from agent_core.tools.basis import Based, basis_of
from agent_core.tools.spec import Proposal, ToolContext
from agent_core.vault.plan import Plan
from agent_core.vault.vault import Vault

_LISTED = 8


class FileArgs(Based):
    """Arguments of a tool that makes a file."""

    name: str = Field("", description="file name without its suffix; by the title if empty")
    vault: str = Field("", description="notes folder that keeps it in exports; may be empty")
    overwrite: bool = Field(
        False, description="replace a file of this name; else it gets a free name such as Report 2"
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the file goes: nowhere but into the conversation where there is no notes folder to write."""

    vault: Vault | None
    plan: Plan | None
    name: str


async def propose_file(
    context: ToolContext, args: FileArgs, made: Made, title: str, source: str | bytes = ""
) -> Proposal:
    """Return the proposal to keep and send a file; `source` is what it was made of besides the arguments.

    Raises:
        FileTooLarge: no platform would take it.
        NoteRefusal: the notes folder says no.
        NotPermitted: reason "notes".
    """
    stem = stem_of(args.name or title, made.suffix)
    if len(made.content) > MAX_BYTES:
        raise FileTooLarge(name=f"{stem}{made.suffix}", limit=MAX_BYTES // 1_000_000)
    place = await _placed(context, args, made, stem)
    card = CardLine(
        kind="document",
        title=place.name,
        facts={**made.facts, **({"folder": place.plan.path.rpartition("/")[0]} if place.plan else {})},
        warnings=tuple(_warnings(made, place)),
    )
    resolved: dict[str, Json] = {
        **args.model_dump(mode="json", by_alias=True),
        "name": place.name.removesuffix(made.suffix),
        "vault": place.vault.name if place.vault else "",
        "basis": basis_of(card, *_where(place), source),
    }
    return Proposal(
        arguments=resolved,
        card=card,
        effect=_effect(context, made, place),
        overwrites=place.plan is not None and bool(place.plan.version),
    )


async def _placed(context: ToolContext, args: FileArgs, made: Made, stem: str) -> _Place:
    vault = _vault(context, args.vault)
    if vault is None:
        return _Place(None, None, f"{stem}{made.suffix}")
    promised = context.notes.promised
    plan = await asyncio.to_thread(
        plan_export,
        vault,
        stem,
        made.suffix,
        made.content,
        overwrite=args.overwrite,
        promised={path for name, path in promised if name == vault.name},
    )
    if not plan.version:
        promised.add((vault.name, plan.path))
    return _Place(vault, plan, plan.path.rpartition("/")[2])


def _where(place: _Place) -> tuple[str, ...]:
    """Return the exact place of the file, and the version of what stands there."""
    if place.vault is None or place.plan is None:
        return ()
    return str(place.vault.folder.root), place.plan.path, place.plan.version


def _vault(context: ToolContext, name: str) -> Vault | None:
    """Return the folder that was named, else the first one that may be written."""
    notes = context.notes
    if name:
        return notes.writable(name)
    return next(
        (
            notes.available[one.vault]
            for one in notes.attached
            if one.writable and one.vault in notes.available
        ),
        None,
    )


def _effect(context: ToolContext, made: Made, place: _Place) -> Callable[[], Awaitable[str]]:
    async def effect() -> str:
        path = ""
        if place.vault is not None and place.plan is not None:
            plan = place.plan
            path = (await context.notes.apply(place.vault, lambda: plan, plan.version)).path
        file = await context.attach(place.name, made.media_type, made.content)
        return json.dumps(
            {"status": "done", "file": place.name, "attached": file.id, "path": path, **_told(made)},
            ensure_ascii=False,
        )

    return effect


def _told(made: Made) -> dict[str, Json]:
    """Return what a model has to know of a file, where there is something to know."""
    told: dict[str, Json] = {
        "controlCharactersRemoved": made.removed,
        "picturesNotShown": list(made.pictures_lost),
        "scriptsWithoutFont": list(made.without_font),
        "sheetNamesChanged": dict(made.names),
        "cellsCutAt32767": list(made.cut),
    }
    return {**made.facts, **{name: value for name, value in told.items() if value}}


def _warnings(made: Made, place: _Place) -> list[Warn]:
    names = tuple(f"“{before}” → “{after}”" for before, after in made.names.items())
    found = [
        Warn(code=f"document_{code}", facts={code: _listed(items)})
        for code, items in (
            ("pictures", made.pictures_lost),
            ("scripts", made.without_font),
            ("names", names),
        )
        if items
    ]
    if made.cut:
        found.append(Warn(code="document_cut", facts={"cells": _listed(made.cut)}))
    if made.removed:
        found.append(Warn(code="document_removed", facts={"n": made.removed}))
    if place.plan is not None and place.plan.version:
        found.append(Warn(code="document_overwrites"))
    return found


def _listed(items: tuple[str, ...]) -> str:
    more = f" … (+{len(items) - _LISTED})" if len(items) > _LISTED else ""
    return ", ".join(items[:_LISTED]) + more
