"""Who may ask for which tool where, and how much an answer may show."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.conversation.model import Audience, Conversation
from agent_core.errors import LoreKeeperError, NotLinked, NotPermitted
from agent_core.lore.model import Author, Bound, Node, NodeKind, Nothing, UpTo
from agent_core.lore.outline import Outline
from agent_core.people.model import Membership, Person, Progress, SeriesRole
from agent_core.pipeline.permissions import (
    bound_from_text,
    bound_in,
    bound_to_text,
    check_tool,
    may_decide,
    role_of,
    within,
)
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.spec import Asker, Risk

OUTLINE = Outline(
    [
        Node(id="book", kind=NodeKind.BOOK, parent=None, rank="a"),
        *(Node(id=f"c{n}", kind=NodeKind.CHAPTER, parent="book", rank=f"a{n}") for n in range(1, 4)),
    ]
)
BY_NAME = {tool.name: tool for tool in TOOLS}
BOUNDS = st.sampled_from([Author(), Nothing(), UpTo("c1"), UpTo("c2"), UpTo("c3"), UpTo("book")])
PLACE = Conversation(id="c", platform="t", place="c", private=True, series="oz")
OWNER, EDITOR, READER = SeriesRole.OWNER, SeriesRole.EDITOR, SeriesRole.READER


def asker(role: SeriesRole | None, bound: Bound, *, series: str | None = "oz") -> Asker:
    member = Membership(person="p", series="oz", role=role) if role else None
    return Asker(
        person=Person(id="p", name="P"),
        conversation=replace(PLACE, series=series),
        membership=member,
        bound=bound,
        language="en",
    )


@pytest.mark.parametrize(
    ("tool", "who", "refusal"),
    [
        ("search_lore", asker(OWNER, Author()), None),
        ("search_lore", asker(READER, UpTo("c1")), None),
        ("search_lore", asker(READER, Nothing()), None),
        ("search_lore", asker(None, Nothing()), "role"),
        ("search_lore", asker(OWNER, Author(), series=None), NotLinked),
        ("list_loose_ends", asker(EDITOR, Author()), None),
        ("list_loose_ends", asker(READER, UpTo("c1")), "reader"),
        ("list_loose_ends", asker(EDITOR, UpTo("c1")), "place"),
        ("record_lore_state", asker(EDITOR, Author()), None),
        ("record_lore_state", asker(READER, UpTo("c1")), "reader"),
        ("record_lore_state", asker(OWNER, UpTo("c1")), "place"),
        ("set_progress", asker(READER, Nothing()), None),
        ("set_position", asker(READER, Nothing()), "reader"),
        ("link_thread", asker(None, Nothing()), None),
        ("link_thread", asker(OWNER, Author(), series=None), None),
    ],
)
def test_tool_is_open_to_some_and_closed_to_others(
    tool: str, who: Asker, refusal: str | type[LoreKeeperError] | None
) -> None:
    found = BY_NAME[tool]
    if refusal is None:
        check_tool(found, found.risk, who)
        return
    with pytest.raises(refusal if isinstance(refusal, type) else NotPermitted) as refused:
        check_tool(found, found.risk, who)
    if isinstance(refusal, str):
        assert refused.value.facts["reason"] == refusal


def test_no_write_to_the_canon_is_open_to_readers() -> None:
    assert {tool.name for tool in TOOLS if tool.in_canon and tool.for_readers} == set()
    assert all(tool.propose is not None for tool in TOOLS if tool.risk is not Risk.READ)
    assert all(tool.read is not None for tool in TOOLS if tool.risk is Risk.READ)


@pytest.mark.parametrize(
    ("role", "may_destroy", "write", "destroy"),
    [
        (OWNER, False, True, True),
        (EDITOR, False, True, False),
        (EDITOR, True, True, True),
        (READER, True, False, False),
        (None, False, False, False),
    ],
)
def test_who_may_confirm(role: SeriesRole | None, may_destroy: bool, write: bool, destroy: bool) -> None:
    member = Membership(person="p", series="oz", role=role, may_destroy=may_destroy) if role else None

    assert may_decide(member, Risk.WRITE) is write
    assert may_decide(member, Risk.DANGEROUS) is destroy
    assert role_of(member) is (role or SeriesRole.NONE)


@pytest.mark.parametrize(
    ("role", "audience", "up_to", "finished", "bound"),
    [
        (OWNER, Audience.TEAM, None, None, Author()),
        (EDITOR, Audience.READERS, "c2", None, UpTo("c2")),
        (EDITOR, Audience.READERS, None, None, Nothing()),
        (READER, Audience.TEAM, None, "c3", UpTo("c3")),
        (READER, Audience.TEAM, None, None, Nothing()),
        (READER, Audience.READERS, "c1", "c3", UpTo("c1")),
        (READER, Audience.READERS, "c3", "c1", UpTo("c1")),
        (None, Audience.TEAM, None, "c3", UpTo("c3")),
        (None, Audience.READERS, "c1", None, Nothing()),
    ],
)
def test_answer_shows_the_lower_of_progress_and_audience(
    role: SeriesRole | None, audience: Audience, up_to: str | None, finished: str | None, bound: Bound
) -> None:
    place = replace(PLACE, audience=audience, audience_up_to=up_to)
    member = Membership(person="p", series="oz", role=role) if role else None
    progress = Progress(person="p", series="oz", finished=finished)

    assert bound_in(place, member, progress, OUTLINE) == bound


@given(BOUNDS, BOUNDS, BOUNDS)
def test_lower_bound_is_a_meet(one: Bound, other: Bound, third: Bound) -> None:
    narrower = OUTLINE.narrower
    assert narrower(one, one) == one
    assert narrower(one, other) == narrower(other, one)
    assert narrower(narrower(one, other), third) == narrower(one, narrower(other, third))
    assert OUTLINE.reach(narrower(one, other)) == min(OUTLINE.reach(one), OUTLINE.reach(other))


@given(BOUNDS, BOUNDS)
def test_what_was_said_under_a_bound_is_seen_under_no_narrower_one(made: Bound, reader: Bound) -> None:
    seen = within(bound_to_text(made), reader, OUTLINE)

    assert seen == (OUTLINE.reach(made) <= OUTLINE.reach(reader))
    assert bound_from_text(bound_to_text(made)) == made


def test_bound_of_a_place_that_is_not_in_this_series_is_seen_by_nobody() -> None:
    assert not within("node of another series", Author(), OUTLINE)
    assert bound_from_text("") == Nothing()
