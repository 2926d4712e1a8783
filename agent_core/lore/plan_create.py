"""Plans a new entry: its name, aliases and what is always true of it."""

from collections.abc import Iterable, Iterator, Sequence

from agent_core.clock import NewId
from agent_core.errors import DuplicateEntity, LoreRefusal
from agent_core.lore import conflict, fold, search
from agent_core.lore.answers import CardLine, EntryRef, KeyChange, Warn
from agent_core.lore.canon import Canon
from agent_core.lore.fact_card import check_patch, reader_warnings
from agent_core.lore.lens import Lens, json_value
from agent_core.lore.lookup import named
from agent_core.lore.model import (
    NOT_REVEALED,
    Asserted,
    Author,
    Created,
    EntityType,
    JsonObject,
    Named,
    Row,
    Told,
)
from agent_core.lore.near_keys import near_key_warnings
from agent_core.lore.plan import Plan
from agent_core.lore.told import told_argument, told_from_text, told_label

MAX_NAME_CHARS = 200


async def plan_create(
    canon: Canon,
    *,
    kind: EntityType,
    name: str,
    traits: JsonObject,
    aliases: Sequence[str] = (),
    disambiguator: str = "",
    told: str | None = None,
    alias_told: str | None = None,
    entity: str | None = None,
    here: str | None = None,
    book: str | None = None,
    new_id: NewId,
) -> Plan:
    """Return the plan of an entry; `entity` is the id fixed by an earlier planning.

    Without `told` the reader learns of it in the first scene whose text gives the full name, else where the
    conversation stands; an alias is never looked for in texts.

    Raises:
        DuplicateEntity: an entry has one of the names, and no disambiguator tells them apart.
        LoreRefusal: a name is blank or too long.
        BadPatch: malformed traits.
        UnknownPosition, AmbiguousPosition: as `told_from_text`.

    """
    if traits:
        check_patch(traits)
    name, disambiguator = fold.spelled(name), fold.spelled(disambiguator)
    aliases = _distinct(name, map(fold.spelled, aliases))
    await check_names(canon, (name, *aliases), disambiguator=disambiguator)
    given = None if told is None else told_from_text(told, canon.outline, book=book, here=here)
    shown = given or await _first_told(canon, name, here)
    alias_shown = given or told_here(canon, here)
    if alias_told is not None:
        alias_shown = told_from_text(alias_told, canon.outline, book=book, here=here)
    entity = entity or new_id()
    rows: tuple[Row, ...] = (
        Created(entity=entity, type=kind, told=shown, disambiguator=disambiguator),
        Named(id=new_id(), entity=entity, name=name, told=shown),
        *(Named(id=new_id(), entity=entity, name=one, told=alias_shown, alias=True) for one in aliases),
        *_static(new_id, entity, traits, shown),
    )
    ref = EntryRef(id=entity, type=kind, name=name, hint=disambiguator, aliases=aliases)
    return Plan(
        rows=rows,
        keys=conflict.keys_of(rows),
        card=CardLine(
            kind="create",
            entry=ref,
            told=Lens(canon, Author()).told(shown),
            changes=tuple(KeyChange(key=key, after=json_value(value)) for key, value in traits.items()),
            warnings=(
                *await near_key_warnings(canon, kind, None, traits),
                *reader_warnings(None, shown, canon.outline),
                *_alias_warnings(canon, aliases, shown, alias_shown),
            ),
        ),
        resolved={
            "type": kind.value,
            "name": name,
            "staticTraits": traits,
            "aliases": list(aliases),
            "disambiguator": disambiguator,
            "toldAt": told_argument(shown),
            "aliasToldAt": told_argument(alias_shown),
            "entityId": entity,
        },
    )


async def check_names(
    canon: Canon, names: Sequence[str], *, disambiguator: str, entity: str | None = None
) -> None:
    """Return if no entry but `entity` has one of the names, or a disambiguator tells them apart.

    Raises:
        LoreRefusal: reason "no_name" or "name_too_long".
        DuplicateEntity: names the entry that has it.

    """
    hint = fold.name_key(disambiguator)
    for name in names:
        if not name:
            raise LoreRefusal(reason="no_name")
        if len(name) > MAX_NAME_CHARS:
            raise LoreRefusal(reason="name_too_long", chars=len(name), limit=MAX_NAME_CHARS)
        for entry in await named(canon, name, Author()):
            told_apart = hint and hint != fold.name_key(entry.disambiguator)
            if entry.entity != entity and not told_apart:
                raise DuplicateEntity(name=name, existing=entry.name, id=entry.entity)


def told_here(canon: Canon, here: str | None) -> Told:
    """Return that the reader learns it where the conversation stands, if it stands anywhere."""
    return NOT_REVEALED if here is None or canon.outline.is_gone(here) else Told.at(here)


def _distinct(name: str, aliases: Iterable[str]) -> tuple[str, ...]:
    """Return the aliases that are not the name or another alias again."""
    by_key = {fold.name_key(name): name}
    for alias in aliases:
        by_key.setdefault(fold.name_key(alias), alias)
    by_key.pop("", None)
    return tuple(alias for alias in by_key.values() if alias != name)


async def _first_told(canon: Canon, name: str, here: str | None) -> Told:
    scene = await search.first_mention(canon, name)
    return Told.at(scene) if scene is not None else told_here(canon, here)


def _static(new_id: NewId, entity: str, traits: JsonObject, told: Told) -> Iterator[Asserted]:
    if traits:
        yield Asserted(id=new_id(), entity=entity, patch=traits, told=told, static=True)


def _alias_warnings(canon: Canon, aliases: Sequence[str], shown: Told, alias_shown: Told) -> Iterator[Warn]:
    if alias_shown != shown:
        told = told_label(alias_shown, canon.outline)
        for alias in aliases:
            yield Warn(code="alias_told", facts={"name": alias, "told": told})
