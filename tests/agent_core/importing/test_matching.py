"""Scenes of a re-imported book are found again, whatever its author did; none is taken for another."""

from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from agent_core.importing.matching import (
    ChapterSketch,
    Sketch,
    match_chapters,
    match_scenes,
)


@st.composite
def books(draw: st.DrawFn, least: int = 1, words: tuple[int, ...] = (60, 300)) -> list[str]:
    """Return scenes that have nothing to do with each other."""
    random = Random(draw(st.integers(0, 2**32)))
    lengths = draw(st.lists(st.sampled_from(words), min_size=least, max_size=8))
    return [" ".join(_word(random) for _ in range(length)) for length in lengths]


def _word(random: Random) -> str:
    return "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(3, 9)))


def sketches(texts: Sequence[str]) -> list[Sketch]:
    return [Sketch(text) for text in texts]


def found(old: Sequence[str], new: Sequence[str]) -> tuple[int | None, ...]:
    return match_scenes(sketches(old), sketches(new))


@given(books(), st.randoms())
def test_scenes_are_found_wherever_they_stand(book, random) -> None:  # type: ignore[no-untyped-def] # drawn
    order = list(range(len(book)))
    random.shuffle(order)

    assert found(book, [book[place] for place in order]) == tuple(order)


@given(books(least=2), st.data())
def test_new_and_gone_scenes_leave_the_others_alone(book: list[str], data: st.DataObject) -> None:
    old = sorted(data.draw(st.sets(st.integers(0, len(book) - 1), min_size=1)))
    new = sorted(data.draw(st.sets(st.integers(0, len(book) - 1), min_size=1)))

    matched = found([book[place] for place in old], [book[place] for place in new])

    assert matched == tuple(old.index(place) if place in old else None for place in new)


@given(books(), st.data())
def test_edited_scenes_are_found(book: list[str], data: st.DataObject) -> None:
    """Some words in each of them are new, in all of them at once."""
    edited = []
    for text in book:
        words = text.split()
        for place in data.draw(st.sets(st.integers(0, len(words) - 1), max_size=10)):
            words[place] = f"new{place}"
        edited.append(" ".join(words))

    assert found(book, edited) == tuple(range(len(book)))


@given(books(least=2), st.randoms())
def test_scenes_that_are_moved_and_edited_at_once_are_found(book, random) -> None:  # type: ignore[no-untyped-def] # drawn
    order = list(range(len(book)))
    random.shuffle(order)
    edited = [" ".join([*book[place].split()[5:], "zz", "yy"]) for place in order]

    assert found(book, edited) == tuple(order)


@given(st.lists(st.sampled_from(["He left.", "", "* * *", "The end."]), max_size=12), st.data())
def test_scenes_of_the_same_text_keep_their_order(texts: list[str], data: st.DataObject) -> None:
    gone = data.draw(st.sets(st.integers(0, max(len(texts) - 1, 0))))
    new = [text for place, text in enumerate(texts) if place not in gone]

    matched = found(texts, new)

    assert None not in matched
    assert list(matched) == sorted(matched)  # type: ignore[type-var]  # none is None


_any = st.lists(
    st.text(max_size=30) | st.sampled_from(["Mara waits.", "Mara waits here.", "", "王小明来了"]), max_size=8
)


@given(_any, _any)
def test_each_scene_is_found_once_at_most(old: list[str], new: list[str]) -> None:
    matched = found(old, new)
    places = [place for place in matched if place is not None]

    assert len(matched) == len(new)
    assert len(set(places)) == len(places)
    assert all(0 <= place < len(old) for place in places)
    assert all(matched[j] is not None for j, text in enumerate(new) if new.count(text) <= old.count(text))


@given(books(least=2))
def test_scenes_that_have_nothing_in_common_are_not_one(book: list[str]) -> None:
    half = len(book) // 2

    assert found(book[:half], book[half:]) == (None,) * (len(book) - half)


@given(books(least=3, words=(100,)), st.integers(0, 7))
def test_split_scene_goes_on_as_its_longer_part(book: list[str], which: int) -> None:
    which %= len(book)
    words = book[which].split()
    parts = [" ".join(words[:60]), " ".join(words[60:])]

    matched = found(book, [*book[:which], *parts, *book[which + 1 :]])

    expected = [*range(which), which, None, *range(which + 1, len(book))]
    assert matched == tuple(expected)


@given(books(least=3, words=(100,)), st.integers(0, 6))
def test_scenes_that_became_one_go_on_as_the_first_of_equals(book: list[str], which: int) -> None:
    which %= len(book) - 1
    merged = f"{book[which]} {book[which + 1]}"

    matched = found(book, [*book[:which], merged, *book[which + 2 :]])

    assert matched == (*range(which + 1), *range(which + 2, len(book)))


def test_short_scene_that_was_touched_up_is_found() -> None:
    old = ["Mara waits at the harbour of Vel.", "The Heron sails at dusk.", "Tom is a thief."]
    new = ["Mara waits at the harbour of Oru.", "A storm.", "The Heron sails at dawn.", "Tom is a thief."]

    assert found(old, new) == (0, None, 1, 2)


def test_scene_written_anew_under_its_title_in_its_place_is_the_same() -> None:
    old = [
        Sketch("Mara waits."),
        Sketch("The old crossing of the river.", "The Crossing"),
        Sketch("Tom left."),
    ]
    new = [Sketch("Mara waits."), Sketch("Nobody had seen a bridge.", "The Crossing"), Sketch("Tom left.")]

    assert match_scenes(old, new) == (0, 1, 2)


def test_title_that_moved_is_no_reason_to_take_another_text_for_the_scene() -> None:
    old = [
        Sketch("Mara waits."),
        Sketch("The old crossing of the river.", "The Crossing"),
        Sketch("Tom left."),
    ]
    new = [Sketch("Mara waits."), Sketch("Tom left."), Sketch("Nobody had seen a bridge.", "The Crossing")]

    assert match_scenes(old, new) == (0, 2, None)


def test_of_two_drafts_of_a_scene_the_one_in_its_place_is_taken() -> None:
    scene = (
        "The lantern hung over the quay and nobody came to light it before the third bell had rung twice. "
        * 4
    )
    draft = scene.replace("third", "second")
    old = ["One.", scene.replace("lantern", "lamp"), "Two."]
    new = ["One.", draft, "Two.", draft]

    assert found(old, new) == (0, 1, 2, None)


def test_text_without_spaces_is_compared_by_letters() -> None:
    scene = "那天夜里灯塔没有亮起来港口的人们都站在码头上看着远处的海面等待着那艘再也没有回来的船只和船长"
    other = "她把信折好放进抽屉里然后走到窗前外面下着雨街上没有一个人只有一盏路灯在风里轻轻地摇晃着照着墙"

    assert found([other, scene], [scene.replace("船长", "水手"), other]) == (1, 0)


def chapters(*rows: tuple[str, str, list[int]], part: str = "") -> list[ChapterSketch]:
    return [
        ChapterSketch(number=number, part=part, title=title, scenes=scenes) for number, title, scenes in rows
    ]


def test_chapter_is_the_one_that_most_of_its_words_come_from() -> None:
    old = chapters(("1", "", [0, 1]), ("2", "", [2, 3]))
    new = chapters(("1", "", [0]), ("2", "", [1, 2]), ("3", "", [3]))

    assert match_chapters(old, new, scenes=(0, 1, 2, 3), words=[100, 90, 20, 80]) == (0, None, 1)


def test_renumbered_chapters_are_found_by_their_scenes() -> None:
    old = chapters(("1", "Home", [0]), ("2", "Away", [1]))
    new = chapters(("1", "Before", [0]), ("2", "Home", [1]), ("3", "Away", [2]))

    assert match_chapters(old, new, scenes=(None, 0, 1), words=[10, 10, 10]) == (None, 0, 1)


def test_chapter_without_a_scene_in_common_is_found_by_its_labels() -> None:
    old = chapters(("1", "Home", [0]), ("2", "", [1]))
    new = chapters(("1", "home", [0]), ("2", "", [1]), ("", "", [2]))

    assert match_chapters(old, new, scenes=(None, None, None), words=[10, 10, 10]) == (0, 1, None)
