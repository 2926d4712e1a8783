"""Plans a change of an entry itself: its names, its hint, when readers learn of it, whether it stays."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias, assert_never

from agent_core.clock import NewId
from agent_core.errors import NothingToDo, UnknownEntity
from agent_core.lore import conflict, fold
from agent_core.lore.answers import CardLine, KeyChange, Warn
from agent_core.lore.canon import Canon
from agent_core.lore.fact_card import reader_warnings
from agent_core.lore.lens import Lens
from agent_core.lore.lookup import find_entry
from agent_core.lore.model import (
    NOT_REVEALED,
    Asserted,
    Author,
    Created,
    JsonObject,
    Named,
    Retired,
    Row,
    Told,
    Withdrawn,
)
from agent_core.lore.plan import Plan
from agent_core.lore.plan_create import check_names, told_here
from agent_core.lore.timeline import Entry
from agent_core.lore.told import told_argument, told_from_text
from agent_core.messages import Json

_Kind: TypeAlias = Literal["rename", "alias", "unalias", "retire", "told", "hint"]


class Update(StrEnum):
    """What happens to an entry."""

    RENAME = "rename"
    ADD_ALIAS = "alias"
    REMOVE_ALIAS = "unalias"
    RETIRE = "retire"
    TELL = "told"
    HINT = "hint"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edit:
    """The rows of an update and what its card shows of it."""

    kind: _Kind
    rows: tuple[Row, ...]
    title: str = ""
    at: str | None = None
    told: Told | None = None
    before: str = ""
    after: str = ""
    warnings: tuple[Warn, ...] = ()
    arguments: Mapping[str, Json]


async def plan_update(
    canon: Canon,
    *,
    entity: str,
    update: Update,
    value: str = "",
    at: str | None = None,
    told: str | None = None,
    here: str | None = None,
    book: str | None = None,
    new_id: NewId,
) -> Plan:
    """Return the plan of one update.

    `value` is the new name, the alias or the hint. `at` is the place from which an alias is used. `told` is
    when readers learn of an alias (default: `at`, else where we are) or, to TELL, of the entry.

    Raises:
        UnknownEntity, AmbiguousEntity: as `find_entry`; also for an alias to remove that it doesn't have.
        DuplicateEntity: another entry has the name.
        LoreRefusal: the name is blank or too long.
        UnknownPosition, AmbiguousPosition: as `Outline.find`.
        NothingToDo: reason "same_fact".

    """
    entry = await find_entry(canon, entity, Author())
    outline = canon.outline
    value = fold.spelled(value)
    given = None if told is None else told_from_text(told, outline, book=book, here=here)
    place = None if at is None else outline.find_place(at, book=book, here=here, bound=Author())
    match update:
        case Update.RENAME:
            edit = await _rename(canon, entry, value, new_id)
        case Update.ADD_ALIAS:
            given = given or (told_here(canon, here) if place is None else Told.at(place))
            edit = await _add_alias(canon, entry, value, place, given, new_id)
        case Update.REMOVE_ALIAS:
            edit = _remove_alias(entry, value)
        case Update.RETIRE:
            edit = _retire(entry)
        case Update.TELL:
            edit = _tell(canon, entry, given or NOT_REVEALED, new_id)
        case Update.HINT:
            edit = await _hint(canon, entry, value)
        case _:
            assert_never(update)
    return _plan(canon, entry, edit)


def _plan(canon: Canon, entry: Entry, edit: _Edit) -> Plan:
    lens = Lens(canon, Author())
    changes = (
        (KeyChange(key="name", before=edit.before or None, after=edit.after or None),)
        if edit.before or edit.after
        else ()
    )
    return Plan(
        rows=edit.rows,
        keys=conflict.keys_of(edit.rows),
        card=CardLine(
            kind=edit.kind,
            entry=lens.entry(entry),
            at=lens.place(edit.at),
            told="" if edit.told is None else lens.told(edit.told),
            title=edit.title,
            changes=changes,
            warnings=edit.warnings,
        ),
        resolved={"entityId": entry.entity, **edit.arguments},
    )


async def _rename(canon: Canon, entry: Entry, name: str, new_id: NewId) -> _Edit:
    if name == entry.name:
        raise NothingToDo(reason="same_fact")
    await check_names(canon, (name,), disambiguator=entry.disambiguator, entity=entry.entity)
    row = Named(id=new_id(), entity=entry.entity, name=name, told=entry.names[0].told)
    return _Edit(
        kind="rename",
        rows=(row,),
        title=name,
        told=row.told,
        before=entry.name,
        after=name,
        arguments={"rename": name},
    )


async def _add_alias(
    canon: Canon, entry: Entry, alias: str, at: str | None, told: Told, new_id: NewId
) -> _Edit:
    if any(fold.name_key(one.name) == fold.name_key(alias) for one in entry.names):
        raise NothingToDo(reason="same_fact")
    await check_names(canon, (alias,), disambiguator=entry.disambiguator, entity=entry.entity)
    row = Named(id=new_id(), entity=entry.entity, name=alias, told=told, alias=True, at=at)
    placed: Mapping[str, Json] = {} if at is None else {"aliasFrom": at}
    return _Edit(
        kind="alias",
        rows=(row,),
        title=alias,
        at=at,
        told=told,
        warnings=tuple(reader_warnings(entry.told, told, canon.outline)),
        arguments={"addAlias": alias, **placed, "toldAt": told_argument(told)},
    )


def _remove_alias(entry: Entry, alias: str) -> _Edit:
    aliases = [one for one in entry.names if one.alias]
    found = [one for one in aliases if fold.name_key(one.name) == fold.name_key(alias)]
    if not found:
        raise UnknownEntity(name=alias, nearest=tuple(one.name for one in aliases))
    return _Edit(
        kind="unalias",
        rows=tuple(Withdrawn(entity=one.entity, target=one.id) for one in found),
        title=found[0].name,
        arguments={"removeAlias": alias},
    )


def _retire(entry: Entry) -> _Edit:
    return _Edit(
        kind="retire",
        rows=(Retired(entity=entry.entity),),
        warnings=(Warn(code="facts_go", facts={"n": len(entry.facts)}),) if entry.facts else (),
        arguments={"retire": True},
    )


def _tell(canon: Canon, entry: Entry, told: Told, new_id: NewId) -> _Edit:
    if told == entry.told and told == entry.names[0].told:
        raise NothingToDo(reason="same_fact")
    created = Created(entity=entry.entity, type=entry.type, told=told, disambiguator=entry.disambiguator)
    name = Named(id=new_id(), entity=entry.entity, name=entry.name, told=told)
    return _Edit(
        kind="told",
        rows=(created, name, *_traits_again(entry, told, new_id)),
        told=told,
        warnings=tuple(reader_warnings(None, told, canon.outline)),
        arguments={"toldAt": told_argument(told)},
    )


def _traits_again(entry: Entry, told: Told, new_id: NewId) -> tuple[Row, ...]:
    """Return the rows that have static traits told with the entry again, where they were before."""
    rows: list[Row] = []
    for fact in entry.facts:
        if fact.static and fact.told == entry.told:
            patch: JsonObject = fact.patch
            rows += [
                Withdrawn(entity=fact.entity, target=fact.id, pointer=f"/{_escaped(key)}") for key in patch
            ]
            rows.append(
                Asserted(
                    id=new_id(), entity=entry.entity, patch=patch, told=told, static=True, note=fact.note
                )
            )
    return tuple(rows)


async def _hint(canon: Canon, entry: Entry, hint: str) -> _Edit:
    if hint == entry.disambiguator:
        raise NothingToDo(reason="same_fact")
    await check_names(canon, [one.name for one in entry.names], disambiguator=hint, entity=entry.entity)
    row = Created(entity=entry.entity, type=entry.type, told=entry.told, disambiguator=hint)
    return _Edit(kind="hint", rows=(row,), title=hint, arguments={"hint": hint})


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
