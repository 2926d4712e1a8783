"""`import_bible` and `compare_notes` through the pipeline: what a vault becomes in the canon."""

from pathlib import Path

import pytest

from adapters.cards import View, answer_card
from agent_core.errors import ImportFailure, NothingToDo, NotPermitted
from agent_core.importing.bible.differences import NoteDifferences
from agent_core.lore.answers import ChapterScenes, Contents, EntryList, LooseEnds, Warn
from agent_core.people.model import SeriesRole
from agent_core.pipeline.model import Batch
from tests.house import House


async def bring_in(house: House, path: Path) -> Batch:
    batch = await house.write("import_bible", paths=[str(path)])
    assert batch.edit is not None, batch.calls
    return batch


def said(batch: Batch, code: str) -> list[Warn]:
    return [warn for call in batch.calls for warn in call.card.warnings if warn.code == code]


async def names(house: House) -> list[str]:
    listed = await house.core.lookup("list_entries", {}, await house.asker())
    assert isinstance(listed, EntryList)
    return [entry.name for entry in listed.entries]


async def test_a_vault_becomes_entries_and_scenes_in_one_edit(house: House, vault: Path) -> None:
    batch = await bring_in(house, vault)

    assert await names(house) == ["Bram Oster", "Elke", "Ines Valk", "Oru", "The Salt House"]
    assert await house.state("Ines Valk") == {
        "age": "34",
        "status": "alive",
        "room": "010",
        "allies": ["Bram Oster"],
        "enemies": ["Nobody Known"],
        "locations": ["The Salt House"],
        "custom": {"fear": "deep water", "motto": "Storm #4 landing"},
        "description": "Keeps the clock of The Salt House.",
    }
    assert await house.state("The Warden") == await house.state("Ines Valk")
    bram = await house.state("Bram Oster")
    assert bram == {"age": "51", "answer": "no", "born": "1931-08-14", "description": "A pilot."}
    assert (await house.state("Elke"))["status"] == "missing"
    assert await house.state("The Salt House") == {
        "world": "Oru",
        "locationType": "building",
        "description": "White with salt.",
    }
    [counts] = said(batch, "bible_counts")
    assert (counts.facts["entries"], counts.facts["differ"], counts.facts["unclear"]) == (5, 0, 0)
    [stranger] = said(batch, "bible_stranger")
    assert stranger.facts["fields"] == "Nobody Known"


async def test_scenes_stand_in_chapters_and_an_undated_flashback_is_listed(house: House, vault: Path) -> None:
    batch = await bring_in(house, vault)

    contents = await house.core.lookup("list_chapters", {}, await house.asker())
    assert isinstance(contents, Contents)
    [book] = contents.books
    assert book.place.title == "The Tide Clock"
    assert [(one.number, one.place.title, one.part) for one in book.chapters] == [
        ("1", "The Ferry", "Act 1 — Ebb"),
        ("2", "Low Water", "Act 1 — Ebb"),
    ]
    assert [(one.place.label, one.mode, one.undated) for one in book.chapters[1].scenes] == [
        ("2.1", "linear", False),
        ("2.2", "flashback", True),
        ("2.3", "linear", False),
    ]
    assert [warn.facts["place"] for warn in said(batch, "undated")] == ["2.2"]
    loose = await house.core.lookup("list_loose_ends", {}, await house.asker())
    assert isinstance(loose, LooseEnds)
    assert [one.scene.label for one in loose.items if one.kind == "undated" and one.scene] == ["2.2"]


async def test_importing_again_is_stable_and_says_so(house: House, vault: Path) -> None:
    await bring_in(house, vault)
    await house.write(
        "record_lore_state", entityId="Ines Valk", statePatch={"status": "dead"}, chapterId="2.1"
    )

    asker = await house.asker()
    with pytest.raises(NothingToDo) as nothing:
        await house.core.propose([("import_bible", {"paths": [str(vault)]})], asker, complete=True)

    assert (nothing.value.facts["same"], nothing.value.facts["differ"]) == (17, 1)


async def test_one_undo_takes_the_whole_bible_back(house: House, vault: Path) -> None:
    batch = await bring_in(house, vault)

    await house.write("undo", change=batch.edit)

    assert await names(house) == []
    contents = await house.core.lookup("list_chapters", {}, await house.asker())
    assert isinstance(contents, Contents)
    assert contents.books == ()


async def test_the_canon_stands_where_a_note_says_otherwise(house: House, vault: Path) -> None:
    await bring_in(house, vault)
    note = vault / "Characters/Ines Valk.md"
    note.write_text(note.read_text().replace("age: 34", "age: 35\nheight: tall"))

    batch = await bring_in(house, vault)

    state = await house.state("Ines Valk")
    assert (state["age"], state["height"]) == ("34", "tall")
    [differs] = said(batch, "bible_differs")
    assert differs.facts["spot"] == "Characters/Ines Valk.md:5"
    assert differs.values == {"note": "35", "canon": "34"}


async def test_readers_see_nothing_of_a_bible_that_no_scene_has_told(house: House, vault: Path) -> None:
    await bring_in(house, vault)
    await house.join("rob", SeriesRole.READER, finished="1")

    listed = await house.core.lookup("list_entries", {}, await house.asker("rob"))
    assert isinstance(listed, EntryList)
    assert [entry.name for entry in listed.entries] == ["Ines Valk"]
    assert await house.state("Ines Valk", "rob") == {}


async def test_readers_import_nothing(house: House, vault: Path) -> None:
    await bring_in(house, vault)
    await house.join("rob", SeriesRole.READER, finished="1")

    with pytest.raises(NotPermitted):
        await house.core.propose(
            [("import_bible", {"source": "notes"})], await house.asker("rob"), complete=True
        )


async def test_nothing_is_written_where_a_file_cannot_be_read(house: House, tmp_path: Path) -> None:
    (tmp_path / "cast.csv").write_bytes(b"name,age\nMara,17\nT\xe9o,20\n")

    with pytest.raises(ImportFailure) as failure:
        await house.core.propose(
            [("import_bible", {"paths": [str(tmp_path / "cast.csv")]})], await house.asker(), complete=True
        )

    assert failure.value.facts == {"file": "cast.csv", "reason": "not_text", "line": 3}
    assert await names(house) == []


async def test_notes_are_imported_and_compared_where_they_lie(house: House, vault: Path) -> None:
    await house.write("attach_notes", name="tide")
    await house.write("import_bible", source="notes")
    await house.write(
        "record_lore_state", entityId="Ines Valk", statePatch={"status": "dead"}, chapterId="2.1"
    )

    found = await house.core.lookup("compare_notes", {}, await house.asker())

    assert isinstance(found, NoteDifferences)
    [one] = found.items
    assert (one.path, one.line, one.entry.name, one.key, one.note, one.canon) == (
        "Characters/Ines Valk.md", 6, "Ines Valk", "status", "alive", "dead",
    )  # fmt: skip
    assert one.scene is not None
    assert one.scene.label == "2.1"
    before = await house.core.lookup("compare_notes", {"asOf": "1.1"}, await house.asker())
    assert isinstance(before, NoteDifferences)
    assert before.items == ()
    card = answer_card(found, View(language="en", series="The Tide Clock"))
    assert card.fields[0].lines[0].text == (
        "Ines Valk, status: alive in the note; dead in the canon, from 2.1 Low Water on"
    )


async def test_files_that_were_made_of_the_canon_are_no_notes(house: House, vault: Path) -> None:
    for folder in ("exports", "Characters/exports"):
        (vault / folder).mkdir()
        (vault / folder / "characters.csv").write_text(f"name,status\nElke,found\n{folder[:4]},alive\n")
    await house.write("attach_notes", name="tide")

    await house.write("import_bible", source="notes")

    assert await names(house) == ["Bram Oster", "Char", "Elke", "Ines Valk", "Oru", "The Salt House"]
    (vault / "Characters/exports/characters.csv").unlink()
    found = await house.core.lookup("compare_notes", {}, await house.asker())
    assert isinstance(found, NoteDifferences)
    assert (found.items, found.without_entry) == ((), ())


async def test_one_note_that_cannot_be_read_keeps_the_others_from_nothing(house: House, vault: Path) -> None:
    (vault / "Characters/Fred.md").write_bytes(b"---\ntype: character\n---\nFianc\xe9.\n")
    await house.write("attach_notes", name="tide")

    batch = await house.write("import_bible", source="notes")

    assert len(await names(house)) == 5
    [left_out] = said(batch, "bible_not_text")
    assert left_out.facts["spot"] == "Characters/Fred.md:4"
    found = await house.core.lookup("compare_notes", {}, await house.asker())
    assert isinstance(found, NoteDifferences)
    assert found.left_out == ("Characters/Fred.md:4",)
    card = answer_card(found, View(language="en", series="The Tide Clock"))
    assert card.lines[1].text == "Left out, since it can’t be read: Characters/Fred.md:4."


async def test_readers_compare_nothing(house: House, vault: Path) -> None:
    await house.write("attach_notes", name="tide")
    await house.write("import_bible", source="notes")
    await house.join("rob", SeriesRole.READER, finished="1")

    with pytest.raises(NotPermitted):
        await house.core.lookup("compare_notes", {}, await house.asker("rob"))


async def test_notes_that_plan_a_scene_leave_its_prose_and_edited_prose_comes_in(
    house: House, vault: Path
) -> None:
    await bring_in(house, vault)
    prose = "Ines Valk stood at the rail of the house, and the ferry turned in the dark water below her. "
    await house.write("persist_scene", chapterId="1", sceneNumber=1, title="The Ferry", rawText=prose * 9)
    await house.write("persist_scene", chapterId="2", sceneNumber=3, title="The Key", rawText=prose * 4)
    fields = "---\ntype: scene\ntitle: {}\nchapter: {}\nsequence: {}\n---\n"
    (vault / "Scenes/01-01 The Ferry.md").write_text(fields.format("The Ferry", 1, 1) + "Arrival; mood.\n")
    (vault / "Scenes/01-03 The Flood.md").write_text(
        fields.format("The Flood", 2, 3) + "The water came at night again.\n"
    )

    batch = await bring_in(house, vault)

    assert [warn.facts["place"] for warn in said(batch, "bible_scene_text")] == ["1.1"]
    assert [warn.facts["place"] for warn in said(batch, "scene_edited")] == ["2.2"]
    for chapter, text in (("1", prose * 9), ("2.3", prose * 4), ("2.2", "night again.")):
        found = await house.core.lookup("fetch_chapter_scenes", {"chapterId": chapter}, await house.asker())
        assert isinstance(found, ChapterScenes)
        assert any(text.strip() in scene.text for scene in found.scenes)
    contents = await house.core.lookup("list_chapters", {}, await house.asker())
    assert isinstance(contents, Contents)
    assert [one.part for one in contents.books[0].chapters] == ["Act 1 — Ebb", "Act 1 — Ebb"]


async def test_a_scene_that_nobody_wrote_yet_goes_in_between_others(house: House, vault: Path) -> None:
    cards = {"Ebb": 1, "Flow": 2, "Spring": 3}
    for name, number in cards.items():
        card = f"---\ntype: scene\nchapter: 5\nsequence: {number * 10}\n---\n"
        (vault / f"Scenes/{name}.md").write_text(card)
    await bring_in(house, vault)
    (vault / "Scenes/Neap.md").write_text("---\ntype: scene\nchapter: 5\nsequence: 15\n---\n")

    batch = await bring_in(house, vault)

    [revised] = said(batch, "revised")
    assert {name: revised.facts[name] for name in ("new", "moved", "edited", "gone")} == {
        "new": 1, "moved": 0, "edited": 0, "gone": 0,
    }  # fmt: skip
    contents = await house.core.lookup("list_chapters", {}, await house.asker())
    assert isinstance(contents, Contents)
    scenes = [scene.place.title for scene in contents.books[0].chapters[-1].scenes]
    assert scenes == ["Ebb", "Neap", "Flow", "Spring"]


async def test_yes_to_a_review_that_is_no_longer_so_imports_nothing(house: House, vault: Path) -> None:
    """The notes are read again, and so is the canon: either may have changed while the card waited."""
    ask = [("import_bible", {"paths": [str(vault)]})]
    first = await house.core.propose(ask, await house.asker(), complete=False)
    (vault / "Characters/Late.md").write_text("---\ntype: character\nage: 9\n---\n")

    second, _ = await house.decide(first.id)

    assert (first.calls[0].card.facts["entries"], second.calls[0].card.facts["entries"]) == (5, 6)
    assert await names(house) == []
    await house.write("create_lore_entity", type="character", name="Elke", staticTraits={"eyes": "grey"})
    third, _ = await house.decide(second.id)
    assert third.calls[0].card.facts["entries"] == 5
    assert await names(house) == ["Elke"]
    done, _ = await house.decide(third.id)
    assert done.edit is not None
    assert "Late" in await names(house)
