"""Positions as people write them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.errors import AmbiguousPosition, UnknownPosition
from agent_core.lore import edits
from agent_core.lore.model import Bound, Mode, Nothing, UpTo
from agent_core.lore.outline import Outline
from agent_core.lore.position import number_key
from tests.agent_core.lore.story import AUTHOR, scenes, ten, tree, with_mode
from tests.agent_core.lore.strategies import labelled


def find(
    outline: Outline,
    text: str,
    *,
    book: str | None = None,
    here: str | None = None,
    bound: Bound = AUTHOR,
) -> str:
    return outline.find(text, book=book, here=here, bound=bound)


def with_labels(outline: Outline, **labels: dict[str, str]) -> Outline:
    """Return the outline with {id: {title, number, part}}."""
    for node, label in labels.items():
        outline = outline.with_edits([edits.retitle(outline, node, **label)])
    return outline


def novel() -> Outline:
    """Return a novel with a prologue, two parts that count from 1 again, and an unnumbered end."""
    outline = tree(
        {"b": {"pro": ["s0"], "c1": ["s1", "s2"], "c2": ["s3"], "d1": ["s4"], "d3": ["s5"], "end": []}}
    )
    return with_labels(
        outline,
        b={"title": "Tidewater"},
        pro={"title": "Prologue"},
        c1={"number": "1", "part": "Ebb", "title": "The Crossing"},
        c2={"number": "II", "part": "Ebb"},
        d1={"number": "1", "part": "Flood"},
        d3={"number": "3", "part": "Flood", "title": "Élan & Ash"},
        end={"title": "Afterword"},
        s2={"title": "At the Weir"},
    )


def two_books() -> Outline:
    outline = tree({"x": {"c1": ["s1", "s2"], "c2": ["s3"]}, "y": {"d1": ["s4"], "d2": [], "d3": []}})
    return with_labels(outline, x={"title": "Tidewater"}, y={"title": "Low Ground"}, c2={"title": "Salt"})


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("2", "c2"),
        (" 2 ", "c2"),
        ("02", "c2"),
        ("II", "c2"),
        ("ii", "c2"),
        ("2.1", "s3"),
        ("3", "d3"),
        ("III", "d3"),
        ("p1.1", "c1"),
        ("P1.1", "c1"),
        ("b1:p2.1", "d1"),
        ("p1.1.2", "s2"),
        ("b1:p1.1.2", "s2"),
        ("b1: 2.1", "s3"),
        ("b1", "b"),
        ("ch 2", "c2"),
        ("ch. 2", "c2"),
        ("ch2", "c2"),
        ("Chapter II", "c2"),
        ("Kapitel 2", "c2"),
        ("chapitre 2", "c2"),
        ("scene 2.1", "s3"),
        ("Szene 2.1", "s3"),
        ("scène 2.1", "s3"),
        ("Book 1: chapter 2", "c2"),
        ("Band 1, Kapitel 2", "c2"),
        ("The Crossing", "c1"),
        ("the  crossing", "c1"),
        ("b1:The Crossing", "c1"),
        ("The Crossing.2", "s2"),
        ("chapter The Crossing", "c1"),
        ("elan & ash", "d3"),
        ("at the weir", "s2"),
        ("Prologue", "pro"),
        ("Prologue.1", "s0"),
        ("Tidewater", "b"),
        ("s4", "s4"),
    ],
)
def test_position_in_a_novel(text: str, node: str) -> None:
    assert find(novel(), text) == node


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "0",
            "4",
            "6",
            "2.0",
            "2.2",
            "2.x",
            "2.1.1",
            "p3.1",
            "p1.3",
            "p1",
            "p2",
            "b2",
            "b2:1",
            "b0",
        ),
        *("b1:", "7", "The", "scene", "scene 1", "start", "now", "here", "1.", ".1", "-1", "x" * 5000),
        *("9" * 5000, "b" + "9" * 5000, "p" + "9" * 50 + ".1", "2." + "9" * 5000, "m" * 5000, "\0", "\ud800"),
    ],
)
def test_what_is_nowhere_in_a_novel_is_unknown(text: str) -> None:
    with pytest.raises(UnknownPosition) as refused:
        find(novel(), text)

    assert refused.value.facts == {"position": text}


def test_number_that_repeats_across_parts_lists_the_full_positions() -> None:
    for text, candidates in [("1", ("b1:p1.1", "b1:p2.1")), ("1.1", ("b1:p1.1.1", "b1:p2.1.1"))]:
        with pytest.raises(AmbiguousPosition) as refused:
            find(novel(), text)
        assert refused.value.facts == {"position": text, "candidates": candidates}


def test_labels_of_a_novel() -> None:
    outline = novel()

    assert {node: outline.label(node) for node in outline.nodes} == {
        "b": "b1",
        "pro": "Prologue",
        "s0": "Prologue.1",
        "c1": "p1.1",
        "s1": "p1.1.1",
        "s2": "p1.1.2",
        "c2": "2",
        "s3": "2.1",
        "d1": "p2.1",
        "s4": "p2.1.1",
        "d3": "3",
        "s5": "3.1",
        "end": "Afterword",
    }


def test_labels_name_the_book_in_a_series_of_several_living_books() -> None:
    outline = two_books()

    assert [outline.label(node) for node in ("y", "c2", "s2", "s4")] == ["b2", "b1:2", "b1:1.2", "b2:1.1"]
    alone = outline.with_edits([edits.delete(outline, "x")])
    assert [alone.label(node) for node in ("y", "d1", "s4")] == ["b1", "1", "1.1"]


def test_tombstone_is_labelled_by_its_title_and_never_found() -> None:
    outline = two_books()
    outline = outline.with_edits([edits.delete(outline, "c2")])

    assert (outline.label("c2"), outline.label("s3")) == ("Salt", "s3")
    for text in ("c2", "s3", "Salt", "b1:2"):
        with pytest.raises(UnknownPosition):
            find(outline, text)


def test_book_of_the_conversation_comes_first() -> None:
    outline = two_books()

    assert find(outline, "1", book="y") == "d1"
    assert find(outline, "1.1", book="x") == "s1"
    assert find(outline, "b1:1", book="y") == "c1"
    assert find(outline, "Salt", book="y") == "c2"
    assert find(outline, "Low Ground", book="x") == "y"


def test_number_missing_from_the_conversations_book_is_not_looked_for_elsewhere() -> None:
    with pytest.raises(UnknownPosition):
        find(two_books(), "3", book="x")


def test_without_a_book_a_number_must_be_unique_in_the_series() -> None:
    assert find(two_books(), "3") == "d3"
    with pytest.raises(AmbiguousPosition) as refused:
        find(two_books(), "2")
    assert refused.value.facts["candidates"] == ("b1:2", "b2:2")


def test_chapters_are_counted_where_the_book_prints_no_numbers() -> None:
    outline = tree({"b": {"c1": ["s1"], "c2": ["s2"], "c3": ["s3"]}})
    outline = with_labels(outline, c2={"part": "Ebb"}, c3={"part": "Ebb"})

    assert [outline.label(node) for node in ("c1", "c2", "c3", "s3")] == ["1", "2", "3", "3.1"]
    assert find(outline, "p1.2") == "c3"
    assert [outline.number(node) for node in ("b", "c3", "s3")] == ["1", "3", "1"]
    assert outline.next_number("b") == "4"


def test_numbers_that_come_again_without_parts_begin_one() -> None:
    outline = tree({"b": {"c1": ["s1"], "c2": [], "d1": ["s2"], "d2": [], "e2": []}})
    outline = with_labels(
        outline, **{node: {"number": node[1], "title": ""} for node in ("c1", "c2", "d1", "d2", "e2")}
    )
    labels = ["p1.1", "p1.2", "p2.1", "p2.2", "p3.2"]
    assert [outline.label(node) for node in ("c1", "c2", "d1", "d2", "e2")] == labels
    assert [find(outline, label) for label in labels] == ["c1", "c2", "d1", "d2", "e2"]
    assert outline.label("s2") == "p2.1.1"
    with pytest.raises(AmbiguousPosition) as refused:
        find(outline, "1")
    assert refused.value.facts["candidates"] == ("b1:p1.1", "b1:p2.1")


def test_chapters_of_one_title_and_those_of_none_are_told_apart() -> None:
    outline = tree({"b": {"c1": ["s1"], "i1": ["s2"], "n1": ["s3"], "i2": ["s4"]}})
    outline = with_labels(outline, c1={"number": "1"}, i1={"title": "Interlude"}, i2={"title": "Interlude"})
    labels = ["1", "Interlude (1)", "#3", "Interlude (2)", "#3.1", "Interlude (2).1"]
    assert [outline.label(node) for node in ("c1", "i1", "n1", "i2", "s3", "s4")] == labels
    assert [find(outline, label) for label in labels] == ["c1", "i1", "n1", "i2", "s3", "s4"]
    for text in ("#0", "#9", "Interlude (0)", "Interlude (3)"):
        with pytest.raises(UnknownPosition):
            find(outline, text)


def test_front_and_back_matter_is_not_counted_where_numbers_are_printed() -> None:
    outline = novel()

    assert [outline.number(node) for node in ("pro", "c1", "c2", "end")] == ["", "1", "2", ""]
    assert outline.next_number("b") == "4"
    assert with_labels(ten(), c={"number": "A"}).next_number("b") == ""
    assert tree({"b": {}}).next_number("b") == "1"


def test_title_of_digits_is_found_unless_a_chapter_has_that_number() -> None:
    outline = with_labels(two_books(), d2={"title": "1984"}, d3={"title": "1"})

    assert find(outline, "1984") == "d2"
    assert find(outline, "1", book="y") == "d1"
    assert outline.label("d3") == "b2:3"


def test_title_of_a_chapter_and_its_only_scene_means_the_chapter() -> None:
    outline = with_labels(scenes("s1"), c={"title": "Salt"}, s1={"title": "Salt"})

    assert find(outline, "salt") == "c"
    assert outline.label("s1") == "1.1"


def test_title_of_two_places_is_ambiguous() -> None:
    outline = with_labels(two_books(), s1={"title": "Salt"}, d3={"title": "Salt"})

    with pytest.raises(AmbiguousPosition) as refused:
        find(outline, "salt")
    assert refused.value.facts["candidates"] == ("b1:1.1", "b1:2", "b2:3")
    assert find(outline, "b2:salt") == "d3"


def test_scene_alone_is_one_of_the_chapter_one_is_in() -> None:
    assert find(two_books(), "scene 2", here="s1") == "s2"
    assert find(two_books(), "scene 1", here="d1") == "s4"
    with pytest.raises(UnknownPosition):
        find(two_books(), "scene 2", here="s3")


def test_here_is_the_conversations_position() -> None:
    outline = two_books()

    assert find(outline, "Here", here="s3") == "s3"
    nowhere: list[tuple[str | None, Bound]] = [(None, AUTHOR), ("s3", UpTo("s2")), ("missing", AUTHOR)]
    for here, bound in nowhere:
        with pytest.raises(UnknownPosition):
            find(outline, "here", here=here, bound=bound)


def test_start_is_no_node_and_now_the_latest_scene() -> None:
    outline = with_mode(two_books(), Mode.FLASHBACK, "s3")

    def place(text: str, bound: Bound = AUTHOR, book: str | None = "x") -> str | None:
        return outline.find_place(text, book=book, here=None, bound=bound)

    assert place("start") is None
    assert place(" START ") is None
    assert place("now") == "s2"
    assert place("now", book=None) == "s4"
    assert place("now", UpTo("s1")) == "s1"
    assert place("2") == "c2"
    for bound in (Nothing(), UpTo("missing")):
        with pytest.raises(UnknownPosition):
            place("now", bound)


@pytest.mark.parametrize("text", ["b1:2", "c2", "s3", "b1:2.1", "Salt", "b2:1", "Low Ground", "s4"])
def test_what_lies_beyond_the_bound_is_answered_like_what_is_missing(text: str) -> None:
    outline = two_books()
    cut = Outline(
        replace(node, title="", number="", part="") if outline.reading[node.id] > 3 else node
        for node in outline.nodes.values()
    )

    for one in (outline, cut):
        with pytest.raises(UnknownPosition) as refused:
            find(one, text, bound=UpTo("s2"))
        assert refused.value.facts == {"position": text}


def test_number_that_repeats_only_beyond_the_bound_is_unique() -> None:
    outline = novel()

    assert find(outline, "1", bound=UpTo("s3")) == "c1"
    assert outline.seen(UpTo("s3")).label("c1") == "1"
    assert outline.label("c1") == "p1.1"


def test_numbers_printed_only_beyond_the_bound_are_not_known() -> None:
    outline = with_labels(two_books(), c2={"number": "1"})

    assert outline.label("c1") == "b1:#1"
    assert outline.seen(UpTo("s2")).label("c1") == "b1:1"
    assert find(outline, "b1:1", bound=UpTo("s2")) == "c1"


def test_title_that_reads_like_a_word_of_the_grammar_is_no_label() -> None:
    outline = with_labels(novel(), pro={"title": "Start"}, end={"title": "Now"}, s5={"title": "Here"})

    assert [outline.label(node) for node in ("pro", "s0", "end", "s5")] == [
        *("b1:Start", "Start.1"),
        *("b1:Now", "3.1"),
    ]
    assert outline.find_place("b1:Start", book=None, here=None, bound=AUTHOR) == "pro"
    assert outline.find_place("Start", book=None, here=None, bound=AUTHOR) is None


@pytest.mark.parametrize(
    ("printed", "key"),
    [
        *(
            ("7", "7"),
            ("007", "7"),
            (" VII. ", "7"),
            ("xiv", "14"),
            ("XL", "40"),
            ("L", "50"),
            ("mcmxciv", "1994"),
        ),
        *(("C", "c"), ("D", "d"), ("IIX", "iix"), ("7a", "7a"), ("Seven", "seven"), ("", ""), ("٣", "3")),
    ],
)
def test_number_key(printed: str, key: str) -> None:
    assert number_key(printed) == key


@given(labelled(), st.data())
def test_every_label_is_found_back_whatever_the_conversation(outline: Outline, data: st.DataObject) -> None:
    book = data.draw(st.sampled_from([None, *(node.id for node in outline.books())]))
    here = data.draw(st.sampled_from([None, *outline.nodes]))

    for node in outline.nodes:
        if not outline.is_gone(node):
            assert find(outline, outline.label(node), book=book, here=here) == node


@given(labelled())
def test_no_label_is_an_id(outline: Outline) -> None:
    """People never read ids. (Those of the books here read like positions: "b1".)"""
    living = [node.id for node in outline.nodes.values() if node.parent and not outline.is_gone(node.id)]
    assert [node for node in living if outline.label(node) == node] == []


@given(labelled(), st.data())
def test_every_label_a_reader_sees_is_that_of_the_cut_copy_and_found_back(
    outline: Outline, data: st.DataObject
) -> None:
    mark = data.draw(st.sampled_from(list(outline.nodes)))
    bound = UpTo(mark)
    cut = Outline(
        node
        if outline.reading[node.id] <= outline.reading[mark]
        else replace(node, title="", number="", part="")
        for node in outline.nodes.values()
    )
    seen = outline.seen(bound)

    for node in outline.nodes:
        assert seen.label(node) == cut.seen(bound).label(node)
        if outline.sees(bound, node) and not outline.is_gone(node):
            assert find(outline, seen.label(node), bound=bound) == node


@given(labelled(), st.data())
def test_reader_and_cut_copy_get_the_same_answer_to_any_text(outline: Outline, data: st.DataObject) -> None:
    mark = data.draw(st.sampled_from(list(outline.nodes)))
    texts = st.sampled_from(
        [*(outline.label(node) for node in outline.nodes), "1", "2.1", "p1.1", "the crossing"]
    )
    text = data.draw(texts)
    cut = Outline(
        node
        if outline.reading[node.id] <= outline.reading[mark]
        else replace(node, title="", number="", part="")
        for node in outline.nodes.values()
    )

    assert _answer(outline, text, UpTo(mark)) == _answer(cut, text, UpTo(mark))


@given(labelled(), st.text(max_size=12))
def test_any_text_is_answered_or_refused(outline: Outline, text: str) -> None:
    answer = _answer(outline, text, AUTHOR)

    assert answer in outline.nodes or answer.startswith(("UnknownPosition", "AmbiguousPosition"))


@given(labelled())
def test_ambiguous_candidates_are_all_found(outline: Outline) -> None:
    titles = {node.title for node in outline.nodes.values()} | {"1", "1.1", "2"}
    for text in titles:
        try:
            find(outline, text)
        except UnknownPosition:
            continue
        except AmbiguousPosition as refused:
            candidates = refused.facts["candidates"]
            assert isinstance(candidates, tuple)
            assert len({find(outline, one) for one in candidates}) == len(candidates) > 1


def _answer(outline: Outline, text: str, bound: Bound) -> str:
    try:
        return find(outline, text, bound=bound)
    except (UnknownPosition, AmbiguousPosition) as refused:
        return refused.for_model()
