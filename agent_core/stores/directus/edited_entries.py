"""Reads what people have edited of entries in Directus as rows of an edit."""

from collections.abc import Mapping, Sequence

from agent_core.clock import NewId
from agent_core.errors import BadPatch
from agent_core.lore.fold import name_key
from agent_core.lore.merge import validate_patch
from agent_core.lore.model import NOT_REVEALED, Asserted, Created, EntityType, Named, Retired, Row, Withdrawn
from agent_core.lore.timeline import Entry
from agent_core.messages import Json
from agent_core.stores.directus.payload import canonical, plain
from agent_core.stores.directus.picture import Picture
from agent_core.stores.directus.shown import ShownRow, Unfit, traits


class EditedEntries:
    """Collects the rows that say what was edited, and what can't be said."""

    def __init__(self, picture: Picture, new_id: NewId) -> None:
        self.rows: list[Row] = []
        self.unfit: list[Unfit] = []
        self._picture = picture
        self._new_id = new_id
        self._entries = picture.entries_by_row()

    def add(self, row: ShownRow) -> None:
        """Add what was edited of an entry."""
        of = self._entries.get(row.id)
        entry = self._picture.entries.get(of) if of else None
        if entry is not None:
            self._edit(row, entry)
        elif not row.known:
            self._add(row)
        elif "deleted" in row.edited() and not row.values["deleted"]:
            self._refuse(row, "deleted")

    def _edit(self, row: ShownRow, entry: Entry) -> None:
        edited = row.edited()
        if "deleted" in edited and row.values["deleted"]:
            self.rows.append(Retired(entity=entry.entity))
            return
        self._describe(row, entry)
        name = row.values.get("name")
        if "name" in edited and name != plain(entry.name):
            if isinstance(name, str) and name.strip():
                told = entry.names[0].told
                self.rows.append(Named(id=self._new_id(), entity=entry.entity, name=name.strip(), told=told))
            else:
                self._refuse(row, "name")
        if "aliases" in edited:
            self._aliases(row, entry)
        if "traits" in edited:
            self._traits(row, entry)

    def _describe(self, row: ShownRow, entry: Entry) -> None:
        """Add a kind or a hint that was edited."""
        edited, kind, hint = row.edited(), entry.type, entry.disambiguator
        if "type" in edited:
            if row.values["type"] in list(EntityType):
                kind = EntityType(str(row.values["type"]))
            else:
                self._refuse(row, "type")
        if "hint" in edited and isinstance(row.values["hint"], str | None):
            hint = (row.values["hint"] or "").strip()
        if kind is not entry.type or hint != plain(entry.disambiguator):
            self.rows.append(Created(entity=entry.entity, type=kind, told=entry.told, disambiguator=hint))

    def _aliases(self, row: ShownRow, entry: Entry) -> None:
        wanted = _names_in(row.values["aliases"])
        if wanted is None:
            self._refuse(row, "aliases")
            return
        there = {name_key(name.name) for name in entry.names}
        for name in entry.names:
            if name.alias and name_key(name.name) not in {name_key(one) for one in wanted}:
                self.rows.append(Withdrawn(entity=name.entity, target=name.id))
        for one in wanted:
            if name_key(one) not in there:
                there.add(name_key(one))
                self.rows.append(
                    Named(id=self._new_id(), entity=entry.entity, name=one, told=NOT_REVEALED, alias=True)
                )

    def _traits(self, row: ShownRow, entry: Entry) -> None:
        value = _patch_of(row.values["traits"])
        if value is None:
            self._refuse(row, "traits")
            return
        old = traits(entry)
        changed = {
            key
            for key in {*old, *value}
            if (key in old) != (key in value) or canonical(old[key]) != canonical(value[key])
        }
        replaced = [
            (fact, key) for fact in entry.facts if fact.static for key in fact.patch if key in changed
        ]
        self.rows += [
            Withdrawn(entity=fact.entity, target=fact.id, pointer=f"/{_escaped(key)}")
            for fact, key in replaced
        ]
        patch = {key: value[key] for key in value if key in changed}
        if patch:
            told = replaced[0][0].told if replaced else entry.told
            self.rows.append(
                Asserted(id=self._new_id(), entity=entry.entity, patch=patch, told=told, static=True)
            )

    def _add(self, row: ShownRow) -> None:
        """Add an entry that a person has made in Directus; readers see it when somebody places it."""
        name, kind = row.values["name"], row.values["type"]
        aliases, value = _names_in(row.values["aliases"]), _patch_of(row.values["traits"])
        hint = row.values["hint"]
        fits = {
            "name": isinstance(name, str) and bool(name.strip()),
            "type": kind in list(EntityType),
            "aliases": aliases is not None,
            "traits": value is not None,
        }
        if not all(fits.values()):
            self._refuse(row, next(column for column, fine in fits.items() if not fine))
            return
        told = NOT_REVEALED
        self.rows += [
            Created(
                entity=row.id,
                type=EntityType(str(kind)),
                told=told,
                disambiguator=hint.strip() if isinstance(hint, str) else "",
            ),
            Named(id=self._new_id(), entity=row.id, name=str(name).strip(), told=told),
            *(
                Named(id=self._new_id(), entity=row.id, name=one, told=told, alias=True)
                for one in aliases or ()
            ),
        ]
        if value:
            self.rows.append(Asserted(id=self._new_id(), entity=row.id, patch=value, told=told, static=True))

    def _refuse(self, row: ShownRow, column: str) -> None:
        self.unfit.append(Unfit(row.collection.name, row.id, column))


def _names_in(value: Json) -> tuple[str, ...] | None:
    """Return the names in a list of texts, None where it is none."""
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, str):
        return None
    names = [one.strip() if isinstance(one, str) else "" for one in value]
    return tuple(dict.fromkeys(names)) if all(names) else None


def _patch_of(value: Json) -> dict[str, Json] | None:
    """Return details that can be recorded, those that are nothing left out; None where they can't be."""
    if not isinstance(value, Mapping | None):
        return None
    patch: dict[str, Json] = {key: one for key, one in (value or {}).items() if one is not None}
    try:
        validate_patch(patch)
    except BadPatch:
        return None
    return patch


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
