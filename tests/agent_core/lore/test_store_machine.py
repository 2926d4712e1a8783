"""A series that lives through anything: after every step the store tells what the naive model tells."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from agent_core.errors import PlaceGone, StoryCycle
from agent_core.lore import edits, timeline
from agent_core.lore.canon import Canon
from agent_core.lore.model import (
    Mode,
    Node,
    NodeKind,
    OutlineEdited,
    Relation,
    Row,
    Series,
    StoryPlace,
    Undone,
    When,
)
from agent_core.lore.outline import Outline
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.sqlite import open_database
from tests.agent_core.lore.comparison import (
    Shelf,
    assert_same_canon,
    assert_same_fold,
    same_order,
)
from tests.agent_core.lore.naive import NaiveLore
from tests.agent_core.lore.random_lore import ENTITIES, Notebook, bounds, busy, outlines

pytestmark = pytest.mark.timeout(600)  # a failure is shrunk for up to five minutes

_CREATIONS = 2  # the outline and the entries, changes 1 and 2, are never taken back


class StoredSeries(RuleBasedStateMachine):
    """One series in a database that is opened again now and then."""

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._folder = TemporaryDirectory()
        self._open = AsyncExitStack()
        self._shelf = self._opened()
        self._series = Series(id="none yet", name="", owner="")
        self._changes: list[tuple[Row, ...]] = []
        self._notebook: Notebook

    @initialize(data=st.data(), nodes=outlines())
    def begin(self, data: st.DataObject, nodes: list[Node]) -> None:
        self._notebook = Notebook(
            data.draw, [node.id for node in nodes], data.draw(busy(nodes)), self._changes
        )
        first = [OutlineEdited(after=node) for node in nodes]
        second = [row for entity in ENTITIES for row in self._notebook.creation(entity)]
        self._changes += [tuple(first), tuple(second)]
        self._series = self._runner.run(self._shelf.put(self._changes))

    @rule(data=st.data())
    def record(self, data: st.DataObject) -> None:
        self._notebook.draw = data.draw
        self._append(*self._notebook.rows())

    @rule(data=st.data(), mode=st.sampled_from(Mode))
    def insert_scene(self, data: st.DataObject, mode: Mode) -> None:
        outline, new = self._outline(), f"s{len(self._changes)}"
        beside = self._living(data, NodeKind.SCENE)
        if beside is None:
            return
        self._append(edits.insert_scene_after(outline, new, beside, mode=mode))
        self._notebook.nodes.append(new)
        assert self._follows(beside, new)

    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        moved = self._living(data)
        if moved is None:
            return
        outline = self._outline()
        kind = outline.nodes[moved].kind
        beside = self._living(data, kind)
        if beside is None or beside == moved:
            return
        if self._try(lambda: edits.move(outline, moved, after=beside)):
            assert self._follows(beside, moved)

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        node = self._living(data)
        if node is None:
            return
        self._append(edits.delete(self._outline(), node))
        assert self._outline().is_gone(node)

    @rule(data=st.data(), relation=st.sampled_from(Relation))
    def place(self, data: st.DataObject, relation: Relation) -> None:
        node, target = self._living(data), self._living(data)
        if node is None or target is None:
            return
        place = data.draw(st.none() | st.just(StoryPlace(relation, target)))
        self._try(lambda: edits.set_place(self._outline(), node, place))

    @precondition(lambda self: len(self._changes) > _CREATIONS)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        self._undo(data.draw(st.integers(_CREATIONS + 1, len(self._changes))))

    @precondition(lambda self: len(self._changes) > _CREATIONS)
    @rule(data=st.data())
    def undo_and_redo(self, data: st.DataObject) -> None:
        number = data.draw(st.integers(_CREATIONS + 1, len(self._changes)))
        before = self._model()
        if number in before.undone() or not self._undo(number) or not self._undo(len(self._changes)):
            return
        after = self._model()
        assert after.outline.nodes == before.outline.nodes
        assert after.undone() - before.undone() == {len(self._changes) - 1}
        for entity, bound in [(entity, data.draw(bounds(before.outline))) for entity in ENTITIES]:
            assert after.entry(entity, bound) == before.entry(entity, bound)

    @rule()
    def append_again(self) -> None:
        self._runner.run(self._shelf.append(self._series, (), len(self._changes) - 1))

    @rule()
    def open_again(self) -> None:
        self._close()
        self._shelf = self._opened()

    @rule(data=st.data(), when=st.sampled_from(When))
    def read(self, data: st.DataObject, when: When) -> None:
        model = self._model()
        known = data.draw(st.none() | st.integers(0, len(self._changes)))
        entity, bound = data.draw(st.sampled_from(ENTITIES)), data.draw(bounds(model.outline))
        canon = self._canon(known)
        entry = self._runner.run(canon.entry(entity, bound=bound))
        seen = model.entry(entity, bound, known)
        for position in (None, *model.outline.living()):
            facts = timeline.at_position(entry, position, when, canon.outline) if entry else ()
            held = model.held_of(seen.facts if seen else (), position, when)
            assert [fact.id for fact in facts] == [fact.id for fact in held]
            assert_same_fold(facts, held)

    @rule(data=st.data())
    def read_all(self, data: st.DataObject) -> None:
        model, bound = self._model(), data.draw(bounds(self._model().outline))
        known = data.draw(st.none() | st.integers(0, len(self._changes)))
        self._runner.run(assert_same_canon(self._canon(known), model, bound, known))

    @invariant()
    def both_orders_are_those_of_the_model(self) -> None:
        if not self._changes:
            return
        outline, model = self._outline(), self._model().outline
        assert list(outline.reading) == list(model.reading)
        assert same_order(outline.story, model.story)

    def teardown(self) -> None:
        self._close()
        self._runner.close()
        self._folder.cleanup()

    def _append(self, *rows: Row) -> None:
        self._runner.run(self._shelf.append(self._series, rows, len(self._changes)))
        self._changes.append(tuple(rows))

    def _try(self, edit: Callable[[], OutlineEdited]) -> bool:
        try:
            row = edit()
        except StoryCycle:
            return False
        self._append(row)
        return True

    def _undo(self, number: int) -> bool:
        made = [row for row in self._changes[number - 1] if isinstance(row, OutlineEdited)]
        try:
            back = edits.inverse(self._outline(), made)
        except (PlaceGone, StoryCycle):
            return False
        self._append(Undone(change=number), *back)
        return True

    def _model(self) -> NaiveLore:
        return NaiveLore(tuple(self._changes))

    def _canon(self, known: int | None = None) -> Canon:
        return self._runner.run(self._shelf.canon(self._series, known))

    def _outline(self) -> Outline:
        return self._canon().outline

    def _living(self, data: st.DataObject, kind: NodeKind | None = None) -> str | None:
        outline = self._model().outline
        found = [node for node in outline.living() if kind in (None, outline.nodes[node].kind)]
        return data.draw(st.sampled_from(found)) if found else None

    def _follows(self, node: str, next_one: str) -> bool:
        outline = self._model().outline
        siblings = outline.children(outline.nodes[node].parent)
        return siblings[siblings.index(node) + 1] == next_one

    def _opened(self) -> Shelf:
        path = Path(self._folder.name) / "lore.db"
        database = self._runner.run(self._open.enter_async_context(open_database(path)))
        return Shelf(SqlLoreStore(database), SqlLoreIndex(database), SqlSeriesStore(database))

    def _close(self) -> None:
        self._runner.run(self._open.aclose())


StoredSeries.TestCase.settings = settings(
    max_examples=max(15, settings().max_examples // 5), stateful_step_count=20
)
test_a_series_lives_through_anything = StoredSeries.TestCase
