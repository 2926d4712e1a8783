"""Random series: an outline as the first change, then anything that may be recorded about a few entities."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from hypothesis import strategies as st

from agent_core.lore.model import (
    NEVER,
    NOT_REVEALED,
    START,
    Asserted,
    Author,
    Bound,
    Created,
    EntityType,
    JsonObject,
    Merged,
    Mode,
    Named,
    Node,
    NodeKind,
    Nothing,
    OutlineEdited,
    Recorded,
    Relation,
    Retired,
    Row,
    StoryPlace,
    TextSet,
    Told,
    Undone,
    UpTo,
    Withdrawn,
)
from agent_core.messages import Json
from tests.agent_core.lore.naive_json import escaped, is_object
from tests.agent_core.lore.naive_outline import NaiveOutline

_Drawn = TypeVar("_Drawn")

ENTITIES = ("e0", "e1", "e2")
_FIRST_FREE = 2  # change 1 is the outline

NAMES = ("Mara", "Mara Venn", "Tom", "the Heron", "Ozma")
KEYS = ("eyes", "home", "x/y~z")
WORDS = ("green", "captain", "the Heron")
TITLES = ("", "The Heron", "Tom comes home")
_SENTENCES = ("Mara Venn came home.", "Tom said: the Heron burns!", "Her eyes were green.", "Ozma slept.")

_scalars: st.SearchStrategy[Json] = st.sampled_from([*WORDS, 1, True, 0, False, None])
_items: st.SearchStrategy[list[Json]] = st.lists(st.sampled_from([*WORDS, 1, True]), max_size=3)
_list_edits: st.SearchStrategy[Json] = st.one_of(
    st.builds(lambda added: {"$add": added}, _items),
    st.builds(lambda removed: {"$remove": removed}, _items),
    st.builds(lambda added, removed: {"$add": added, "$remove": removed}, _items, _items),
)
_atoms: st.SearchStrategy[Json] = st.sampled_from([{"$none": True}, {"$unknown": True}])
_leaves: st.SearchStrategy[Json] = st.one_of(_scalars, _items, _list_edits, _atoms)
_values: st.SearchStrategy[Json] = st.recursive(
    _leaves, lambda inner: st.dictionaries(st.sampled_from(KEYS), inner, max_size=2), max_leaves=3
)
PATCHES: st.SearchStrategy[JsonObject] = st.dictionaries(
    st.sampled_from(KEYS), _values, min_size=1, max_size=2
)


@dataclass(frozen=True)
class RandomLore:
    """A series as a list of changes; the first, which has number 1, is its outline."""

    changes: tuple[tuple[Row, ...], ...]
    outline: NaiveOutline

    @property
    def recorded(self) -> list[Recorded]:
        """The rows as a store returns them."""
        return [
            Recorded(number, order, row)
            for number, rows in enumerate(self.changes, 1)
            for order, row in enumerate(rows)
        ]


@st.composite
def outlines(draw: st.DrawFn) -> list[Node]:
    """Return the nodes of one to three books with modes, story places that hold, and tombstones."""
    nodes = {node.id: node for node in _tree(draw)}
    scenes = [node.id for node in nodes.values() if node.kind is NodeKind.SCENE]
    for scene in draw(st.lists(st.sampled_from(scenes), max_size=3)) if scenes else ():
        nodes[scene] = replace(nodes[scene], mode=draw(st.sampled_from([*Mode][::-1])))
    for node in draw(st.lists(st.sampled_from(list(nodes)), max_size=4)):
        place = StoryPlace(draw(st.sampled_from(Relation)), draw(st.sampled_from(list(nodes))))
        placed = {**nodes, node: replace(nodes[node], place=place)}
        if not NaiveOutline(placed).closes():
            nodes = placed
    for node in draw(st.lists(st.sampled_from(list(nodes)), max_size=2)):
        nodes[node] = replace(nodes[node], deleted=True)
    return list(nodes.values())


@st.composite
def bounds(draw: st.DrawFn, outline: NaiveOutline) -> Bound:
    """Return the author, somebody who has read nothing, or a reader."""
    readers: list[Bound] = [UpTo(node) for node in reversed(outline.reading)]
    return draw(st.just(Author()) | st.sampled_from([*readers, Nothing()]))


@st.composite
def busy(draw: st.DrawFn, nodes: list[Node]) -> list[str]:
    """Return a few nodes, those with story places and what these refer to among them."""
    placed = [one for node in nodes if node.place for one in (node.id, node.place.node)]
    return [*placed, *draw(st.lists(st.sampled_from([node.id for node in nodes]), min_size=1, max_size=3))]


@st.composite
def lores(draw: st.DrawFn, max_changes: int = 10) -> RandomLore:
    """Return a series in which most entities are created and told early, and scenes have their texts."""
    nodes = draw(outlines())
    outline = NaiveOutline({node.id: node for node in nodes})
    book = Notebook(draw, list(outline.reading), draw(busy(nodes)))
    texts = [book.text(node.id) for node in nodes if node.kind is NodeKind.SCENE]
    book.changes.append((*(OutlineEdited(after=node) for node in nodes), *texts))
    book.changes.append(tuple(row for entity in ENTITIES for row in book.creation(entity)))
    for _ in range(draw(st.integers(2, max_changes))):
        book.changes.append(tuple(book.rows()))
    return RandomLore(tuple(book.changes), outline)


class Draw(Protocol):
    """Draws a value, in a strategy or in a test."""

    def __call__(self, strategy: st.SearchStrategy[_Drawn], /) -> _Drawn: ...


@dataclass
class Notebook:
    """Draws rows that refer to what was drawn before. `nodes` are those that it may name."""

    draw: Draw
    nodes: list[str]
    busy: list[str]
    changes: list[tuple[Row, ...]] = field(default_factory=list)
    facts: list[Asserted] = field(default_factory=list)
    names: list[Named] = field(default_factory=list)
    ids: int = 0

    def creation(self, entity: str) -> list[Row]:
        """Return the rows that make an entity with a name."""
        told = self._early()
        return [
            Created(entity=entity, type=EntityType.CHARACTER, told=told),
            self._name(entity, told=told, alias=False),
        ]

    def rows(self) -> Iterator[Row]:
        """Yield the rows of one change."""
        for _ in range(self.draw(st.integers(1, 3))):
            yield self.draw(st.sampled_from([*[self._fact] * 8, *self._others()]))()

    def text(self, scene: str) -> Row:
        """Return a revision of a scene."""
        sentences = self.draw(st.lists(st.sampled_from(_SENTENCES), max_size=3))
        return TextSet(id=self._id("text"), scene=scene, text=" ".join(sentences))

    def _others(self) -> list[Callable[[], Row]]:
        found: list[Callable[[], Row]] = [
            self._renamed,
            self._alias,
            self._recreated,
            self._retired,
            self._merged,
            self._merged,
            self._revision,
        ]
        if self.facts:
            found += [self._struck, self._struck]
        if len(self.changes) >= _FIRST_FREE:
            found += [self._undone, self._undone]
        return [*found, self._struck_name]

    def _fact(self) -> Row:
        at = self.draw(st.none() | self._node())
        default = NOT_REVEALED if at is None else Told.at(at)
        self.facts.append(
            Asserted(
                id=self._id("fact"),
                entity=self._entity(),
                patch=self.draw(PATCHES),
                at=at,
                until=self.draw(st.none() | self._node()),
                told=self.draw(st.sampled_from([default, START]) | self._told()),
                scope_book=self.draw(st.none() | st.sampled_from(self._books())),
                static=at is None and self.draw(st.booleans()),
            )
        )
        return self.facts[-1]

    def _renamed(self) -> Row:
        return self._name(self._entity(), told=self.draw(self._told()), alias=False)

    def _alias(self) -> Row:
        at = self.draw(st.none() | st.sampled_from(self.nodes))
        return self._name(self._entity(), told=self.draw(self._told()), alias=True, at=at)

    def _recreated(self) -> Row:
        return Created(
            entity=self._entity(),
            type=self.draw(st.sampled_from(EntityType)),
            told=self.draw(self._told()),
            disambiguator=self.draw(st.sampled_from(["", "the elder"])),
        )

    def _retired(self) -> Row:
        return Retired(entity=self._entity())

    def _merged(self) -> Row:
        one, other = self.draw(st.sampled_from([("e0", "e1"), ("e0", "e2"), ("e1", "e2")]))
        return Merged(entity=one, into=other)

    def _struck(self) -> Row:
        fact = self.draw(st.sampled_from(self.facts))
        pointer = self.draw(st.sampled_from(["", *pointers_of(fact.patch)]))
        return Withdrawn(entity=fact.entity, target=fact.id, pointer=pointer)

    def _struck_name(self) -> Row:
        name = self.draw(st.sampled_from(self.names))
        return Withdrawn(entity=name.entity, target=name.id)

    def _undone(self) -> Row:
        return Undone(change=self.draw(st.integers(_FIRST_FREE, len(self.changes))))

    def _revision(self) -> Row:
        return self.text(
            self.draw(st.sampled_from([node for node in self.nodes if "s" in node] or self.nodes))
        )

    def _name(self, entity: str, *, told: Told, alias: bool, at: str | None = None) -> Named:
        name = self.draw(st.sampled_from(NAMES))
        self.names.append(Named(id=self._id("name"), entity=entity, name=name, told=told, alias=alias, at=at))
        return self.names[-1]

    def _entity(self) -> str:
        return self.draw(st.sampled_from([ENTITIES[0], *ENTITIES]))

    def _early(self) -> Told:
        return self.draw(st.sampled_from([START, None])) or self.draw(st.just(START) | self._told())

    def _node(self) -> st.SearchStrategy[str]:
        """Return any node, half of the time one of the few where much happens."""
        return st.sampled_from(self.busy) | st.sampled_from(self.nodes)

    def _told(self) -> st.SearchStrategy[Told]:
        return st.sampled_from([START, *map(Told.at, self.nodes), NOT_REVEALED, NEVER])

    def _books(self) -> list[str]:
        return [node for node in self.nodes if "c" not in node]

    def _id(self, kind: str) -> str:
        self.ids += 1
        return f"{kind} {self.ids}"


def _tree(draw: st.DrawFn) -> Iterator[Node]:
    """Yield books such as "b0", chapters such as "b0c1", scenes such as "b0c1s2"."""
    counts = draw(st.lists(st.lists(st.integers(0, 3), max_size=3), min_size=1, max_size=3))
    for i, chapters in enumerate(counts):
        yield Node(id=f"b{i}", kind=NodeKind.BOOK, parent=None, rank=f"{i}5", title=f"Book {i}")
        for j, scenes in enumerate(chapters):
            chapter = f"b{i}c{j}"
            yield Node(
                id=chapter,
                kind=NodeKind.CHAPTER,
                parent=f"b{i}",
                rank=f"{j}5",
                number=draw(st.sampled_from([str(j + 1), "1", ""])),
                part=draw(st.sampled_from(["", "Two"])),
                title=draw(st.sampled_from(TITLES)),
            )
            for k in range(scenes):
                title = draw(st.sampled_from(TITLES))
                yield Node(
                    id=f"{chapter}s{k}", kind=NodeKind.SCENE, parent=chapter, rank=f"{k}5", title=title
                )


def pointers_of(patch: JsonObject, parent: str = "") -> Iterator[str]:
    """Yield the pointer of every member of a patch."""
    for key, value in patch.items():
        pointer = f"{parent}/{escaped(key)}"
        yield pointer
        if isinstance(value, dict) and is_object(value):
            yield from pointers_of(value, pointer)
