"""The worked examples of the semantics on the naive model: they test the model that tests the product."""

from dataclasses import replace

import pytest

from agent_core.lore.model import (
    NOT_REVEALED,
    START,
    Asserted,
    Author,
    Created,
    EntityType,
    JsonObject,
    Mode,
    Named,
    Node,
    NodeKind,
    OutlineEdited,
    Relation,
    Row,
    StoryPlace,
    Told,
    Undone,
    UpTo,
    When,
    Withdrawn,
)
from agent_core.messages import Json
from tests.agent_core.lore.naive import NaiveLore

AUTHOR = Author()
NONE: dict[str, Json] = {"$none": True}
TEN = tuple(map(str, range(1, 11)))


def scene(node: str, rank: int, mode: Mode = Mode.LINEAR, place: StoryPlace | None = None) -> Row:
    return OutlineEdited(
        after=Node(id=node, kind=NodeKind.SCENE, parent="c", rank=f"{rank:03}", mode=mode, place=place)
    )


def chapter(node: str, rank: int, book: str = "b") -> Row:
    return OutlineEdited(after=Node(id=node, kind=NodeKind.CHAPTER, parent=book, rank=f"{rank:03}"))


def book(node: str, rank: int, place: StoryPlace | None = None) -> Row:
    return OutlineEdited(after=Node(id=node, kind=NodeKind.BOOK, parent=None, rank=f"{rank:03}", place=place))


def creation(entity: str) -> tuple[Row, Row]:
    return (
        Created(entity=entity, type=EntityType.CHARACTER, told=START),
        Named(id=f"name of {entity}", entity=entity, name=entity, told=START),
    )


class Tale:
    """Numbers changes as the examples do: the outline and the entries are change 1, "#1" is change 2."""

    def __init__(self, *outline: Row, entity: str = "mara") -> None:
        self.entity = entity
        self.changes: list[tuple[Row, ...]] = [(*outline, *creation(entity))]

    @property
    def lore(self) -> NaiveLore:
        return NaiveLore(tuple(self.changes))

    def fact(
        self,
        patch: JsonObject,
        at: str | None = None,
        *,
        until: str | None = None,
        told: str | None = None,
        scope: str | None = None,
        key: str = "",
    ) -> None:
        known = Told.at(told or at or "") if told or at else NOT_REVEALED
        self.change(
            Asserted(
                id=key or f"#{len(self.changes)}",
                entity=self.entity,
                patch=patch,
                at=at,
                until=until,
                told=known,
                scope_book=scope,
            )
        )

    def change(self, *rows: Row) -> None:
        self.changes.append(rows)

    def state(
        self, at: str, *, reader: str | None = None, when: When = When.END, known: int | None = None
    ) -> Json:
        bound = AUTHOR if reader is None else UpTo(reader)
        return self.lore.state(self.entity, at, bound, when, None if known is None else known + 1)


def tale(*scenes: str, entity: str = "mara") -> Tale:
    rows = [scene(node, rank) for rank, node in enumerate(scenes or TEN)]
    return Tale(book("b", 0), chapter("c", 0), *rows, entity=entity)


def test_1_progression() -> None:
    mara = tale()
    mara.fact({"eyes": "green", "status": "alive"})
    mara.fact({"scar": "left cheek"}, "5")

    assert mara.state("4") == {"eyes": "green", "status": "alive"}
    assert mara.state("5") == {"eyes": "green", "status": "alive", "scar": "left cheek"}
    assert mara.state("5", when=When.START) == {"eyes": "green", "status": "alive"}


def test_2_backfill_does_not_clobber() -> None:
    mara = tale()
    mara.fact({"rank": "captain"}, "2")
    mara.fact({"rank": "admiral"}, "8")
    mara.fact({"rank": "commodore"}, "5")

    ranks = [mara.state(at) for at in ("4", "5", "7", "8")]
    assert ranks == [{"rank": rank} for rank in ("captain", "commodore", "commodore", "admiral")]
    assert mara.state("6", known=2) == {"rank": "captain"}


def retconned() -> Tale:
    mara = tale()
    mara.fact({"eyes": "blue", "hair": "red"}, "1", key="first")
    mara.fact({"eyes": "blue", "coat": "grey"}, "6", key="second")
    mara.change(
        Withdrawn(entity="mara", target="first", pointer="/eyes"),
        Withdrawn(entity="mara", target="second", pointer="/eyes"),
        Asserted(id="third", entity="mara", patch={"eyes": "green"}, at="1", told=Told.at("1")),
    )
    return mara


def test_3_retcon() -> None:
    mara = retconned()

    assert mara.state("7") == {"hair": "red", "eyes": "green", "coat": "grey"}
    assert mara.state("7", known=2) == {"eyes": "blue", "hair": "red", "coat": "grey"}
    assert mara.state("2") == {"hair": "red", "eyes": "green"}


def test_4_undo_and_redo() -> None:
    mara = retconned()
    mara.change(Undone(change=4))
    assert mara.state("7") == {"eyes": "blue", "hair": "red", "coat": "grey"}

    mara.change(Undone(change=5))
    assert mara.state("7") == {"hair": "red", "eyes": "green", "coat": "grey"}
    assert mara.state("7", known=4) == {"eyes": "blue", "hair": "red", "coat": "grey"}


def test_5_null_and_none() -> None:
    mara = tale()
    mara.fact({"spouse": "Tom", "home": {"city": "Vel", "street": "Kiln"}}, "1")
    mara.fact({"spouse": None, "home": {"street": None}}, "4")
    mara.fact({"spouse": NONE}, "6")

    assert mara.state("3") == {"spouse": "Tom", "home": {"city": "Vel", "street": "Kiln"}}
    assert mara.state("4") == {"home": {"city": "Vel"}}
    assert mara.state("6") == {"home": {"city": "Vel"}, "spouse": NONE}


def test_6_lists() -> None:
    mara = tale()
    mara.fact({"titles": ["Mara"]}, "1")
    mara.fact({"titles": {"$add": ["the Heron"]}}, "7")
    mara.fact({"titles": {"$add": ["Kit"]}}, "3")
    assert mara.state("8") == {"titles": ["Mara", "Kit", "the Heron"]}

    mara.fact({"titles": ["M."]}, "9")
    assert mara.state("9") == {"titles": ["M."]}
    assert mara.state("8") == {"titles": ["Mara", "Kit", "the Heron"]}


@pytest.mark.parametrize(
    ("at", "appearance"),
    [("2", "plain"), ("3", "disguised as a monk"), ("5", "disguised as a monk"), ("6", "plain")],
)
def test_7_bounded(at: str, appearance: str) -> None:
    mara = tale()
    mara.fact({"appearance": "plain"}, "1")
    mara.fact({"appearance": "disguised as a monk"}, "3", until="6")

    assert mara.state(at) == {"appearance": appearance}


def test_8_flashback() -> None:
    place = StoryPlace(Relation.BEFORE, "1")
    isolde = Tale(
        book("b", 0),
        chapter("c", 0),
        scene("1", 1),
        scene("2", 2),
        scene("8", 3, Mode.FLASHBACK, place),
        scene("9", 4),
    )
    isolde.fact({"beard": False, "job": "smith"}, "1")
    isolde.fact({"beard": True, "job": "thief"}, "8")
    isolde.fact({"real_name": "Isolde"}, "8")

    smith = {"beard": False, "job": "smith"}
    assert isolde.state("2") == {**smith, "real_name": "Isolde"}
    assert isolde.state("8") == {"beard": True, "job": "thief", "real_name": "Isolde"}
    assert isolde.state("9") == {**smith, "real_name": "Isolde"}
    assert isolde.state("2", reader="2") == smith
    assert isolde.state("9", reader="9") == {**smith, "real_name": "Isolde"}


def test_9_flash_forward_prologue() -> None:
    place = StoryPlace(Relation.BEFORE, "9")
    hero = Tale(
        book("b", 0), chapter("c", 0), scene("p", 0, Mode.FLASHFORWARD, place), scene("1", 1), scene("9", 2)
    )
    hero.fact({"status": "alive"}, "1")
    hero.fact({"status": "dead"}, "p")

    assert [hero.state(at) for at in ("1", "p", "9")] == [
        {"status": "alive"},
        {"status": "dead"},
        {"status": "dead"},
    ]
    assert hero.state("1", reader="1") == {"status": "alive"}


def test_10_late_reveal_of_a_timeless_truth() -> None:
    tip = tale(entity="tip")
    tip.fact({"sex": "boy"}, told="1")
    tip.fact({"is": "Ozma"}, told="9")

    assert tip.state("2") == {"sex": "boy", "is": "Ozma"}
    assert tip.state("2", reader="2") == {"sex": "boy"}
    assert tip.state("2", reader="9") == {"sex": "boy", "is": "Ozma"}


def test_11_series_and_prequel() -> None:
    holmes = Tale(
        book("b1", 1),
        chapter("b1.3", 1, "b1"),
        book("b2", 2),
        chapter("b2.1", 1, "b2"),
        book("b3", 3, StoryPlace(Relation.BEFORE, "b1")),
        chapter("b3.1", 1, "b3"),
        entity="holmes",
    )
    holmes.fact({"status": "presumed dead"}, "b1.3")
    holmes.fact({"case": "speckled band"}, "b1.3", scope="b1")

    assert holmes.state("b2.1") == {"status": "presumed dead"}
    assert holmes.state("b1.3") == {"status": "presumed dead", "case": "speckled band"}
    assert holmes.state("b3.1") is None


def test_12_insert_move_delete() -> None:
    mara = Tale(book("b", 0), chapter("c", 0), *(scene(node, 10 * int(node)) for node in TEN))
    mara.fact({"hp": "well"}, "1")
    mara.fact({"hp": "wounded"}, "3")

    mara.change(scene("2b", 25))
    assert mara.state("2b") == {"hp": "well"}

    mara.change(scene("3", 45))
    assert mara.state("4") == {"hp": "well"}
    assert mara.state("5") == {"hp": "wounded"}

    third = mara.lore.outline.nodes["3"]
    mara.change(OutlineEdited(before=third, after=replace(third, deleted=True)))
    assert mara.state("5") == {"hp": "well"}
    assert mara.lore.lost() == {("#2", "from"), ("#2", "told")}


def test_13_same_place_twice() -> None:
    mara = tale()
    mara.fact({"oath": "to Vel"}, "4")
    mara.fact({"oath": "to Oru"}, "4")

    assert mara.state("4") == {"oath": "to Oru"}
    assert mara.state("4", known=1) == {"oath": "to Vel"}
    assert mara.state("3") is None


def test_14_shape_change() -> None:
    mara = tale()
    mara.fact({"home": "Vel"}, "1")
    mara.fact({"home": {"city": "Oru"}}, "2")
    mara.fact({"home": "none"}, "3")

    homes = [mara.state(at) for at in ("1", "2", "3")]
    assert homes == [{"home": "Vel"}, {"home": {"city": "Oru"}}, {"home": "none"}]


def test_15_chapter_anchor() -> None:
    ship = tale("4")
    ship.change(
        chapter("third", 1),
        OutlineEdited(after=Node(id="5", kind=NodeKind.SCENE, parent="third", rank="1")),
        OutlineEdited(after=Node(id="6", kind=NodeKind.SCENE, parent="third", rank="2")),
    )
    ship.fact({"place": "harbour"}, "third")

    assert ship.state("4") is None
    assert ship.state("5", when=When.START) == {"place": "harbour"}


def test_16_an_ending_not_yet_told() -> None:
    read = ["1", *map(str, range(2, 10))]
    late = scene("10", 5, Mode.FLASHFORWARD, StoryPlace(Relation.AFTER, "9"))
    cursed = Tale(
        book("b", 0), chapter("c", 0), *(scene(node, 10 * rank) for rank, node in enumerate(read)), late
    )
    cursed.fact({"curse": "sleeps"}, "1", until="9", told="1")

    assert list(cursed.lore.outline.reading)[2:5] == ["1", "10", "2"]
    assert cursed.state("10") is None
    assert cursed.state("10", reader="10") == {"curse": "sleeps"}
    assert cursed.state("10", reader="9") is None
