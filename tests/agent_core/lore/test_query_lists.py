"""What there is to read, what happens when, and what wants a look."""

import pytest

from agent_core.errors import BadInterval, UnknownPosition
from agent_core.lore import query, record
from agent_core.lore.answers import ChapterScenes
from agent_core.lore.model import (
    NOT_REVEALED,
    START,
    Asserted,
    Created,
    EntityType,
    Mode,
    Named,
    Nothing,
    Relation,
    Retired,
)
from tests.agent_core.lore.desk import AUTHOR, Desk, book


async def test_contents_list_the_tree_with_places_and_words(desk: Desk) -> None:
    await desk.save(
        await record.plan_place(
            await desk.canon(), nodes=["3.1"], relation=Relation.BEFORE, anchor="1.1", mode=Mode.FLASHBACK
        )
    )
    answer = await query.contents(await desk.canon(), bound=AUTHOR, counted=True)
    chapters = answer.books[0].chapters
    assert answer.series == "Vel"
    assert [chapter.place.label for chapter in chapters] == ["1", "2", "3"]
    scene = chapters[2].scenes[0]
    assert (scene.place.label, scene.mode, scene.story, scene.undated) == (
        "3.1",
        Mode.FLASHBACK,
        "before 1.1",
        False,
    )
    assert scene.words == 5
    assert (await query.contents(await desk.canon(), bound=AUTHOR)).books[0].chapters[0].scenes[0].words == 0


async def test_flashback_without_a_place_is_marked(desk: Desk) -> None:
    await desk.save(await record.plan_place(await desk.canon(), nodes=["2.2"], mode=Mode.FLASHBACK))
    answer = await query.contents(await desk.canon(), bound=AUTHOR)
    marked = [s.place.label for c in answer.books[0].chapters for s in c.scenes if s.undated]
    assert marked == ["2.2"]


async def test_contents_for_a_reader_end_at_the_bound(desk: Desk) -> None:
    await desk.write(book("The Kiln", {"1": ["Later."]}))
    canon = await desk.canon()
    answer = await query.contents(canon, bound=await desk.reader("b1:2.1"))
    assert [b.place.label for b in answer.books] == ["b1"]
    assert [s.place.label for c in answer.books[0].chapters for s in c.scenes] == [
        "b1:1.1",
        "b1:1.2",
        "b1:2.1",
    ]
    assert (await query.contents(canon, bound=Nothing())).books == ()
    with pytest.raises(UnknownPosition):
        await query.contents(canon, "b2", bound=await desk.reader("b1:2.1"))
    assert [b.place.title for b in (await query.contents(canon, "the kiln", bound=AUTHOR)).books] == [
        "The Kiln"
    ]


def _joined(*pages: ChapterScenes) -> str:
    return "".join(scene.text for page in pages for scene in page.scenes)


async def test_long_chapter_is_read_in_pages_that_join_to_the_whole(desk: Desk) -> None:
    canon = await desk.canon()
    whole = await query.chapter_scenes(canon, "1", bound=AUTHOR, max_chars=10_000)
    pages = [await query.chapter_scenes(canon, "1", bound=AUTHOR, max_chars=25)]
    while (offset := pages[-1].next_offset) is not None:
        pages.append(await query.chapter_scenes(canon, "1", offset, bound=AUTHOR, max_chars=25))
    assert whole.next_offset is None
    assert [scene.cut for scene in whole.scenes] == ["", ""]
    assert len(pages) > 2
    assert _joined(*pages) == _joined(whole)
    assert pages[0].scenes[0].cut == "25 of 40 characters, go on at offset 25"
    assert pages[0].scenes[0].text.endswith("Her ")


async def test_page_that_ends_with_a_scene_goes_on_with_the_next(desk: Desk) -> None:
    canon = await desk.canon()
    first = await query.chapter_scenes(canon, "1", bound=AUTHOR, max_chars=40)
    assert [scene.cut for scene in first.scenes] == [""]
    assert first.next_offset == 40
    second = await query.chapter_scenes(canon, "1", 40, bound=AUTHOR, max_chars=1000)
    assert [(scene.place.label, scene.offset) for scene in second.scenes] == [("1.2", 0)]
    beyond = await query.chapter_scenes(canon, "1", 9999, bound=AUTHOR, max_chars=1000)
    assert (beyond.scenes, beyond.next_offset) == ((), None)


async def test_reader_gets_the_scenes_of_a_chapter_up_to_the_bound(desk: Desk) -> None:
    canon, reader = await desk.canon(), await desk.reader("2.1")
    answer = await query.chapter_scenes(canon, "2", bound=reader, max_chars=1000)
    assert [scene.place.label for scene in answer.scenes] == ["2.1"]
    with pytest.raises(UnknownPosition):
        await query.chapter_scenes(canon, "3", bound=reader, max_chars=1000)
    with pytest.raises(UnknownPosition):
        await query.chapter_scenes(canon, "b1", bound=AUTHOR, max_chars=1000)


async def _lived(desk: Desk) -> str:
    mara = await desk.known_from_start("Mara")
    await desk.save(
        await record.plan_place(
            await desk.canon(), nodes=["3.1"], relation=Relation.BEFORE, anchor="1", mode=Mode.FLASHBACK
        )
    )
    await desk.record(mara, {"name": "short"}, "start", told="start")
    await desk.record(mara, {"mask": "monk"}, "1.2", until="2.2")
    await desk.record(mara, {"beard": True}, "3.1")
    return mara


async def test_timeline_in_story_and_in_reading_order(desk: Desk) -> None:
    mara = await _lived(desk)
    canon = await desk.canon()
    story = await query.timeline_of(canon, mara, bound=AUTHOR)
    reading = await query.timeline_of(canon, order="reading", bound=AUTHOR)
    assert [(item.kind, item.at and item.at.label, item.patch) for item in story.items] == [
        ("always", None, {"name": "short"}),
        ("flashback", "3.1", {"beard": True}),
        ("begins", "1.2", {"mask": "monk"}),
        ("ends", "2.2", {"mask": "monk"}),
    ]
    assert [item.at and item.at.label for item in reading.items] == [None, "1.2", "2.2", "3.1"]
    assert (story.items[2].edit, story.items[2].told) == (5, "1.2")


async def test_timeline_between_two_places_and_cut_at_a_limit(desk: Desk) -> None:
    mara = await _lived(desk)
    canon = await desk.canon()
    part = await query.timeline_of(canon, mara, from_="1.1", to="2", bound=AUTHOR)
    cut = await query.timeline_of(canon, mara, bound=AUTHOR, limit=1)
    until = await query.timeline_of(canon, mara, to="start", bound=AUTHOR)
    assert [item.kind for item in part.items] == ["begins", "ends"]
    assert (len(cut.items), cut.more) == (1, 3)
    assert [item.kind for item in until.items] == ["always"]


async def test_timeline_that_would_end_before_it_begins_is_refused(desk: Desk) -> None:
    with pytest.raises(BadInterval) as refused:
        await query.timeline_of(await desk.canon(), from_="2.1", to="1", bound=AUTHOR)
    assert refused.value.facts["reason"] == "reversed"
    assert (await query.timeline_of(await desk.canon(), from_="2.1", to="2.1", bound=AUTHOR)).items == ()


async def test_timeline_of_a_reader_shows_no_end_that_comes_later(desk: Desk) -> None:
    mara = await _lived(desk)
    answer = await query.timeline_of(await desk.canon(), mara, bound=await desk.reader("2.1"))
    assert [(item.kind, item.edit) for item in answer.items] == [("always", None), ("begins", None)]
    assert answer.more == 0


async def test_loose_ends_name_what_lost_its_scene_does_not_fit_or_waits(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara")
    await desk.record(mara, {"scar": "cheek"}, "2.1", until="2.2", told="start")
    await desk.record(mara, {"law": "ash"})
    await desk.append(
        [
            Asserted(
                id="f",
                entity=mara,
                patch={"titles": {"$add": ["Heron"]}},
                told=START,
                at=await desk.at("1.1"),
            )
        ]
    )
    for node in ("2.2", "2.1"):
        await desk.save(await record.plan_place(await desk.canon(), nodes=[node], delete=True))
    await desk.save(await record.plan_place(await desk.canon(), nodes=["3.1"], mode=Mode.FLASHBACK))
    answer = await query.loose_ends(await desk.canon(), bound=AUTHOR)
    kinds = [
        (end.kind, end.fact.patch if end.fact else end.scene and end.scene.label) for end in answer.items
    ]
    assert kinds == [
        ("lost_from", {"scar": "cheek"}),
        ("lost_until", {"scar": "cheek"}),
        ("does_not_fit", {"titles": {"$add": ["Heron"]}}),
        ("undated", "3.1"),
        ("not_revealed", {"law": "ash"}),
    ]
    assert answer.items[0].fact is not None
    assert answer.items[0].fact.edit == 3


async def test_loose_ends_leave_retired_entries_out_and_are_empty_for_readers(desk: Desk) -> None:
    await desk.append(
        [
            Created(entity="x", type=EntityType.OBJECT, told=NOT_REVEALED),
            Named(id="n", entity="x", name="Ring", told=NOT_REVEALED),
        ]
    )
    canon = await desk.canon()
    assert [end.kind for end in (await query.loose_ends(canon, bound=AUTHOR)).items] == ["not_revealed"]
    assert (await query.loose_ends(canon, bound=await desk.reader("3"))).items == ()
    await desk.append([Retired(entity="x")])
    assert (await query.loose_ends(await desk.canon(), bound=AUTHOR)).items == ()
