"""Rows of the canon for tests: the shortest way to write one down, and all that may be stored."""

from datetime import timedelta

from hypothesis import strategies as st

from agent_core.lore.model import (
    NEVER,
    NOT_REVEALED,
    START,
    Asserted,
    ChangeDraft,
    Created,
    EntityType,
    JsonObject,
    Merged,
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
    Told,
    Undone,
    Withdrawn,
)
from agent_core.messages import Json
from tests.clock import NOON

_words = st.text(max_size=20) | st.sampled_from(
    ["", "@", "@start", "start", "🐦\u200d🔥", "\u2028", "\0", "Ω̈"]
)
_maybe = st.none() | _words
_numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
_json: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | _numbers | _words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=3),
    max_leaves=12,
)
_patches: st.SearchStrategy[JsonObject] = st.dictionaries(_words, _json, max_size=4)
_told = st.sampled_from([START, NOT_REVEALED, NEVER]) | st.builds(Told.at, _words)
_nodes = st.builds(
    Node,
    id=_words,
    kind=st.sampled_from(NodeKind),
    parent=_maybe,
    rank=_words,
    title=_words,
    number=_words,
    part=_words,
    mode=st.sampled_from(Mode),
    place=st.none() | st.builds(StoryPlace, st.sampled_from(Relation), _words),
    deleted=st.booleans(),
)

ANY_ROW: st.SearchStrategy[Row] = st.one_of(
    st.builds(Created, entity=_words, type=st.sampled_from(EntityType), told=_told, disambiguator=_words),
    st.builds(
        Named, id=_words, entity=_words, name=_words, told=_told, alias=st.booleans(), at=_maybe
    ),
    st.builds(
        Asserted, id=_words, entity=_words, patch=_patches, told=_told, at=_maybe, until=_maybe,
        scope_book=_maybe, static=st.booleans(), note=_words,
    ),
    st.builds(Withdrawn, entity=_words, target=_words, pointer=_words),
    st.builds(Retired, entity=_words),
    st.builds(Merged, entity=_words, into=_words),
    st.builds(Undone, change=st.integers(0, 2**53)),
    st.builds(TextSet, id=_words, scene=_words, text=_words),
    st.builds(OutlineEdited, after=_nodes, before=st.none() | _nodes),
)  # fmt: skip


def fact(entity: str, name: str = "f1", **patch: Json) -> Asserted:
    """Return a timeless fact."""
    return Asserted(id=name, entity=entity, patch=patch, told=START)


def scene(name: str, rank: str = "a", *, title: str = "", deleted: bool = False) -> OutlineEdited:
    """Return the edit that sets a scene."""
    return OutlineEdited(
        after=Node(id=name, kind=NodeKind.SCENE, parent="ch1", rank=rank, title=title, deleted=deleted)
    )


def draft(*rows: Row, series: str = "oz", since: int = 0, keys: tuple[str, ...] = ()) -> ChangeDraft:
    """Return a change by p1, approved by p2."""
    return ChangeDraft(
        series=series,
        rows=rows,
        since=since,
        keys=frozenset(keys),
        proposed_by="p1",
        approved_by="p2",
        source="m1",
        summary="a summary",
    )


LATER = NOON + timedelta(hours=1)
