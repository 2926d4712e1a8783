"""The tools that propose writes to the canon."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, TypeVar

from pydantic import BeforeValidator, Field, JsonValue
from pydantic.json_schema import SkipJsonSchema

from agent_core.errors import InvalidArguments, NothingToDo, NotPermitted, UnknownChange
from agent_core.lore import record
from agent_core.lore.canon import Canon
from agent_core.lore.model import EntityType, Mode, Relation, Undone
from agent_core.lore.plan import Plan
from agent_core.lore.record import Update
from agent_core.messages import parse_json
from agent_core.tools.lore_read import POSITION, canon_of, where
from agent_core.tools.names import with_names
from agent_core.tools.spec import Args, Family, Origin, Proposal, Propose, Risk, Tool, ToolContext, is_lead

A = TypeVar("A", bound=Args)

TOLD = "when readers learn it: a position, start, not_revealed or never"


def _decoded(value: object) -> object:
    """Return an object that a model wrote as JSON text as the object it is."""
    if isinstance(value, str):
        try:
            return parse_json(value)
        except ValueError:
            return value
    return value


Patch = Annotated[dict[str, JsonValue], BeforeValidator(_decoded)]


class RecordArgs(Args):
    """Arguments of record_lore_state."""

    entity_id: str = Field(description="the entry's id or its exact name")
    state_patch: Patch = Field(
        description='details and their new values, such as {"eyes": "green"}; null ends a detail, '
        '{"$add": [...], "$remove": [...]} changes a list, {"$none": true} says there is none, '
        '{"$unknown": true} that it is left open'
    )
    chapter_id: str | None = Field(None, description=f"true from this chapter on; {POSITION}")
    source_scene_id: str | None = Field(None, description=f"true from this scene on; {POSITION}")
    until: str | None = Field(None, description=f"no longer true from here on; {POSITION}")
    told_at: str | None = Field(None, description=TOLD)
    retcon: bool = Field(False, description="it was always so: replaces what was recorded wrongly")
    only_in_book: str | None = Field(None, description="true in this book only")
    note: str = Field("", description="a remark for the team")


class CreateArgs(Args):
    """Arguments of create_lore_entity."""

    type: EntityType = Field(description="what kind of entry it is")
    name: str = Field(min_length=1, max_length=200, description="its full name")
    static_traits: Patch = Field(description="what is always true of it; {} if nothing is known yet")
    aliases: tuple[str, ...] = Field((), description="other names")
    disambiguator: str = Field("", description="tells it apart from another entry of the same name")
    told_at: str | None = Field(None, description=TOLD)
    alias_told_at: SkipJsonSchema[str | None] = None
    entity_id: SkipJsonSchema[str | None] = None


class SceneArgs(Args):
    """Arguments of persist_scene."""

    chapter_id: str = Field(description=f"the chapter; one past the last is created; {POSITION}")
    scene_number: int = Field(
        ge=1, description="an existing number updates that scene, the next one after the last adds one"
    )
    title: str = Field(description="the scene's title, or empty")
    raw_text: str = Field(description="the whole text, or empty with fromMessage")
    from_message: str | None = Field(
        None, description="take a person's message word for word: its id, or last"
    )
    after_scene_id: str | None = Field(None, description=f"insert behind this scene; {POSITION}")
    mode: Mode | None = Field(None, description="linear, flashback or flashforward")
    relation: Relation | None = Field(None, description="when it happens: before, after or with node")
    node: str | None = Field(None, description=f"the place it happens before, after or with; {POSITION}")
    scene_id: SkipJsonSchema[str | None] = None
    new_chapter_id: SkipJsonSchema[str | None] = None


class UndoArgs(Args):
    """Arguments of undo."""

    change: int | None = Field(None, ge=1, description="the edit number; without it your last edit")


class UpdateArgs(Args):
    """Arguments of update_entry: exactly one thing to change."""

    entity_id: str = Field(description="the entry's id or its exact name")
    rename: str | None = Field(None, description="its new name, everywhere and always")
    add_alias: str | None = Field(None, description="another name it goes by")
    alias_from: str | None = Field(None, description=f"the alias is used from here on; {POSITION}")
    remove_alias: str | None = Field(None, description="an alias to strike out")
    retire: bool = Field(False, description="take the entry out of the canon with all its facts")
    told_at: str | None = Field(None, description=f"for a new alias or else the entry: {TOLD}")
    hint: str | None = Field(None, description="tells it apart from another entry of the same name")


class MergeArgs(Args):
    """Arguments of merge_entries."""

    keep: str = Field(description="the entry that stays: its id or exact name")
    merge: tuple[str, ...] = Field(min_length=1, description="the entries that become part of it")


class PlaceArgs(Args):
    """Arguments of place_scene."""

    scene_id: str = Field(description=f"a scene, chapter or book; {POSITION}")
    relation: Relation | None = Field(None, description="when it happens: before, after or with node")
    node: str | None = Field(None, description=f"the place it happens before, after or with; {POSITION}")
    mode: Mode | None = Field(None, description="linear, flashback or flashforward")
    move_after: str | None = Field(
        None, description=f"move it in the reading order, behind this; start puts it first; {POSITION}"
    )
    title: str | None = Field(None, description="a new title")
    delete: bool = Field(False, description="delete it; facts that begin there lose their scene")
    unplace: bool = Field(False, description="it happens where it is read")
    also: tuple[str, ...] = Field((), description="further scenes that follow it in the same way, in order")

    def nodes(self) -> tuple[str, ...]:
        """Return all that are placed, in order."""
        return (self.scene_id, *self.also)


async def _record(context: ToolContext, args: RecordArgs) -> Proposal:
    plan = record.plan_retcon if args.retcon else partial(record.plan_record, only_in=args.only_in_book)
    planned = await plan(
        canon_of(context),
        entity=args.entity_id,
        patch=args.state_patch,
        chapter=args.chapter_id,
        scene=args.source_scene_id,
        until=args.until,
        told=args.told_at,
        note=args.note,
        new_id=context.new_id,
        **where(context),
    )
    return await _proposal(context, planned)


async def _create(context: ToolContext, args: CreateArgs) -> Proposal:
    plan = await record.plan_create(
        canon_of(context),
        kind=args.type,
        name=args.name,
        traits=args.static_traits,
        aliases=args.aliases,
        disambiguator=args.disambiguator,
        told=args.told_at,
        alias_told=args.alias_told_at,
        entity=args.entity_id,
        new_id=context.new_id,
        **where(context),
    )
    return await _proposal(context, plan)


async def _scene(context: ToolContext, args: SceneArgs) -> Proposal:
    text = args.raw_text
    if args.from_message is not None:
        text = await context.heard(args.from_message)
    plan = await record.plan_scene(
        canon_of(context),
        chapter=args.chapter_id,
        number=args.scene_number,
        title=args.title,
        text=text,
        after=args.after_scene_id,
        mode=args.mode,
        relation=args.relation,
        anchor=args.node,
        scene=args.scene_id,
        new_chapter=args.new_chapter_id,
        new_id=context.new_id,
        **where(context),
    )
    return await _proposal(context, plan)


async def _undo(context: ToolContext, args: UndoArgs) -> Proposal:
    canon, asker = canon_of(context), context.asker
    known_as = await context.people.known_as(asker.person.id)
    number = args.change or await _last_own(canon, known_as)
    if number > canon.head:
        raise UnknownChange(change=number, last=canon.head)
    changes = await canon.store.changes(canon.series.id, after=number - 1, up_to=number)
    own = any(known_as & {change.proposed_by, change.approved_by} for change in changes)
    if changes and not own and not is_lead(asker):
        raise NotPermitted(reason="not_your_edit")
    return await _proposal(context, await record.plan_undo(canon, change=number))


async def _last_own(canon: Canon, known_as: frozenset[str]) -> int:
    """Return the newest edit of this person that stands and takes none back: asked again, it goes on back.

    Raises:
        NothingToDo: there is none.
    """
    passed = canon.undone() | {link.change for link in canon.links if isinstance(link.row, Undone)}
    for change in await canon.store.changes(canon.series.id):
        if change.number not in passed and known_as & {change.proposed_by, change.approved_by}:
            return change.number
    raise NothingToDo(reason="no_own_edit")


async def _update(context: ToolContext, args: UpdateArgs) -> Proposal:
    update, value = _one_update(args)
    plan = await record.plan_update(
        canon_of(context),
        entity=args.entity_id,
        update=update,
        value=value,
        at=args.alias_from,
        told=args.told_at,
        new_id=context.new_id,
        **where(context),
    )
    return await _proposal(context, plan)


def _one_update(args: UpdateArgs) -> tuple[Update, str]:
    """Return the one thing that is to be changed.

    Raises:
        InvalidArguments: nothing or several things are given.
    """
    given = [
        (update, value)
        for update, value in (
            (Update.RENAME, args.rename),
            (Update.ADD_ALIAS, args.add_alias),
            (Update.REMOVE_ALIAS, args.remove_alias),
            (Update.RETIRE, "" if args.retire else None),
            (Update.HINT, args.hint),
        )
        if value is not None
    ]
    if not given and args.told_at is not None:
        return Update.TELL, ""
    if len(given) != 1:
        problem = "give exactly one of rename, addAlias, removeAlias, retire, hint, toldAt"
        raise InvalidArguments(tool="update_entry", problems=(problem,))
    return given[0]


async def _merge(context: ToolContext, args: MergeArgs) -> Proposal:
    return await _proposal(
        context, await record.plan_merge(canon_of(context), keep=args.keep, others=args.merge)
    )


async def _place(context: ToolContext, args: PlaceArgs) -> Proposal:
    plan = await record.plan_place(
        canon_of(context),
        nodes=args.nodes(),
        relation=args.relation,
        anchor=args.node,
        unplace=args.unplace,
        mode=args.mode,
        move_after=args.move_after,
        title=args.title,
        delete=args.delete,
        **where(context),
    )
    run = plan.resolved["sceneId"]
    if isinstance(run, list):
        plan = replace(plan, resolved={**plan.resolved, "sceneId": run[0], "also": run[1:]})
    return await _proposal(context, plan)


def _deleting(args: PlaceArgs, origin: Origin) -> Risk:
    return Risk.DANGEROUS if args.delete else Risk.WRITE


def _retiring(args: UpdateArgs, origin: Origin) -> Risk:
    return Risk.DANGEROUS if args.retire else Risk.WRITE


async def _proposal(context: ToolContext, plan: Plan) -> Proposal:
    return Proposal(
        arguments=plan.resolved,
        card=await with_names(context, plan.card),
        rows=plan.rows,
        keys=plan.keys,
        overwrites=plan.overwrites,
    )


def _write(
    name: str,
    args: type[A],
    propose: Propose[A],
    description: str,
    *,
    risk: Risk = Risk.WRITE,
    escalate: Callable[[A, Origin], Risk] | None = None,
) -> Tool[A]:
    return Tool(
        name=name,
        family=Family.LORE,
        risk=risk,
        args=args,
        propose=propose,
        escalate=escalate,
        description=description,
        in_canon=True,
    )


RECORD_LORE_STATE = _write(
    "record_lore_state",
    RecordArgs,
    _record,
    "Propose a fact of an entry: true from a place in the story on, or, as a retcon, always so.",
)
CREATE_LORE_ENTITY = _write(
    "create_lore_entity", CreateArgs, _create, "Propose a new entry of the canon with what is always true."
)
PERSIST_SCENE = _write(
    "persist_scene", SceneArgs, _scene, "Propose a new scene or a new text of an existing one."
)
UNDO = _write("undo", UndoArgs, _undo, "Propose to take back an edit; nothing is deleted by it.")
UPDATE_ENTRY = _write(
    "update_entry",
    UpdateArgs,
    _update,
    "Propose to rename an entry, change its aliases, retire it or set when readers learn of it.",
    escalate=_retiring,
)
MERGE_ENTRIES = _write(
    "merge_entries",
    MergeArgs,
    _merge,
    "Propose that several entries are one and the same.",
    risk=Risk.DANGEROUS,
)
PLACE_SCENE = _write(
    "place_scene",
    PlaceArgs,
    _place,
    "Propose when a scene happens in the story, where it is read, its mode or title, or to delete it.",
    escalate=_deleting,
)

WRITES = (
    RECORD_LORE_STATE,
    CREATE_LORE_ENTITY,
    PERSIST_SCENE,
    UNDO,
    UPDATE_ENTRY,
    MERGE_ENTRIES,
    PLACE_SCENE,
)
