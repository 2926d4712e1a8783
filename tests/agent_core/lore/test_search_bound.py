"""A reader's search equals, byte for byte, that of a series from which all later things were cut."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.lore.model import (
    NEVER,
    NOT_REVEALED,
    START,
    Asserted,
    Created,
    EntityType,
    Merged,
    Named,
    Retired,
    Row,
    TextSet,
    Told,
    ToldKind,
    UpTo,
)
from agent_core.lore.search import nearest_names, quotes_of, search
from tests.agent_core.lore.library import Library, entry, open_library
from tests.agent_core.lore.story import ten

READ = 4
QUERIES = ["mara", "mara voss", "voss oak", "oak", "red oak", "marra", "ma", "ozma", "who is Mombi?", "lady"]

_words = st.sampled_from(["Mara", "Marra", "Voss", "Oak", "Ozma", "Mombi", "Lady", "red", "Mo"])
_names = st.lists(_words, min_size=1, max_size=2).map(" ".join)
_tolds = st.sampled_from([START, NOT_REVEALED, NEVER, *(Told.at(str(scene)) for scene in range(1, 11))])
_entities = st.sampled_from([f"e{number}" for number in range(6)])
_scenes = st.integers(1, 10).map(str)

_rows: st.SearchStrategy[Row] = st.one_of(
    st.builds(Named, id=st.uuids().map(str), entity=_entities, name=_names, told=_tolds, alias=st.booleans()),
    st.builds(
        Asserted,
        id=st.uuids().map(str),
        entity=_entities,
        patch=st.dictionaries(_words, _names, min_size=1, max_size=2),
        told=_tolds,
        at=st.none() | _scenes,
        until=st.none() | _scenes,
    ),
    st.builds(TextSet, id=st.uuids().map(str), scene=_scenes, text=_names.map("There {} went.".format)),
)  # fmt: skip
_created = st.builds(Created, entity=_entities, type=st.sampled_from(EntityType), told=_tolds)
_ended: st.SearchStrategy[Row] = st.one_of(
    st.builds(Retired, entity=_entities), st.builds(Merged, entity=_entities, into=_entities)
)


def is_seen(row: Row) -> bool:
    """Return whether a reader who has finished scene `READ` may know of the row."""
    match row:
        case TextSet():
            return int(row.scene) <= READ
        case Created() | Named() | Asserted():
            told = row.told
            return told.kind is ToldKind.START or (told.node is not None and int(told.node) <= READ)
        case _:
            return True


def as_read(row: Row) -> Row:
    """Return the row with an ending open that the reader has not read of."""
    if isinstance(row, Asserted) and row.until is not None and int(row.until) > READ:
        return replace(row, until=None)
    return row


async def answers(library: Library) -> list[str]:
    canon, bound = await library.canon(), UpTo(str(READ))
    found = [(await search(canon, query, bound=bound, limit=3)).model_dump_json() for query in QUERIES]
    found += [(await search(canon, "mara", type=kind, bound=bound)).model_dump_json() for kind in EntityType]
    near = [await nearest_names(canon, query, bound) for query in QUERIES]
    quotes = [await quotes_of(canon, word, bound, 5) for word in ("Mara", "oak", "Mombi")]
    return [*found, *map(str, near), *map(str, quotes)]


async def both_answers(folder: str, rows: list[Row]) -> tuple[list[str], list[str]]:
    """Return the answers of the whole series and of the cut one, each row a change of its own."""
    results = []
    for number, kept in enumerate([rows, [as_read(row) for row in rows if is_seen(row)]]):
        async with open_library(f"{folder}/{number}.db") as library:
            await library.lay_out(ten())
            await library.record(*kept)
            results.append(await answers(library))
    return results[0], results[1]


@settings(max_examples=20, deadline=None)
@given(
    created=st.lists(_created, max_size=6, unique_by=lambda row: row.entity),
    rows=st.lists(_rows, max_size=30),
    ended=st.lists(_ended, max_size=2),
)
def test_later_things_leave_no_trace(
    tmp_path_factory: pytest.TempPathFactory, created: list[Created], rows: list[Row], ended: list[Row]
) -> None:
    """A63."""
    folder = str(tmp_path_factory.mktemp("bound"))
    whole, cut = asyncio.run(both_answers(folder, [*created, *rows, *ended]))
    assert whole == cut


def test_later_things_leave_no_trace_among_very_many(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A63: also where more match than are looked at."""
    folder = str(tmp_path_factory.mktemp("bound"))
    entities = [f"{number * 7919 % 1000:03}" for number in range(300)]
    rows: list[Row] = [
        Named(id=f"hidden {entity}", entity=entity, name="Oak Voss", told=NEVER, alias=True)
        for entity in sorted(entities, key=lambda entity: entity[::-1])
    ]
    for number, entity in enumerate(entities):
        told = (START, NEVER, Told.at("3"), Told.at("9"))[number % 4]
        rows += entry(entity, f"Oak {number}", told=told)
        rows.append(Asserted(id=f"fact of {entity}", entity=entity, patch={"red": "Mara Voss"}, told=told))
    whole, cut = asyncio.run(both_answers(folder, rows))
    assert whole == cut
