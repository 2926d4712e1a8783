"""Reads what people have edited of books, chapters and scenes in Directus as rows of an edit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent_core.clock import NewId
from agent_core.lore.model import Mode, Node, NodeKind, OutlineEdited, Relation, Row, StoryPlace, TextSet
from agent_core.lore.outline import Outline
from agent_core.stores.directus.moves import in_their_order
from agent_core.stores.directus.payload import plain
from agent_core.stores.directus.picture import Picture
from agent_core.stores.directus.shown import COLLECTIONS, PARENTS, ShownRow, Unfit

_KINDS = {collection.name: kind for kind, collection in COLLECTIONS.items()}
_LABELS = ("title", "number", "part")


class EditedNodes:
    """Collects the rows that say what was edited, and what can't be said."""

    def __init__(self, picture: Picture, new_id: NewId) -> None:
        self.rows: list[Row] = []
        self.unfit: list[Unfit] = []
        self._picture = picture
        self._new_id = new_id
        self._nodes = picture.nodes_by_row()

    def add(self, rows: Sequence[ShownRow]) -> None:
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
