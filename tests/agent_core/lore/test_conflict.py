"""Conflict keys: what overlaps, what does not, and what each row touches."""

from hypothesis import given
from hypothesis import strategies as st

from agent_core.lore import conflict
from agent_core.lore.model import (
    NOT_REVEALED,
    Asserted,
    Created,
    EntityType,
    Merged,
    Named,
    Node,
    NodeKind,
    OutlineEdited,
    Relation,
    Retired,
    StoryPlace,
    TextSet,
    Told,
    Undone,
    Withdrawn,
)

_PART = st.text("ab:%/", min_size=1, max_size=3)


def _fact(entity: str, key: str, at: str | None = None) -> Asserted:
    return Asserted(id="f", entity=entity, patch={key: 1}, told=NOT_REVEALED, at=at)


def _overlap(one: object, other: object) -> bool:
    ours, theirs = conflict.keys_of([one]), conflict.keys_of([other])  # type: ignore[list-item]  # rows
    assert bool(conflict.overlap(ours, theirs)) == bool(conflict.overlap(theirs, ours))
    return bool(conflict.overlap(ours, theirs))


def test_same_detail_of_same_entry_overlaps() -> None:
    assert _overlap(_fact("mara", "eyes"), _fact("mara", "eyes"))
    assert _overlap(_fact("mara", "eyes"), Withdrawn(entity="mara", target="f", pointer="/eyes"))
    assert _overlap(_fact("mara", "a/b"), Withdrawn(entity="mara", target="f", pointer="/a~1b/c"))


def test_other_details_and_other_entries_do_not_overlap() -> None:
    assert not _overlap(_fact("mara", "eyes"), _fact("mara", "coat"))
    assert not _overlap(_fact("mara", "eyes"), _fact("tom", "eyes"))
    assert not _overlap(_fact("mara", "eyes"), Withdrawn(entity="mara", target="f", pointer="/coat"))


def test_facts_at_the_same_scene_do_not_overlap_but_moving_that_scene_does() -> None:
    before = Node(id="s", kind=NodeKind.SCENE, parent="c", rank="a")
    after = Node(id="s", kind=NodeKind.SCENE, parent="c", rank="b")
    assert not _overlap(_fact("mara", "eyes", at="s"), _fact("tom", "coat", at="s"))
    assert _overlap(_fact("mara", "eyes", at="s"), OutlineEdited(before=before, after=after))
    told = Asserted(id="f", entity="mara", patch={"x": 1}, told=Told.at("s"))
    assert _overlap(told, OutlineEdited(before=before, after=after))


def test_retiring_and_merging_overlap_everything_of_the_entry() -> None:
    named = Named(id="n", entity="mara", name="Mara", told=NOT_REVEALED)
    for row in (_fact("mara", "eyes"), named, Withdrawn(entity="mara", target="n")):
        assert _overlap(Retired(entity="mara"), row)
        assert _overlap(Merged(entity="tom", into="mara"), row)
        assert not _overlap(Retired(entity="tom"), row)


def test_two_entries_that_take_the_same_name_overlap() -> None:
    mine = Named(id="1", entity="a", name="Élodie", told=NOT_REVEALED)
    theirs = Named(id="2", entity="b", name="elodie", told=NOT_REVEALED, alias=True)
    assert _overlap(mine, theirs)


def test_two_new_scenes_in_one_chapter_overlap_and_a_retitle_does_not_reorder() -> None:
    one = OutlineEdited(after=Node(id="s1", kind=NodeKind.SCENE, parent="c", rank="a"))
    two = OutlineEdited(after=Node(id="s2", kind=NodeKind.SCENE, parent="c", rank="a"))
    old = Node(id="s3", kind=NodeKind.SCENE, parent="c", rank="0")
    retitled = OutlineEdited(
        before=old, after=Node(id="s3", kind=NodeKind.SCENE, parent="c", rank="0", title="X")
    )
    assert _overlap(one, two)
    assert not _overlap(one, retitled)


def test_text_overlaps_text_of_that_scene_only() -> None:
    text = TextSet(id="1", scene="s", text="a")
    assert _overlap(text, TextSet(id="2", scene="s", text="b"))
    assert not _overlap(text, TextSet(id="2", scene="t", text="b"))
    assert not _overlap(text, _fact("mara", "eyes", at="s"))


def test_two_nodes_placed_by_the_same_node_overlap() -> None:
    def placed(node: str, by: str) -> OutlineEdited:
        before = Node(id=node, kind=NodeKind.SCENE, parent="c", rank=node)
        place = StoryPlace(Relation.BEFORE, by)
        after = Node(id=node, kind=NodeKind.SCENE, parent="c", rank=node, place=place)
        return OutlineEdited(before=before, after=after)

    assert _overlap(placed("s1", "x"), placed("s2", "x"))
    assert not _overlap(placed("s1", "x"), placed("s2", "y"))


def test_creation_overlaps_what_is_recorded_on_the_new_entry() -> None:
    created = Created(entity="mara", type=EntityType.CHARACTER, told=NOT_REVEALED)
    assert _overlap(created, _fact("mara", "eyes"))
    assert conflict.keys_of([Undone(change=3)]) == frozenset()


@given(_PART, _PART, _PART, _PART)
def test_details_overlap_exactly_when_entry_and_detail_are_the_same(a: str, b: str, k: str, m: str) -> None:
    hit = conflict.overlap([conflict.detail_key(a, k)], [conflict.detail_key(b, m)])
    assert bool(hit) == (a == b and k == m)


@given(st.lists(_PART, max_size=4), st.lists(_PART, max_size=4), _PART)
def test_overlap_names_our_keys_and_is_symmetric(ours: list[str], theirs: list[str], key: str) -> None:
    left = [conflict.entity_key(one) for one in ours]
    right = [conflict.detail_key(one, key) for one in theirs]
    assert conflict.overlap(left, right) <= frozenset(left)
    assert bool(conflict.overlap(left, right)) == bool(set(ours) & set(theirs))
    assert bool(conflict.overlap(right, left)) == bool(set(ours) & set(theirs))
