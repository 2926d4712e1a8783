"""Answers of tools that were cut to a budget are read as far as they go."""

from collections.abc import Callable, Mapping, Sequence

import pytest

from agent_core.llm.offline.results import (
    ChapterScenes,
    Contents,
    EntryState,
    History,
    Result,
    Search,
    Timeline,
    Why,
)
from agent_core.messages import Json
from agent_core.pipeline.cut import cut_json

MARA: Json = {"id": "e" * 36, "type": "character", "name": "Mara", "aliases": ["the Heron", "Kit"]}


def place(n: int) -> Json:
    return {"id": "n" * 36, "label": f"7.{n}", "title": "The Crossing"}


def fact(n: int) -> Json:
    return {
        "id": "f" * 36,
        "patch": {"eyes": "green " * n, "home": {"city": "Vel"}},
        "from": place(n),
        "edit": n,
    }


def quote(n: int) -> Json:
    return {"scene": place(n), "text": "word " * 20, "paragraph": n}


def many(make: Callable[[int], Json], count: int = 40) -> Sequence[Json]:
    return [make(n) for n in range(count)]


ANSWERS: Mapping[type[Result], Json] = {
    Search: {
        "query": "mara",
        "entries": many(lambda n: {"entry": MARA, "why": "fact", "detail": "x" * n, "quote": quote(n)}),
        "scenes": many(quote),
        "noEntry": {"name": "Vel", "scenes": 4, "first": place(1), "quotes": many(quote, 3)},
    },
    EntryState: {
        "entry": MARA,
        "state": {f"key {n}": "value " * 3 for n in range(40)},
        "at": place(1),
        "facts": many(fact),
        "sources": many(lambda n: {"pointer": f"/key {n}", "fact": "f" * 36, "from": place(n)}),
    },
    Timeline: {
        "items": many(lambda n: {"entry": MARA, "at": place(n), "kind": "begins", "patch": {"a": "b" * n}})
    },
    History: {
        "items": many(
            lambda n: {
                "edit": n,
                "recordedAt": "2026-05-01T12:00:00Z",
                "lines": many(lambda m: {"entry": MARA, "kind": "fact", "place": place(m), "key": "a"}, 5),
            }
        )
    },
    Contents: {
        "series": "Vel",
        "books": many(
            lambda n: {
                "place": place(n),
                "chapters": many(lambda m: {"place": place(m), "scenes": [{"place": place(m)}]}, 9),
            },
            3,
        ),
    },
    ChapterScenes: {
        "chapter": place(0),
        "scenes": many(lambda n: {"place": place(n), "text": "word " * 300}, 4),
    },
    Why: {"entry": MARA, "key": "eyes", "at": place(1), "chain": many(fact), "quotes": many(quote)},
}


@pytest.mark.parametrize("kind", ANSWERS, ids=lambda kind: kind.__name__)
def test_cut_answer_is_read_as_far_as_it_goes(kind: type[Result]) -> None:
    for max_chars in range(1_000, 20_000, 37):
        kind.model_validate(cut_json(ANSWERS[kind], max_chars))


def test_items_before_the_cut_are_all_there() -> None:
    cut = Timeline.model_validate(cut_json(ANSWERS[Timeline], 2_000))
    assert 5 < len(cut.items) < 40
    assert [item.at and item.at.label for item in cut.items] == [f"7.{n}" for n in range(len(cut.items))]
