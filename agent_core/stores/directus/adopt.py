"""Makes of what people have edited in Directus the rows of an edit: nothing they did is lost, or goes unsaid.

A value that the canon can't hold (a name left blank, a kind that there is none of) stays where it is and is
told of; it is never put right in silence.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from agent_core.clock import NewId
from agent_core.errors import BadPatch
from agent_core.lore.fold import name_key
from agent_core.lore.merge import validate_patch
from agent_core.lore.model import (
    NOT_REVEALED,
    Asserted,
    Created,
    EntityType,
    Mode,
    Named,
    Node,
    NodeKind,
    OutlineEdited,
    Relation,
    Retired,
    Row,
    StoryPlace,
    TextSet,
    Withdrawn,
)
from agent_core.lore.outline import Outline
from agent_core.lore.timeline import Entry
from agent_core.messages import Json
from agent_core.stores.directus.layout import ENTITIES
from agent_core.stores.directus.moves import in_their_order
from agent_core.stores.directus.payload import canonical, plain
from agent_core.stores.directus.picture import Picture
from agent_core.stores.directus.shown import COLLECTIONS, PARENTS, ShownRow, traits

_KINDS = {collection.name: kind for kind, collection in COLLECTIONS.items()}
_LABELS = ("title", "number", "part")


@dataclass(frozen=True, slots=True)
class Unfit:
    """A value in Directus that the canon can't hold."""

    collection: str
    row: str
    column: str


@dataclass(frozen=True, slots=True)
class Adoption:
    """The rows that say what people have edited, and what can't be said."""

    rows: tuple[Row, ...]
    unfit: tuple[Unfit, ...]


def token_of(rows: Iterable[ShownRow]) -> str:
    """Return the token of the edit that adopts these rows: the same for every process that sees them."""
    seen = sorted((row.id, row.changed_at or "", *sorted(row.edited())) for row in rows)
    return f"directus-{sha256(repr(seen).encode()).hexdigest()[:32]}"


def adopt(rows: Sequence[ShownRow], picture: Picture, new_id: NewId) -> Adoption:
    """Return what was edited in these rows and differs from the canon."""
    adopting = _Adopting(picture, new_id)
    nodes = [row for row in rows if row.collection is not ENTITIES]
    adopting.outline(nodes)
    for row in rows:
        if row.collection is ENTITIES:
            adopting.entity(row)
    return Adoption(tuple(adopting.rows), tuple(adopting.unfit))


class _Adopting:
    def __init__(self, picture: Picture, new_id: NewId) -> None:
        self.rows: list[Row] = []
        self.unfit: list[Unfit] = []
        self._picture = picture
        self._new_id = new_id
        self._nodes = picture.nodes_by_row()
        self._entries = picture.entries_by_row()

    def outline(self, rows: Sequence[ShownRow]) -> None:
        """Add what was edited of nodes: books first, so that new chapters find theirs."""
        outline = self._picture.outline
        nodes: dict[str, Node] = dict(outline.nodes)
        places: dict[str, int | None] = {}
        moved: list[str] = []
        texts: list[Row] = []
        ids = dict(self._nodes) | {row.id: row.id for row in rows if self._is_new(row)}
        for row in sorted(rows, key=lambda row: list(_KINDS).index(row.collection.name)):
            before = nodes.get(ids.get(row.id, ""))
            if before is None and not self._is_new(row):
                continue
            node = self._node(row, before, ids)
            edited = row.edited()
            nodes[node.id] = node
            if "sort" in edited:
                place = row.values["sort"]
                places[node.id] = place if isinstance(place, int) else None
            if before is None or before.parent != node.parent or "sort" in edited:
                moved.append(node.id)
            texts += self._text(row, node.id)
        ranked = in_their_order(outline, nodes, places, moved)
        changed = [node for node in ranked.values() if node != outline.nodes.get(node.id)]
        self.rows += self._told_apart(changed, outline)
        self.rows += texts

    def entity(self, row: ShownRow) -> None:
        """Add what was edited of an entry."""
        of = self._entries.get(row.id)
        entry = self._picture.entries.get(of) if of else None
        if entry is not None:
            self._edit(row, entry)
        elif not row.known:
            self._add(row)
        elif "deleted" in row.edited() and not row.values["deleted"]:
            self._refuse(row, "deleted")

    def _is_new(self, row: ShownRow) -> bool:
        return not row.known and row.id not in self._nodes

    def _node(self, row: ShownRow, before: Node | None, ids: Mapping[str, str]) -> Node:
        kind = _KINDS[row.collection.name]
        node = before or Node(id=row.id, kind=kind, parent=None, rank="")
        edited = row.edited()
        for column in _LABELS:
            shown = plain(getattr(node, column))
            if column in edited and (value := self._label(row, column)) is not None and value != shown:
                node = _labelled(node, column, value)
        if "deleted" in edited:
            node = replace(node, deleted=bool(row.values["deleted"]))
        node = self._with_mode(row, node)
        node = self._with_place(row, node, ids)
        return self._with_parent(row, node, ids)

    def _label(self, row: ShownRow, column: str) -> str | None:
        value = row.values[column]
        if value is None or isinstance(value, str):
            return (value or "").strip()
        self._refuse(row, column)
        return None

    def _with_mode(self, row: ShownRow, node: Node) -> Node:
        if "mode" not in row.edited():
            return node
        value = row.values["mode"] or Mode.LINEAR.value
        if value not in list(Mode):
            self._refuse(row, "mode")
            return node
        return replace(node, mode=Mode(str(value)))

    def _with_place(self, row: ShownRow, node: Node, ids: Mapping[str, str]) -> Node:
        if not row.edited() & {"place_relation", "place_node"}:
            return node
        relation, other = row.values["place_relation"], ids.get(str(row.values["place_node"] or ""))
        if not relation and not row.values["place_node"]:
            return replace(node, place=None)
        if relation not in list(Relation) or other is None or other == node.id:
            self._refuse(row, "place_node" if relation in list(Relation) else "place_relation")
            return node
        return replace(node, place=StoryPlace(Relation(str(relation)), other))

    def _with_parent(self, row: ShownRow, node: Node, ids: Mapping[str, str]) -> Node:
        column = PARENTS.get(row.collection.name)
        if column is None or column not in row.edited():
            return node
        parent = ids.get(str(row.values[column] or ""))
        if parent is None:
            self._refuse(row, column)
            return node
        return replace(node, parent=parent)

    def _text(self, row: ShownRow, scene: str) -> list[Row]:
        if row.collection.name != COLLECTIONS[NodeKind.SCENE].name or "text" not in row.edited():
            return []
        value = row.values["text"] or ""
        if not isinstance(value, str):
            self._refuse(row, "text")
            return []
        if value == plain(self._picture.texts.get(scene, "")):
            return []
        return [TextSet(id=self._new_id(), scene=scene, text=value)]

    def _told_apart(self, changed: Sequence[Node], outline: Outline) -> list[Row]:
        """Return the edits of nodes, without story places that would close a circle."""
        after = Outline({**outline.nodes, **{node.id: node for node in changed}}.values())
        circles = after.ignored_places - outline.ignored_places
        found: list[Row] = []
        for node in changed:
            before = outline.nodes.get(node.id)
            if node.id in circles:
                self.unfit.append(Unfit(COLLECTIONS[node.kind].name, node.id, "place_node"))
            kept = replace(node, place=before.place if before else None) if node.id in circles else node
            if kept != before:
                found.append(OutlineEdited(after=kept, before=before))
        return found

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


def _labelled(node: Node, column: str, value: str) -> Node:
    match column:
        case "title":
            return replace(node, title=value)
        case "number":
            return replace(node, number=value)
        case _:
            return replace(node, part=value)


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
