"""A tiny story to write rules of time against: scenes with short ids, facts recorded change by change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from agent_core.lore.model import (
    NOT_REVEALED,
    START,
    Asserted,
    Author,
    Bound,
    Created,
    EntityType,
    JsonObject,
    Mode,
    Named,
    Node,
    NodeKind,
    OutlineEdited,
    Recorded,
    Relation,
    Row,
    StoryPlace,
    Told,
    Undone,
    When,
    Withdrawn,
)
from agent_core.lore.outline import Outline
from agent_core.lore.ranks import ranks_after
from agent_core.lore.timeline import ActiveFact, Entry, at_position, fold_entry, merges, resolve, undone
from agent_core.messages import Json

AUTHOR = Author()


def tree(books: dict[str, dict[str, Sequence[str]]]) -> Outline:
    """Return the outline of {book: {chapter: scenes}}, all linear, the keys being the ids."""
    nodes: list[Node] = []
    for book in _siblings(NodeKind.BOOK, None, books):
        nodes.append(book)
        for chapter in _siblings(NodeKind.CHAPTER, book.id, books[book.id]):
            nodes += [chapter, *_siblings(NodeKind.SCENE, chapter.id, books[book.id][chapter.id])]
    return Outline(nodes)


def scenes(*ids: str) -> Outline:
    """Return one book "b" with one chapter "c" that holds these scenes."""
    return tree({"b": {"c": ids}})


def ten() -> Outline:
    """Return scenes 1..10 in order."""
    return scenes(*map(str, range(1, 11)))


def placed(outline: Outline, **places: tuple[str, str]) -> Outline:
    """Return the outline with story places such as s8=("before", "1"); a leading "s" of a key is dropped."""
    nodes = dict(outline.nodes)
    for key, (relation, target) in places.items():
        node = key.removeprefix("s")
        nodes[node] = replace(nodes[node], place=StoryPlace(Relation(relation), target))
    return Outline(nodes.values())


def with_mode(outline: Outline, mode: Mode, *ids: str) -> Outline:
    """Return the outline with these scenes in `mode`."""
    return Outline(replace(node, mode=mode) if node.id in ids else node for node in outline.nodes.values())


def fact(
    patch: JsonObject,
    at: str | None = None,
    *,
    entity: str = "mara",
    until: str | None = None,
    told: Told | str | None = None,
    scope: str | None = None,
    key: str = "",
) -> Asserted:
    """Return a fact that is told where it begins, or not revealed if it always was, unless `told` says so."""
    if isinstance(told, str):
        told = Told.at(told)
    elif told is None:
        told = NOT_REVEALED if at is None else Told.at(at)
    return Asserted(id=key, entity=entity, patch=patch, at=at, until=until, told=told, scope_book=scope)


def creation(entity: str, told: Told = START) -> tuple[Created, Named]:
    """Return the rows that make an entry named like its id."""
    return (
        Created(entity=entity, type=EntityType.CHARACTER, told=told),
        Named(id=f"name of {entity}", entity=entity, name=entity, told=told),
    )


@dataclass
class Story:
    """Rows recorded so far. Entries are there from change 0 on; a fact without a key is "#change.order".

    `record` returns the number of its change.
    """

    outline: Outline
    entities: Iterable[str] = ("mara",)
    rows: list[Recorded] = field(default_factory=list)
    number: int = 0

    def __post_init__(self) -> None:
        made = [row for entity in self.entities for row in creation(entity)]
        self.rows += [Recorded(0, order, row) for order, row in enumerate(made)]

    def record(self, *rows: Row) -> int:
        self.number += 1
        for order, row in enumerate(rows):
            if isinstance(row, Asserted) and not row.id:
                row = replace(row, id=f"#{self.number}.{order}")  # noqa: PLW2901 (a fact gets its id here)
            self.rows.append(Recorded(self.number, order, row))
        return self.number

    def undo(self, number: int) -> int:
        return self.record(Undone(change=number))

    def edit(self, row: OutlineEdited) -> None:
        self.outline = self.outline.with_edits([row])

    def entry(self, entity: str = "mara", *, bound: Bound = AUTHOR, known: int | None = None) -> Entry | None:
        gone = undone(self.rows, known)
        final = merges(self.rows, gone, known)
        return resolve(
            self.rows,
            entity=final.get(entity, entity),
            absorbed=[one for one, into in final.items() if into == final.get(entity, entity)],
            frame_undone=gone,
            known=known,
            bound=bound,
            outline=self.outline,
        )

    def facts(
        self,
        at: str | None,
        entity: str = "mara",
        *,
        bound: Bound = AUTHOR,
        when: When = When.END,
        known: int | None = None,
    ) -> tuple[ActiveFact, ...]:
        entry = self.entry(entity, bound=bound, known=known)
        return () if entry is None else at_position(entry, at, when, self.outline)

    def state(
        self,
        at: str | None,
        entity: str = "mara",
        *,
        bound: Bound = AUTHOR,
        when: When = When.END,
        known: int | None = None,
    ) -> dict[str, Json] | None:
        """Return the folded facts that hold there, or None if there are none."""
        facts = self.facts(at, entity, bound=bound, when=when, known=known)
        return fold_entry(facts).state if facts else None


def strike(target: str, *pointers: str, entity: str = "mara") -> list[Withdrawn]:
    """Return the withdrawals of these members of a fact; without any, of the whole fact."""
    return [Withdrawn(entity=entity, target=target, pointer=pointer) for pointer in pointers or ("",)]


def _siblings(kind: NodeKind, parent: str | None, ids: Iterable[str]) -> list[Node]:
    ids = list(ids)
    ranks = ranks_after(None, len(ids))
    return [Node(id=node, kind=kind, parent=parent, rank=rank) for node, rank in zip(ids, ranks, strict=True)]
