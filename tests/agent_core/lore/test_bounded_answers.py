"""Whatever a reader asks, the answer is byte for byte that of a copy in which nothing later was written."""

from collections.abc import AsyncIterator, Awaitable, Sequence
from dataclasses import dataclass, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.clock import NewId
from agent_core.errors import LoreKeeperError
from agent_core.lore import query
from agent_core.lore.answers import Answer
from agent_core.lore.canon import Canon
from agent_core.lore.model import (
    NEVER,
    NOT_REVEALED,
    START,
    Asserted,
    Bound,
    Created,
    EntityType,
    Merged,
    Named,
    Node,
    NodeKind,
    OutlineEdited,
    Retired,
    Row,
    Series,
    TextSet,
    Told,
    Undone,
    UpTo,
    When,
    Withdrawn,
)
from agent_core.lore.outline import Outline
from agent_core.lore.search import nearest_names, search
from agent_core.lore.timeline import is_told
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.sqlite import SqliteDatabase
from tests.agent_core.lore.desk import Desk
from tests.agent_core.lore.strategies import outlines
from tests.clock import FakeClock

ENTITIES = ("e1", "e2", "e3")
NAMES = ("Mara", "Tom Rask", "Ozma", "Mara Venn")
KEYS = ("eyes", "home", "titles")
VALUES = ("green", "blue", {"city": "Vel"}, ["Kit"], {"$add": ["Heron"]}, None, {"$none": True})
WORDS = ("Mara came home.", "Blue eyes, said Tom Rask.", "Ozma wept.", "Nobody spoke.", "Mara Venn saw Vel.")
LABELS = ("", "The Crossing", "Kiln", "The Sea")


@dataclass(frozen=True)
class Tale:
    """An outline, the rows of its changes, and how far the reader has read."""

    outline: Outline
    changes: tuple[tuple[Row, ...], ...]
    bound: UpTo


@st.composite
def tales(draw: st.DrawFn) -> Tale:
    plain = draw(outlines())
    outline = Outline(draw(_labelled(node)) for node in plain.nodes.values())
    ids = list(outline.nodes)
    told = st.sampled_from([START, NOT_REVEALED, NEVER]) | st.sampled_from(ids).map(Told.at)
    place = st.none() | st.sampled_from(ids)
    entity = st.sampled_from(ENTITIES)
    changes: list[tuple[Row, ...]] = [
        tuple(
            row
            for one in ENTITIES
            for row in (
                Created(entity=one, type=draw(st.sampled_from(EntityType)), told=draw(told)),
                Named(id=f"n-{one}", entity=one, name=draw(st.sampled_from(NAMES)), told=draw(told)),
            )
        )
    ]
    count = draw(st.integers(1, 7))
    changes += [(draw(_rows(number, entity, told, place, ids)),) for number in range(2, count + 2)]
    return Tale(outline, tuple(changes), UpTo(draw(st.sampled_from(ids))))


def _labelled(node: Node) -> st.SearchStrategy[Node]:
    is_chapter = node.kind is NodeKind.CHAPTER
    return st.builds(
        lambda title, number, part: replace(node, title=title, number=number, part=part),
        st.sampled_from(LABELS),
        st.sampled_from(["", "1", "2", "3"]) if is_chapter else st.just(""),
        st.sampled_from(["", "One", "Two"]) if is_chapter else st.just(""),
    )


def _rows(
    number: int,
    entity: st.SearchStrategy[str],
    told: st.SearchStrategy[Told],
    place: st.SearchStrategy[str | None],
    ids: Sequence[str],
) -> st.SearchStrategy[Row]:
    patch = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), min_size=1, max_size=2)
    fact = st.builds(
        Asserted, id=st.just(f"f{number}"), entity=entity, patch=patch, told=told, at=place, until=place,
        scope_book=st.none() | st.sampled_from([one for one in ids if one.count("c") == 0]),
        static=st.booleans(), note=st.just("a remark"),
    )  # fmt: skip
    name = st.builds(
        Named, id=st.just(f"n{number}"), entity=entity, name=st.sampled_from(NAMES), told=told,
        alias=st.booleans(), at=place,
    )  # fmt: skip
    target = st.integers(2, number).map(lambda one: f"f{one}")
    struck = st.builds(
        Withdrawn, entity=entity, target=target, pointer=st.sampled_from([f"/{k}" for k in KEYS])
    )
    text = st.builds(
        TextSet, id=st.just(f"t{number}"), scene=st.sampled_from(ids), text=st.sampled_from(WORDS)
    )
    other: st.SearchStrategy[Row] = st.one_of(
        st.builds(Merged, entity=entity, into=entity),
        st.builds(Retired, entity=entity),
        st.builds(Undone, change=st.integers(2, number)),
    )
    return st.one_of(fact, fact, fact, name, struck, text, text, other)


def cut(tale: Tale) -> Tale:
    """Return the copy: what is told later was never written, what is read later has no name."""
    seen = tale.outline.seen(tale.bound)
    changes = tuple(
        tuple(kept for row in rows if (kept := _cut_row(row, tale)) is not None) for rows in tale.changes
    )
    return Tale(seen, changes, tale.bound)


def _cut_row(row: Row, tale: Tale) -> Row | None:
    outline, bound = tale.outline, tale.bound
    if isinstance(row, TextSet):
        return row if outline.sees(bound, row.scene) else None
    if isinstance(row, Created | Named | Asserted) and not is_told(row.told, bound, outline):
        return None
    if isinstance(row, Asserted) and row.until is not None and not outline.sees(bound, row.until):
        return replace(row, until=None)
    return row


async def _canon(desk: Desk, tale: Tale) -> Canon:
    await desk.append([OutlineEdited(after=node) for node in tale.outline.nodes.values()])
    for rows in tale.changes:
        await desk.append(rows)
    return await desk.canon()


async def _answers(canon: Canon, bound: Bound, tale: Tale) -> AsyncIterator[str]:
    """Yield what a reader gets to see by every question, refusals included."""
    ids = list(tale.outline.nodes)
    yield await _text(query.contents(canon, bound=bound, counted=True))
    yield await _text(query.timeline_of(canon, bound=bound))
    yield await _text(query.timeline_of(canon, bound=bound, order="reading", limit=2, to=ids[-1]))
    yield await _text(query.loose_ends(canon, bound=bound))
    for node in ids:
        yield await _text(query.chapter_scenes(canon, node, bound=bound, max_chars=20))
    for ref in (*ENTITIES, *NAMES, "Maro"):
        yield await _text(query.entry_state(canon, ref, bound=bound))
        yield await _text(query.entry_state(canon, ref, bound=bound, known=canon.head // 2))
        yield await _text(query.history(canon, ref, bound=bound))
        yield await _text(query.timeline_of(canon, ref, bound=bound))
        yield await _text(query.why(canon, ref, "eyes", bound=bound))
        yield await _text(search(canon, ref, bound=bound))
        yield repr(await nearest_names(canon, ref, bound))
        for node in ids:
            yield await _text(query.entry_state(canon, ref, position=node, when=When.START, bound=bound))
            yield await _text(query.entry_state(canon, ref, position=node, bound=bound, as_reader=node))
    for written in ("1", "2.1", "b1:p1.1", "The Crossing", "start", "now", "b2", "here"):
        yield await _text(query.entry_state(canon, "Mara", position=written, bound=bound, here=ids[-1]))


async def _text(answer: Awaitable[Answer]) -> str:
    try:
        return (await answer).model_dump_json(by_alias=True)
    except LoreKeeperError as refused:
        return f"{type(refused).__name__} {refused.for_model()}"


@settings(max_examples=max(15, settings().max_examples // 3))
@given(tale=tales())
async def test_every_bounded_answer_is_that_of_the_cut_copy(
    database: SqliteDatabase, new_id: NewId, tale: Tale
) -> None:
    found = []
    for one in (tale, cut(tale)):
        series = Series(id=new_id(), name="Vel", owner=new_id())
        await SqlSeriesStore(database).add_series(series)
        desk = Desk(SqlLoreStore(database), SqlLoreIndex(database), series, new_id, FakeClock())
        canon = await _canon(desk, one)
        found.append([text async for text in _answers(canon, one.bound, tale)])
    assert found[0] == found[1]
