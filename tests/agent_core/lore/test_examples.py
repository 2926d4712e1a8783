"""The worked examples of the semantics, one by one, in their own numbering."""

import pytest

from agent_core.lore import edits
from agent_core.lore.model import Mode, Told, UpTo, When
from agent_core.lore.timeline import LostPlace, lost, undone
from agent_core.messages import Json
from tests.agent_core.lore.story import Story, fact, placed, scenes, strike, ten, tree, with_mode

NONE: dict[str, Json] = {"$none": True}


def test_1_progression() -> None:
    story = Story(ten())
    story.record(fact({"eyes": "green", "status": "alive"}))
    story.record(fact({"scar": "left cheek"}, "5"))

    assert story.state("4") == {"eyes": "green", "status": "alive"}
    assert story.state("5") == {"eyes": "green", "status": "alive", "scar": "left cheek"}
    assert story.state("5", when=When.START) == {"eyes": "green", "status": "alive"}


def test_2_backfill_does_not_clobber() -> None:
    story = Story(ten())
    story.record(fact({"rank": "captain"}, "2"))
    story.record(fact({"rank": "admiral"}, "8"))
    story.record(fact({"rank": "commodore"}, "5"))

    ranks = [story.state(scene) for scene in ("4", "5", "7", "8")]
    assert ranks == [{"rank": rank} for rank in ("captain", "commodore", "commodore", "admiral")]
    assert story.state("6", known=2) == {"rank": "captain"}


def retconned() -> Story:
    story = Story(ten())
    story.record(fact({"eyes": "blue", "hair": "red"}, "1", key="first"))
    story.record(fact({"eyes": "blue", "coat": "grey"}, "6", key="second"))
    story.record(*strike("first", "/eyes"), *strike("second", "/eyes"), fact({"eyes": "green"}, "1"))
    return story


def test_3_retcon() -> None:
    story = retconned()

    assert story.state("7") == {"hair": "red", "eyes": "green", "coat": "grey"}
    assert story.state("7", known=2) == {"eyes": "blue", "hair": "red", "coat": "grey"}
    assert story.state("2") == {"hair": "red", "eyes": "green"}


def test_4_undo_and_redo() -> None:
    story = retconned()
    story.undo(3)
    assert story.state("7") == {"eyes": "blue", "hair": "red", "coat": "grey"}

    story.undo(4)
    assert story.state("7") == {"hair": "red", "eyes": "green", "coat": "grey"}
    assert story.state("7", known=4) == {"eyes": "blue", "hair": "red", "coat": "grey"}


def test_5_null_and_none() -> None:
    story = Story(ten())
    story.record(fact({"spouse": "Tom", "home": {"city": "Vel", "street": "Kiln"}}, "1"))
    story.record(fact({"spouse": None, "home": {"street": None}}, "4"))
    story.record(fact({"spouse": NONE}, "6"))

    assert story.state("3") == {"spouse": "Tom", "home": {"city": "Vel", "street": "Kiln"}}
    assert story.state("4") == {"home": {"city": "Vel"}}
    assert story.state("6") == {"home": {"city": "Vel"}, "spouse": NONE}


def test_6_lists() -> None:
    story = Story(ten())
    story.record(fact({"titles": ["Mara"]}, "1"))
    story.record(fact({"titles": {"$add": ["the Heron"]}}, "7"))
    story.record(fact({"titles": {"$add": ["Kit"]}}, "3"))
    assert story.state("8") == {"titles": ["Mara", "Kit", "the Heron"]}

    story.record(fact({"titles": ["M."]}, "9"))
    assert story.state("9") == {"titles": ["M."]}
    assert story.state("8") == {"titles": ["Mara", "Kit", "the Heron"]}


@pytest.mark.parametrize(
    ("scene", "appearance"),
    [("2", "plain"), ("3", "disguised as a monk"), ("5", "disguised as a monk"), ("6", "plain")],
)
def test_7_bounded(scene: str, appearance: str) -> None:
    story = Story(ten())
    story.record(fact({"appearance": "plain"}, "1"))
    story.record(fact({"appearance": "disguised as a monk"}, "3", until="6"))

    assert story.state(scene) == {"appearance": appearance}


def test_8_flashback() -> None:
    outline = with_mode(scenes("1", "2", "8", "9"), Mode.FLASHBACK, "8")
    story = Story(placed(outline, s8=("before", "1")))
    story.record(fact({"beard": False, "job": "smith"}, "1"))
    story.record(fact({"beard": True, "job": "thief"}, "8"))
    story.record(fact({"real_name": "Isolde"}, "8"))

    smith = {"beard": False, "job": "smith"}
    assert story.state("2") == {**smith, "real_name": "Isolde"}
    assert story.state("8") == {"beard": True, "job": "thief", "real_name": "Isolde"}
    assert story.state("9") == {**smith, "real_name": "Isolde"}
    assert story.state("2", bound=UpTo("2")) == smith
    assert story.state("9", bound=UpTo("9")) == {**smith, "real_name": "Isolde"}


def test_9_flash_forward_prologue() -> None:
    outline = with_mode(scenes("p", "1", "9"), Mode.FLASHFORWARD, "p")
    story = Story(placed(outline, p=("before", "9")))
    story.record(fact({"status": "alive"}, "1"))
    story.record(fact({"status": "dead"}, "p"))

    assert [story.state(scene) for scene in ("1", "p", "9")] == [
        {"status": "alive"},
        {"status": "dead"},
        {"status": "dead"},
    ]
    assert story.state("1", bound=UpTo("1")) == {"status": "alive"}


def test_10_late_reveal_of_a_timeless_truth() -> None:
    story = Story(ten(), ["tip"])
    story.record(fact({"sex": "boy"}, entity="tip", told="1"))
    story.record(fact({"is": "Ozma"}, entity="tip", told="9"))

    assert story.state("2", "tip") == {"sex": "boy", "is": "Ozma"}
    assert story.state("2", "tip", bound=UpTo("2")) == {"sex": "boy"}
    assert story.state("2", "tip", bound=UpTo("9")) == {"sex": "boy", "is": "Ozma"}


def test_11_series_and_prequel() -> None:
    outline = tree({"b1": {"c1": ["b1.3"]}, "b2": {"c2": ["b2.1"]}, "b3": {"c3": ["b3.1"]}})
    story = Story(placed(outline, b3=("before", "b1")), ["holmes"])
    story.record(fact({"status": "presumed dead"}, "b1.3", entity="holmes"))
    story.record(fact({"case": "speckled band"}, "b1.3", entity="holmes", scope="b1"))

    assert story.state("b2.1", "holmes") == {"status": "presumed dead"}
    assert story.state("b1.3", "holmes") == {"status": "presumed dead", "case": "speckled band"}
    assert story.state("b3.1", "holmes") is None


def test_12_insert_move_delete() -> None:
    story = Story(ten())
    story.record(fact({"hp": "well"}, "1"))
    story.record(fact({"hp": "wounded"}, "3"))

    story.edit(edits.insert_scene_after(story.outline, "2b", "2"))
    assert story.state("2b") == {"hp": "well"}

    story.edit(edits.move(story.outline, "3", after="4"))
    assert story.state("4") == {"hp": "well"}
    assert story.state("5") == {"hp": "wounded"}

    story.edit(edits.delete(story.outline, "3"))
    assert story.state("5") == {"hp": "well"}
    listed = lost(story.rows, undone=undone(story.rows, None), known=None, outline=story.outline)
    assert {(one.recorded.change, one.what) for one in listed} == {
        (2, LostPlace.FROM),
        (2, LostPlace.TOLD),
    }


def test_13_same_place_twice() -> None:
    story = Story(ten())
    story.record(fact({"oath": "to Vel"}, "4"))
    story.record(fact({"oath": "to Oru"}, "4"))

    assert story.state("4") == {"oath": "to Oru"}
    assert story.state("4", known=1) == {"oath": "to Vel"}
    assert story.state("3") is None


def test_14_shape_change() -> None:
    story = Story(ten())
    story.record(fact({"home": "Vel"}, "1"))
    story.record(fact({"home": {"city": "Oru"}}, "2"))
    story.record(fact({"home": "none"}, "3"))

    homes = [story.state(scene) for scene in ("1", "2", "3")]
    assert homes == [{"home": "Vel"}, {"home": {"city": "Oru"}}, {"home": "none"}]


def test_15_chapter_anchor() -> None:
    story = Story(tree({"b": {"chapter 2": ["4"], "chapter 3": ["5", "6"]}}))
    story.record(fact({"place": "harbour"}, "chapter 3"))

    assert story.state("4") is None
    assert story.state("5", when=When.START) == {"place": "harbour"}


def test_16_an_ending_not_yet_told() -> None:
    read = ["1", "10", *map(str, range(2, 10))]
    outline = with_mode(scenes(*read), Mode.FLASHFORWARD, "10")
    story = Story(placed(outline, s10=("after", "9")))
    story.record(fact({"curse": "sleeps"}, "1", until="9", told=Told.at("1")))

    assert story.state("10") is None
    assert story.state("10", bound=UpTo("10")) == {"curse": "sleeps"}
    assert story.state("10", bound=UpTo("9")) is None
