"""The sample series: what its canon names stands in its books, and it shows what a canon is for."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from agent_core.importing.manuscript import ManuscriptScene
from agent_core.importing.sample import SampleCall, sample_edits, sample_manuscripts
from agent_core.tools.catalogue import TOOLS

PLACES = ("chapterId", "sourceSceneId", "until", "toldAt", "sceneId", "node", "aliasFrom")
POSITION = re.compile(r"b(\d):(\d)(?:\.(\d))?")


def scenes() -> dict[str, ManuscriptScene]:
    """Return the scenes by the position that a person would write."""
    return {
        f"b{b}:{chapter.number}.{s}": scene
        for b, book in enumerate(sample_manuscripts(), start=1)
        for chapter in book.chapters
        for s, scene in enumerate(chapter.scenes, start=1)
    }


def calls(tool: str = "") -> Iterator[SampleCall]:
    return (call for edit in sample_edits() for call in edit.calls if call.tool == tool or not tool)


def named(entity: str, **patch: object) -> list[SampleCall]:
    """Return the facts of an entry that give these details."""
    found = (call for call in calls("record_lore_state") if call.arguments["entityId"] == entity)
    return [call for call in found if call.arguments["statePatch"] == patch]


def test_two_books_of_one_series_stand_in_order() -> None:
    books = sample_manuscripts()
    assert [(book.series, book.series_position, book.language) for book in books] == [
        ("The Causeway Bells", 1.0, "en"),
        ("The Causeway Bells", 2.0, "en"),
    ]
    assert [[len(chapter.scenes) for chapter in book.chapters] for book in books] == [[2, 2, 2, 2], [2, 2, 2]]
    assert not any(book.warnings for book in books)


def test_scenes_are_short_and_titled() -> None:
    assert all(scene.title and 120 <= len(scene.text.split()) <= 250 for scene in scenes().values())


def test_every_call_fits_its_tool() -> None:
    args = {tool.name: tool.args for tool in TOOLS}
    for call in calls():
        args[call.tool].model_validate(call.arguments)


def test_every_position_is_in_the_books() -> None:
    chapters = {position.rpartition(".")[0] for position in scenes()}
    written = [str(call.arguments[name]) for call in calls() for name in PLACES if name in call.arguments]
    assert len(written) > 30
    assert set(written) <= {*scenes(), *chapters, "start"}


def test_every_fact_is_about_an_entry_made_before_it() -> None:
    made: set[str] = set()
    for call in calls():
        if call.tool == "create_lore_entity":
            made.add(str(call.arguments["name"]))
        elif "entityId" in call.arguments:
            assert call.arguments["entityId"] in made
    assert 12 <= len(made) <= 15


def test_every_entry_is_named_in_the_scene_that_introduces_it() -> None:
    for call in calls("create_lore_entity"):
        aliases = call.arguments.get("aliases", [])
        assert isinstance(aliases, list)
        text = scenes()[str(call.arguments["toldAt"])].text.casefold()
        names = [str(name).casefold() for name in (call.arguments["name"], *aliases)]
        assert any(name in text for name in names), call.arguments["name"]


def test_entries_are_of_every_kind() -> None:
    kinds = {call.arguments["type"] for call in calls("create_lore_entity")}
    assert kinds == {"character", "location", "faction", "object", "rule"}


@pytest.mark.parametrize(
    ("entity", "key", "values"),
    [
        ("Edda Marrick", "left hand", 2),
        ("Edda Marrick", "oath", 3),
        ("Edda Marrick", "home", 2),
        ("tide key", "owner", 5),
        ("Law of the third bell", "wardens", 2),
    ],
)
def test_facts_change_over_the_story(entity: str, key: str, values: int) -> None:
    told = [
        patch[key]
        for call in calls("record_lore_state")
        if call.arguments["entityId"] == entity
        and isinstance(patch := call.arguments["statePatch"], dict)
        and key in patch
    ]
    assert len(told) == values
    assert all(one != after for one, after in pairwise(told))


def test_disguise_lasts_through_chapters_two_and_three() -> None:
    [disguise] = [call for call in calls("record_lore_state") if "until" in call.arguments]
    assert (disguise.arguments["chapterId"], disguise.arguments["until"]) == ("b1:2", "b1:4")


def test_third_edit_corrects_the_eyes_and_one_sentence_still_says_the_old_value() -> None:
    [retcon] = sample_edits()[2].calls
    assert retcon.arguments["retcon"] is True
    assert retcon.arguments["statePatch"] == {"eyes": "grey"}
    assert [position for position, scene in scenes().items() if "hazel" in scene.text] == ["b1:1.1"]
    assert "Edda’s hazel eyes" in scenes()["b1:1.1"].text
    assert [position for position, scene in scenes().items() if "grey eyes" in scene.text] == ["b1:2.2"]


def test_flashback_is_placed_before_the_first_book() -> None:
    [place] = calls("place_scene")
    assert place.arguments == {
        "sceneId": "b2:1.2",
        "relation": "before",
        "node": "b1:1.1",
        "mode": "flashback",
    }


def test_true_name_holds_from_the_beginning_and_is_told_in_the_last_chapter_only() -> None:
    [reveal] = named("Mother Tansy", **{"true name": "Isaut Vayle"})
    assert (reveal.arguments["chapterId"], reveal.arguments["toldAt"]) == ("start", "b2:3.2")
    saying = [position for position, scene in scenes().items() if "I am Isaut Vayle" in scene.text]
    assert saying == ["b2:3.2"]
