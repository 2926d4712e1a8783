"""The outline's two orders, what people mean by a place in it, and its edits."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent_core.errors import PlaceGone, StoryCycle, UnknownPosition
from agent_core.lore import edits
from agent_core.lore.model import (
    Mode,
    Node,
    NodeKind,
    Nothing,
    OutlineEdited,
    Relation,
    StoryPlace,
    UpTo,
)
from agent_core.lore.outline import Outline
from tests.agent_core.lore.story import AUTHOR, placed, scenes, ten, tree, with_mode
from tests.agent_core.lore.strategies import outlines

BEFORE, AFTER, WITH = Relation.BEFORE, Relation.AFTER, Relation.WITH


def two_chapters() -> Outline:
    return tree({"b": {"c1": ["1", "2"], "c2": ["3", "4"]}})


def read(outline: Outline) -> list[str]:
    return sorted(outline.nodes, key=lambda node: outline.reading[node])


def happens(outline: Outline) -> list[str]:
    return sorted(outline.nodes, key=lambda node: (outline.story[node], outline.reading[node]))


def test_reading_order_is_the_tree_with_each_head_first() -> None:
    assert read(two_chapters()) == ["b", "c1", "1", "2", "c2", "3", "4"]


def test_unplaced_nodes_happen_as_they_are_read() -> None:
    outline = two_chapters()

    assert outline.story == outline.reading


def test_placed_chapter_takes_its_scenes_along() -> None:
    assert happens(placed(two_chapters(), c2=("before", "1"))) == ["b", "c1", "c2", "3", "4", "1", "2"]


def test_after_a_block_is_after_all_of_it() -> None:
    outline = placed(tree({"b": {"c1": ["1"], "c2": ["2", "3"], "c3": ["4"]}}), c1=("after", "c2"))

    assert happens(outline) == ["b", "c2", "2", "3", "c1", "1", "c3", "4"]


def test_several_places_at_one_node_follow_the_reading_order() -> None:
    outline = placed(scenes(*"123456"), s5=("before", "2"), s6=("before", "2"), s3=("after", "1"))

    assert happens(outline) == ["b", "c", "1", "3", "5", "6", "2", "4"]


def test_with_shares_the_moment_and_the_rest_of_its_block_follows() -> None:
    outline = placed(two_chapters(), c2=("with", "1"))

    assert outline.story["c2"] == outline.story["1"]
    assert happens(outline) == ["b", "c1", "1", "c2", "3", "4", "2"]


def test_blocks_with_one_scene_share_its_moment_and_follow_one_another() -> None:
    outline = tree({"b": {"c1": ["1", "2"], "c2": ["3"], "c3": ["4"]}})

    outline = placed(outline, c2=("with", "1"), c3=("with", "1"))

    assert outline.story["1"] == outline.story["c2"] == outline.story["c3"]
    assert happens(outline) == ["b", "c1", "1", "c2", "c3", "3", "4", "2"]


def test_before_something_that_is_with_another_is_before_both() -> None:
    outline = placed(scenes(*"12345"), s4=("with", "2"), s5=("before", "2"), s3=("before", "4"))

    assert happens(outline) == ["b", "c", "1", "3", "5", "2", "4"]


def test_relation_into_a_block_moves_with_the_block() -> None:
    outline = placed(tree({"b": {"c1": ["1"], "c2": ["2", "3"], "c3": ["4"]}}), s4=("before", "3"))
    moved = outline.with_edits([edits.set_place(outline, "c2", StoryPlace(BEFORE, "1"))])

    assert happens(moved) == ["b", "c1", "c2", "2", "4", "3", "1", "c3"]


def test_flashbacks_that_nothing_places_come_before_everything_and_are_listed() -> None:
    outline = with_mode(two_chapters(), Mode.FLASHBACK, "2", "3", "4")
    outline = placed(outline, s3=("after", "1"))

    assert happens(outline)[:3] == ["2", "4", "b"]
    assert [node.id for node in outline.undated()] == ["2", "4"]


def test_flashback_in_a_placed_chapter_is_placed() -> None:
    outline = placed(with_mode(two_chapters(), Mode.FLASHBACK, "4"), c2=("before", "1"))

    assert outline.undated() == ()
    assert happens(outline) == ["b", "c1", "c2", "3", "4", "1", "2"]


def test_tombstone_keeps_its_place_and_what_relates_to_it() -> None:
    outline = placed(ten(), s9=("before", "3"))
    buried = outline.with_edits([edits.delete(outline, "3")])

    assert buried.reading == outline.reading
    assert buried.story == outline.story
    assert buried.is_gone("3")
    assert "3" not in [scene.id for scene in buried.scenes_of("b")]


def test_place_at_a_node_that_never_was_does_not_count() -> None:
    outline = placed(with_mode(ten(), Mode.FLASHBACK, "5"), s5=("before", "never"))

    assert [node.id for node in outline.undated()] == ["5"]


def test_very_long_chain_of_places_is_ordered() -> None:
    ids = [str(number) for number in range(3000)]
    outline = placed(scenes(*ids), **{f"s{one}": ("after", str(int(one) - 1)) for one in ids[1:]})
    together = placed(scenes(*ids), **{f"s{one}": ("with", str(int(one) - 1)) for one in ids[1:]})

    assert happens(outline) == read(outline)
    assert len({together.story[one] for one in ids}) == 1


@pytest.mark.parametrize(
    ("places", "node", "relation", "target"),
    [
        ({}, "1", BEFORE, "1"),
        ({"s1": ("after", "2")}, "2", AFTER, "1"),
        ({"s1": ("after", "2"), "s2": ("with", "3")}, "3", BEFORE, "1"),
        ({}, "c1", AFTER, "1"),
        ({"c1": ("after", "3")}, "c2", BEFORE, "2"),
        ({"c1": ("after", "3")}, "b", WITH, "1"),
    ],
)
def test_chain_that_closes_on_itself_is_refused(
    places: dict[str, tuple[str, str]], node: str, relation: Relation, target: str
) -> None:
    outline = placed(two_chapters(), **places)

    with pytest.raises(StoryCycle):
        edits.set_place(outline, node, StoryPlace(relation, target))


def test_moving_a_scene_into_a_block_that_hangs_on_it_is_refused() -> None:
    outline = placed(two_chapters(), c2=("after", "2"))

    with pytest.raises(StoryCycle):
        edits.move(outline, "2", into="c2")


def test_unplacing_a_scene_is_refused_where_its_chapter_hangs_on_it() -> None:
    outline = placed(two_chapters(), s3=("before", "1"), c2=("after", "3"))

    with pytest.raises(StoryCycle):
        edits.set_place(outline, "3", None)


def test_circle_left_by_two_edits_made_apart_reads_as_if_the_later_read_was_not_placed() -> None:
    outline = placed(two_chapters(), c1=("after", "3"), c2=("before", "1"))

    assert outline.ignored_places == {"c2"}
    assert happens(outline) == ["b", "c2", "3", "c1", "1", "2", "4"]


def test_story_position_of_a_chapter_is_its_last_linear_scene() -> None:
    outline = with_mode(two_chapters(), Mode.FLASHBACK, "2", "3", "4")

    assert outline.last_position("c1") == "1"
    assert outline.last_position("c2") == "4"
    assert outline.last_position("b") == "1"
    assert outline.last_position("3") == "3"
    assert [outline.finished(node) for node in ("c1", "c2", "b", "3")] == ["2", "4", "4", "3"]


def test_empty_chapter_stands_for_itself_and_an_empty_book_for_its_last_chapter() -> None:
    outline = tree({"b1": {"c1": [], "c2": []}, "b2": {}})

    assert [outline.last_position(node) for node in ("c1", "b1", "b2")] == ["c1", "c2", "b2"]
    assert [outline.finished(node) for node in ("c1", "b1", "b2")] == ["c1", "c2", "b2"]


def test_what_is_under_a_tombstone_is_gone() -> None:
    outline = two_chapters()
    outline = outline.with_edits([edits.delete(outline, "c1")])

    assert [outline.is_gone(node) for node in ("b", "c1", "1", "3", "missing", None)] == [
        *(False, True, True, False),
        *(True, False),
    ]
    assert [child.id for child in outline.children("b")] == ["c2"]
    assert [child.id for child in outline.children("b", deleted=True)] == ["c1", "c2"]
    assert outline.scenes_of("c1") == ()
    assert outline.last_position("b") == "4"


def test_book_and_chapter_of_a_node() -> None:
    outline = two_chapters()

    assert [outline.book_of(node) for node in ("b", "c1", "3", "x")] == ["b", "b", "b", None]
    assert [outline.chapter_of(node) for node in ("b", "c1", "3", "x")] == [None, "c1", "c2", None]


def test_latest_is_the_last_linear_scene_and_for_readers_the_last_linear_node_they_know() -> None:
    outline = with_mode(
        tree({"b1": {"c1": ["1", "2"], "c2": ["3"]}, "b2": {"d1": ["4"]}}), Mode.FLASHBACK, "3"
    )

    assert [outline.latest(book, AUTHOR) for book in ("b1", "b2", None)] == ["2", "4", "4"]
    assert outline.latest("b1", UpTo("3")) == "c2"
    assert outline.latest("b1", UpTo("1")) == "1"
    assert outline.latest("b2", UpTo("2")) == "2"
    assert outline.latest("b1", Nothing()) is None
    assert tree({"b": {}}).latest("b", AUTHOR) is None


def test_neighbours_are_the_scenes_beside_in_the_story_that_the_bound_sees() -> None:
    outline = placed(ten(), s9=("before", "3"), s10=("with", "3"))

    assert outline.neighbours("3", bound=AUTHOR) == ("9", "10")
    assert outline.neighbours("10", bound=AUTHOR) == ("3", "4")
    assert outline.neighbours("3", bound=UpTo("3")) == ("2", None)
    assert outline.neighbours("c", bound=AUTHOR) == (None, "1")
    assert outline.neighbours("8", bound=AUTHOR) == ("7", None)


def test_bound_reaches_its_mark_and_nothing_without_one() -> None:
    outline = ten()

    assert outline.sees(AUTHOR, "10")
    assert outline.sees(UpTo("4"), "4")
    assert not outline.sees(UpTo("4"), "5")
    assert not outline.sees(UpTo("missing"), "b")
    assert not outline.sees(Nothing(), "b")
    assert not outline.sees(AUTHOR, "missing")


def test_reader_sees_later_nodes_as_nameless_places() -> None:
    outline = Outline(replace(node, title=f"t{node.id}", number="1") for node in ten().nodes.values())

    seen = outline.seen(UpTo("4"))

    assert (seen.nodes["4"].title, seen.nodes["5"].title, seen.nodes["5"].number) == ("t4", "", "")
    assert [scene.title for scene in seen.scenes_of("b")][3:5] == ["t4", ""]
    assert (seen.reading, seen.story) == (outline.reading, outline.story)
    assert seen.seen(UpTo("4")) is not None
    assert outline.seen(AUTHOR) is outline


def test_new_nodes_come_last_or_right_after() -> None:
    outline = two_chapters()
    for row in (
        edits.append_book(outline, "b2", title="Second"),
        edits.append_chapter(outline, "c3", "b"),
        edits.append_scene(outline, "5", "c1", mode=Mode.FLASHBACK, place=StoryPlace(BEFORE, "1")),
        edits.insert_scene_after(outline, "1b", "1"),
    ):
        assert row.before is None
        outline = outline.with_edits([row])

    assert read(outline) == ["b", "c1", "1", "1b", "2", "5", "c2", "3", "4", "c3", "b2"]
    assert happens(outline)[:4] == ["b", "c1", "5", "1"]


def test_new_chapter_goes_on_with_printed_numbers_and_part() -> None:
    outline = two_chapters()
    outline = outline.with_edits(
        [edits.retitle(outline, "c1", number="6", part="Two"), edits.retitle(outline, "c2", number="VII")]
    )
    outline = outline.with_edits([edits.retitle(outline, "c2", part="Three")])

    row = edits.append_chapter(outline, "c3", "b")

    assert (row.after.number, row.after.part) == ("8", "Three")
    assert edits.append_chapter(two_chapters(), "c3", "b").after.number == ""
    assert edits.append_chapter(outline, "c3", "b", number="", part="").after.number == ""


def test_new_scene_stands_right_before_a_tombstone_that_followed() -> None:
    outline = ten()
    outline = outline.with_edits([edits.delete(outline, "3")])

    assert read(outline.with_edits([edits.insert_scene_after(outline, "new", "2")]))[3:6] == ["2", "new", "3"]


def test_new_node_stands_after_a_tombstone_at_the_end() -> None:
    outline = ten()
    outline = outline.with_edits([edits.delete(outline, "10")])
    outline = outline.with_edits([edits.append_scene(outline, "11", "c")])

    assert read(outline)[-2:] == ["10", "11"]


@pytest.mark.parametrize(
    ("where", "order"),
    [
        ({"after": "3"}, ["c1", "2", "c2", "3", "1", "4"]),
        ({"before": "3"}, ["c1", "2", "c2", "1", "3", "4"]),
        ({"before": "4"}, ["c1", "2", "c2", "3", "1", "4"]),
        ({"after": "2"}, ["c1", "2", "1", "c2", "3", "4"]),
        ({"into": "c2"}, ["c1", "2", "c2", "3", "4", "1"]),
    ],
)
def test_move_puts_a_scene_where_it_is_told(where: dict[str, str], order: list[str]) -> None:
    outline = two_chapters()

    assert read(outline.with_edits([edits.move(outline, "1", **where)])) == ["b", *order]


def test_moved_chapter_takes_its_scenes_along() -> None:
    outline = two_chapters()

    assert read(outline.with_edits([edits.move(outline, "c1", after="c2")])) == [
        *("b", "c2", "3", "4"),
        *("c1", "1", "2"),
    ]


def test_insertion_beside_nodes_of_equal_rank_finds_room() -> None:
    ranks = {"a": "V", "b": "V", "c": "X"}
    outline = Outline(Node(id=one, kind=NodeKind.BOOK, parent=None, rank=ranks[one]) for one in ranks)

    assert read(outline.with_edits([edits.move(outline, "c", after="a")])) == ["a", "b", "c"]


def test_edits_of_what_is_gone_or_does_not_fit_are_refused_as_unknown() -> None:
    outline = two_chapters()
    outline = outline.with_edits([edits.delete(outline, "c1")])

    refused: list[Callable[[], OutlineEdited]] = [
        lambda: edits.append_scene(outline, "5", "c1"),
        lambda: edits.append_scene(outline, "5", "3"),
        lambda: edits.append_chapter(outline, "c3", "missing"),
        lambda: edits.insert_scene_after(outline, "5", "1"),
        lambda: edits.move(outline, "1", after="3"),
        lambda: edits.move(outline, "3", after="c2"),
        lambda: edits.move(outline, "3", into="b"),
        lambda: edits.set_place(outline, "3", StoryPlace(BEFORE, "1")),
        lambda: edits.append_scene(outline, "5", "c2", place=StoryPlace(BEFORE, "1")),
        lambda: edits.set_mode(outline, "c2", Mode.FLASHBACK),
        lambda: edits.delete(outline, "c1"),
    ]
    for edit in refused:
        with pytest.raises(UnknownPosition):
            edit()


@pytest.mark.parametrize("where", [{}, {"after": "1", "into": "c2"}])
def test_move_needs_one_place(where: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="exactly one"):
        edits.move(two_chapters(), "3", **where)


def test_undoing_a_creation_buries_it_and_undoing_that_digs_it_up() -> None:
    outline = ten()
    made = edits.append_scene(outline, "11", "c")
    outline = outline.with_edits([made])

    back = edits.inverse(outline, [made])
    buried = outline.with_edits(back)
    again = buried.with_edits(edits.inverse(buried, back))

    assert buried.is_gone("11")
    assert again.nodes == outline.nodes


def test_undo_puts_back_only_what_the_edit_changed() -> None:
    outline = two_chapters()
    moved = edits.move(outline, "1", after="3")
    outline = outline.with_edits([moved])
    outline = outline.with_edits([edits.retitle(outline, "1", title="The Crossing")])

    outline = outline.with_edits(edits.inverse(outline, [moved]))

    assert read(outline) == ["b", "c1", "1", "2", "c2", "3", "4"]
    assert outline.nodes["1"].title == "The Crossing"


def test_undo_is_refused_when_the_same_was_changed_later() -> None:
    outline = two_chapters()
    first = edits.retitle(outline, "1", title="The Crossing")
    outline = outline.with_edits([first])
    outline = outline.with_edits([edits.retitle(outline, "1", title="The Ford")])

    with pytest.raises(PlaceGone):
        edits.inverse(outline, [first])


def test_undo_is_refused_when_the_parent_is_gone() -> None:
    outline = two_chapters()
    moved, buried = edits.move(outline, "1", into="c2"), edits.delete(outline, "2")
    outline = outline.with_edits([moved, buried])
    outline = outline.with_edits([edits.delete(outline, "c1")])

    for row in (moved, buried):
        with pytest.raises(PlaceGone):
            edits.inverse(outline, [row])


def test_undo_of_a_place_is_refused_when_it_would_close_on_itself() -> None:
    outline = placed(ten(), s3=("after", "5"))
    unplaced = edits.set_place(outline, "3", None)
    outline = outline.with_edits([unplaced])
    outline = outline.with_edits([edits.set_place(outline, "5", StoryPlace(AFTER, "3"))])

    with pytest.raises(StoryCycle):
        edits.inverse(outline, [unplaced])


def test_undo_takes_several_edits_of_one_node_back_last_first() -> None:
    outline = ten()
    made = edits.append_scene(outline, "11", "c")
    named = edits.retitle(outline.with_edits([made]), "11", title="End")
    deleted = edits.delete(outline, "4")
    after = outline.with_edits([made, named, deleted])

    back = after.with_edits(edits.inverse(after, [made, named, deleted]))

    assert back.is_gone("11")
    assert back.nodes["4"] == outline.nodes["4"]


@given(outlines())
def test_story_order_holds_every_relation_and_keeps_blocks_together(outline: Outline) -> None:
    story = outline.story

    assert story.keys() == outline.nodes.keys()
    assert sorted(set(story.values())) == list(range(len(set(story.values()))))
    for node in outline.nodes.values():
        if node.place is None:
            continue
        match node.place.relation:
            case Relation.BEFORE:
                assert max(story[one] for one in _unplaced_block(outline, node.id)) < story[node.place.node]
            case Relation.AFTER:
                assert story[node.id] > max(story[one] for one in _unplaced_block(outline, node.place.node))
            case Relation.WITH:
                assert story[node.id] == story[node.place.node]


@given(outlines())
def test_only_what_is_placed_into_a_block_stands_between_its_nodes(outline: Outline) -> None:
    for node in outline.nodes:
        block = set(_carried_block(outline, _moment_of(outline, node)))
        span = [outline.story[one] for one in _unplaced_block(outline, node)]
        between = {one for one in outline.nodes if min(span) < outline.story[one] < max(span)}
        assert between <= block


@given(outlines())
def test_only_simultaneous_nodes_share_a_moment(outline: Outline) -> None:
    moments = {_moment_of(outline, node) for node in outline.nodes}

    assert len(set(outline.story.values())) == len(moments)


@given(outlines())
def test_orders_do_not_depend_on_how_nodes_are_handed_over(outline: Outline) -> None:
    again = Outline(reversed(list(outline.nodes.values())))

    assert again.reading == outline.reading
    assert again.story == outline.story


@given(outlines(), st.data())
def test_every_edit_can_be_undone_twice(outline: Outline, data: st.DataObject) -> None:
    living = [node for node in outline.nodes if not outline.is_gone(node)]
    assume(living)
    row = _some_edit(outline, data, living)
    edited = outline.with_edits([row])

    back = edits.inverse(edited, [row])
    undone = edited.with_edits(back)
    redone = undone.with_edits(edits.inverse(undone, back))

    assert redone.nodes == edited.nodes
    if row.before is not None:
        assert undone.nodes == outline.nodes


def _some_edit(outline: Outline, data: st.DataObject, living: list[str]) -> OutlineEdited:
    node, other = data.draw(st.sampled_from(living)), data.draw(st.sampled_from(living))
    relation = data.draw(st.sampled_from(Relation))
    options = [
        lambda: edits.delete(outline, node),
        lambda: edits.retitle(outline, node, title="x"),
        lambda: edits.set_place(outline, node, StoryPlace(relation, other)),
        lambda: edits.set_mode(outline, node, Mode.FLASHBACK),
        lambda: edits.move(outline, node, after=other),
        lambda: edits.move(outline, node, before=other),
        lambda: edits.insert_scene_after(outline, "new", node),
    ]
    try:
        return data.draw(st.sampled_from(options))()
    except (UnknownPosition, StoryCycle):
        return edits.retitle(outline, node, title="y")


def _moment_of(outline: Outline, node: str) -> str:
    """Return the node that `node` is placed with, or that one with, and so on; else itself."""
    place = outline.nodes[node].place
    return _moment_of(outline, place.node) if place is not None and place.relation is WITH else node


def _unplaced_block(outline: Outline, node: str) -> list[str]:
    """Return `node` with those below it that are placed nowhere else."""
    early = {one for one in outline.nodes if _is_early(outline, one)}
    found = [node]
    for child in outline.children(node, deleted=True):
        if child.place is None and child.id not in early:
            found += _unplaced_block(outline, child.id)
    return found


def _carried_block(outline: Outline, node: str) -> list[str]:
    """Return the unplaced block of `node` and all that hangs on any of it, however far."""
    found = _unplaced_block(outline, node)
    for one in outline.nodes.values():
        if one.place is not None and one.place.node in found and one.id not in found:
            found += _carried_block(outline, one.id)
    return found


def _is_early(outline: Outline, node: str) -> bool:
    found = outline.nodes[node]
    above = outline.nodes[found.parent] if found.parent else None
    while above is not None:
        if above.place is not None:
            return False
        above = outline.nodes[above.parent] if above.parent else None
    return found.mode is Mode.FLASHBACK and found.place is None
