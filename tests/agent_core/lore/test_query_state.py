"""What an entry is at one place in the story, at one record time, for one reader."""

import pytest

from agent_core.errors import AmbiguousEntity, UnknownEntity, UnknownPosition
from agent_core.lore import merge, query, record
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
    Told,
    UpTo,
    When,
)
from tests.agent_core.lore.desk import AUTHOR, Desk, book


async def _progress(desk: Desk) -> str:
    mara = await desk.known_from_start("Mara Venn")
    await desk.record(mara, {"eyes": "green", "status": "alive"}, told="start")
    await desk.record(mara, {"scar": "left cheek"}, "2.1")
    return mara


async def test_state_progresses_with_the_story(desk: Desk) -> None:
    mara = await _progress(desk)
    canon = await desk.canon()

    async def state(position: str, when: When = When.END) -> dict[str, object]:
        return dict((await query.entry_state(canon, mara, position=position, when=when, bound=AUTHOR)).state)

    assert await state("1.2") == {"eyes": "green", "status": "alive"}
    assert await state("2.1") == {"eyes": "green", "status": "alive", "scar": "left cheek"}
    assert await state("2.1", When.START) == {"eyes": "green", "status": "alive"}
    assert await state("2") == await state("2.2")
    assert await state("start") == {"eyes": "green", "status": "alive"}


async def test_answer_says_where_each_detail_comes_from(desk: Desk) -> None:
    mara = await _progress(desk)
    answer = await query.entry_state(await desk.canon(), "mara venn", position="2.1", bound=AUTHOR)
    scar = next(fact for fact in answer.facts if fact.patch == {"scar": "left cheek"})
    source = next(one for one in answer.sources if one.pointer == "/scar")
    assert answer.entry.id == mara
    assert (scar.from_ and scar.from_.label, scar.edit, scar.by, scar.told) == ("2.1", 4, "ann", "2.1")
    assert scar.recorded_at == "2026-05-01T12:04:00.000000Z"
    assert (source.fact, source.edit, source.from_ and source.from_.label) == (scar.id, 4, "2.1")
    assert answer.at is not None
    assert (answer.at.label, answer.at.title) == ("2.1", "Scene 2.1")
    assert (answer.earlier and answer.earlier.label, answer.later and answer.later.label) == ("1.2", "2.2")


async def test_state_is_read_as_the_notes_stood(desk: Desk) -> None:
    mara = await _progress(desk)
    canon = await desk.canon()
    answer = await query.entry_state(canon, mara, position="3.2", known=3, bound=AUTHOR)
    assert answer.state == {"eyes": "green", "status": "alive"}
    assert (answer.known, answer.known_at) == (3, "2026-05-01T12:03:00.000000Z")
    with pytest.raises(UnknownEntity) as refused:
        await query.entry_state(canon, mara, known=1, bound=AUTHOR)
    assert refused.value.facts["name"] == answer.entry.name


async def test_position_that_nobody_gave_is_where_the_thread_stands(desk: Desk) -> None:
    mara = await _progress(desk)
    canon = await desk.canon()
    here, heron = await desk.at("1.2"), await desk.at("b1")
    stands = await query.entry_state(canon, mara, bound=AUTHOR, here=here, book=heron)
    latest = await query.entry_state(canon, mara, bound=AUTHOR, book=heron)
    every = await query.entry_state(canon, mara, bound=AUTHOR)
    assert (stands.at and stands.at.label, "scar" in stands.state) == ("1.2", False)
    assert (latest.at and latest.at.label, "scar" in latest.state) == ("3.2", True)
    assert (every.at, "scar" in every.state) == (None, True)


async def test_static_traits_stand_apart_and_are_part_of_the_state(desk: Desk) -> None:
    plan = await record.plan_create(
        await desk.canon(),
        kind=EntityType.CHARACTER,
        name="Mara Venn",
        traits={"born": "Vel"},
        new_id=desk.new_id,
    )
    await desk.save(plan)
    await desk.record("Mara Venn", {"rank": "captain"}, "2.1")
    answer = await query.entry_state(await desk.canon(), "Mara Venn", position="2.2", bound=AUTHOR)
    assert answer.traits == {"born": "Vel"}
    assert answer.state == {"born": "Vel", "rank": "captain"}


async def test_reader_sees_neither_edits_nor_authors_nor_what_comes_later(desk: Desk) -> None:
    mara = await _progress(desk)
    await desk.record(mara, {"secret": "is Isolde"}, told="3.2", note="the twist")
    canon = await desk.canon()
    answer = await query.entry_state(canon, mara, position="2.1", bound=await desk.reader("2.1"))
    assert answer.bounded
    assert answer.state == {"eyes": "green", "status": "alive", "scar": "left cheek"}
    assert (answer.known, answer.later) == (None, None)
    for fact in answer.facts:
        assert (fact.edit, fact.by, fact.recorded_at, fact.note) == (None, None, None, "")
    assert all(source.edit is None for source in answer.sources)


async def test_author_looking_as_a_reader_gets_what_that_reader_gets(desk: Desk) -> None:
    mara = await _progress(desk)
    canon = await desk.canon()
    read = await query.entry_state(canon, mara, position="1.2", bound=await desk.reader("1.2"))
    looked = await query.entry_state(canon, mara, position="1.2", bound=AUTHOR, as_reader="1")
    assert looked.model_copy(update={"as_reader": None}) == read
    assert looked.as_reader is not None
    assert looked.as_reader.label == "1.2"
    with pytest.raises(UnknownPosition):
        await query.entry_state(canon, mara, bound=await desk.reader("1.2"), as_reader="3")
    with pytest.raises(UnknownEntity):
        await query.entry_state(canon, mara, bound=AUTHOR, as_reader="start")


async def test_hidden_and_missing_entries_are_refused_alike(desk: Desk) -> None:
    """A63."""
    await desk.known_from_start("Mara Venn")
    await desk.append(
        [
            Created(entity="x", type=EntityType.CHARACTER, told=Told.at(await desk.at("3.2"))),
            Named(id="n", entity="x", name="Mara Vane", told=Told.at(await desk.at("3.2"))),
        ]
    )
    reader = await desk.reader("1.1")
    canon = await desk.canon()
    refusals = []
    for name in ("Mara Vane", "x"):
        with pytest.raises(UnknownEntity) as hidden:
            await query.entry_state(canon, name, bound=reader)
        refusals.append(hidden.value.for_model().replace(name, "?"))
    with pytest.raises(UnknownEntity) as missing:
        await query.entry_state(canon, "Mara Vone", bound=reader)
    assert refusals[0] == missing.value.for_model().replace("Mara Vone", "?")
    assert "Vane" not in refusals[1]
    assert (await query.find_entry(canon, "Mara Vane", AUTHOR)).entity == "x"


async def test_places_beyond_the_bound_and_missing_ones_are_refused_alike(desk: Desk) -> None:
    mara = await _progress(desk)
    reader = await desk.reader("2.1")
    canon = await desk.canon()
    texts = []
    for position in ("3.1", "9.1", await desk.at("3.1"), "2"):
        with pytest.raises(UnknownPosition) as refused:
            await query.entry_state(canon, mara, position=position, bound=reader)
        texts.append(refused.value.for_model().replace(position, "?"))
    assert len(set(texts)) == 1


async def test_reader_of_nothing_finds_no_entry(desk: Desk) -> None:
    mara = await _progress(desk)
    with pytest.raises(UnknownEntity):
        await query.entry_state(await desk.canon(), mara, bound=Nothing())


async def test_fact_whose_scene_is_read_later_shows_no_place_to_the_reader(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara Venn")
    await record_flashback(desk)
    await desk.record(mara, {"beard": False}, "3.1", told="start")
    answer = await query.entry_state(await desk.canon(), mara, position="1.2", bound=await desk.reader("1.2"))
    assert answer.state == {"beard": False}
    assert answer.facts[0].from_ is None
    assert answer.earlier is not None
    assert answer.earlier.label == "1.1"


async def record_flashback(desk: Desk) -> None:
    """Scene 3.1 happened before everything."""
    await desk.save(
        await record.plan_place(
            await desk.canon(), nodes=["3.1"], relation=Relation.BEFORE, anchor="1", mode=Mode.FLASHBACK
        )
    )


async def test_names_are_found_in_any_spelling_and_by_id(desk: Desk) -> None:
    """A55, A56."""
    mara = await desk.known_from_start("Élodie Straße")
    await desk.append([Named(id="n", entity=mara, name="The Fox", told=START, alias=True)])
    canon = await desk.canon()
    for ref in ("elodie strasse", "ÉLODIE STRASSE", "the fox", "Strasse, Élodie", mara):
        assert (await query.find_entry(canon, ref, AUTHOR)).entity == mara


async def test_two_entries_of_one_name_are_told_apart_by_their_hint(desk: Desk) -> None:
    """A56."""
    for entity, hint in (("smith", "the smith"), ("duke", "")):
        await desk.append(
            [
                Created(entity=entity, type=EntityType.CHARACTER, told=START, disambiguator=hint),
                Named(id=f"n-{entity}", entity=entity, name="Ann Lee", told=START),
            ]
        )
    canon = await desk.canon()
    with pytest.raises(AmbiguousEntity) as refused:
        await query.find_entry(canon, "Ann Lee", AUTHOR)
    assert refused.value.facts["candidates"] == (
        "Ann Lee (character, the smith) smith",
        "Ann Lee (character) duke",
    )
    assert (await query.find_entry(canon, "ann lee (The Smith)", AUTHOR)).entity == "smith"
    assert (await query.find_entry(canon, "duke", AUTHOR)).entity == "duke"


async def test_why_lists_the_chain_behind_a_detail_the_winner_last(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara Venn")
    await desk.record(mara, {"eyes": "blue"}, "1.1")
    await desk.record(mara, {"eyes": "green", "coat": "grey"}, "2.1")
    await desk.record(mara, {"coat": "red"}, "2.1")
    answer = await query.why(await desk.canon(), "Mara Venn", "Eyes", position="3", bound=AUTHOR)
    assert answer.key == "eyes"
    assert answer.value == "green"
    assert [fact.edit for fact in answer.chain] == [3, 4]
    blue = await query.why(await desk.canon(), mara, "eyes", position="1.2", bound=AUTHOR)
    assert [quote.scene.label for quote in blue.quotes] == ["1.1"]
    assert blue.value == "blue"
    nothing = await query.why(await desk.canon(), mara, "shoes", position="1.2", bound=AUTHOR)
    assert (nothing.value, nothing.chain, nothing.quotes) == (None, (), ())


async def test_why_of_a_corrected_detail_shows_what_was_struck_out_and_by_which_edit(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara Venn")
    wrong = await desk.record(mara, {"eyes": "blue", "coat": "grey"}, "1.1")
    plan = await record.plan_retcon(
        await desk.canon(), entity="Mara Venn", patch={"eyes": "green"}, chapter="start", new_id=desk.new_id
    )
    right = await desk.save(plan)

    answer = await query.why(await desk.canon(), mara, "eyes", position="2", bound=AUTHOR)

    assert answer.value == "green"
    [struck] = answer.struck
    assert (struck.fact.patch, struck.fact.edit) == ({"eyes": "blue"}, wrong)
    assert (struck.edit, struck.by) == (right, "ann")
    coat = await query.why(await desk.canon(), mara, "coat", position="2", bound=AUTHOR)
    assert (coat.value, coat.struck) == ("grey", ())
    await desk.save(await record.plan_undo(await desk.canon(), change=right))
    undone = await query.why(await desk.canon(), mara, "eyes", position="2", bound=AUTHOR)
    assert (undone.value, undone.struck) == ("blue", ())


async def test_difference_between_two_record_times_turns_one_state_into_the_other(desk: Desk) -> None:
    mara = await desk.known_from_start("Mara Venn")
    first = await desk.record(mara, {"eyes": "blue", "home": {"city": "Vel"}}, "1.1")
    second = await desk.record(mara, {"eyes": "green", "home": {"city": None}}, "1.1")
    canon = await desk.canon()
    then = await query.entry_state(canon, mara, position="2", known=first, bound=AUTHOR)
    now = await query.entry_state(canon, mara, position="2", known=second, bound=AUTHOR)
    assert merge.apply(then.state, merge.diff(then.state, now.state)) == now.state
    assert merge.diff(now.state, now.state) == {}


async def test_book_scope_counts_in_its_own_book_only(desk: Desk) -> None:
    await desk.write(book("The Kiln", {"1": ["Later."]}))
    holmes = await desk.known_from_start("Holmes")
    await desk.record(holmes, {"case": "speckled band"}, "b1:3.2", only_in="b1")
    canon = await desk.canon()
    inside = await query.entry_state(canon, holmes, position="b1:3.2", bound=AUTHOR)
    after = await query.entry_state(canon, holmes, position="b2:1.1", bound=AUTHOR)
    assert inside.state == {"case": "speckled band"}
    assert inside.facts[0].scope_book is not None
    assert inside.facts[0].scope_book.label == "b1"
    assert after.state == {}


async def test_entry_told_to_nobody_is_hidden_from_readers_of_the_whole_book(desk: Desk) -> None:
    await desk.append(
        [
            Created(entity="x", type=EntityType.RULE, told=NOT_REVEALED),
            Named(id="n", entity="x", name="Law of Ash", told=NOT_REVEALED),
            Asserted(id="f", entity="x", patch={"cost": "blood"}, told=START),
        ]
    )
    canon = await desk.canon()
    with pytest.raises(UnknownEntity):
        await query.entry_state(canon, "Law of Ash", bound=UpTo(await desk.at("3.2")))


async def test_author_is_told_that_an_entry_was_not_there_yet_and_a_reader_only_that_there_is_none(
    desk: Desk,
) -> None:
    mara = await desk.known_from_start("Mara Venn")
    canon = await desk.canon()
    with pytest.raises(UnknownEntity) as told:
        await query.entry_state(canon, mara, bound=AUTHOR, known=0)
    with pytest.raises(UnknownEntity) as hidden:
        await query.entry_state(canon, "Mara Venn", bound=await desk.reader("1.2"), known=0)
    assert told.value.for_model() == "UnknownEntity: name=Mara Venn, reason=not_yet"
    assert "reason" not in hidden.value.facts
