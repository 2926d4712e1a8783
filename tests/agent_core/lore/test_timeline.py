"""The read rule: which rows count, who has been told, what holds where."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent_core.lore import edits
from agent_core.lore.merge import apply, diff, same
from agent_core.lore.model import (
    NEVER,
    NOT_REVEALED,
    START,
    Asserted,
    Bound,
    Created,
    EntityType,
    JsonObject,
    Merged,
    Mode,
    Named,
    Node,
    Nothing,
    Recorded,
    Retired,
    Row,
    Told,
    Undone,
    UpTo,
    When,
    Withdrawn,
)
from agent_core.lore.outline import Outline
from agent_core.lore.timeline import (
    Entry,
    LostPlace,
    at_position,
    default_position,
    fold_entry,
    is_told,
    lost,
    merges,
    undone,
)
from tests.agent_core.lore.story import AUTHOR, Story, creation, fact, placed, strike, ten, tree, with_mode
from tests.agent_core.lore.strategies import outlines


def undos(*pairs: tuple[int, int]) -> list[Recorded]:
    """Return the links of (change, undone change)."""
    return [Recorded(change, 0, Undone(change=target)) for change, target in pairs]


def alias(name: str, told: Told = START, *, entity: str = "mara", at: str | None = None) -> Named:
    return Named(id=f"alias {name}", entity=entity, name=name, told=told, alias=True, at=at)


def renamed(name: str, told: Told = START, *, entity: str = "mara") -> Named:
    return Named(id=f"new name {name}", entity=entity, name=name, told=told)


def names(entry: Entry | None) -> list[str]:
    return [] if entry is None else [name.name for name in entry.names]


@pytest.mark.parametrize(
    ("links", "known", "expected"),
    [
        ([], None, set()),
        ([(4, 3)], None, {3}),
        ([(4, 3)], 3, set()),
        ([(4, 3)], 4, {3}),
        ([(4, 3), (5, 4)], None, {4}),
        ([(4, 3), (5, 4)], 4, {3}),
        ([(4, 3), (5, 4), (6, 5)], None, {3, 5}),
        ([(4, 3), (5, 3), (6, 4)], None, {3, 4}),
        ([(3, 3), (3, 4)], None, set()),
    ],
)
def test_undos_are_resolved_from_the_highest_number_down(
    links: list[tuple[int, int]], known: int | None, expected: set[int]
) -> None:
    assert undone(undos(*links), known) == expected


def test_merges_follow_chains_and_later_ones_win() -> None:
    links = [
        Recorded(1, 0, Merged(entity="a", into="b")),
        Recorded(2, 0, Merged(entity="b", into="c")),
        Recorded(3, 0, Merged(entity="c", into="a")),
        Recorded(4, 0, Merged(entity="a", into="d")),
        Recorded(5, 0, Merged(entity="a", into="a")),
    ]

    assert merges(links, (), 1) == {"a": "b"}
    assert merges(links, (), 3) == {"a": "c", "b": "c"}
    assert merges(links, (), None) == {"a": "d", "b": "c"}
    assert merges(links, {2}, 2) == {"a": "b"}


@pytest.mark.parametrize(
    ("told", "author", "reader", "nobody"),
    [
        (START, True, True, False),
        (Told.at("3"), True, True, False),
        (Told.at("4"), True, False, False),
        (Told.at("missing"), True, False, False),
        (NOT_REVEALED, True, False, False),
        (NEVER, True, False, False),
    ],
)
def test_who_has_been_told(told: Told, author: bool, reader: bool, nobody: bool) -> None:
    outline = ten()

    assert [is_told(told, bound, outline) for bound in (AUTHOR, UpTo("3"), Nothing(), UpTo("missing"))] == [
        *(author, reader),
        *(nobody, False),
    ]


def test_last_node_of_all_does_not_reveal_what_is_never_told() -> None:
    story = Story(ten())
    story.record(fact({"a": 1}, "1", told=NEVER), fact({"b": 1}, "1", told=NOT_REVEALED))

    assert story.state("10", bound=UpTo("10")) is None
    assert story.state("10") == {"a": 1, "b": 1}


def test_entry_without_an_active_creation_is_absent_with_all_its_facts() -> None:
    story = Story(ten(), [])
    story.record(fact({"eyes": "green"}, "1"))
    assert story.entry() is None

    story.record(*creation("mara"))
    assert story.state("1") == {"eyes": "green"}

    story.undo(2)
    assert story.entry() is None
    assert story.entry(known=2) is not None


def test_retired_entry_is_absent_until_that_is_undone_or_it_is_made_again() -> None:
    story = Story(ten())
    story.record(fact({"eyes": "green"}, "1"))
    story.record(Retired(entity="mara"))
    assert story.entry() is None
    assert story.entry(known=1) is not None

    story.undo(2)
    assert story.state("1") == {"eyes": "green"}

    story.record(Retired(entity="mara"))
    story.record(*creation("mara"))
    assert story.state("1") == {"eyes": "green"}


def test_latest_creation_gives_type_hint_and_told() -> None:
    story = Story(ten())
    story.record(
        Created(entity="mara", type=EntityType.FACTION, told=Told.at("5"), disambiguator="the younger")
    )

    entry = story.entry()

    assert entry is not None
    assert (entry.type, entry.disambiguator, entry.told, entry.created_change) == (
        *(EntityType.FACTION, "the younger"),
        *(Told.at("5"), 1),
    )


def test_entry_told_later_is_absent_for_the_reader_with_what_was_told_earlier() -> None:
    story = Story(ten(), [])
    story.record(*creation("mara", Told.at("5")), fact({"eyes": "green"}, told=START))

    assert story.entry(bound=UpTo("4")) is None
    assert story.state("5", bound=UpTo("5")) == {"eyes": "green"}
    assert story.entry(bound=Nothing()) is None


def test_entry_whose_creation_lost_its_scene_is_not_revealed() -> None:
    story = Story(ten(), [])
    story.record(*creation("mara", Told.at("5")))
    story.edit(edits.delete(story.outline, "5"))

    assert story.entry(bound=UpTo("10")) is None
    assert story.entry() is not None


def test_names_are_shown_first_name_first_as_far_as_they_are_told() -> None:
    story = Story(ten())
    story.record(alias("the Heron", Told.at("3")), alias("Kit"))
    story.record(renamed("Mara Venn", Told.at("5")))

    assert names(story.entry()) == ["Mara Venn", "the Heron", "Kit"]
    assert names(story.entry(bound=UpTo("3"))) == ["mara", "the Heron", "Kit"]
    assert names(story.entry(bound=UpTo("2"))) == ["mara", "Kit"]
    assert names(story.entry(known=0)) == ["mara"]


def test_entry_without_a_name_told_is_absent() -> None:
    story = Story(ten(), [])
    made, name = creation("mara")
    story.record(made, replace(name, told=Told.at("4")), alias("Kit"), fact({"eyes": "green"}, told=START))

    assert story.entry(bound=UpTo("3")) is None
    assert names(story.entry(bound=UpTo("4"))) == ["mara", "Kit"]


def test_withdrawn_name_is_gone_and_the_one_before_is_shown_again() -> None:
    story = Story(ten())
    story.record(renamed("Mara Venn"), alias("Kit"))
    story.record(*strike("new name Mara Venn"), *strike("alias Kit"))

    assert names(story.entry()) == ["mara"]
    assert names(story.entry(known=1)) == ["Mara Venn", "Kit"]


def test_alias_used_from_a_scene_that_is_gone_is_out() -> None:
    story = Story(ten())
    story.record(alias("the Heron", at="5"))
    entry = story.entry()
    assert entry is not None
    assert [name.at for name in entry.names] == [None, "5"]

    story.edit(edits.delete(story.outline, "5"))
    assert names(story.entry()) == ["mara"]


def test_merged_entry_gives_its_facts_and_its_shown_name_as_an_alias() -> None:
    story = Story(ten(), ["mara", "kit"])
    story.record(renamed("Kit Venn", entity="kit"), alias("the Heron", entity="kit"))
    story.record(fact({"eyes": "green"}, "2", entity="kit"), fact({"eyes": "blue"}, "1"))
    story.record(Merged(entity="kit", into="mara"))

    for asked in ("mara", "kit"):
        entry = story.entry(asked)
        assert entry is not None
        assert entry.entity == "mara"
        assert names(entry) == ["mara", "Kit Venn", "the Heron"]
        assert [name.alias for name in entry.names] == [False, True, True]
        assert story.state("2", asked) == {"eyes": "green"}
    assert story.state("2", "mara", known=2) == {"eyes": "blue"}
    story.undo(3)
    assert names(story.entry("kit")) == ["Kit Venn", "the Heron"]


def test_merged_entry_is_gated_by_its_own_creation() -> None:
    story = Story(ten(), ["tip"])
    story.record(*creation("ozma", Told.at("9")), fact({"crown": "gold"}, entity="ozma", told=START))
    story.record(Merged(entity="ozma", into="tip"), fact({"sex": "boy"}, entity="tip", told=START))

    assert names(story.entry("tip", bound=UpTo("8"))) == ["tip"]
    assert story.state("8", "tip", bound=UpTo("8")) == {"sex": "boy"}
    assert names(story.entry("tip", bound=UpTo("9"))) == ["tip", "ozma"]

    story.record(Retired(entity="ozma"))
    assert story.state("8", "tip") == {"sex": "boy"}


def test_name_shared_by_both_sides_of_a_merge_stands_once() -> None:
    story = Story(ten(), ["mara", "kit"])
    story.record(alias("kit"), alias("mara", entity="kit"), Merged(entity="kit", into="mara"))

    entry = story.entry()
    assert entry is not None
    assert [(name.name, name.entity, name.alias) for name in entry.names] == [
        ("mara", "mara", False),
        ("kit", "kit", True),
    ]


def test_withdrawal_counts_only_while_its_own_change_does() -> None:
    story = Story(ten())
    story.record(fact({"eyes": "blue", "hair": "red"}, "1", key="first"))
    story.record(*strike("first", "/eyes"))
    assert story.state("1") == {"hair": "red"}
    assert story.state("1", known=1) == {"eyes": "blue", "hair": "red"}

    story.undo(2)
    assert story.state("1") == {"eyes": "blue", "hair": "red"}


def test_fact_withdrawn_whole_or_member_by_member_is_no_fact() -> None:
    story = Story(ten())
    story.record(fact({"eyes": "blue", "hair": "red"}, "1", key="first"))
    story.record(*strike("first", "/eyes"))
    story.record(*strike("first", "/hair"))
    assert story.state("1") is None

    story.undo(3)
    story.record(*strike("first"))
    assert story.state("1") is None


def test_withdrawal_of_an_earlier_value_leaves_later_ones_alone() -> None:
    story = Story(ten())
    story.record(fact({"eyes": "blue"}, "1", key="first"))
    story.record(fact({"eyes": "grey"}, "5"))
    story.record(*strike("first", "/eyes"))

    assert story.state("4") is None
    assert story.state("5") == {"eyes": "grey"}


def test_fact_whose_scene_is_gone_leaves_the_state_and_one_whose_end_is_gone_is_open() -> None:
    story = Story(tree({"x": {"c": ["1", "2", "3", "4"]}, "y": {"d": ["5"]}}))
    story.record(fact({"from": 1}, "2", told=START))
    story.record(fact({"until": 1}, "1", until="3"))
    story.record(fact({"told": 1}, "1", told="2"))
    story.record(fact({"scope": 1}, "1", scope="y"))
    story.record(fact({"struck": 1}, "2", key="struck"), alias("Kit", Told.at("2"), at="3"))
    story.record(*strike("struck"))
    for node in ("2", "3", "y"):
        story.edit(edits.delete(story.outline, node))

    assert story.state("4") == story.state(None) == {"until": 1, "told": 1}
    assert story.state("4", bound=UpTo("4")) == {"until": 1}
    listed = lost(story.rows, undone=(), known=None, outline=story.outline)
    assert [(one.recorded.change, one.what) for one in listed] == [
        (1, LostPlace.FROM),
        (2, LostPlace.UNTIL),
        (3, LostPlace.TOLD),
        (4, LostPlace.SCOPE),
        (5, LostPlace.FROM),
        (5, LostPlace.TOLD),
    ]


def test_lost_places_of_entries_that_are_not_there_are_not_listed() -> None:
    story = Story(ten())
    story.record(*creation("kit", Told.at("5")), fact({"a": 1}, "5", entity="kit"))
    story.record(fact({"a": 1}, "5", entity="nobody"), Retired(entity="mara"), fact({"a": 1}, "5"))
    story.edit(edits.delete(story.outline, "5"))

    def places(gone: frozenset[int] = frozenset(), known: int | None = None) -> list[tuple[str, LostPlace]]:
        listed = lost(story.rows, undone=gone, known=known, outline=story.outline)
        return [(type(one.row).__name__, one.what) for one in listed]

    told = LostPlace.TOLD
    kit = [("Created", told), ("Named", told), ("Asserted", LostPlace.FROM), ("Asserted", told)]
    assert places() == kit
    assert places(known=0) == []
    assert places(gone=frozenset({1})) == []


@pytest.mark.parametrize(("scene", "value"), [("4", "A"), ("5", "B"), ("6", "B"), ("1", "A")])
def test_exactly_one_answer_where_one_interval_ends_and_the_next_begins(scene: str, value: str) -> None:
    """A59."""
    story = Story(tree({"b": {"ch0": ["0"], "ch1": ["1"], "ch4": ["4"], "ch5": ["5", "6"]}}))
    story.record(fact({"home": "A"}, "ch1", until="ch5", key="A"))
    story.record(fact({"home": "B"}, "ch5", key="B"))

    assert [one.id for one in story.facts(scene)] == [value]
    assert story.facts("0") == ()
    assert [one.id for one in story.facts("ch5")] == ["B"]


def test_end_of_an_interval_is_over_when_its_scene_begins() -> None:
    story = Story(ten())
    story.record(fact({"curse": "sleeps"}, "1", until="6"))

    assert story.state("6", when=When.START) is None
    assert story.state("1", when=When.START) is None
    assert story.state("2", when=When.START) == {"curse": "sleeps"}


def test_what_begins_at_the_same_moment_as_a_scene_holds_there_at_its_end_only() -> None:
    story = Story(placed(ten(), s9=("with", "3")))
    story.record(fact({"a": 1}, "9", until="4"))

    assert story.state("3") == {"a": 1}
    assert story.state("3", when=When.START) is None
    assert story.state("4") is None


def test_facts_at_one_moment_fold_in_reading_order_before_record_order() -> None:
    story = Story(placed(ten(), s9=("with", "3")))
    story.record(fact({"a": "nine"}, "9"))
    story.record(fact({"a": "three"}, "3"))

    assert story.state("3") == {"a": "nine"}


def test_timeless_facts_come_before_all_others_in_record_order() -> None:
    story = Story(ten())
    story.record(fact({"a": "book"}, "b"))
    story.record(fact({"a": "always"}), fact({"b": "first"}), fact({"b": "second"}))

    assert story.state("5") == {"a": "book", "b": "second"}


def test_scope_is_the_book_asked_about() -> None:
    story = Story(tree({"x": {"c": ["1"]}, "y": {"d": ["2"]}}))
    story.record(fact({"a": 1}, "1", scope="x"), fact({"b": 1}, scope="y"))

    assert story.state("1") == {"a": 1}
    assert story.state("2") == {"b": 1}


def test_without_a_position_everything_holds_that_has_not_ended() -> None:
    story = Story(tree({"x": {"c": ["1"]}, "y": {"d": ["2", "3"]}}))
    story.record(fact({"a": 1}, "1", scope="x"), fact({"b": 1}, "3"), fact({"c": 1}, "1", until="3"))

    assert story.state(None) == {"a": 1, "b": 1}
    assert story.state(None, bound=UpTo("2")) == {"a": 1, "c": 1}


def test_ending_not_yet_read_is_open_for_the_reader() -> None:
    story = Story(placed(ten(), s10=("before", "2")))
    story.record(fact({"curse": "sleeps"}, told=START, until="10"))

    assert story.state("5") is None
    assert story.state("5", bound=UpTo("9")) == {"curse": "sleeps"}
    assert story.state("5", bound=UpTo("10")) is None


def test_position_of_a_question_is_here_then_the_latest_of_the_book() -> None:
    outline = with_mode(tree({"x": {"c": ["1", "2"], "d": ["3"]}, "y": {"e": ["4"]}}), Mode.FLASHBACK, "2")
    outline = outline.with_edits([edits.append_scene(outline, "5", "e")])
    outline = outline.with_edits([edits.delete(outline, "5")])

    def asked(here: str | None, book: str | None, bound: Bound = AUTHOR) -> str | None:
        return default_position(here, book, bound, outline)

    assert asked("2", "x") == "2"
    assert asked("c", "x") == "1"
    assert asked(None, "x") == "3"
    assert asked("5", "y") == "4"
    assert asked(None, None) is None
    assert asked("3", "x", UpTo("2")) == "1"
    assert asked(None, "x", UpTo("c")) == "c"
    assert asked(None, None, UpTo("4")) == "4"
    assert asked("1", "x", Nothing()) is None


keys = st.sampled_from(["a", "b", "c"])
values: st.SearchStrategy[JsonObject] = st.dictionaries(
    keys,
    st.sampled_from([1, 2, "x", None])
    | st.lists(st.integers(0, 2), max_size=2)
    | st.builds(lambda items: {"$add": items}, st.lists(st.integers(0, 2), min_size=1, max_size=2))
    | st.dictionaries(keys, st.sampled_from([1, None]), max_size=2),
    min_size=1,
    max_size=2,
)


@st.composite
def facts_in(draw: st.DrawFn, outline: Outline) -> Asserted:
    """Return a fact anywhere in the outline, told anywhere, sometimes ending, sometimes of one book."""
    node = st.sampled_from(list(outline.nodes))
    told = st.sampled_from([START, NOT_REVEALED, NEVER]) | node.map(Told.at)
    books = [None, *(book.id for book in outline.children(None, deleted=True))]
    return fact(
        draw(values),
        draw(st.none() | node),
        until=draw(st.none() | st.none() | node),
        told=draw(told),
        scope=draw(st.sampled_from(books)) if draw(st.booleans()) else None,
    )


@st.composite
def stories(draw: st.DrawFn) -> Story:
    """Return changes of facts, names, withdrawals, merges, retirements and undos of two entries."""
    story = Story(draw(outlines()), ["mara", "kit"])
    for _ in range(draw(st.integers(0, 10))):
        story.record(*draw(st.lists(_rows(story), min_size=1, max_size=3)))
    return story


def _rows(story: Story) -> st.SearchStrategy[Row]:
    entity = st.sampled_from(["mara", "kit"])
    asserted = [one.row.id for one in story.rows if isinstance(one.row, Asserted)]
    told = st.sampled_from([START, *(Told.at(node) for node in story.outline.nodes)])
    options: list[st.SearchStrategy[Row]] = [
        facts_in(story.outline),
        st.builds(replace, facts_in(story.outline), entity=entity),
        st.builds(alias, st.sampled_from(["Kit", "the Heron"]), told, entity=entity),
        st.builds(Created, entity=entity, type=st.sampled_from(EntityType), told=told),
    ]
    if story.number:
        options += [
            st.builds(Undone, change=st.integers(1, story.number)),
            st.builds(Retired, entity=entity),
            st.builds(Merged, entity=entity, into=entity),
        ]
    if asserted:
        pointers = st.sampled_from(["", "/a", "/b", "/a/b"])
        options.append(
            st.builds(Withdrawn, entity=entity, target=st.sampled_from(asserted), pointer=pointers)
        )
    return st.one_of(options)


def answers(story: Story, *, bound: Bound = AUTHOR, known: int | None = None) -> list[object]:
    """Return all that can be read: both entries and their states at every node, at its start and its end."""
    found: list[object] = []
    for entity in ("mara", "kit"):
        entry = story.entry(entity, bound=bound, known=known)
        found.append(entry)
        if entry is not None:
            found += [
                fold_entry(at_position(entry, node, when, story.outline))
                for node in (None, *story.outline.nodes)
                for when in When
            ]
    return found


@given(stories(), st.data())
def test_later_changes_never_alter_what_was_known(story: Story, data: st.DataObject) -> None:
    known = data.draw(st.integers(0, story.number))
    before = answers(story, known=known)

    for _ in range(3):
        story.record(data.draw(_rows(story)))

    assert answers(story, known=known) == before


@given(stories(), st.data())
def test_undoing_twice_is_the_identity(story: Story, data: st.DataObject) -> None:
    active = sorted({*range(1, story.number + 1)} - undone(story.rows, None))
    assume(active)
    before = answers(story)

    story.undo(story.undo(data.draw(st.sampled_from(active))))

    assert answers(story) == before


@given(stories(), st.data())
def test_difference_between_two_record_times_leads_from_one_state_to_the_other(
    story: Story, data: st.DataObject
) -> None:
    then, now = (data.draw(st.integers(0, story.number)) for _ in "12")
    for node in (None, *story.outline.nodes):
        old = fold_entry(story.facts(node, known=then)).state
        new = fold_entry(story.facts(node, known=now)).state

        assert same(apply(old, diff(old, new)), new)


@given(outlines(), st.data())
def test_order_of_writing_matters_only_at_one_and_the_same_place(
    outline: Outline, data: st.DataObject
) -> None:
    places = data.draw(st.lists(st.sampled_from(list(outline.nodes)), unique=True, max_size=5))
    written = [replace(data.draw(facts_in(outline)), id=node, at=node) for node in places]
    one, other = Story(outline), Story(outline)
    for row in written:
        one.record(row)
    for row in data.draw(st.permutations(written)):
        other.record(row)

    for node in (None, *outline.nodes):
        assert fold_entry(one.facts(node)) == fold_entry(other.facts(node))


@given(stories(), st.data())
def test_reader_reads_what_the_cut_copy_says(story: Story, data: st.DataObject) -> None:
    bound = UpTo(data.draw(st.sampled_from(list(story.outline.nodes))))

    assert answers(story, bound=bound) == answers(cut(story, bound), bound=bound)


@given(outlines(), st.data())
def test_intervals_that_meet_give_one_answer_at_every_place(outline: Outline, data: st.DataObject) -> None:
    living = [node for node in outline.nodes if not outline.is_gone(node)]
    assume(living)
    drawn = data.draw(
        st.lists(st.sampled_from(living), min_size=1, unique_by=lambda node: outline.story[node])
    )
    borders = sorted(drawn, key=lambda node: outline.story[node])
    story = Story(outline)
    for start, end in zip(borders, [*borders[1:], None], strict=True):
        story.record(fact({"now": start}, start, until=end))

    for node in outline.nodes:
        expected = [start for start in borders if outline.story[start] <= outline.story[node]]
        assert story.state(node) == ({"now": expected[-1]} if expected else None)
        assert len(story.facts(node)) == bool(expected)


def cut(story: Story, bound: UpTo) -> Story:
    """Return the story without rows told after the bound, with open ends and nameless places after it."""
    reach = story.outline.reading[bound.node]

    def nameless(node: Node) -> Node:
        later = story.outline.reading[node.id] > reach
        return replace(node, title="", number="", part="") if later else node

    def is_kept(row: Row) -> bool:
        if isinstance(row, Named | Asserted):
            return is_told(row.told, bound, story.outline)
        return True

    def opened(row: Row) -> Row:
        if isinstance(row, Asserted) and row.until and story.outline.reading[row.until] > reach:
            return replace(row, until=None)
        return row

    return Story(
        Outline(map(nameless, story.outline.nodes.values())),
        [],
        [one._replace(row=opened(one.row)) for one in story.rows if is_kept(one.row)],
    )
